// The pause after a blunder: the user takes the move back, or the computer replies.

import { ask, close } from "./choice.js";
import { request, say, set, watch } from "./store.js";

let shown = "";

watch(({ game, state }) => {
  const key = state.pause ? [game, state.node].join() : "";
  if (key === shown) return;
  if (!key) close();
  shown = key;
  if (!key) return;
  // A move that was prepared for after the reply does not fit a move that is taken back.
  set({ premove: null, selected: null });
  const question = `Your move ${state.last.from}-${state.last.to} is a blunder: it ${state.pause}.`;
  ask(question, [["Play on", () => request("move-now")]], "Take it back", () => request("take-back"));
  say(question);
});
