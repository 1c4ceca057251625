// Arrows and rings that the user draws with the right mouse button. A click removes them.

import { byId } from "./dom.js";
import { set, store } from "./store.js";

const squareOf = (event) => document.elementsFromPoint(event.clientX, event.clientY).find((element) => element.classList?.contains("cell"))?.dataset.square;
let from = null;

export function makeDrawing() {
  const board = byId("board");
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
    const others = (store.drawing ?? []).filter((one) => one.from !== start || one.to !== to);
    // The same arrow once more takes it away.
    set({ drawing: others.length < (store.drawing ?? []).length ? others : [...others, { from: start, to }] });
  });
}
