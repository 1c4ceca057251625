// The exercise beside the board, on a phone right below it: its task, the verdict on an answer, and what comes next.

import { byId, h, replace } from "./dom.js";
import { openGame } from "./address.js";
import { on } from "./host.js";
import { showError } from "./message.js";
import { nextStep } from "./lesson.js";
import { nextPuzzle, puzzleNote } from "./puzzles.js";
import { exerciseTools } from "./review.js";
import { request, set, store, watch } from "./store.js";

const VERDICTS = { best: "Right", enough: "Good enough", slower: "A win, but not the shortest", unclear: "Not clear", fails: "Not this one" };
// The games of this visit, and those of them that are puzzles or lessons, from which one comes back to the others.
const visited = [];
const exercises = new Set();
// What the box shows. It is drawn anew only after a change of these, so that no button vanishes while it is pressed.
let shown = [];

on("game", ({ game }) => visited.push({ game }));
on("state", ({ link, players }) => { if (visited.length) Object.assign(visited.at(-1), { link, players }); });
on("exercise", ({ index }) => { if (index === null) exercises.add(store.game); });

export const solved = (judgement) => judgement && judgement.answered && (judgement.sufficiency === "best" || judgement.sufficiency === "enough");

function verdict(judgement) {
  const line = judgement.line.length > 1 && h("span", { class: "small" }, ` Then ${judgement.line.slice(1, 8).join(" ")}.`);
  const head = judgement.answered ? VERDICTS[judgement.sufficiency] : "The solution";
  return h("p", { class: "verdict " + judgement.sufficiency }, h("strong", {}, `${judgement.move}: ${head}. `), judgement.words, line);
}

async function leave() {
  const before = visited.findLast(({ game }) => !exercises.has(game));
  if (!store.isPuzzle || !before) return request("leave");
  return openGame(before.game, before.link, before.players).catch((error) => showError(error.message));
}

function tools({ exercise, judgement, review }) {
  const again = judgement && !solved(judgement) && h("button", { type: "button", id: "try-again", onclick: () => set({ judgement: null, shownLine: null }) }, "Try again");
  const solution = !solved(judgement) && h("button", { type: "button", id: "solve", onclick: () => request("solve") }, "Show the solution");
  const leaving = h("button", { type: "button", id: "leave-exercise", onclick: leave }, store.isPuzzle ? "Back to my game" : "Leave");
  const done = solved(judgement);
  if (exercise.lesson) {
    const last = exercise.lesson.step + 1 >= exercise.lesson.of;
    const next = !last && h("button", { type: "button", id: "next-step", class: done ? "primary" : null, onclick: () => nextStep(exercise.lesson.step + 1) }, "Next");
    return [solution, again, next, h("button", { type: "button", id: "leave-exercise", class: done && last ? "primary" : null, onclick: leave }, done && last ? "Play a game" : "End the lesson")];
  }
  if (exercise.index === null) return [solution, again, h("button", { type: "button", id: "next-puzzle", class: done ? "primary" : null, onclick: nextPuzzle }, "Next puzzle"), leaving];
  return [solution, again, exerciseTools(exercise, review), leaving];
}

function head({ exercise, review }) {
  if (exercise.lesson) return `${exercise.lesson.step + 1} of ${exercise.lesson.of}: ${exercise.lesson.title}`;
  return exercise.index === null ? puzzleNote() : `Exercise ${exercise.index + 1}${review ? " of " + review.mistakes.length : ""}`;
}

watch((all) => {
  const { exercise, judgement } = all;
  const box = byId("task");
  box.hidden = !exercise;
  const inputs = exercise ? [exercise, judgement, all.review, all.isPuzzle, head(all)] : [];
  if (inputs.length === shown.length && inputs.every((input, index) => input === shown[index])) return;
  const isKnown = exercise === shown[0];
  shown = inputs;
  if (!exercise) return;
  const task = solved(judgement) ? null : h("p", {}, exercise.task);
  replace(box, h("p", { class: "soft small" }, inputs.at(-1)), exercise.lesson && !solved(judgement) && exercise.lesson.texts.map((text) => h("p", { class: "small" }, text)),
    task && h("p", { class: "task-text" }, h("strong", {}, exercise.task)), judgement && verdict(judgement), h("div", { class: "row" }, tools(all)));
  if (!isKnown) byId("board-frame").scrollIntoView({ block: "nearest" });
});
