// How moves are made: click, tap, drag, arrow keys, or typed.

import { byId, h, replace, use } from "./dom.js";
import { cells, isMovable, mayMove, placeOf, squareAt, targets } from "./board.js";
import { request, say, set, store, watch } from "./store.js";

// While the editor is open, squares are set up instead of moved from.
let editing = null;
export const editWith = (put) => { editing = put; };

// Sends a move, as an answer where there is an exercise.
export function sendMove(move) {
  closeChoice();
  // An answer leaves the position as it is, and no piece in the hand.
  if (store.exercise) set({ selected: null });
  return request(store.exercise ? "try" : "play", { move });
}

function choose(square) {
  if (editing) return editing(square);
  const options = targets().get(square);
  if (options?.length === 1) sendMove(options[0].text);
  else if (options) openChoice(options);
  else if (store.selected === square) set({ selected: null });
  else if (isMovable(square)) {
    set({ selected: square });
    const count = targets().size;
    say(`${square} selected, ${count} ${count === 1 ? "square" : "squares"} to move to.`);
  } else {
    if (store.selected) set({ selected: null });
    if (store.state.moves.length && !mayMove()) say("It is the computer's turn.");
  }
}

// The mover picks what is captured: the host lists every choice as a move of its own.
function openChoice(options) {
  const box = byId("choice");
  const button = (move) => h("button", { type: "button", onclick: () => sendMove(move.text) }, "Capture " + move.captures.join(", "));
  replace(box, h("p", {}, "This move surrounds several pieces. Which one is captured?"), h("div", { class: "row" }, options.map(button), h("button", { type: "button", onclick: closeChoice }, "Cancel")));
  box.hidden = false;
  box.querySelector("button").focus();
}

function closeChoice() {
  const box = byId("choice");
  if (box.hidden) return;
  const within = box.contains(document.activeElement);
  box.hidden = true;
  if (within) focusCell(store.selected ?? "e5");
}

function focusCell(square) {
  for (const cell of cells.values()) cell.tabIndex = -1;
  cells.get(square).tabIndex = 0;
  cells.get(square).focus();
}

const STEPS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

function onKey(event) {
  const square = event.target.dataset.square;
  if (!square || event.altKey || event.ctrlKey || event.metaKey) return;
  const [column, row] = placeOf(square);
  const step = STEPS[event.key];
  if (step) {
    const within = (value) => Math.min(8, Math.max(0, value));
    focusCell(squareAt(within(column + step[0]), within(row + step[1])));
  } else if (event.key === "Home") focusCell(squareAt(0, row));
  else if (event.key === "End") focusCell(squareAt(8, row));
  else if (event.key === "Enter" || event.key === " ") choose(square);
  else if (event.key === "Escape") {
    closeChoice();
    set({ selected: null });
  } else return;
  event.preventDefault();
}

// Dragging is for mouse and pen; a finger taps, so that the page still scrolls.
function onPointerDown(event) {
  const square = event.target.closest(".cell")?.dataset.square;
  if (!square || event.button !== 0) return;
  if (event.pointerType === "touch" || editing || !isMovable(square)) return;
  const start = [event.clientX, event.clientY];
  let ghost = null;
  const over = (at) => document.elementsFromPoint(at.clientX, at.clientY).find((element) => element.classList?.contains("cell"));
  const move = (at) => {
    if (!ghost && Math.hypot(at.clientX - start[0], at.clientY - start[1]) < 6) return;
    if (!ghost) {
      set({ selected: square });
      ghost = use("piece-" + store.state.pieces[square]);
      ghost.setAttribute("class", "ghost");
      const size = cells.get(square).clientWidth;
      Object.assign(ghost.style, { width: size + "px", height: size + "px" });
      document.body.append(ghost);
      cells.get(square).classList.add("dragging");
    }
    const size = cells.get(square).clientWidth / 2;
    Object.assign(ghost.style, { left: at.clientX - size + "px", top: at.clientY - size + "px" });
    for (const cell of cells.values()) cell.classList.toggle("drop", cell === over(at) && targets().has(cell.dataset.square));
  };
  const end = (at) => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
    if (!ghost) return;
    ghost.remove();
    for (const cell of cells.values()) cell.classList.remove("drop", "dragging");
    const to = at.type === "pointerup" ? over(at)?.dataset.square : null;
    // The click that follows belongs to the drag.
    addEventListener("click", (click) => click.stopPropagation(), { capture: true, once: true });
    setTimeout(() => {
      if (to && to !== square && targets().has(to)) choose(to);
    });
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}

export function listen() {
  const grid = byId("board");
  grid.addEventListener("click", (event) => {
    const square = event.target.closest(".cell")?.dataset.square;
    if (!square) return;
    for (const cell of cells.values()) cell.tabIndex = -1;
    cells.get(square).tabIndex = 0;
    choose(square);
  });
  grid.addEventListener("keydown", onKey);
  grid.addEventListener("pointerdown", onPointerDown);
  byId("typed").addEventListener("submit", async (event) => {
    event.preventDefault();
    const field = byId("typed-move");
    if (field.value.trim() && (await sendMove(field.value.trim()))) field.value = "";
  });
}

watch(() => {
  if (!store.selected) closeChoice();
});
