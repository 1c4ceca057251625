// Arrows and rings that the user draws with the right mouse button, or in a study by clicking two squares. A study keeps
// them with the position. Elsewhere a click removes them.

import { byId } from "./dom.js";
import { say, set, store } from "./store.js";
import { arrowsOf, currentComment, isDrawing, keepComment } from "./study.js";

const squareOf = (event) => document.elementsFromPoint(event.clientX, event.clientY).find((element) => element.classList?.contains("cell"))?.dataset.square;
let from = null;
let first = null;

// The same arrow once more takes it away.
function add(drawn, start, to) {
  const others = drawn.filter((one) => one.from !== start || one.to !== to);
  return others.length < drawn.length ? others : [...others, { from: start, to }];
}

function draw(start, to) {
  if (store.state.is_study) return keepComment({ arrows: add(arrowsOf(currentComment()), start, to) });
  return set({ drawing: add(store.drawing ?? [], start, to) });
}

// A click on a square while arrows are drawn.
function mark(event) {
  const square = isDrawing() && event.target.closest(".cell")?.dataset.square;
  if (!square) return;
  event.stopPropagation();
  if (first) draw(first, square);
  else say(`Arrow from ${square}.`);
  first = first ? null : square;
  set({ selected: null });
}

export function makeDrawing() {
  const board = byId("board");
  board.addEventListener("click", mark, { capture: true });
  board.addEventListener("contextmenu", (event) => event.preventDefault());
  board.addEventListener("pointerdown", (event) => {
    if (event.button === 2) from = squareOf(event);
    else if (store.drawing?.length) set({ drawing: [] });
  });
  addEventListener("pointerup", (event) => {
    const to = event.button === 2 && from ? squareOf(event) : null;
    const start = from;
    if (event.button === 2) from = null;
    if (!to) return;
    draw(start, to);
  });
}
