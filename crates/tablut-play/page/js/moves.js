// The Game panel: the list of moves, the main line in columns, variations indented, comments where they belong.

import { h, replace } from "./dom.js";
import { typedMoves } from "./input.js";
import { request, store, watch } from "./store.js";
import { keepComment, wordsOf } from "./study.js";
import { moveTimes } from "./times.js";
import { addPanel } from "./tabs.js";
import { gamesCard, showGames } from "./gamelist.js";

const list = h("div", { class: "move-list", role: "group", "aria-label": "Moves" });
const comment = h("textarea", { id: "comment", maxlength: 2000, rows: 2 });
const commentCard = h("details", { class: "small" }, h("summary", {}, "Write a comment on this position"), h("label", { class: "hidden-text", for: "comment" }, "Comment on this position"), comment);
const tools = h("div", { class: "row" });
const moveCard = h("div", { class: "card" }, h("h2", {}, "Moves"), list, tools, typedMoves(), commentCard);
let shown = "";

export function makeMoves() {
  const panel = addPanel("game", "moves", "Moves", { opened: () => { showCurrent(); showGames(); } });
  comment.addEventListener("change", () => keepComment({ words: comment.value }));
  panel.append(moveCard, gamesCard());
}

const WAYS = { raichi: "◇", tuichi: "◇◇" };
const GRADES = { good: "", inaccuracy: "?!", mistake: "?", blunder: "??" };
const gradeWords = { inaccuracy: "inaccuracy", mistake: "mistake", blunder: "blunder" };

const symbol = (node) => [node.move, node.captured > 1 ? "×" + node.captured : node.captured ? "×" : "", WAYS[node.alarm] ?? "", GRADES[node.grade] ?? ""].filter(Boolean).join(" ");

// The times of the open game's moves.
let times = {};
const timeText = ({ id }) => (times[id] === undefined ? "" : ` ${times[id].toFixed(times[id] < 9.95 ? 1 : 0)} s`);

function spoken(node) {
  const parts = [symbol(node) + timeText(node), node.side];
  if (node.captured) parts.push(`captures ${node.captured}`);
  if (node.alarm) parts.push(node.alarm === "raichi" ? "raichi, the king has one escape route" : "tuichi, the king has two escape routes");
  if (gradeWords[node.grade]) parts.push(gradeWords[node.grade]);
  return parts.join(", ");
}

function button(node, current) {
  return h("button", { type: "button", class: node.grade ? "grade-" + node.grade : null, "aria-current": node.id === current ? "true" : null, "aria-label": spoken(node), title: spoken(node), onclick: () => request("go-to", { node: node.id }) }, symbol(node), h("span", { class: "time" }, timeText(node)));
}

// A variation with its own variations in brackets after it.
function variation(first, children, current) {
  const parts = [];
  let node = first;
  while (node) {
    if (node.ply % 2 === 1 || node === first) parts.push(h("span", { class: "soft" }, Math.ceil(node.ply / 2) + (node.ply % 2 ? "." : "…")));
    parts.push(button(node, current));
    if (wordsOf(node.comment)) parts.push(h("em", { class: "soft small" }, wordsOf(node.comment)));
    const replies = children.get(node.id) ?? [];
    for (const other of replies.slice(1)) parts.push(h("span", { class: "soft" }, "("), variation(other, children, current), h("span", { class: "soft" }, ")"));
    node = replies[0];
  }
  return parts;
}

function rows({ tree, node: current }) {
  const byName = new Map(tree.map((node) => [node.id, node]));
  const children = new Map(tree.map((node) => [node.id, node.children.map((id) => byName.get(id))]));
  const root = tree[0];
  const made = [];
  if (wordsOf(root.comment)) made.push(h("p", { class: "comment-text" }, wordsOf(root.comment)));
  let node = (children.get(root.id) ?? [])[0];
  let others = (children.get(root.id) ?? []).slice(1);
  let open = false;
  while (node) {
    if (node.ply % 2 === 1 || !open) {
      made.push(h("span", { class: "number" }, Math.ceil(node.ply / 2) + "."));
      if (node.ply % 2 === 0) made.push(h("span", { class: "soft" }, "…"));
      open = true;
    }
    made.push(button(node, current));
    const words = wordsOf(node.comment);
    const breaks = words || others.length;
    if (breaks && node.ply % 2 === 1) made.push(h("span"));
    if (words) made.push(h("p", { class: "comment-text" }, words));
    for (const other of others) made.push(h("div", { class: "variation" }, variation(other, children, current)));
    if (breaks) open = false;
    const replies = children.get(node.id) ?? [];
    [node, others] = [replies[0], replies.slice(1)];
  }
  return made;
}

// Scrolls the list to the present position. A hidden list cannot scroll, so this is done again when its panel opens.
function showCurrent() {
  const current = list.querySelector("[aria-current]");
  if (current) list.scrollTop = Math.max(0, current.offsetTop - list.offsetTop - list.clientHeight / 2);
}

watch(({ state, exercise }) => {
  const key = JSON.stringify([state.tree.map((node) => [node.id, node.comment, node.children, node.grade]), state.node, !!exercise]);
  if (key === shown) return;
  shown = key;
  times = moveTimes();
  replace(list, state.tree.length > 1 ? rows(state) : h("p", { class: "comment-text" }, state.players.attackers.kind === "person" || state.players.defenders.kind === "person" ? "This list shows the moves of the game." : "The game is about to begin."));
  showCurrent();
  const here = state.tree.find((node) => node.id === state.node);
  if (document.activeElement !== comment) comment.value = wordsOf(here.comment);
  const aside = branch(state, here) !== null;
  replace(tools, aside && [
    h("button", { type: "button", onclick: () => request("promote", { node: state.node }) }, "Make main line"),
    h("button", { type: "button", onclick: () => request("remove", { node: branch(state, here).id }) }, "Remove variation"),
  ]);
});

const parentOf = (state, node) => state.tree.find((other) => other.id === node.parent);
const isFirst = (state, node) => parentOf(state, node).children[0] === node.id;

// Where the line of a position leaves the main one; null on the main line.
function branch(state, node) {
  let found = null;
  while (node.parent !== null) {
    if (!isFirst(state, node)) found = found ?? node;
    node = parentOf(state, node);
  }
  return found;
}
