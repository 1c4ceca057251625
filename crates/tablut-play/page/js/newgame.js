// The dialog that begins a game: rules, sides, levels.

import { byId, capital, h, replace } from "./dom.js";
import { request, store } from "./store.js";
import { openPanel } from "./tabs.js";

const USUAL_LEVEL = "club";
let dialog = null;

const options = (entries, chosen) => entries.map(([value, text]) => {
  const option = h("option", { value }, text);
  option.selected = value === chosen;
  return option;
});

// What a level is worth on a side, as matches have measured it.
function ratingText(ratings, side) {
  if (!ratings) return null;
  const { elo, low, high, games } = ratings[side];
  return h("span", { class: "rating" }, ` Rated ${Math.round(elo)} (${Math.round(low)}–${Math.round(high)}) with the ${side} under ${ratings.rules} rules, from ${games} games.`);
}

// Who plays a side: a person, or a level and, where there are several, a net.
export function playerFields(side, chosen) {
  const players = [["person", "a person"], ...store.hello.levels.map((level) => [level.name, level.title])];
  const player = h("select", { id: "player-" + side, name: side }, options(players, chosen?.kind === "computer" ? chosen.name : chosen ? "person" : side === "attackers" ? "person" : USUAL_LEVEL));
  const help = h("p", { class: "help" });
  const tell = () => {
    const level = store.hello.levels.find((known) => known.name === player.value);
    replace(help, level?.description ?? "", ratingText(level?.ratings, side));
  };
  player.addEventListener("change", tell);
  tell();
  const nets = store.hello.nets.length > 1 && h("select", { name: side + "-net", "aria-label": `Net of the ${side}` }, options(store.hello.nets.map((name, index) => [String(index), name]), String(chosen?.net ?? 0)));
  return { field: h("div", { class: "field" }, h("label", { for: "player-" + side }, capital(side)), player, nets, help), chosen: () => (player.value === "person" ? { kind: "person" } : { kind: "computer", name: player.value, net: Number(nets ? nets.value : 0) }) };
}

function open() {
  const sets = store.hello.rule_sets;
  const rules = h("select", { id: "new-rules", name: "rules" }, options(sets.map((set) => [set.name, set.name]), sets.some((set) => set.name === store.rules?.name) ? store.rules.name : "kvasir"));
  const summary = h("p", { class: "help" });
  const first = h("select", { id: "new-first", name: "first" }, options([["", "drawn by lot"], ["attackers", "the attackers"], ["defenders", "the defenders"]], ""));
  const firstField = h("div", { class: "field" }, h("label", { for: "new-first" }, "First move"), first);
  const tell = () => {
    const set = sets.find((known) => known.name === rules.value);
    summary.textContent = `${set.summary} (${set.source})`;
    firstField.hidden = !set.drawn;
  };
  rules.addEventListener("change", tell);
  tell();
  const players = { attackers: playerFields("attackers", store.state?.players.attackers), defenders: playerFields("defenders", store.state?.players.defenders) };
  if (!store.started) Object.assign(players, { attackers: playerFields("attackers"), defenders: playerFields("defenders") });
  const swap = h("button", { type: "button", onclick: () => {
    const [a, d] = [byId("player-attackers"), byId("player-defenders")];
    [a.value, d.value] = [d.value, a.value];
    for (const field of [a, d]) field.dispatchEvent(new Event("change"));
  } }, "Change sides");
  const form = h("form", { method: "dialog", onsubmit: async (event) => {
    event.preventDefault();
    const chosen = { attackers: players.attackers.chosen(), defenders: players.defenders.chosen() };
    const more = { rules: { name: rules.value }, players: chosen, ...(first.value && !firstField.hidden ? { first: first.value } : {}) };
    dialog.close();
    store.started = true;
    if (await request("new", more)) openPanel("moves");
  } },
  h("h2", { id: "new-title" }, "New game"),
  h("div", { class: "field" }, h("label", { for: "new-rules" }, "Rules"), rules, summary),
  firstField, players.attackers.field, players.defenders.field,
  h("div", { class: "row" }, h("button", { class: "primary", id: "begin" }, "Begin"), swap, h("button", { type: "button", onclick: () => dialog.close() }, "Cancel")));
  replace(dialog, form);
  dialog.showModal();
}

export function makeNewGame() {
  dialog = h("dialog", { "aria-labelledby": "new-title" });
  document.body.append(dialog);
  byId("new-game").addEventListener("click", () => { if (store.hello) open(); });
}

// The game that a first visit shows: a person with the side that moves first, against a level in the middle.
export const usualGame = () => ({ rules: { name: "kvasir" }, players: { attackers: { kind: "person" }, defenders: { kind: "computer", name: USUAL_LEVEL, net: 0 } } });
