// What the page has without a server, once the engine runs: the saved games of this browser, and new versions.

import * as games from "./games.js";
import { byId, h, replace } from "./dom.js";
import { addToGames, showGames } from "./gamelist.js";
import { addGame, forgetGame } from "./mygames.js";
import { say } from "./store.js";

const told = h("p", { class: "soft small", role: "status" });

// A button that removes a game asks once more.
function removeButton({ game }, words) {
  const button = h("button", { type: "button", "aria-label": `Remove: ${words}` }, "Remove");
  button.addEventListener("click", async () => {
    if (!button.dataset.sure) {
      button.dataset.sure = "yes";
      button.textContent = "Really remove?";
      setTimeout(() => { delete button.dataset.sure; button.textContent = "Remove"; }, 4000);
      return;
    }
    await games.remove(game);
    forgetGame(game);
    say("The game is removed.");
    showGames();
  });
  return button;
}

// Adds the games of a file: one saved game, or a list as `Save all as one file` writes it. A game that is here already is skipped.
async function importAll(text) {
  const found = [JSON.parse(text)].flat();
  const isGame = (game) => game?.format === "tablut game" && Array.isArray(game.moves) && typeof game.rules?.name === "string";
  if (!found.length || !found.every(isGame)) throw new Error('it has something else than saved games, which have the format "tablut game"');
  const known = new Set((await games.all()).map((game) => JSON.stringify(JSON.parse(game.text))));
  let added = 0;
  for (const game of found.reverse()) {
    if (known.has(JSON.stringify(game))) continue;
    const name = freshName();
    await games.save(name, JSON.stringify(game, null, 2) + "\n");
    const ending = game.reason ? { winner: game.winner } : null;
    addGame({ game: name, rules: game.rules.name, players: game.players ?? TWO_PEOPLE, side: null, plies: game.moves.length, ending, at: Date.now() });
    added += 1;
  }
  return added;
}

const TWO_PEOPLE = { attackers: { kind: "person" }, defenders: { kind: "person" } };
const freshName = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => "abcdefghijkmnpqrstuvwxyz23456789"[byte % 32]).join("");

function extendMyGames() {
  const file = h("input", { type: "file", id: "import-games", accept: ".json" });
  file.addEventListener("change", async () => {
    if (!file.files[0]) return;
    try {
      const added = await importAll(await file.files[0].text());
      told.textContent = added === 1 ? "1 game was added." : `${added} games were added.`;
      showGames();
    } catch (error) {
      told.textContent = `The file cannot be read: ${error.message}.`;
    }
    file.value = "";
  });
  addToGames(removeButton, h("div", { class: "stack" },
    h("p", { class: "soft small" }, "The games are saved only in this browser. A browser may remove them if space is short or its data is cleared, so keep a copy in a file."),
    h("div", { class: "field" }, h("label", { for: "import-games" }, "Add the games of a file"), file), told));
}

// The page works without a network from now on. A new version waits until somebody takes it.
async function keepOffline() {
  const workers = navigator.serviceWorker;
  if (!workers) return;
  const registration = await workers.register(new URL("../sw.js", import.meta.url));
  let isWanted = false;
  workers.addEventListener("controllerchange", () => { if (isWanted) location.reload(); });
  const offer = (waiting) => {
    if (byId("update")) return;
    const use = h("button", { type: "button", id: "use-update", class: "primary", onclick: () => {
      isWanted = true;
      waiting.postMessage("use");
    } }, "Load it");
    document.querySelector("header").before(h("div", { id: "update", class: "update", role: "region", "aria-label": "New version" }, h("span", {}, "A new version of this page is there. Your games stay."), use));
    say("A new version of this page is there.");
  };
  if (registration.waiting && workers.controller) offer(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const incoming = registration.installing;
    incoming.addEventListener("statechange", () => { if (incoming.state === "installed" && workers.controller) offer(incoming); });
  });
  await workers.ready;
  document.documentElement.dataset.offline = "ready";
}

let isMade = false;

export function afterStart() {
  if (isMade) return;
  isMade = true;
  extendMyGames();
  keepOffline().catch((error) => console.warn(`The page is not kept for use without a network: ${error.message}`));
}
