// The list of this browser's games. The browser keeps it.

import { noteEnding } from "./ease.js";
import { on } from "./host.js";
import { keep, kept } from "./kept.js";
import { store } from "./store.js";

const KEY = "my-games";
const MOST_GAMES = 5000;

// The games, the latest first. Earlier versions kept only names.
export function myGames() {
  return kept(KEY, null) ?? kept("games", []).map((game) => ({ game }));
}

const keepGames = (games) => keep(KEY, games.slice(0, MOST_GAMES));

export const addGame = (entry) => keepGames([entry, ...myGames().filter(({ game }) => game !== entry.game)]);
export const forgetGame = (game) => keepGames(myGames().filter((entry) => entry.game !== game));

// The user's side: null if two people or no people play.
export function ownSide({ attackers, defenders }) {
  const isPerson = (player) => player.kind === "person";
  if (isPerson(attackers) === isPerson(defenders)) return null;
  return isPerson(attackers) ? "attackers" : "defenders";
}

// The user's side in the open game.
export const mySide = () => (store.state.has_seats ? store.seat ?? null : ownSide(store.state.players));

// Puzzles and lessons are not games, also if moves lead to them.
on("exercise", ({ index }) => { if (index === null) forgetGame(store.game); });
on("state", (state) => {
  if (state.ply === 0 && state.tree.length < 2) return;
  if (store.exercise || store.isPuzzle) return;
  noteEnding(store.hello?.levels, store.game, store.rules?.built_in ? store.rules.name : "own", mySide(), state);
  const games = myGames();
  const known = games.find(({ game }) => game === store.game);
  // Stepping back in the moves does not change the game's ending.
  const ending = state.ending ?? (state.can_redo ? known?.ending : null) ?? null;
  const plies = Math.max(state.ply, state.line.length - 1);
  const entry = { game: store.game, rules: store.rules?.name, players: state.players, ...(state.is_study ? { study: true } : {}), side: mySide(), plies, ending, at: known?.plies === plies ? known.at : Date.now() };
  if (known && JSON.stringify(known) === JSON.stringify(entry)) return;
  addGame(entry);
});
