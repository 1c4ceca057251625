// An optional clock for two people at this screen. This browser keeps it. A side without time left resigns.

import { h } from "./dom.js";
import { on } from "./host.js";
import { changed, request, say, store } from "./store.js";

const KEY = "clocks";
const TICK_MS = 250;
const LOW_SECONDS = 30;
export const CLOCKS = [["", "none"], ["300", "5 minutes each"], ["600", "10 minutes each"], ["1200", "20 minutes each"]];
let wanted = 0;
let clock = null;
let last = 0;

const kept = () => JSON.parse(localStorage.getItem(KEY) ?? "{}");
const keep = () => localStorage.setItem(KEY, JSON.stringify({ ...kept(), [store.game]: clock }));

// The seconds that each person has in the game that is about to begin.
export const wantClock = (seconds) => { wanted = Number(seconds); };

on("game", ({ game }) => {
  clock = wanted ? { attackers: wanted, defenders: wanted } : kept()[game] ?? null;
  wanted = 0;
});

// The side whose time runs: a person's, after the first move.
function running() {
  const { state } = store;
  if (!clock || !state || state.ply === 0 || state.ending || store.exercise || state.can_redo) return null;
  return state.players[state.side].kind === "person" ? state.side : null;
}

setInterval(() => {
  const now = performance.now();
  const elapsed = (now - last) / 1000;
  last = now;
  const side = running();
  if (!side || elapsed > 5) return;
  const before = Math.ceil(clock[side]);
  clock[side] = Math.max(0, clock[side] - elapsed);
  if (Math.ceil(clock[side]) === before) return;
  keep();
  changed();
  if (before === LOW_SECONDS + 1) say(`${LOW_SECONDS} seconds left.`);
  if (clock[side] === 0) {
    say(`The time of the ${side} is up.`);
    request("resign", { side });
  }
}, TICK_MS);

export function clockView(side) {
  if (!clock || store.state.players[side].kind !== "person") return null;
  const seconds = Math.ceil(clock[side]);
  return h("span", { class: "clock" + (seconds <= LOW_SECONDS ? " low" : ""), role: "timer", "aria-label": `${seconds} seconds left` }, `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`);
}
