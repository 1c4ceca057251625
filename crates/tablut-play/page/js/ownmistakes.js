// One's own mistakes from reviews. Each comes again after some days, and after longer and longer times if it is solved.

import { h, replace } from "./dom.js";
import { on } from "./host.js";
import { keep, kept } from "./kept.js";
import { mySide } from "./mygames.js";
import { request, store } from "./store.js";

const KEY = "mistakes";
const DAY_MS = 86_400_000;
// The times until a mistake comes again, by how often it was solved when it was due.
const DAYS = [3, 10, 30];
const MOST = 300;
const button = h("button", { type: "button", id: "due-mistakes", onclick: openNext }, "Try again");
const count = h("span", { class: "small" });
// The mistake that is open because it was due, and whether its game is still to come.
let present = null;
let isComing = false;

const same = (one) => (other) => one.game === other.game && one.ply === other.ply && one.played === other.played;
const due = () => kept(KEY, []).filter(({ at, times }) => times < DAYS.length && Date.now() - at >= DAYS[times] * DAY_MS);
const change = (one, more) => keep(KEY, kept(KEY, []).flatMap((other) => (!same(one)(other) ? [other] : more ? [{ ...other, ...more }] : [])));

// Reviews are kept with their games, so a mistake is opened as an exercise of its game's review.
function showExercise() {
  const index = store.review?.mistakes.findIndex((mistake) => mistake.ply === present.ply && mistake.played === present.played) ?? -1;
  if (index < 0) return;
  isComing = false;
  present.index = index;
  request("exercise", { index });
}

async function openNext() {
  [present] = due();
  isComing = true;
  if (store.game !== present.game && !(await request("open", { game: present.game }))) {
    change(present, null);
    return drawOwnMistakes();
  }
  if (isComing) showExercise();
}

on("review", ({ mistakes }) => {
  const known = kept(KEY, []);
  const own = mistakes.filter(({ side }) => side === mySide()).map(({ ply, played }) => ({ game: store.game, ply, played, at: Date.now(), times: 0 }));
  keep(KEY, [...own.filter((one) => !known.some(same(one))), ...known].slice(0, MOST));
  if (isComing && store.game === present.game) showExercise();
  drawOwnMistakes();
});

on("judgement", (judgement) => {
  if (!present || isComing || store.game !== present.game || store.exercise?.index !== present.index) return;
  const { times } = kept(KEY, []).find(same(present)) ?? { times: 0 };
  const isSolved = judgement.answered && ["best", "enough"].includes(judgement.sufficiency);
  change(present, { at: Date.now(), times: isSolved ? times + 1 : 0 });
  present = null;
  drawOwnMistakes();
});

export function drawOwnMistakes() {
  const n = due().length;
  button.disabled = !n;
  count.textContent = n ? `${n} of your own mistakes to correct today.` : "None of your own mistakes is due today.";
}

export function ownMistakes() {
  const box = h("div", { class: "card" }, h("h2", {}, "Your own mistakes"), h("p", { class: "soft small" }, "A review of a game against the computer keeps your mistakes. They come again after three days, and later if you solve them."), h("div", { class: "row" }));
  replace(box.lastChild, button, count);
  drawOwnMistakes();
  return box;
}
