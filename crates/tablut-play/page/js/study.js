// A study: a copy of a game in which both sides are one's own, with the engine's lines and with arrows that are kept.

import { byId, h } from "./dom.js";
import { request, store, watch } from "./store.js";
import { openPanel } from "./tabs.js";

export async function study() {
  if (!(await request("study"))) return;
  openPanel("analysis");
  byId("analyse").click();
}

// Arrows and rings stand in the comment, as in other programs' games: [%cal Gd1d3] and [%csl Gd1].
const MARKS = /\s*\[%c[as]l ([^\]]*)\]/g;
const SQUARE = "[a-k](?:1[01]|[1-9])";
const MARK = new RegExp(`^[A-Z](${SQUARE})(${SQUARE})?$`);

export const wordsOf = (comment) => (comment ?? "").replace(MARKS, "").trim();

export function arrowsOf(comment) {
  const marks = [...(comment ?? "").matchAll(MARKS)].flatMap(([, list]) => list.split(","));
  return marks.map((mark) => mark.trim().match(MARK)).filter(Boolean).map(([, from, to]) => ({ from, to: to ?? from }));
}

export function commentOf(words, arrows) {
  const list = (kind, marks) => (marks.length ? ` [%${kind} ${marks.join(",")}]` : "");
  const lines = arrows.filter(({ from, to }) => from !== to).map(({ from, to }) => `G${from}${to}`);
  const rings = arrows.filter(({ from, to }) => from === to).map(({ from }) => `G${from}`);
  return (words.trim() + list("cal", lines) + list("csl", rings)).trim();
}

export const currentComment = () => store.state.tree.find(({ id }) => id === store.state.node)?.comment ?? "";

// Keeps words or arrows of the present position; what is not given stays.
export function keepComment({ words, arrows }) {
  const now = currentComment();
  return request("comment", { node: store.state.node, text: commentOf(words ?? wordsOf(now), arrows ?? arrowsOf(now)) });
}

const draw = h("button", { type: "button", id: "draw-arrows", "aria-pressed": "false", onclick: () => { draw.setAttribute("aria-pressed", String(!isDrawing())); } }, "Draw arrows");
const clear = h("button", { type: "button", id: "clear-arrows", onclick: () => keepComment({ arrows: [] }) }, "Clear arrows");
export const isDrawing = () => draw.getAttribute("aria-pressed") === "true";

export const studyCard = () => h("div", { class: "card", id: "study", hidden: true }, h("h2", {}, "Study"),
  h("p", { class: "soft small" }, "Both sides are yours, and nothing answers. Other moves become variations. Comments and arrows are kept with each position."),
  h("div", { class: "row" }, draw, clear), h("p", { class: "soft small" }, "An arrow goes from the first square that you click to the second. The same square twice is a ring. The right mouse button draws too."));

watch(({ state }) => {
  byId("study").hidden = !state.is_study;
  if (!state.is_study) draw.setAttribute("aria-pressed", "false");
  clear.disabled = !arrowsOf(currentComment()).length;
});
