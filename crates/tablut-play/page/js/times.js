// How long people took for their moves. This browser measures it while it shows the game, and keeps it for the last games.

import { on } from "./host.js";
import { keep, kept } from "./kept.js";
import { store } from "./store.js";

const KEY = "times";
const MOST_GAMES = 50;
let last = null;

// The seconds of each move of the open game by its position; moves of the computer and moves played elsewhere have none.
export const moveTimes = () => kept(KEY, {})[store.game] ?? {};

on("game", () => { last = null; });
on("state", ({ node, ply, side, players, tree }) => {
  const before = last;
  last = { node, size: tree.length, at: performance.now() };
  const mover = side === "attackers" ? "defenders" : "attackers";
  if (!before || before.node === node || tree.length !== before.size + 1 || ply === 1 || players[mover].kind !== "person" || store.isPuzzle) return;
  const { [store.game]: known, ...others } = kept(KEY, {});
  const games = Object.entries(others).slice(1 - MOST_GAMES);
  keep(KEY, Object.fromEntries([...games, [store.game, { ...known, [node]: (last.at - before.at) / 1000 }]]));
});
