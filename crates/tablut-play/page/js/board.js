// The board: a grid of named cells, drawn from the host's state.

import { byId, h, replace, use } from "./dom.js";
import { store, watch } from "./store.js";

export const LETTERS = [..."abcdefghi"];
export const cells = new Map();
const labels = [];
let turned = false;

const turn = (index) => (turned ? 8 - index : index);
// Names the square at a column and a row as they are shown, counted from the top left, both from 0.
export const squareAt = (column, row) => LETTERS[turn(column)] + (9 - turn(row));
export const placeOf = (square) => [turn(LETTERS.indexOf(square[0])), turn(9 - Number(square[1]))];

export function makeBoard() {
  const frame = byId("board-frame");
  const grid = h("div", { class: "grid", role: "grid", id: "board", "aria-label": "Board" });
  for (let row = 0; row < 9; row += 1) grid.append(h("div", { class: "row-of-board", role: "row" }));
  for (const letter of LETTERS) {
    for (let number = 1; number <= 9; number += 1) {
      const square = letter + number;
      cells.set(square, h("div", { class: "cell", role: "gridcell", "data-square": square, tabindex: square === "e5" ? "0" : "-1" }));
    }
  }
  frame.append(grid, h("div", { class: "overlay", id: "overlay", "aria-hidden": "true" }));
  addLetters(frame);
  arrange();
}

function addLetters(frame) {
  for (let index = 0; index < 9; index += 1) {
    const along = `calc(var(--edge) + (100% - 2 * var(--edge)) * ${index / 9})`;
    const size = "calc((100% - 2 * var(--edge)) / 9)";
    for (const end of ["top", "bottom", "left", "right"]) {
      const label = h("span", { class: "letters", "aria-hidden": "true" });
      const isRow = end === "left" || end === "right";
      Object.assign(label.style, isRow ? { top: along, height: size, width: "var(--edge)" } : { left: along, width: size, height: "var(--edge)" }, { [end]: "0" });
      labels.push([label, () => (isRow ? String(9 - turn(index)) : LETTERS[turn(index)])]);
      frame.append(label);
    }
  }
}

// Puts the cells into their rows. The edges of the board are marked, so that signs can point outwards.
function arrange() {
  const rows = byId("board").children;
  const focused = document.activeElement;
  for (let row = 0; row < 9; row += 1) {
    for (let column = 0; column < 9; column += 1) {
      const cell = cells.get(squareAt(column, row));
      cell.classList.toggle("odd", (column + row) % 2 === 1);
      cell.dataset.edge = [row === 0 && "top", row === 8 && "bottom", column === 0 && "left", column === 8 && "right"].filter(Boolean).join(" ");
      rows[row].append(cell);
    }
  }
  // A cell that is put elsewhere loses the focus.
  if (focused?.classList.contains("cell")) focused.focus({ preventScroll: true });
  for (const [label, text] of labels) label.textContent = text();
}

// The moves of the selected piece by where they lead.
export function targets() {
  const found = new Map();
  if (!mayMove()) return found;
  for (const move of store.state?.moves ?? []) {
    if (move.from !== store.selected) continue;
    if (!found.has(move.to)) found.set(move.to, []);
    found.get(move.to).push(move);
  }
  return found;
}

export function mayMove() {
  const { state, exercise, seat } = store;
  return !!exercise || (!state.computer_to_move && (!state.has_seats || (seat === state.side && !state.can_redo)));
}
export const isMovable = (square) => mayMove() && store.state.moves.some((move) => move.from === square);
// Whether the other side, a person's, can prepare its move now.
export function mayPremove() {
  const { state, exercise } = store;
  const other = state.side === "attackers" ? "defenders" : "attackers";
  return !exercise && !state.pause && state.computer_to_move && state.moves.length > 0 && state.players[other].kind === "person";
}

function render({ state, rules, selected, flipped, premove, exercise }) {
  if (turned !== flipped) {
    turned = flipped;
    arrange();
  }
  const reach = targets();
  const threatened = new Set(state.threatened);
  byId("board").classList.toggle("first-move", state.ply === 0 && !selected && !exercise && mayMove());
  for (const [square, cell] of cells) {
    const piece = state.pieces[square];
    const marks = rules?.marks[square] ?? [];
    const options = reach.get(square);
    const capturing = options?.some((move) => move.captures.length);
    const classes = {
      camp: marks.includes("camp"), escape: marks.includes("escape"), movable: isMovable(square), selected: selected === square,
      "last-to": state.last?.to === square, "last-from": state.last?.from === square, premove: premove && (premove.from === square || premove.to === square),
    };
    for (const [name, on] of Object.entries(classes)) cell.classList.toggle(name, !!on);
    const key = [piece, marks, !!options, capturing, threatened.has(square)].join();
    if (cell.dataset.key !== key) {
      cell.dataset.key = key;
      const layers = marks.filter((mark) => mark === "throne" || mark === "corner").map((mark) => withClass(use("mark-" + mark), "mark"));
      if (piece) layers.push(withClass(use("piece-" + piece), "piece"));
      if (threatened.has(square)) layers.push(use("sign-danger"));
      if (options) layers.push(use(capturing ? "sign-capture" : "sign-target"));
      replace(cell, layers);
    }
    cell.setAttribute("aria-label", label(square, piece, marks, options, threatened.has(square)));
    cell.setAttribute("aria-selected", String(selected === square));
  }
}

function withClass(element, name) {
  element.setAttribute("class", name);
  return element;
}

function label(square, piece, marks, options, threatened) {
  const parts = [square, piece ?? "empty", ...marks];
  if (threatened) parts.push("in danger");
  if (options) {
    const captures = options.flatMap((move) => move.captures);
    parts.push(captures.length ? "move here and capture " + captures.join(" or ") : "move here");
  }
  return parts.join(", ");
}

watch(render);
