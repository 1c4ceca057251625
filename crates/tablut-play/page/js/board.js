// The board: a grid of named cells, drawn from the host's state.

import { byId, h, replace, use } from "./dom.js";
import { store, watch } from "./store.js";

export const cells = new Map();
// Squares along one side of the board. A board is at most 11 wide.
export let width = 0;
const LETTERS = "abcdefghijk";
let labels = [];
let turned = false;

const turn = (index) => (turned ? width - 1 - index : index);
// Names the square at a column and a row as they are shown, counted from the top left, both from 0.
export const squareAt = (column, row) => LETTERS[turn(column)] + (width - turn(row));
export const placeOf = (square) => [turn(LETTERS.indexOf(square[0])), turn(width - Number(square.slice(1)))];
export const centre = () => squareAt((width - 1) / 2, (width - 1) / 2);

export function makeBoard() {
  const grid = h("div", { class: "grid", role: "grid", id: "board" });
  byId("board-frame").append(grid, h("div", { class: "overlay", id: "overlay", "aria-hidden": "true" }));
  resize(9);
}

// Makes the cells and the coordinates of a board of another size.
function resize(squares) {
  const hadFocus = document.activeElement?.classList.contains("cell");
  width = squares;
  const frame = byId("board-frame");
  frame.style.setProperty("--squares", width);
  byId("board").setAttribute("aria-label", `Board, ${width} × ${width} squares`);
  replace(byId("board"), Array.from({ length: width }, () => h("div", { class: "row-of-board", role: "row" })));
  cells.clear();
  for (const letter of LETTERS.slice(0, width)) {
    for (let number = 1; number <= width; number += 1) {
      const square = letter + number;
      cells.set(square, h("div", { class: "cell", role: "gridcell", "data-square": square, tabindex: square === centre() ? "0" : "-1" }));
    }
  }
  for (const { label } of labels) label.remove();
  labels = Array.from({ length: width }, (_, index) => ["top", "bottom", "left", "right"].map((end) => {
    const label = h("span", { class: "letters " + end, "aria-hidden": "true" });
    label.style.setProperty("--index", index);
    const isRow = end === "left" || end === "right";
    return { label, text: () => (isRow ? String(width - turn(index)) : LETTERS[turn(index)]) };
  })).flat();
  frame.append(...labels.map(({ label }) => label));
  arrange();
  if (hadFocus) cells.get(centre()).focus({ preventScroll: true });
}

// Puts the cells into their rows. The edges of the board are marked, so that signs can point outwards.
function arrange() {
  const rows = byId("board").children;
  const focused = document.activeElement;
  const last = width - 1;
  for (let row = 0; row < width; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const cell = cells.get(squareAt(column, row));
      cell.classList.toggle("odd", (column + row) % 2 === 1);
      cell.dataset.edge = [row === 0 && "top", row === last && "bottom", column === 0 && "left", column === last && "right"].filter(Boolean).join(" ");
      rows[row].append(cell);
    }
  }
  // A cell that is put elsewhere loses the focus.
  if (focused?.classList.contains("cell")) focused.focus({ preventScroll: true });
  for (const { label, text } of labels) label.textContent = text();
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
  const rows = state.position.split("/").length;
  if (rows !== width) resize(rows);
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
