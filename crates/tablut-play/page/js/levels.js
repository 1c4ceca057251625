// The computer's levels: their names, stars and what they were measured to be worth.

import { h } from "./dom.js";
import { store } from "./store.js";

export const USUAL_LEVEL = "adaptive";

export const levelOf = (player) => store.hello?.levels.find((level) => level.name === player?.name);

// The player of a side in a few words.
export function playerName(side, { players, has_seats: hasSeats }) {
  const player = players[side];
  if (hasSeats) return store.seat === side ? "You" : store.seat ? "Your opponent" : "";
  if (player.kind === "person") {
    const other = players[side === "attackers" ? "defenders" : "attackers"];
    return other.kind === "person" ? "" : "You";
  }
  const nets = store.hello?.nets ?? [];
  return (levelOf(player)?.title ?? player.name) + (nets.length > 1 ? ` (${nets[player.net] ?? "another net"})` : "");
}

export const starsOf = (level) => "★".repeat(level.stars) + "☆".repeat(store.hello.levels.reduce((most, { stars }) => Math.max(most, stars), 0) - level.stars);

// Ratings with their scale, for a tooltip.
export function ratingText({ ratings }) {
  if (!ratings) return "";
  const of = (side) => `${Math.round(ratings[side].elo)} (${Math.round(ratings[side].low)} to ${Math.round(ratings[side].high)}) as the ${side}, ${ratings[side].games} games`;
  return `Measured under ${ratings.rules} rules, on a scale where random moves are 0: ${of("attackers")}; ${of("defenders")}.`;
}

export const starsView = (level) => level.stars > 0 && h("span", { class: "stars", title: ratingText(level), role: "img", "aria-label": `${level.stars} stars` }, starsOf(level));
