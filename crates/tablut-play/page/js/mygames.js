// The list of this browser's games. Local storage keeps it.

import { on } from "./host.js";
import { store } from "./store.js";

const KEY = "my-games";
const MOST_GAMES = 200;

// The games, the latest first. Earlier versions kept only names.
export function myGames() {
  const kept = localStorage.getItem(KEY);
  if (kept) return JSON.parse(kept);
  return JSON.parse(localStorage.getItem("games") ?? "[]").map((game) => ({ game }));
}

const keep = (games) => localStorage.setItem(KEY, JSON.stringify(games.slice(0, MOST_GAMES)));

export const addGame = (entry) => keep([entry, ...myGames().filter(({ game }) => game !== entry.game)]);
export const forgetGame = (game) => keep(myGames().filter((entry) => entry.game !== game));

// The user's side: null if two people or no people play.
export function ownSide({ attackers, defenders }) {
  const isPerson = (player) => player.kind === "person";
  if (isPerson(attackers) === isPerson(defenders)) return null;
  return isPerson(attackers) ? "attackers" : "defenders";
}

// The user's side in the open game.
export const mySide = () => (store.state.has_seats ? store.seat ?? null : ownSide(store.state.players));

on("state", (state) => {
  if (state.ply === 0 && state.tree.length < 2) return;
  if (store.exercise || store.isPuzzle) return;
  const games = myGames();
  const known = games.find(({ game }) => game === store.game);
  // Stepping back in the moves does not change the game's ending.
  const ending = state.ending ?? (state.can_redo ? known?.ending : null) ?? null;
  const plies = Math.max(state.ply, state.line.length - 1);
  const entry = { game: store.game, rules: store.rules?.name, players: state.players, side: mySide(), plies, ending, at: known?.plies === plies ? known.at : Date.now() };
  if (known && JSON.stringify(known) === JSON.stringify(entry)) return;
  addGame(entry);
});
