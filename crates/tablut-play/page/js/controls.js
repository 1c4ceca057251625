// Buttons under the board, the two players, and the status line.

import { byId, capital, h, replace, s, use } from "./dom.js";
import { confirmFirst } from "./choice.js";
import { clockView } from "./clock.js";
import { levelOf, playerName } from "./levels.js";
import { mySide } from "./mygames.js";
import { offer } from "./offers.js";
import { whereabouts } from "./seats.js";
import { study } from "./study.js";
import { openPanel } from "./tabs.js";
import { request, set, store, watch } from "./store.js";

const ICONS = { first: "M18 5 10 12l8 7M6 5v14", back: "M15 5 8 12l7 7", forward: "M9 5l7 7-7 7", last: "M6 5l8 7-8 7M18 5v14", flip: "M7 4v15l-3-3M17 20V5l3 3" };
const icon = (name) => s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: ICONS[name], fill: "none", stroke: "currentColor", "stroke-width": 2.4, "stroke-linecap": "round", "stroke-linejoin": "round" }));
const step = (name, label, title, act) => h("button", { type: "button", class: "icon", id: "do-" + name, "aria-label": label, title, onclick: act }, icon(name));
const button = (name, text, title, act) => h("button", { type: "button", id: "do-" + name, title, onclick: act }, text);

export const goTo = (node) => request("go-to", { node });
const toParent = ({ tree, node }) => goTo(tree.find(({ id }) => id === node).parent);
// In a game with seats no move or resignation can be taken back.
const back = () => (store.state.has_seats ? toParent(store.state) : request("back"));
const toStart = () => goTo(store.state.tree[0].id);
export const toEnd = () => goTo(store.state.line.at(-1));

export function makeControls() {
  const more = h("details", { class: "more", id: "more" }, h("summary", { class: "button" }, "More"), h("div", { class: "menu" },
    button("threat", "Show the threat", "What the opponent would do if it were its turn (T)", () => request("threat")),
    button("move-now", "Move for me", "The computer moves for the side to move", () => request("move-now")),
    button("flip", "Turn the board", "Turn the board around (F)", () => set({ flipped: !store.flipped })),
    button("study", "Study from here", "Both sides are yours, and the engine shows its lines", study),
    button("draw", "Offer a draw", "Your opponent can accept or decline", () => offer("draw")),
    button("resign", "Resign", "Give the game up", resign)));
  replace(byId("controls"),
    h("div", { class: "row steps" },
      step("first", "First position", "To the beginning (Home)", toStart),
      step("back", "One move back", "One move back (←)", back),
      step("forward", "One move forward", "One move forward (→)", () => request("forward")),
      step("last", "Last position", "To the end (End)", toEnd)),
    button("take-back", "Take back", "Back to your turn (U)", takeBack),
    button("hint", "Hint", "What a strong player would do (H)", () => request("hint")), more);
  more.addEventListener("click", (event) => { if (event.target.closest(".menu button")) more.open = false; });
  addEventListener("pointerdown", (event) => { if (!more.contains(event.target)) more.open = false; });
  more.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    more.open = false;
    more.querySelector("summary").focus();
  });
  byId("game-name").addEventListener("click", () => openPanel("rules"));
}

// Against a person a move goes back only if the other one agrees.
export const takeBack = () => (store.state.has_seats && !store.state.ending ? offer("take-back") : request("take-back"));

function resign() {
  confirmFirst("Do you want to resign this game?", "Resign", () => request("resign", store.seat ? { side: store.seat } : {}));
}

const isOver = ({ state }) => !!state.ending;
export const looksBack = ({ state }) => state.can_redo;

function player(side, all) {
  const { state, thinking } = all;
  const moves = !state.ending && state.side === side;
  const what = state.ending?.winner === side ? "won" : !moves ? "" : thinking ? "thinking…" : mySide() === side ? "your move" : "to move";
  const kind = side.slice(0, -1);
  const lost = capturedOf(kind, state);
  const level = levelOf(state.players[side]);
  return [use(side === "attackers" ? "piece-attacker" : "piece-king"),
    h("span", { class: "who" }, h("span", {}, capital(side)), h("span", { class: "name", title: level?.description }, [playerName(side, state), whereabouts(side)].filter(Boolean).join(", "))),
    h("span", { class: "lost", role: "img", "aria-label": lost ? `${lost} ${kind}s captured` : `no ${kind} captured`, title: lost ? `${lost} ${kind}s captured` : null },
      lost > 0 && [use("piece-" + kind), h("span", {}, "×" + lost)]),
    h("span", { class: "to-move" }, what), clockView(side)];
}

