// How easy the level that adapts has to be for this person, by rules and side. Each finished game changes it.

import { keep, kept } from "./kept.js";

const KEY = "ease";
const LEVEL = "adaptive";
// As in tablut-session's `next_ease`, in percent.
const FIRST_STEP = 40;
const [LEAST, MOST] = [-100, 200];

const keyOf = (rules, side) => `${rules} ${side}`;

// A request with the ease of the level that adapts, which plays against a person.
export function eased(more) {
  const { players, rules } = more;
  if (!players) return more;
  const own = players.attackers.kind === "person" ? "attackers" : "defenders";
  const other = own === "attackers" ? "defenders" : "attackers";
  if (players[own].kind !== "person" || players[other].name !== LEVEL) return more;
  const ease = kept(KEY, {})[keyOf(rules?.name ?? "own", own)]?.ease ?? 0;
  return { ...more, players: { ...players, [other]: { ...players[other], ease } } };
}

// Counts a finished game once.
export function noteEnding(game, rules, side, { ending, players, is_study: isStudy }) {
  const other = side === "attackers" ? "defenders" : "attackers";
  if (!ending || !side || isStudy || players[other].name !== LEVEL) return;
  const all = kept(KEY, {});
  const key = keyOf(rules, side);
  const { ease = 0, games = 0, last } = all[key] ?? {};
  if (last === game) return;
  const points = ending.winner === side ? 1 : ending.winner ? 0 : 0.5;
  const moved = Math.round(ease + 2 * (FIRST_STEP / Math.sqrt(1 + games / 4)) * (0.5 - points));
  keep(KEY, { ...all, [key]: { ease: Math.max(LEAST, Math.min(MOST, moved)), games: games + 1, last: game } });
}
