// How easy levels that keep games close have to be for this person, by level, rules and side. Each finished game changes it.

import { keep, kept } from "./kept.js";

const KEY = "ease";
// As in tablut-session's `next_ease`, in percent.
const FIRST_STEP = 60;

const keyOf = (level, rules, side) => `${level} ${rules} ${side}`;
const limitsOf = (level, levels = []) => levels.find(({ name }) => name === level)?.eases;

// A request with the ease of a level that plays against a person.
export function eased(more, levels) {
  const { players, rules } = more;
  if (!players) return more;
  const own = players.attackers.kind === "person" ? "attackers" : "defenders";
  const other = own === "attackers" ? "defenders" : "attackers";
  if (players[own].kind !== "person" || !limitsOf(players[other].name, levels)) return more;
  const ease = kept(KEY, {})[keyOf(players[other].name, rules?.name ?? "own", own)]?.ease ?? 0;
  return { ...more, players: { ...players, [other]: { ...players[other], ease } } };
}

// Counts a finished game once.
export function noteEnding(levels, game, rules, side, { ending, players, is_study: isStudy }) {
  if (!ending || !side || isStudy) return;
  const level = players[side === "attackers" ? "defenders" : "attackers"].name;
  const limits = limitsOf(level, levels);
  if (!limits) return;
  const all = kept(KEY, {});
  const key = keyOf(level, rules, side);
  const { ease = 0, games = 0, last } = all[key] ?? {};
  if (last === game) return;
  const clamped = (value) => Math.max(limits[0], Math.min(limits[1], value));
  const points = ending.winner === side ? 1 : ending.winner ? 0 : 0.5;
  const moved = Math.round(clamped(ease) + 2 * (FIRST_STEP / Math.sqrt(1 + games / 4)) * (0.5 - points));
  keep(KEY, { ...all, [key]: { ease: clamped(moved), games: games + 1, last: game } });
}
