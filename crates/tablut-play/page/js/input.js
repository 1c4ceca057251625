// How moves are made: click, tap, drag, arrow keys, or typed.

import { byId, h, use } from "./dom.js";
import { cells, centre, isMovable, mayMove, mayPremove, placeOf, squareAt, targets, width } from "./board.js";
import { ask, cancel, close, isAsking } from "./choice.js";
import { request, say, set, store, watch } from "./store.js";
import { isDrawing } from "./study.js";

// While the editor is open, squares are set up instead of moved from.
let editing = null;
export const editWith = (put) => { editing = put; };
export const isEditing = () => editing !== null;

// Sends a move, as an answer where there is an exercise.
export function sendMove(move) {
  if (isAsking()) close();
  // An answer leaves the position as it is, and no piece in the hand.
  if (store.exercise) set({ selected: null });
  return request(store.exercise ? "try" : "play", { move });
}

function choose(square) {
  if (editing) return editing(square);
  set({ remark: null });
  const options = targets().get(square);
  if (options?.length === 1) sendMove(options[0].text);
  else if (options) openChoice(options);
  else if (store.selected === square) set({ selected: null });
  else if (isMovable(square)) {
    set({ selected: square, premove: null });
    const count = targets().size;
    say(`${square} selected, ${count} ${count === 1 ? "square" : "squares"} to move to.`);
  } else if (mayPremove()) choosePremove(square);
  else {
    const remark = whyNot(square);
    set({ selected: null, remark });
    if (remark) say(remark);
  }
}

// Why the piece on a square cannot move; null without a piece.
function whyNot(square) {
  const { state, exercise } = store;
  const piece = state.pieces[square];
  if (!piece || !state.moves.length) return null;
  if (!mayMove()) return state.has_seats ? "It is not your turn." : "It is the computer's turn.";
  if ((piece === "attacker") === (state.side === "attackers")) return `The ${piece} on ${square} cannot move: no square next to it is open to it.`;
  return exercise ? `The ${state.side} are to move.` : `It is the ${state.side}' turn.`;
}

// While the computer thinks, a move can be prepared. The host checks it when it is played.
function choosePremove(square) {
  const own = (at) => store.state.pieces[at] && (store.state.pieces[at] === "attacker") !== (store.state.side === "attackers");
  if (store.selected && store.selected !== square && !own(square)) {
    const from = store.selected;
    set({ premove: { from, to: square }, selected: null });
    say(`${from} to ${square} is prepared.`);
  } else set({ selected: own(square) && store.selected !== square ? square : null, premove: null });
}

// The mover picks what is captured: the host lists every choice as a move of its own.
function openChoice(options) {
  ask("This move surrounds several pieces. Which one is captured?", options.map((move) => ["Capture " + move.captures.join(", "), () => sendMove(move.text)]), "Cancel", () => focusCell(store.selected ?? centre()));
}

function focusCell(square) {
  for (const cell of cells.values()) cell.tabIndex = -1;
  cells.get(square).tabIndex = 0;
  cells.get(square).focus();
}

export const focusBoard = () => focusCell([...cells].find(([, cell]) => cell.tabIndex === 0)?.[0] ?? centre());

const STEPS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

function onKey(event) {
  const square = event.target.dataset.square;
  if (!square || event.altKey || event.ctrlKey || event.metaKey) return;
  const [column, row] = placeOf(square);
  const step = STEPS[event.key];
  if (step) {
    const within = (value) => Math.min(width - 1, Math.max(0, value));
    focusCell(squareAt(within(column + step[0]), within(row + step[1])));
  } else if (event.key === "Home") focusCell(squareAt(0, row));
  else if (event.key === "End") focusCell(squareAt(width - 1, row));
  else if (event.key === "Enter" || event.key === " ") choose(square);
  else if (event.key === "Escape") {
    cancel();
    set({ selected: null, premove: null });
  } else return;
  event.preventDefault();
}

// The kind of the last pointer on the board.
let pointer = null;

// Dragging is for mouse and pen; a finger taps, so that the page still scrolls.
function onPointerDown(event) {
  const square = event.target.closest(".cell")?.dataset.square;
  pointer = event.pointerType;
  if (!square || event.button !== 0) return;
  if (event.pointerType === "touch" || editing || isDrawing() || !isMovable(square)) return;
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
      if (to && to !== square && targets().has(to)) {
        set({ dragged: true });
        choose(to);
      }
    });
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}

// How far beside a square's middle a finger may tap, in squares.
const TAP = 0.8;

// The square of a click. A finger that has missed means the nearest square that can be used.
function meant(event, square) {
  const reach = targets();
  const isUsed = (at) => reach.has(at) || isMovable(at);
  if (pointer !== "touch" || editing || isUsed(square) || square === store.selected) return square;
  const { left, top, width: side } = byId("board").getBoundingClientRect();
  const place = [event.clientX - left, event.clientY - top].map((at) => (at / side) * width - 0.5);
  const distance = (at) => Math.hypot(...placeOf(at).map((along, axis) => along - place[axis]));
  const near = [...cells.keys()].filter((at) => isUsed(at) && distance(at) < TAP);
  return near.sort((one, two) => distance(one) - distance(two))[0] ?? square;
}

export function listen() {
  const grid = byId("board");
  grid.addEventListener("click", (event) => {
    const touched = event.target.closest(".cell")?.dataset.square;
    if (!touched) return;
    const square = meant(event, touched);
    for (const cell of cells.values()) cell.tabIndex = -1;
    cells.get(square).tabIndex = 0;
    choose(square);
  });
  grid.addEventListener("keydown", onKey);
  grid.addEventListener("pointerdown", onPointerDown);
  byId("skip").addEventListener("click", focusBoard);
}

// A field for moves as text.
export function typedMoves() {
  const field = h("input", { id: "typed-move", name: "move", placeholder: "d1-d3", spellcheck: "false", autocapitalize: "none", size: 10 });
  return h("form", { id: "typed", class: "typed", autocomplete: "off", onsubmit: async (event) => {
    event.preventDefault();
    if (field.value.trim() && (await sendMove(field.value.trim()))) field.value = "";
  } }, h("label", { for: "typed-move" }, "Type a move"), field, h("button", {}, "Play"));
}

watch(({ state, premove, selected, thinking }) => {
  if (!selected && isAsking() && byId("choice").textContent.includes("captured?")) close();
  if (!premove || thinking || state.computer_to_move) return;
  const move = state.moves.find(({ from, to }) => from === premove.from && to === premove.to);
  set({ premove: null });
  if (move) sendMove(move.text);
});
