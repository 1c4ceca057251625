// The dialog that begins a game: board, rules, opponent, side.

import { byId, capital, h, replace, use } from "./dom.js";
import { boardPicture, usualRules } from "./boards.js";
import { face } from "./faces.js";
import { USUAL_LEVEL, levelOf, ratingText, starsView } from "./levels.js";
import { ownSide } from "./mygames.js";
import { keptRules } from "./myrules.js";
import { can } from "./host.js";
import { CLOCKS, LINK_CLOCKS, timeControl, wantClock } from "./clock.js";
import { focusBoard } from "./input.js";
import { wantSide } from "./seats.js";
import { request, store } from "./store.js";
import { openPanel } from "./tabs.js";
import { openTeach } from "./teach.js";

let dialog = null;

const options = (entries, chosen) => entries.map(([value, text]) => {
  const option = h("option", { value }, text);
  option.selected = value === chosen;
  return option;
});

// The levels as they are offered: the adaptive one first.
const offered = () => [...store.hello.levels].sort((one, two) => Number(two.name === USUAL_LEVEL) - Number(one.name === USUAL_LEVEL));

// Who plays a side: a person, or a level and, where there are several, a net.
export function playerFields(side, chosen, prefix = "player") {
  const id = `${prefix}-${side}`;
  const players = [["person", "a person"], ...offered().map((level) => [level.name, level.title])];
  const player = h("select", { id, name: side }, options(players, chosen?.kind === "computer" ? chosen.name : "person"));
  const help = h("p", { class: "help" });
  const tell = () => { help.textContent = levelOf({ name: player.value })?.description ?? ""; };
  player.addEventListener("change", tell);
  tell();
  const nets = netField(`Net of the ${side}`, side + "-net", chosen?.net);
  return { field: h("div", { class: "field" }, h("label", { for: id }, capital(side)), player, nets, help), chosen: () => (player.value === "person" ? { kind: "person" } : { kind: "computer", name: player.value, net: Number(nets ? nets.value : 0) }) };
}

const netField = (label, name, chosen) => store.hello.nets.length > 1 && h("select", { name, "aria-label": label }, options(store.hello.nets.map((net, index) => [String(index), net]), String(chosen ?? 0)));

function card(name, value, checked, picture, title, more, help) {
  const input = h("input", { type: "radio", name, value, id: `${name}-${value}`, checked });
  return h("label", { class: "pick", title: help }, input, picture, h("span", { class: "pick-text" }, h("strong", {}, title), more));
}

function opponentCards(chosen) {
  const most = Math.max(...store.hello.levels.map(({ stars }) => stars));
  return h("fieldset", { class: "picks", id: "opponents" }, h("legend", {}, "Opponent"),
    offered().map((level) => card("opponent", level.name, level.name === chosen, face(level.stars, most), level.title, level.stars ? starsView(level) : h("span", { class: "soft small" }, "as strong as you"), `${level.description} ${ratingText(level)}`)),
    card("opponent", "person", chosen === "person", use("piece-defender"), "Two people", h("span", { class: "soft small" }, "at this screen"), "Two people at one screen."),
    can("share-games") && card("opponent", "friend", chosen === "friend", use("piece-attacker"), "A friend", h("span", { class: "soft small" }, "by link"), "Each has a seat; the opponent gets a link to the other one."),
    card("opponent", "demo", chosen === "demo", use("piece-king"), "Watch", h("span", { class: "soft small" }, "two computers"), "The computer plays both sides."));
}

const boardCards = (chosen) => h("fieldset", { class: "picks boards" }, h("legend", {}, "Board"),
  store.hello.boards.map(({ size, title, start }) => card("board", String(size), size === chosen, boardPicture(start), title, h("span", { class: "soft small" }, `${size} × ${size}`), null)));

