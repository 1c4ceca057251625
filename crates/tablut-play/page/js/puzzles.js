// Puzzles: positions with a proven win, played to the end against the best defence.

import { rulesByBoard } from "./boards.js";
import { h, replace } from "./dom.js";
import { on } from "./host.js";
import { keep, kept } from "./kept.js";
import { myGames } from "./mygames.js";
import { drawOwnMistakes, ownMistakes } from "./ownmistakes.js";
import { changed, request, store, watch } from "./store.js";
import { addPanel } from "./tabs.js";

const KEY = "puzzles";
const DAY_MS = 86_400_000;
// A puzzle that was failed comes again after this time.
const AGAIN_MS = 3 * DAY_MS;
const FIRST_RATING = 1000;
// A rating moves by at most this much per puzzle.
const RATING_STEP = 32;
const choice = { rules: null, distance: null };
const form = h("div", { class: "row" });
const record = h("p", { class: "small" });
const marks = h("div", { class: "marks", role: "group", "aria-label": "Puzzles of this kind" });
let made = false;
// The puzzle that is open: its rules, distance and number, and whether it was failed already.
let present = null;

// `failedAt` has the time of each puzzle that was failed and not solved since; `daily` the last day with its puzzle solved, and
// the days in a row up to it.
const progress = () => ({ streak: 0, best: 0, done: {}, at: {}, rating: FIRST_RATING, failedAt: {}, daily: { day: 0, days: 0 }, ...kept(KEY, {}) });
const nameOf = ({ rules, distance, number }) => `${rules} ${distance} ${number}`;
const kindOf = ({ rules, distance }) => `${rules} ${distance}`;
const distancesOf = (book) => book.by_distance.map((count, index) => (count ? index + 1 : 0)).filter((distance) => distance > 0);
const countOf = ({ rules, distance }) => store.hello.puzzles.find((book) => book.rules === rules)?.by_distance[distance - 1] ?? 0;

async function open(puzzle, more = {}) {
  if (!(await request("puzzle", puzzle))) return;
  present = { ...puzzle, failed: false, ...more };
  changed();
  const values = progress();
  values.at[kindOf(puzzle)] = puzzle.number;
  keep(KEY, values);
  draw();
}

const chosen = (number) => ({ ...choice, number });
const start = () => open(chosen(progress().at[kindOf(choice)] ?? 0));
export const nextPuzzle = () => {
  if (present?.isRated) return openRated();
  const from = present ?? chosen(-1);
  open({ rules: from.rules, distance: from.distance, number: (from.number + 1) % Math.max(1, countOf(from)) });
};

// What a puzzle is worth on the scale of the rating.
const ratingOf = ({ distance }) => 400 + 300 * distance;
const any = (list) => list[Math.floor(Math.random() * list.length)];

// A puzzle about as hard as the user is strong. One that was failed some days ago comes first.
function openRated() {
  const { rating, failedAt, done } = progress();
  const due = Object.entries(failedAt).find(([, at]) => Date.now() - at > AGAIN_MS)?.[0].split(" ");
  if (due) return open({ rules: due[0], distance: Number(due[1]), number: Number(due[2]) }, { isRated: true });
  const kinds = store.hello.puzzles.flatMap(({ rules, by_distance: counts }) => counts.map((count, index) => ({ rules, distance: index + 1, count }))).filter(({ count }) => count);
  const distanceTo = (kind) => Math.abs(ratingOf(kind) - rating);
  const nearest = Math.min(...kinds.map(distanceTo));
  const puzzles = kinds.filter((kind) => distanceTo(kind) === nearest).flatMap(({ rules, distance, count }) => Array.from({ length: count }, (_, number) => ({ rules, distance, number })));
  const fresh = puzzles.filter((puzzle) => !done[nameOf(puzzle)]);
  return open(any(fresh.length ? fresh : puzzles), { isRated: true });
}

const today = () => Math.floor(Date.now() / DAY_MS);

// One puzzle a day, the same for everybody: the day's number chooses it.
function openDaily() {
  const day = today();
  const books = store.hello.puzzles;
  const book = books[day % books.length];
  const distances = distancesOf(book);
  const distance = distances[day % distances.length];
  open({ rules: book.rules, distance, number: day % countOf({ rules: book.rules, distance }) }, { day });
}

export const puzzleNote = () => (present ? `Puzzle ${present.number + 1} of ${countOf(present)} · ${present.rules} rules · ${present.isRated ? `rating ${Math.round(progress().rating)}` : `streak ${progress().streak}`}` : "Puzzle");

function note(isSolved) {
  const values = progress();
  const name = nameOf(present);
  if (present.isRated && !present.isCounted) {
    const expected = 1 / (1 + 10 ** ((ratingOf(present) - values.rating) / 400));
    values.rating += RATING_STEP * (Number(isSolved) - expected);
    present.isCounted = true;
  }
  if (isSolved) delete values.failedAt[name];
  else values.failedAt[name] = Date.now();
  if (isSolved && present.day > values.daily.day) values.daily = { day: present.day, days: present.day === values.daily.day + 1 ? values.daily.days + 1 : 1 };
  if (isSolved && !present.failed) {
    if (values.done[name] !== "solved") values.streak += 1;
    values.done[name] = "solved";
    values.best = Math.max(values.best, values.streak);
  } else if (!isSolved) {
    if (!present.failed) values.streak = 0;
    present.failed = true;
    if (values.done[name] !== "solved") values.done[name] = "failed";
  }
  keep(KEY, values);
  draw();
}

