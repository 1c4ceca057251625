// Puzzles: positions with a proven win. Every winning first move is accepted.

import { h, replace } from "./dom.js";
import { on } from "./host.js";
import { ownGames, request, set, store, watch } from "./store.js";
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
  addPanel("puzzles", "Puzzles", make).append(h("div", { class: "card" }, h("h2", {}, "Find the win"), h("p", { class: "soft small" }, "Positions from games, each with a win that the solver has proven."), form), body,
    h("div", { class: "card" }, h("h2", {}, "From your own games"), h("p", { class: "soft small" }, "The solver looks through the games that were played in this browser for wins in two or three, missed ones first."),
      h("div", { class: "row" }, h("button", { type: "button", id: "find-puzzles", onclick: find }, "Look through my games")), told, own));
}

const told = h("p", { class: "soft small", role: "status" });
const own = h("ol", { class: "mistakes" });

async function find() {
  replace(own);
  told.textContent = "Looking…";
  const games = ownGames();
  if (!games.length) told.textContent = "No games were played in this browser yet.";
  else if (!(await request("find-puzzles", { games }))) told.textContent = "";
}

on("found-puzzles", ({ puzzles, looked, of }) => {
  const games = of === 1 ? "1 game" : `${of} games`;
  told.textContent = looked < of ? `${looked} of ${games}` : puzzles.length ? `${puzzles.length} found in ${games}.` : `Nothing found in ${games}: wins in two or three did not come up.`;
  const item = (find) => h("li", {}, h("button", { type: "button", onclick: () => request("own-puzzle", { game: find.game, node: find.node }) },
    h("strong", {}, `${find.rules}, move ${Math.ceil((find.ply + 1) / 2)}`), `: the ${find.side} win in ${find.distance}`, find.missed ? h("span", { class: "soft small" }, " · missed") : ""));
  replace(own, puzzles.map(item));
});

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