// How many pieces of a kind the game has lost since its first position.
function capturedOf(kind, state) {
  let lost = 0;
  for (const node of lineUpTo(state)) if (node.side && node.side.slice(0, -1) !== kind) lost += node.captured;
  return state.ending?.reason === "king-captured" && kind === "defender" ? lost - 1 : lost;
}

function lineUpTo(state) {
  const byName = new Map(state.tree.map((node) => [node.id, node]));
  const nodes = [];
  for (let node = byName.get(state.node); node; node = byName.get(node.parent)) nodes.push(node);
  return nodes;
}

const ALARMS = { raichi: "Raichi! The king has one escape route.", tuichi: "Tuichi! The king has more than one escape route." };

function statusOf(all) {
  const { state } = all;
  if (all.remark) return all.remark;
  if (all.exercise) return "";
  if (isOver(all)) return state.said.split(". ").pop();
  const text = ALARMS[state.alarm] ?? "";
  if (!looksBack(all)) return text;
  const waits = state.players.attackers.kind !== "person" && state.players.defenders.kind !== "person" ? " The game waits." : "";
  return [`You are looking at move ${state.ply} of ${state.line.length - 1}.${waits} `, h("button", { type: "button", class: "link", id: "return", onclick: toEnd }, waits ? "Go on" : "Back to the game")];
}

watch((all) => {
  const { state, rules, exercise, thinking } = all;
  const below = mySide() ?? "attackers";
  const above = below === "attackers" ? "defenders" : "attackers";
  const [top, bottom] = all.flipped ? [below, above] : [above, below];
  replace(byId("player-top"), player(top, all));
  replace(byId("player-bottom"), player(bottom, all));
  byId("player-top").dataset.side = top;
  byId("player-bottom").dataset.side = bottom;
  const moves = state.ply === 1 ? "1 move" : state.ply + " moves";
  replace(byId("game-name"), rules ? [h("span", {}, rules.title), h("span", { class: "soft" }, ` · ${moves}`)] : "");
  byId("game-name").title = rules ? `${rules.title}: ${rules.source}. Read these rules` : "";
  document.title = `${state.ending ? "Game over" : mySide() === state.side ? "Your move" : `${capital(state.side)} to move`} – Tablut`;
  const status = byId("status");
  byId("said").classList.toggle("growing", state.ply > 0 && !state.ending && !exercise && state.players.attackers.kind !== state.players.defenders.kind);
  status.classList.toggle("over", isOver(all) && !exercise);
  replace(status, statusOf(all));
  replace(byId("notes"), exercise ? [] : state.notes.map((note) => h("li", {}, note)));
  const idle = thinking || isOver(all) || !!exercise || state.has_seats;
  const isSeated = state.has_seats && !isOver(all) && !looksBack(all);
  byId("do-first").disabled = byId("do-back").disabled = !state.can_undo || !!exercise || isSeated;
  byId("do-forward").disabled = byId("do-last").disabled = !state.can_redo || !!exercise || isSeated;
  const hasMoved = state.tree.some((node) => node.side === all.seat);
  byId("do-take-back").disabled = !state.can_undo || !!exercise || (state.has_seats && (!isSeated || !hasMoved || !!state.offer));
  byId("do-draw").hidden = !state.has_seats;
  byId("do-draw").disabled = !isSeated || !all.seat || !!state.offer;
  byId("do-study").hidden = state.is_study;
  byId("do-study").disabled = isSeated;
  for (const name of ["hint", "threat", "move-now"]) byId("do-" + name).disabled = idle;
  const isPlayed = state.players.attackers.kind === "person" || state.players.defenders.kind === "person";
  byId("do-resign").disabled = isOver(all) || !!exercise || !isPlayed || (state.has_seats && !all.seat) || looksBack(all) || state.ply === 0;
  byId("controls").hidden = !!exercise;
});
