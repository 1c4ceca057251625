// What the page has without a server, once the engine runs: the saved games of this browser, and new versions.

import * as games from "./games.js";
import { byId, h } from "./dom.js";
import { addToGames, showGames } from "./gamelist.js";
import { on } from "./host.js";
import { addGame, forgetGame, myGames } from "./mygames.js";
import { showError, showNotice } from "./message.js";
import { aboutNets } from "./nets.js";
import { request, say } from "./store.js";

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

const NOTE = "The games are saved only in this browser. A browser may remove them if space is short or its data is cleared, so keep a copy in a file.";

// Keeps games that are not here yet. Gives their number.
async function keepGames(found) {
  const known = new Set((await games.all()).map((game) => JSON.stringify(JSON.parse(game.text))));
  let added = 0;
  for (const game of found.reverse()) {
    if (known.has(JSON.stringify(game))) continue;
    const name = freshName();
    await games.save(name, JSON.stringify(game, null, 2) + "\n");
    list(name, game, Date.now());
    added += 1;
  }
  return added;
}

function list(name, game, at) {
  const ending = game.reason ? { winner: game.winner } : null;
  addGame({ game: name, rules: game.rules.name, players: game.players ?? TWO_PEOPLE, side: null, plies: game.moves.length, ending, at });
}

const TWO_PEOPLE = { attackers: { kind: "person" }, defenders: { kind: "person" } };
const freshName = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => "abcdefghijkmnpqrstuvwxyz23456789"[byte % 32]).join("");

// Lists the games that the browser has but an earlier version, which listed only 200, left out.
async function listForgotten() {
  const listed = myGames();
  if (listed.length !== 200) return;
  const known = new Set(listed.map(({ game }) => game));
  const forgotten = (await games.all()).filter(({ name }) => !known.has(name));
  if (!forgotten.length) return;
  for (const { name, text, when } of forgotten.reverse()) list(name, JSON.parse(text), when);
  for (const entry of listed.reverse()) addGame(entry);
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
      // Another window may have taken it already.
      if (waiting.state === "installed") waiting.postMessage("use");
      else location.reload();
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

const MOST_NET_BYTES = 32 << 20;
const MOST_NAME = 60;

// A net from a file plays here, too.
async function openNet(file) {
  const name = file.name.replace(/\.[a-z]+$/i, "").slice(0, MOST_NAME);
  if (file.size > MOST_NET_BYTES) {
    showError(`${file.name} has ${Math.ceil(file.size / 1e6)} MB, so it is no net.`);
    return;
  }
  const url = await new Promise((resolve) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result));
    reader.readAsDataURL(file);
  });
  if (await request("add-net", { name, base64: url.slice(url.indexOf(",") + 1) })) showNotice(`The net ${name} is here. It can be chosen in a new game and in the analysis.`);
}

// Files are dropped anywhere on the page, or chosen under what is known of the nets.
function takeNets() {
  const input = h("input", { type: "file", hidden: true, id: "net-file", onchange: () => { for (const file of input.files) openNet(file); } });
  aboutNets().after(h("div", { class: "row" }, h("button", { type: "button", id: "open-net", onclick: () => input.click() }, "Open a net from a file"), input));
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  addEventListener("dragover", (event) => { if (hasFiles(event)) event.preventDefault(); });
  addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    for (const file of event.dataTransfer.files) openNet(file);
  });
}

const WARMTH = "Teaching makes this device warm and uses its battery. You can stop at any time: what was learnt stays.";
const SLOWED = "Browsers slow a page down while it is in the background, so the net may have learnt more slowly.";

// What people should know of a training on their device.
function tellAboutTeaching() {
  let [isTeaching, isTold] = [false, false];
  on("training", ({ state }) => {
    isTeaching = state === "running";
    if (isTeaching && !isTold && matchMedia("(pointer: coarse)").matches) showNotice(WARMTH);
    isTold ||= isTeaching;
  });
  document.addEventListener("visibilitychange", () => { if (isTeaching && !document.hidden) showNotice(SLOWED); });
}

let isMade = false;

export function afterStart() {
  if (isMade) return;
  isMade = true;
  addToGames({ controls: removeButton, note: NOTE, keep: keepGames });
  takeNets();
  tellAboutTeaching();
  listForgotten().then(showGames, () => {});
  keepOffline().catch((error) => console.warn(`The page is not kept for use without a network: ${error.message}`));
}
