// The bar that shows how much of the engine is loaded.

import { byId, h } from "./dom.js";

const bar = h("progress", { max: 1, value: 0, "aria-label": "Loading the engine" });
const words = h("span", {}, "The engine is loading.");
const box = h("p", { id: "loading", class: "loading small" }, words, bar);

function show() {
  if (!box.isConnected) byId("controls").after(box);
}

export function showProgress(loaded, of) {
  show();
  [bar.max, bar.value] = [of, loaded];
  bar.hidden = false;
  words.textContent = "The engine is loading.";
}

export function showFailure(text) {
  show();
  bar.hidden = true;
  words.textContent = text;
}

export const hideProgress = () => box.remove();
