// Puzzles: positions with a proven win. Every winning first move is accepted.

import { h, replace } from "./dom.js";
import { request, set, store, watch } from "./store.js";
import { addPanel } from "./tabs.js";
import { verdictView } from "./review.js";

const choice = { rules: null, distance: null };
const form = h("div", { class: "row" });
const body = h("div", { class: "stack" });
let made = false;

// Where one was left is remembered on this device alone.
const place = () => `puzzle ${choice.rules} ${choice.distance}`;

function open(step) {
  const number = Math.max(0, Number(localStorage.getItem(place()) ?? 0) + step);
  localStorage.setItem(place(), String(number));
  request("puzzle", { rules: choice.rules, distance: choice.distance, number });
}

function make() {
  if (made || !store.hello?.puzzles.length) return;
  made = true;
  const books = store.hello.puzzles;
  choice.rules = books[0].rules;
  choice.distance = 1;
  const rules = h("select", { "aria-label": "Rules" }, books.map((book) => h("option", { value: book.rules }, book.rules)));
  const distance = h("select", { "aria-label": "Moves to the win" }, books[0].by_distance.map((count, index) => count > 0 && h("option", { value: String(index + 1) }, `win in ${index + 1}`)));
  rules.addEventListener("change", () => { choice.rules = rules.value; });
  distance.addEventListener("change", () => { choice.distance = Number(distance.value); });
  replace(form, rules, distance, h("button", { type: "button", class: "primary", id: "open-puzzle", onclick: () => open(0) }, "Open"));
}

export function makePuzzles() {
  addPanel("puzzles", "Puzzles", make).append(h("div", { class: "card" }, h("h3", {}, "Find the win"), h("p", { class: "soft small" }, "Positions from games, each with a win that the solver has proven."), form), body);
}

watch((all) => {
  const task = all.exercise;
  const isPuzzle = task && task.index === null;
  replace(body, isPuzzle && h("div", { class: "card" }, h("p", {}, h("strong", {}, task.task)), h("p", { class: "soft small" }, "Move on the board to answer."),
    all.judgement && verdictView(all.judgement),
    h("div", { class: "row" },
      h("button", { type: "button", onclick: () => request("solve") }, "Show the solution"),
      all.judgement && h("button", { type: "button", onclick: () => set({ judgement: null, shownLine: null }) }, "Try again"),
      choice.rules && h("button", { type: "button", id: "next-puzzle", onclick: () => open(1) }, "Next puzzle"))));
});