function open() {
  const sets = store.hello.rule_sets;
  const own = keptRules();
  const players = store.state?.players;
  const side = players ? ownSide(players) ?? "attackers" : "attackers";
  const other = players?.[side === "attackers" ? "defenders" : "attackers"];
  const chosen = !store.state || !players ? USUAL_LEVEL : other.kind === "person" ? (players[side].kind === "person" && store.state.tree.length > 1 ? "person" : USUAL_LEVEL) : ownSide(players) ? other.name : "demo";
  const opponents = opponentCards(levelOf({ name: chosen }) || chosen === "person" || chosen === "demo" ? chosen : USUAL_LEVEL);
  const sides = h("fieldset", { class: "picks sides" }, h("legend", {}, "You play"), [["attackers", "piece-attacker", "Attackers"], ["defenders", "piece-king", "Defenders"]].map(([value, piece, title]) => card("side", value, value === side, use(piece), title, null, null)));
  const now = own.some(({ name }) => name === store.rules?.name) ? "own:" + store.rules.name : store.rules?.name;
  const board = store.rules?.size ?? 9;
  const boards = boardCards(board);
  const rules = h("select", { id: "new-rules", name: "rules" });
  // Offers the rules of one board.
  const offer = (size, wanted) => {
    // Own rules that were kept without their size are from a time when there was one board.
    const ownHere = own.filter((kept) => (kept.size ?? 9) === size).map(({ name }) => ["own:" + name, name]);
    const here = sets.filter((set) => set.size === size).map((set) => [set.name, set.title]);
    const chosen = [...ownHere, ...here].some(([value]) => value === wanted) ? wanted : usualRules(size);
    replace(rules, ownHere.length > 0 && h("optgroup", { label: "Your own rules" }, options(ownHere, chosen)), h("optgroup", { label: "Rule sets" }, options(here, chosen)));
  };
  offer(board, now);
  const summary = h("p", { class: "help" });
  const first = h("select", { id: "new-first", name: "first" }, options([["", "drawn by lot"], ["attackers", "the attackers"], ["defenders", "the defenders"]], ""));
  const firstField = h("div", { class: "field" }, h("label", { for: "new-first" }, "First move"), first);
  const clock = h("select", { id: "new-clock", name: "clock" }, options(CLOCKS, ""));
  const clockField = h("div", { class: "field" }, h("label", { for: "new-clock" }, "Clock"), clock);
  const linkClock = h("select", { id: "new-link-clock", name: "link-clock" }, options(LINK_CLOCKS, ""));
  const linkClockField = h("div", { class: "field" }, h("label", { for: "new-link-clock" }, "Clock"), linkClock);
  const pauses = h("input", { type: "checkbox", id: "new-pauses", checked: !!store.state?.pauses_on_blunders });
  const pausesField = h("label", { class: "small" }, pauses, " Pause when I make a blunder");
  const net = netField("Net", "net", other?.net);
  const netRow = net && h("div", { class: "field" }, h("span", {}, "Net"), net);
  const level = h("p", { class: "help", id: "level-help" });
  const both = players && !ownSide(players) && players.attackers.kind !== "person" ? players : null;
  const demo = { attackers: playerFields("attackers", both?.attackers ?? { kind: "computer", name: "strong", net: 0 }), defenders: playerFields("defenders", both?.defenders ?? { kind: "computer", name: "strong", net: 0 }) };
  const demoFields = h("div", { class: "stack" }, demo.attackers.field, demo.defenders.field);
  const picked = (name) => form.querySelector(`[name=${name}]:checked`).value;

  const chosenPlayers = () => {
    const opponent = picked("opponent");
    if (opponent === "demo") return { attackers: demo.attackers.chosen(), defenders: demo.defenders.chosen() };
    const computer = opponent === "person" || opponent === "friend" ? { kind: "person" } : { kind: "computer", name: opponent, net: Number(net ? net.value : 0) };
    return picked("side") === "attackers" ? { attackers: { kind: "person" }, defenders: computer } : { attackers: computer, defenders: { kind: "person" } };
  };
  const chosenSet = () => (rules.value.startsWith("own:") ? { toml: own.find(({ name }) => "own:" + name === rules.value).toml } : { name: rules.value });
  const form = h("form", { method: "dialog", class: "new-game", onsubmit: async (event) => {
    event.preventDefault();
    const more = { rules: chosenSet(), players: chosenPlayers(), ...(picked("opponent") === "friend" ? { seats: true, ...timeControl(linkClock.value) } : {}), ...(pauses.checked && !pausesField.hidden ? { "pauses-on-blunders": true } : {}), ...(first.value && !firstField.hidden ? { first: first.value } : {}) };
    wantSide(picked("side"));
    wantClock(clockField.hidden ? "" : clock.value);
    if (!(await request("new", more))) return wantClock("");
    dialog.close();
    openPanel("moves");
    focusBoard();
  } },
  h("h2", { id: "new-title" }, "New game"), boards, h("div", { class: "field" }, h("label", { for: "new-rules" }, "Rules"), rules, summary, can("train") && h("div", {}, h("button", { type: "button", class: "link", id: "teach-new-rules", onclick: () => { dialog.close(); openTeach({ name: rules.value.replace("own:", ""), ...chosenSet() }); } }, "Teach a net these rules"))), opponents, level, demoFields, sides, firstField, clockField, linkClockField, pausesField, netRow,
  h("div", { class: "row buttons" }, h("button", { class: "primary", id: "begin" }, "Begin"), h("button", { type: "button", onclick: () => dialog.close() }, "Cancel")));
  const tell = () => {
    const set = sets.find((one) => one.name === rules.value);
    summary.textContent = set ? `${set.summary} (${set.source})` : "Your own rules, saved in this browser.";
    firstField.hidden = !set?.drawn;
    const opponent = picked("opponent");
    demoFields.hidden = opponent !== "demo";
    clockField.hidden = opponent === "demo" || opponent === "friend";
    sides.hidden = opponent === "demo" || opponent === "person";
    linkClockField.hidden = opponent !== "friend";
    pausesField.hidden = !levelOf({ name: opponent });
    if (netRow) netRow.hidden = !levelOf({ name: opponent });
    level.textContent = levelOf({ name: opponent })?.description ?? "";
  };
  boards.addEventListener("change", () => offer(Number(picked("board"))));
  form.addEventListener("change", tell);
  tell();
  replace(dialog, form);
  dialog.showModal();
  form.querySelector("[name=board]:checked").focus();
}

export const openNewGame = () => { if (store.hello) open(); };

export function makeNewGame() {
  dialog = h("dialog", { "aria-labelledby": "new-title", id: "new-dialog" });
  document.body.append(dialog);
  byId("new-game").addEventListener("click", openNewGame);
}

// The game that a first visit shows: a person with the side that moves first, against the level that adapts.
export const usualGame = () => ({ rules: { name: "kvasir" }, players: { attackers: { kind: "person" }, defenders: { kind: "computer", name: USUAL_LEVEL, net: 0 } } });
