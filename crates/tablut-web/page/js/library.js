// What the page has without a server, once the engine runs: the saved games of this browser, and new versions.

import * as games from "./games.js";
import { byId, h, replace } from "./dom.js";
import { request, say } from "./store.js";
import { addPanel, openPanel } from "./tabs.js";

const FORMAT = "tablut games";
const list = h("ul", { class: "games" });
const told = h("p", { class: "soft small", role: "status" });

function summary({ text, when }) {
  const { rules, moves } = JSON.parse(text);
  return `${rules.name} · ${moves.length === 1 ? "1 move" : moves.length + " moves"} · ${new Date(when).toLocaleString()}`;
}

async function show() {
  const known = await games.all();
  const item = (game) => {
    const words = summary(game);
    const remove = async () => {
      await games.remove(game.name);
      say("The game is removed.");
      await show();
    };
    return h("li", {}, h("button", { type: "button", onclick: async () => { if (await request("open", { game: game.name })) openPanel("moves"); } }, words),
      h("button", { type: "button", "aria-label": `Remove the game ${words}`, onclick: (event) => confirmed(event.target, remove) }, "Remove"));
  };
  replace(list, known.map(item));
  if (!known.length) told.textContent = "No game is saved yet. Games are saved with every move.";
}

// A button that removes something asks once more.
function confirmed(button, then) {
  if (button.dataset.sure) return then();
  button.dataset.sure = "yes";
  button.textContent = "Really remove?";
  setTimeout(() => { delete button.dataset.sure; button.textContent = "Remove"; }, 4000);
}

async function exportAll() {
  const known = await games.all();
  const file = JSON.stringify({ format: FORMAT, version: 1, games: known.map(({ name, when, text }) => ({ name, when, game: JSON.parse(text) })) }, null, 1);
  const link = h("a", { href: URL.createObjectURL(new Blob([file], { type: "application/json" })), download: "tablut-games.json" });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  told.textContent = `${known.length} games are in the file tablut-games.json.`;
}

// Adds a file's games. A game that is here already in another state stays: the file's gets another name.
async function importAll(text) {
  const file = JSON.parse(text);
  if (file.format !== FORMAT || file.version !== 1) throw new Error(`the file's format is not "${FORMAT}" version 1`);
  const known = new Map((await games.all()).map((game) => [game.name, game.text]));
  let added = 0;
  for (const { name, when, game } of file.games) {
    if (!/^[a-z0-9]{1,40}$/.test(name) || !Array.isArray(game?.moves) || typeof game.rules?.name !== "string") throw new Error(`"${String(name).slice(0, 40)}" is no saved game`);
    const content = JSON.stringify(game, null, 2) + "\n";
    if (known.get(name) === content) continue;
    await games.save(known.has(name) ? freshName() : name, content, Number(when) || Date.now());
    added += 1;
  }
  return added;
}

const freshName = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => "abcdefghijkmnpqrstuvwxyz23456789"[byte % 32]).join("");

function makePanel() {
  const file = h("input", { type: "file", id: "import-games", accept: ".json" });
  file.addEventListener("change", async () => {
    if (!file.files[0]) return;
    try {
      const added = await importAll(await file.files[0].text());
      told.textContent = added === 1 ? "1 game was added." : `${added} games were added.`;
      await show();
    } catch (error) {
      told.textContent = `The file cannot be read: ${error.message}.`;
    }
    file.value = "";
  });
  addPanel("games", "Games", () => { told.textContent = ""; show(); }).append(
    h("div", { class: "card" }, h("h2", {}, "Games of this browser"), h("p", { class: "soft small" }, "They are saved here and nowhere else. A browser may remove them if space is short or its data is cleared, so keep a copy in a file."),
      h("div", { class: "row" }, h("button", { type: "button", id: "export-games", onclick: exportAll }, "Save all in a file")),
      h("div", { class: "field" }, h("label", { for: "import-games" }, "Add the games of a file"), file), told, list));
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
  makePanel();
  keepOffline().catch((error) => console.warn(`The page is not kept for use without a network: ${error.message}`));
}
