// After a game: a grade for each move, how well each side played, and the costly moves as exercises. Solutions stay with the host
// until they are asked for.

import { h, percent, replace } from "./dom.js";
import { request, store, watch } from "./store.js";
import { mySide } from "./mygames.js";
import { openProof } from "./proof.js";
import { addPanel, openPanel } from "./tabs.js";
import { drawGraph, makeGraph } from "./evaluation.js";

const start = h("button", { type: "button", id: "start-review", class: "primary", onclick: () => request("review") }, "Review this game");
const progress = h("progress", { "aria-label": "Positions looked at", hidden: true });
const found = h("div", { class: "stack" });
const graph = makeGraph();
const legend = h("p", { class: "soft small" }, "Up: the attackers are ahead. Down: the defenders. Click to go there.");

export function makeReview() {
  addPanel("learn", "review", "Review").append(h("div", { class: "card" }, h("h2", {}, "What would have been better?"),
    h("p", { class: "soft small" }, "The program searches every position and grades each move by the chances that it lost. The exercises ask you for better moves."),
    h("div", { class: "row" }, start), progress, graph, legend, found));
}

// Plays on from the mistake, as its player did: the proof of what it allowed.
async function punish(mistake) {
  const after = store.state.tree.find((node) => node.parent === mistake.node && node.move === mistake.played);
  if (after && (await request("leave")) && (await request("go-to", { node: after.id }))) {
    openPanel("analysis");
    openProof();
  }
}

// The buttons of an exercise that only a review has.
export function exerciseTools(task, review) {
  const mistake = review?.mistakes[task.index];
  return [
    mistake?.certain && mistake.words.startsWith("allowed") && h("button", { type: "button", id: "punish", onclick: () => punish(mistake) }, "Show how it is punished"),
    review && task.index + 1 < review.mistakes.length && h("button", { type: "button", id: "next-exercise", onclick: () => request("exercise", { index: task.index + 1 }) }, "Next"),
  ];
}

const RANKS = ["inaccuracy", "mistake", "blunder"];

// The last of the most costly moves, in a sentence; empty if no move was costly.
export function turningPoint({ mistakes }) {
  const worst = Math.max(...mistakes.map(({ grade }) => RANKS.indexOf(grade)));
  const found = mistakes.findLast(({ grade }) => RANKS.indexOf(grade) === worst);
  return found ? `The turning point was move ${Math.ceil(found.ply / 2)} of the ${found.side}, ${found.played}: it ${found.words}.` : "";
}

// A review in a few sentences.
function inWords(review) {
  const played = (side) => {
    const { grades } = review.accuracy[side];
    const count = Object.values(grades).reduce((sum, number) => sum + number, 0);
    return `${mySide() === side ? "You" : `The ${side}`} played ${grades.good ?? 0} of ${count} ${count === 1 ? "move" : "moves"} well.`;
  };
  return [...["attackers", "defenders"].filter((side) => review.accuracy[side]).map(played), turningPoint(review)].join(" ");
}

const GRADES = [["good", "Good", "good moves"], ["inaccuracy", "?!", "inaccuracies"], ["mistake", "?", "mistakes"], ["blunder", "??", "blunders"]];

// Losses from which on a move has a grade. They are small against a strong level.
const scaleText = (scale) => GRADES.slice(1).map(([grade, sign, name]) => `${sign} ${name}: ${Number((100 * scale[grade]).toFixed(1))} % of the chances or more`).join(" · ");

function accuracyTable({ accuracy, scale }) {
  const row = (side) => accuracy[side] && h("tr", {}, h("th", { scope: "row" }, side), h("td", {}, percent(accuracy[side].accuracy)), GRADES.map(([grade]) => h("td", {}, String(accuracy[side].grades[grade] ?? 0))));
  return h("div", { class: "scroll" }, h("table", { id: "accuracy" }, h("thead", {}, h("tr", {}, ["Side", "Accuracy"].map((text) => h("th", { scope: "col" }, text)), GRADES.map(([, text, title]) => h("th", { scope: "col" }, h("abbr", { title }, text))))), h("tbody", {}, row("attackers"), row("defenders"))),
    h("p", { class: "soft small", id: "scale" }, scaleText(scale), ". The scale follows the opponent's level."));
}

watch((all) => {
  const { state, review, exercise: task } = all;
  start.disabled = state.tree.length < 2;
  start.textContent = review ? "Review again" : "Review this game";
  progress.hidden = !all.progress;
  if (all.progress) Object.assign(progress, { max: all.progress.of, value: all.progress.done });
  const isShown = review || all.progress;
  if (isShown) drawGraph(graph, all, review?.mistakes);
  graph.style.display = isShown ? "" : "none";
  legend.hidden = !isShown;
  const item = (mistake, index) => h("li", {}, h("button", { type: "button", "aria-current": task?.index === index ? "true" : null, onclick: () => request("exercise", { index }) },
    h("strong", {}, `${Math.ceil(mistake.ply / 2)}${mistake.ply % 2 ? "." : "…"} ${mistake.played}`), ` (${mistake.side}) ${mistake.words}`, mistake.certain ? h("span", { class: "soft small" }, " · proven") : ""));
  replace(found, review && [h("p", { id: "review-words" }, inWords(review)), accuracyTable(review), review.mistakes.length ? h("ol", { class: "mistakes" }, review.mistakes.map(item)) : h("p", {}, `Nothing to better in ${review.positions} positions.`)]);
});
