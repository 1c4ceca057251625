// An optional clock for two people. At this screen the browser keeps it, and a side without time left resigns. In a game by
// link the host keeps it.

import { h } from "./dom.js";
import { ask, on } from "./host.js";
import { keep, kept } from "./kept.js";
import { changed, request, say, store } from "./store.js";

const KEY = "clocks";
const TICK_MS = 250;
const LOW_SECONDS = 30;
export const CLOCKS = [["", "none"], ["300", "5 minutes each"], ["600", "10 minutes each"], ["1200", "20 minutes each"]];
export const LINK_CLOCKS = [["", "none"], ["180+2", "3 minutes each, and 2 seconds per move"], ["600+5", "10 minutes each, and 5 seconds per move"], ["1800+10", "30 minutes each, and 10 seconds per move"]];
let wanted = 0;
let clock = null;
let last = 0;
// When the host's last state arrived.
let arrived = 0;

const keepClock = () => keep(KEY, { ...kept(KEY, {}), [store.game]: clock });

// The seconds that each person has in the game that is about to begin.
export const wantClock = (seconds) => { wanted = Number(seconds); };

on("game", ({ game }) => {
  clock = wanted ? { attackers: wanted, defenders: wanted } : kept(KEY, {})[game] ?? null;
  wanted = 0;
});

// A host's clock as a request names it.
export function timeControl(text) {
  const [seconds, increment] = text.split("+").map(Number);
  return text ? { clock: { seconds, increment } } : {};
}

on("state", () => { arrived = performance.now(); });

// The seconds that a side has left; undefined without a clock.
function left(side) {
  const { state } = store;
  if (!state.clock) return clock?.[side];
  return Math.max(0, state.clock[side] - (state.clock.running === side ? performance.now() - arrived : 0)) / 1000;
}

// Shows the host's clock, and tells the host that a side's time is up.
function showHosts(side) {
  changed();
  if (left(side) === 0) ask("flag").catch(() => {});
}

// The side whose time runs: a person's, after the first move.
function running() {
  const { state } = store;
  if (!clock || !state || state.ply === 0 || state.ending || store.exercise || state.can_redo) return null;
  return state.players[state.side].kind === "person" ? state.side : null;
}

setInterval(() => {
  if (store.state?.clock?.running) return showHosts(store.state.clock.running);
  const now = performance.now();
  const elapsed = (now - last) / 1000;
  last = now;
  const side = running();
  if (!side || elapsed > 5) return;
  const before = Math.ceil(clock[side]);
  clock[side] = Math.max(0, clock[side] - elapsed);
  if (Math.ceil(clock[side]) === before) return;
  keepClock();
  changed();
  if (before === LOW_SECONDS + 1) say(`${LOW_SECONDS} seconds left.`);
  if (clock[side] === 0) {
    say(`The time of the ${side} is up.`);
    request("resign", { side });
  }
}, TICK_MS);

export function clockView(side) {
  if (left(side) === undefined || store.state.players[side].kind !== "person") return null;
  const seconds = Math.ceil(left(side));
  return h("span", { class: "clock" + (seconds <= LOW_SECONDS ? " low" : ""), role: "timer", "aria-label": `${seconds} seconds left` }, `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`);
}
