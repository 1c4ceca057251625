// The page's address: its fragment names the open game, or carries a whole game. Each game is an entry of the history.
// Without a server the address does both, because only this browser has the game.

import { ask, can, on } from "./host.js";
import { showPageError } from "./message.js";
import { keepSeat } from "./seats.js";
import { set, store } from "./store.js";

// The game that a fragment names, and the secret of a seat in it.
const nameIn = (fragment) => fragment.match(/^game=([a-z0-9]+)(?:&|$)/)?.[1];
const linkIn = (fragment) => fragment.match(/^(?:game=[a-z0-9]+&)?((?:rules|toml)=.*)$/)?.[1];
const seatIn = (fragment) => fragment.match(/&seat=([0-9a-f]+)$/)?.[1];
const current = () => location.hash.slice(1);
// The address of a link that could not be opened stays until a move is made in another game.
let keptLink = null;
let opened = false;

function follow(game) {
  if (nameIn(current()) === game && !seatIn(current())) return;
  if (keptLink !== null && current() === keptLink) return;
  // The first game of a visit takes the place of the address that led to it.
  history[opened ? "pushState" : "replaceState"](null, "", "#game=" + game);
}

on("game", ({ game }) => {
  follow(game);
  opened = true;
});
on("state", (state) => {
  if (keptLink !== null && state.ply > 0) {
    keptLink = null;
    follow(store.game);
  }
  if (can("share-games") || nameIn(current()) !== store.game || !state.link) return;
  history.replaceState({ players: state.players }, "", `#game=${store.game}&${state.link}`);
});
on("exercise", ({ lesson }) => { if (!can("share-games")) history.replaceState({ ...history.state, lesson: lesson?.step }, ""); });

// Opens a game of the host. If the host does not have it, because no move was made, the link begins it anew.
export async function openGame(game, link, players) {
  try {
    return await ask("open", { game });
  } catch (error) {
    if (!link) throw error;
    opened = false;
    return players ? ask("import", { text: "#" + link, players }) : openShared(link);
  }
}

// A position from somebody else is explained until a move is made in it.
async function openShared(link) {
  await ask("import", { text: "#" + link });
  set({ shared: { game: store.game, positions: store.state.tree.length } });
}

async function open(fragment) {
  const game = nameIn(fragment);
  const link = linkIn(fragment);
  if (game) {
    keepSeat(game, seatIn(fragment));
    const { players, lesson } = history.state ?? {};
    await openGame(game, link, players);
    return store.game !== game && lesson !== undefined && ask("lesson", { step: lesson });
  }
  if (!link && !/(^|&)(rules|toml)=/.test(fragment)) throw new Error(`"${fragment}" names no game`);
  return openShared(fragment);
}

// Opens what the address names. If that fails, it shows the reason, keeps the address, and begins the usual game.
export async function openAddress(usualGame) {
  const fragment = current();
  try {
    if (fragment && fragment !== "board") {
      keptLink = null;
      return await open(fragment);
    }
    if (store.game) return await ask("open", { game: store.game });
  } catch (error) {
    keptLink = fragment;
    showPageError(`This link cannot be opened: ${error.message}.`.replace(/\.\.$/, "."));
  }
  return ask("new", usualGame()).catch((error) => showPageError(error.message));
}

export function listenToAddress(usualGame) {
  addEventListener("hashchange", () => {
    const fragment = current();
    if (fragment !== "board" && nameIn(fragment) !== store.game) openAddress(usualGame);
  });
}
