// After a game: the moves that changed its result, each as an exercise. Solutions stay with the host until they are asked for.

import { h, replace } from "./dom.js";
import { request, set, store, watch } from "./store.js";
import { openProof } from "./proof.js";
import { addPanel, openPanel } from "./tabs.js";
import { drawGraph, makeGraph } from "./evaluation.js";

const start = h("button", { type: "button", id: "start-review", class: "primary", onclick: () => request("review") }, "Review this game");
const progress = h("progress", { "aria-label": "Positions looked at", hidden: true });
const found = h("div", { class: "stack" });
const exercise = h("div", { class: "stack" });
const graph = makeGraph();

export function makeReview() {
  addPanel("review", "Review").append(h("div", { class: "card" }, h("h2", {}, "What would have been better?"),
    h("p", { class: "soft small" }, "The program looks at every position of this line and shows the moves that gave something away. What was better is for you to find."),
    h("div", { class: "row" }, start), progress, graph, found), exercise);
}

const VERDICTS = { best: "Best", enough: "Good enough", unclear: "Not clear", fails: "Not this one" };

// What an answer was worth, and the line that shows why; also for puzzles.
export function verdictView(judgement) {
  const line = judgement.line.length > 1 && h("p", { class: "small" }, "Then ", judgement.line.slice(1, 8).join(" "), ".");
  return h("div", { class: "verdict " + judgement.sufficiency }, h("strong", {}, `${judgement.move}: ${VERDICTS[judgement.sufficiency]}`), judgement.words, line);
}

// Plays on from the mistake, as its player did: the proof of what it allowed.
async function punish(mistake) {
  const after = store.state.tree.find((node) => node.parent === mistake.node && node.move === mistake.played);
  if (after && (await request("leave")) && (await request("go-to", { node: after.id }))) {
    openPanel("analysis");
    openProof();
  }
}

function exerciseView({ exercise: task, judgement, review }) {
  const mistake = review.mistakes[task.index];
  const next = task.index + 1 < review.mistakes.length;
  return h("div", { class: "card" }, h("h2", {}, `Exercise ${task.index + 1} of ${review.mistakes.length}`), h("p", {}, task.task), h("p", { class: "soft small" }, "Move on the board to answer."),
    judgement && verdictView(judgement),
    h("div", { class: "row" },
      h("button", { type: "button", id: "solve", onclick: () => request("solve") }, "Show the solution"),
      judgement && h("button", { type: "button", onclick: () => set({ judgement: null, shownLine: null }) }, "Try again"),
      mistake.certain && mistake.words.startsWith("allowed") && h("button", { type: "button", id: "punish", onclick: () => punish(mistake) }, "Show how it is punished"),
      next && h("button", { type: "button", id: "next-exercise", onclick: () => request("exercise", { index: task.index + 1 }) }, "Next"),
      h("button", { type: "button", id: "leave-exercise", onclick: () => request("leave") }, "Leave")));
}

watch((all) => {
  const { state, review, exercise: task } = all;
  start.disabled = state.tree.length < 2;
  start.textContent = review ? "Review again" : "Review this game";
  progress.hidden = !all.progress;
  if (all.progress) Object.assign(progress, { max: all.progress.of, value: all.progress.done });
  drawGraph(graph, all, review?.mistakes);
  graph.style.display = review || all.progress ? "" : "none";
  const item = (mistake, index) => h("li", {}, h("button", { type: "button", "aria-current": task?.index === index ? "true" : null, onclick: () => request("exercise", { index }) },
    h("strong", {}, `${Math.ceil(mistake.ply / 2)}${mistake.ply % 2 ? "." : "…"} ${mistake.played}`), ` (${mistake.side}) ${mistake.words}`, mistake.certain ? h("span", { class: "soft small" }, " · proven") : ""));
  replace(found, review && (review.mistakes.length ? h("ol", { class: "mistakes" }, review.mistakes.map(item)) : h("p", {}, `Nothing to better in ${review.positions} positions.`)));
  replace(exercise, task && task.index !== null && review && exerciseView(all));
});
