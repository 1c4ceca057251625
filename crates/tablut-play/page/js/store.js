// What the page knows: the host's last word on everything, and what is selected here. Nothing in it is worked out from rules.

import { ask, on } from "./host.js";
import { byId } from "./dom.js";
import { clearMessage, showError } from "./message.js";

export const store = {
  hello: null, game: null, rules: null, state: null, thinking: false,
  analysing: false, analysis: null, threat: null, hint: null, remark: null, exercise: null, judgement: null,
  review: null, selected: null, shownLine: null, drawnBy: "visits", flipped: false,
};

const watchers = [];
let scheduled = false;

// Calls `render` after every change, once for all changes of a moment.
export function watch(render) {
  watchers.push(render);
}

export function changed() {
  if (scheduled) return;
  scheduled = true;
  queueMicrotask(() => {
    scheduled = false;
    if (store.state) for (const render of watchers) render(store);
  });
}

export function set(values) {
  Object.assign(store, values);
  changed();
}

// Sends a request. If the host refuses it, the reason appears next to the control that was used.
export async function request(what, more) {
  try {
    await ask(what, more);
    clearMessage();
    return true;
  } catch (error) {
    showError(error.message);
    return false;
  }
}

export function say(text) {
  const live = byId("live");
  // The same words again are a change too.
  live.textContent = live.textContent === text ? text + "\u00a0" : text;
}

on("hello", (event) => set({ hello: event }));
on("game", ({ game }) => set({
  game, thinking: false, analysing: false, analysis: null, threat: null, hint: null, exercise: null, judgement: null, isPuzzle: false,
  review: null, selected: null, shownLine: null, progress: null, flipped: false, premove: null, drawing: [],
}));
on("rules", (rules) => set({ rules }));
on("state", (state) => {
  const moved = store.state?.node !== state.node || store.state?.ending !== state.ending;
  const fresh = !store.state || store.announced !== store.game;
  set({ state, selected: null, shownLine: null, remark: null, ...(moved ? { analysis: null, threat: null, hint: null, drawing: [] } : {}) });
  if (moved || fresh) say([state.said, ...state.notes.filter((note) => note.includes("threaten") || note.includes("occurred"))].join(" "));
  store.announced = store.game;
});
on("thinking", ({ on: thinking }) => set({ thinking }));
on("analysis", (event) => {
  if (event.node === store.state?.node && store.analysing) set({ analysis: { ...event.analysis, done: event.done } });
});
on("threat", (event) => {
  if (event.node === store.state?.node) {
    set({ threat: event.analysis });
    say("Threat: " + event.analysis.lines[0].moves[0] + ", " + event.analysis.words + ".");
  }
});
on("hint", ({ node, move, words }) => {
  if (node !== store.state?.node) return;
  const remark = `Hint: ${move}${words && " " + words}.`;
  set({ hint: move, remark });
  say(remark);
});
on("value", ({ node, value }) => {
  const entry = store.state?.tree.find((known) => known.id === node);
  if (entry) {
    entry.value = value;
    changed();
  }
});
on("exercise", (exercise) => {
  set({ exercise, judgement: null, analysing: false, analysis: null, isPuzzle: store.isPuzzle || exercise.index === null });
  say(exercise.task);
});
on("exercise-left", () => set({ exercise: null, judgement: null, shownLine: null }));
on("judgement", (judgement) => {
  set({ judgement, shownLine: judgement.played ? null : judgement.line });
  say(judgement.move + ". " + judgement.words);
});
on("review", (review) => {
  set({ review, progress: null });
  say(review.mistakes.length ? `The review found ${review.mistakes.length} moves to look at.` : "The review found nothing to better.");
});
on("review-progress", (progress) => set({ progress }));
on("trouble", ({ error }) => showError(error));
