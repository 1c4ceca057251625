// "My games": the list of this browser's games, results by opponent and side, and all of them as one file.

import { h, replace, saveFile } from "./dom.js";
import { ask, on } from "./host.js";
import { levelOf } from "./levels.js";
import { addGame, myGames, ownSide } from "./mygames.js";
import { request, say, store, watch } from "./store.js";

const SHOWN = 12;
const body = h("div", { class: "stack" });
const card = h("details", { class: "card", id: "my-games" }, h("summary", {}, "My games"), body);
let all = false;
// How many games one request names, and how many characters of games it carries.
const AT_ONCE = 100;
const MOST_TEXT = 150000;
// What the page without a server does in its own way: the controls of one game, a word on where games are, and how the games
// of a file are kept.
const added = { controls: null, note: null, keep: sendGames };

export function addToGames(own) {
  Object.assign(added, own);
  showGames();
}

// The games of a file that `Save all as one file` has written.
function gamesOf(text) {
  const found = [JSON.parse(text)].flat();
  const isGame = (game) => game?.format === "tablut game" && Array.isArray(game.moves) && typeof game.rules?.name === "string";
  if (!found.length || !found.every(isGame)) throw new Error('it has something else than saved games, which have the format "tablut game"');
  return found;
}

export function isList(text) {
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}

// Adds the games of a file, and says how many. A game that is here already is skipped.
export async function addFile(text) {
  const games = await added.keep(gamesOf(text));
  showGames();
  return games === 1 ? "1 game was added." : `${games} games were added.`;
}

let received = [];
on("imported-games", ({ games }) => { received = games; });

async function sendGames(games) {
  const known = myGames().slice(0, AT_ONCE).map(({ game }) => game);
  const texts = games.reverse().map((game) => JSON.stringify(game));
  let sum = 0;
  while (texts.length) {
    const batch = [texts.shift()];
    while (texts.length && batch.join().length + texts[0].length < MOST_TEXT) batch.push(texts.shift());
    await ask("import-games", { text: `[${batch.join()}]`, games: known });
    for (const entry of received) addGame({ ...entry, side: null, at: Date.now() });
    sum += received.length;
  }
  return sum;
}

// All games as one file. The host sends them in parts.
async function saveAll() {
  const names = myGames().map(({ game }) => game);
  store.collected = [];
  try {
    for (let at = 0; at < names.length; at += AT_ONCE) await request("export-games", { games: names.slice(at, at + AT_ONCE) });
    if (store.collected.length) saveFile("tablut-games.json", "application/json", `[\n${store.collected.join(",\n")}]\n`);
  } finally {
    store.collected = null;
  }
}
on("export", ({ text }) => { store.collected?.push(...JSON.parse(text).map((game) => JSON.stringify(game, null, 2))); });

const told = h("p", { class: "soft small", role: "status" });

function fileField() {
  const file = h("input", { type: "file", id: "import-games", accept: ".json" });
  file.addEventListener("change", async () => {
    if (!file.files[0]) return;
    try {
      told.textContent = await addFile(await file.files[0].text());
    } catch (error) {
      told.textContent = `The file cannot be read: ${error.message}.`;
    }
    say(told.textContent);
    file.value = "";
  });
  return h("div", { class: "stack" }, added.note && h("p", { class: "soft small" }, added.note), h("div", { class: "field" }, h("label", { for: "import-games" }, "Add the games of a file"), file), told);
}

export function gamesCard() {
  card.addEventListener("toggle", showGames);
  return card;
}

const sideOf = ({ players, side }) => side ?? ownSide(players);
const other = (side) => (side === "attackers" ? "defenders" : "attackers");
const nameOf = (player) => (player.kind === "person" ? "a person" : levelOf(player)?.title ?? player.name);

function opponent({ players, side: own, study }) {
  if (study) return "a study";
  const side = sideOf({ players, side: own });
  if (side && players[other(side)].kind === "person") return "a friend";
  if (side) return nameOf(players[other(side)]);
  return players.attackers.kind === "person" ? "two players" : `${nameOf(players.attackers)} against ${nameOf(players.defenders)}`;
}

function result({ players, ending, side: own }) {
  if (!ending) return "not over";
  const side = sideOf({ players, side: own });
  if (!ending.winner) return "draw";
  return side ? (ending.winner === side ? "won" : "lost") : `${ending.winner} won`;
}

const date = (at) => (at ? new Date(at).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" }) : "");

function row(entry) {
  const open = h("button", { type: "button", class: "link", onclick: () => request("open", { game: entry.game }) }, entry.players ? opponent(entry) : "a game");
  const facts = entry.players ? [entry.rules ?? "", sideOf(entry) ?? "", result(entry), String(entry.plies), date(entry.at)] : ["", "", "", "", ""];
  return h("tr", { class: entry.game === store.game ? "here" : null }, h("th", { scope: "row" }, open), facts.map((text) => h("td", {}, text)), added.controls && h("td", {}, added.controls(entry, open.textContent)));
}

// Won, drawn and lost by opponent and own side, of the games that are over.
function records(games) {
  const found = new Map();
  for (const entry of games) {
    const side = entry.players && sideOf(entry);
    if (!side || !entry.ending) continue;
    const key = opponent(entry) + "|" + side;
    if (!found.has(key)) found.set(key, { opponent: opponent(entry), side, won: 0, draw: 0, lost: 0 });
    found.get(key)[result(entry)] += 1;
  }
  return [...found.values()];
}

const table = (id, heads, rows) => h("div", { class: "scroll" }, h("table", { id }, h("thead", {}, h("tr", {}, heads.map((text) => (text ? h("th", { scope: "col" }, text) : h("td"))))), h("tbody", {}, rows)));

export function showGames() {
  if (!card.open || !store.hello) return;
  const games = myGames();
  if (!games.length) return replace(body, h("p", { class: "soft" }, "The games that you play in this browser will be listed here."), fileField());
  const won = records(games);
  replace(body, table("game-list", ["Opponent", "Rules", "You", "Result", "Moves", "Date", ...(added.controls ? [""] : [])], games.slice(0, all ? undefined : SHOWN).map(row)),
    h("div", { class: "row" },
      games.length > SHOWN && !all && h("button", { type: "button", onclick: () => { all = true; showGames(); } }, `Show all ${games.length}`),
      h("button", { type: "button", id: "export-games", onclick: saveAll }, "Save all as one file")),
    won.length > 0 && [h("h3", {}, "Results"), table("game-records", ["Opponent", "You", "Won", "Draw", "Lost"],
      won.map((entry) => h("tr", {}, h("th", { scope: "row" }, entry.opponent), [entry.side, entry.won, entry.draw, entry.lost].map((text) => h("td", {}, String(text))))))], fileField());
}

let seen = "";
watch(({ state }) => {
  const key = [store.game, state.ply, !!state.ending].join();
  if (key === seen) return;
  seen = key;
  showGames();
});