on("judgement", (judgement) => {
  if (!present || !store.exercise || store.exercise.index !== null || store.exercise.lesson) return;
  if (!judgement.answered || judgement.sufficiency === "fails" || judgement.sufficiency === "unclear") note(false);
  else if (judgement.sufficiency === "best" && !judgement.goes_on) note(true);
});
on("exercise", ({ lesson, index }) => { if (lesson || index !== null) present = null; });
on("game", () => { present = null; });

function draw() {
  if (!made) return;
  const values = progress();
  const days = values.daily.day >= today() - 1 ? values.daily.days : 0;
  record.textContent = `Rating ${Math.round(values.rating)}. Streak ${values.streak}, best ${values.best}. Today’s puzzle: ${days === 1 ? "1 day" : `${days} days`} in a row.`;
  const count = countOf(choice);
  const item = (number) => {
    const state = values.done[nameOf(chosen(number))];
    return h("button", { type: "button", class: "mark-" + (state ?? "new"), "aria-current": present && nameOf(present) === nameOf(chosen(number)) ? "true" : null, "aria-label": `${number + 1}${state ? ", " + state : ""}`, onclick: () => open(chosen(number)) }, String(number + 1));
  };
  replace(marks, Array.from({ length: count }, (_, number) => item(number)));
}

function make() {
  drawOwnMistakes();
  if (made || !store.hello?.puzzles.length) return draw();
  made = true;
  const books = store.hello.puzzles;
  choice.rules = books[0].rules;
  choice.distance = distancesOf(books[0])[0];
  const rules = h("select", { "aria-label": "Rules", id: "puzzle-rules" }, rulesByBoard(({ name }) => books.some((book) => book.rules === name) && h("option", { value: name }, `${name} rules`)));
  rules.value = choice.rules;
  const distance = h("select", { "aria-label": "Moves to the win", id: "puzzle-distance" });
  const lengths = () => replace(distance, distancesOf(books.find((book) => book.rules === choice.rules)).map((distance) => h("option", { value: String(distance) }, `win in ${distance}`)));
  lengths();
  rules.addEventListener("change", () => { choice.rules = rules.value; lengths(); choice.distance = Number(distance.value); draw(); });
  distance.addEventListener("change", () => { choice.distance = Number(distance.value); draw(); });
  replace(form, rules, distance, h("button", { type: "button", class: "primary", id: "open-puzzle", onclick: start }, "Start"), h("button", { type: "button", id: "rated-puzzle", title: "Puzzles as hard as you are strong. Those that you failed come again after three days.", onclick: openRated }, "Rated puzzles"), h("button", { type: "button", id: "daily-puzzle", onclick: openDaily }, "Today’s puzzle"));
  draw();
}

export function makePuzzles() {
  addPanel("learn", "puzzles", "Puzzles", { opened: make }).append(
    h("div", { class: "card" }, h("h2", {}, "Find the win"), h("p", { class: "soft small" }, "Positions from games, each with a win that the solver has proven. Only one first move wins as fast. You play it to the end against the best defence."), form, record,
      h("details", {}, h("summary", {}, "All puzzles of this kind"), marks)),
    ownMistakes(),
    h("div", { class: "card" }, h("h2", {}, "From your own games"), h("p", { class: "soft small" }, "The solver searches the games of this browser for wins in two or three. It lists missed wins first."),
      h("div", { class: "row" }, h("button", { type: "button", id: "find-puzzles", onclick: find }, "Look through my games")), told, own));
}

const told = h("p", { class: "soft small", role: "status" });
const own = h("ol", { class: "mistakes" });

async function find() {
  replace(own);
  told.textContent = "Looking…";
  const games = myGames().map(({ game }) => game);
  if (!games.length) told.textContent = "No games were played in this browser yet.";
  else if (!(await request("find-puzzles", { games }))) told.textContent = "";
}

on("found-puzzles", ({ puzzles, looked, of }) => {
  const games = of === 1 ? "1 game" : `${of} games`;
  told.textContent = looked < of ? `${looked} of ${games}` : puzzles.length ? `${puzzles.length} found in ${games}.` : `Nothing found in ${games}: the games have no win in two or three.`;
  const item = (find) => h("li", {}, h("button", { type: "button", onclick: () => request("own-puzzle", { game: find.game, node: find.node }) },
    h("strong", {}, `${find.rules}, move ${Math.ceil((find.ply + 1) / 2)}`), `: the ${find.side} win in ${find.distance}`, find.missed ? h("span", { class: "soft small" }, " · missed") : ""));
  replace(own, puzzles.map(item));
});

watch(() => { if (present) draw(); });
