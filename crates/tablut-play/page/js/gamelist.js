// "My games": the list of this browser's games, results by opponent and side, and all of them as one file.

import { h, replace } from "./dom.js";
import { levelOf } from "./levels.js";
import { myGames, ownSide } from "./mygames.js";
import { request, store, watch } from "./store.js";

const SHOWN = 12;
const body = h("div", { class: "stack" });
const card = h("details", { class: "card", id: "my-games" }, h("summary", {}, "My games"), body);
let all = false;
// What the page without a server adds: the controls of one game, and an element below the list.
const added = { controls: null, below: null };

export function addToGames(controls, below) {
  Object.assign(added, { controls, below });
  showGames();
}

export function gamesCard() {
  card.addEventListener("toggle", showGames);
  return card;
}

const sideOf = ({ players, side }) => side ?? ownSide(players);
const other = (side) => (side === "attackers" ? "defenders" : "attackers");
const nameOf = (player) => (player.kind === "person" ? "a person" : levelOf(player)?.title ?? player.name);

function opponent({ players, side: own }) {
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
  if (!games.length) return replace(body, h("p", { class: "soft" }, "The games that you play in this browser will be listed here."), added.below);
  const won = records(games);
  replace(body, table("game-list", ["Opponent", "Rules", "You", "Result", "Moves", "Date", ...(added.controls ? [""] : [])], games.slice(0, all ? undefined : SHOWN).map(row)),
    h("div", { class: "row" },
      games.length > SHOWN && !all && h("button", { type: "button", onclick: () => { all = true; showGames(); } }, `Show all ${games.length}`),
      h("button", { type: "button", id: "export-games", onclick: () => request("export-games", { games: games.map(({ game }) => game) }) }, "Save all as one file")),
    won.length > 0 && [h("h3", {}, "Results"), table("game-records", ["Opponent", "You", "Won", "Draw", "Lost"],
      won.map((entry) => h("tr", {}, h("th", { scope: "row" }, entry.opponent), [entry.side, entry.won, entry.draw, entry.lost].map((text) => h("td", {}, String(text))))))], added.below);
}

let seen = "";
watch(({ state }) => {
  const key = [store.game, state.ply, !!state.ending].join();
  if (key === seen) return;
  seen = key;
  showGames();
});
