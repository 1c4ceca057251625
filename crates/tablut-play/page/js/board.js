// The board: a grid of named cells, drawn from the host's state.

import { byId, h, replace, use } from "./dom.js";
import { store, watch } from "./store.js";

export const LETTERS = [..."abcdefghi"];
export const cells = new Map();

// Names the square at a column and a row counted from the top, both from 0.
export const squareAt = (column, row) => LETTERS[column] + (9 - row);
export const placeOf = (square) => [LETTERS.indexOf(square[0]), 9 - Number(square[1])];

export function makeBoard() {
  const frame = byId("board-frame");
  const grid = h("div", { class: "grid", role: "grid", id: "board", "aria-label": "Board" });
  for (let row = 0; row < 9; row += 1) {
    const line = h("div", { class: "row-of-board", role: "row" });
    for (let column = 0; column < 9; column += 1) {
      const square = squareAt(column, row);
      const cell = h("div", { class: "cell" + ((column + row) % 2 ? " odd" : ""), role: "gridcell", "data-square": square, tabindex: square === "e5" ? "0" : "-1" });
      cells.set(square, cell);
      line.append(cell);
    }
    grid.append(line);
  }
  frame.append(grid, h("div", { class: "overlay", id: "overlay", "aria-hidden": "true" }));
  addLetters(frame);
}

function addLetters(frame) {
  for (let index = 0; index < 9; index += 1) {
    const along = `calc(var(--edge) + (100% - 2 * var(--edge)) * ${index / 9})`;
    const size = "calc((100% - 2 * var(--edge)) / 9)";
    for (const end of ["top", "bottom"]) {
      const letter = h("span", { class: "letters", "aria-hidden": "true" }, LETTERS[index]);
      Object.assign(letter.style, { left: along, width: size, [end]: "0", height: "var(--edge)" });
      frame.append(letter);
    }
    for (const end of ["left", "right"]) {
      const number = h("span", { class: "letters", "aria-hidden": "true" }, String(9 - index));
      Object.assign(number.style, { top: along, height: size, [end]: "0", width: "var(--edge)" });
      frame.append(number);
    }
  }
}

// The moves of the selected piece by where they lead.
export function targets() {
  const found = new Map();
  for (const move of store.state?.moves ?? []) {
    if (move.from !== store.selected) continue;
    if (!found.has(move.to)) found.set(move.to, []);
    found.get(move.to).push(move);
  }
  return found;
}

export const isMovable = (square) => mayMove() && store.state.moves.some((move) => move.from === square);
export const mayMove = () => !!store.exercise || !store.state.computer_to_move;

function render({ state, rules, selected }) {
  const reach = targets();
  const threatened = new Set(state.threatened);
  for (const [square, cell] of cells) {
    const piece = state.pieces[square];
    const marks = rules?.marks[square] ?? [];
    const options = reach.get(square);
    const capturing = options?.some((move) => move.captures.length);
    const classes = { camp: marks.includes("camp"), movable: isMovable(square), selected: selected === square, "last-to": state.last?.to === square, "last-from": state.last?.from === square };
    for (const [name, on] of Object.entries(classes)) cell.classList.toggle(name, on);
    const key = [piece, marks, !!options, capturing, threatened.has(square)].join();
    if (cell.dataset.key !== key) {
      cell.dataset.key = key;
      const layers = marks.filter((mark) => mark !== "camp" && !(mark === "escape" && marks.includes("corner"))).map((mark) => withClass(use("mark-" + mark), "mark"));
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
