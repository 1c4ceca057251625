// A proof, level by level: every first move that wins, or for every move of the losing side the answer to it.

import { capital, h, replace } from "./dom.js";
import { on } from "./host.js";
import { request, set, store, watch } from "./store.js";

const body = h("div", { class: "stack", id: "proof" });
let path = [];
let level = null;
let node = null;

export function proofCard() {
  return h("div", { class: "card", id: "proof-card", hidden: true }, h("h2", {}, "The proof"),
    h("p", { class: "soft small" }, "The solver has looked at every reply. Here it shows how: move by move; point at a move to see it on the board."),
    h("div", { class: "row" }, h("button", { type: "button", id: "show-proof", onclick: () => look([]) }, "Show the proof")), body);
}

// Asks for the level after some moves from the present position.
async function look(moves) {
  [path, level, node] = [moves, null, store.state.node];
  draw();
  if (!(await request("refute", { moves }))) replace(body);
}

// Opens the proof of the present position, for those who come from a review.
export const openProof = () => look([]);

const inMoves = (plies) => (plies === 0 ? "wins at once" : `wins in ${Math.ceil(plies / 2)}`);

function branchView(branch) {
  const moves = [...path, branch.move, ...(branch.answer ? [branch.answer] : [])];
  const show = () => set({ shownLine: moves });
  const hide = () => set({ shownLine: null });
  const pointed = { onmouseenter: show, onmouseleave: hide, onfocus: show, onblur: hide };
  const rest = branch.plies === null ? "too long to show" : branch.answer ? `then ${branch.answer} ${branch.plies <= 1 ? "wins" : inMoves(branch.plies)}` : inMoves(branch.plies);
  // After the winner's move the losing side is to move; after an answer that does not end the game it is again.
  const deeper = branch.plies !== null && (branch.answer ? branch.plies > 1 : branch.plies > 0);
  return h("li", {}, h("button", { type: "button", ...pointed, disabled: !deeper, title: deeper ? "Show what follows" : null, onclick: () => look(moves) }, h("strong", {}, branch.move), " ", rest));
}

function draw() {
  if (!level) return replace(body, h("p", { class: "soft" }, "Looking…"));
  const { proven, side, branches, done } = level;
  if (!proven) return replace(body, done && h("p", {}, "Nothing is proven here."));
  const ours = proven.winner === side;
  const head = ours
    ? `The ${side} have ${branches.length}${done ? "" : " or more"} winning ${branches.length === 1 ? "move" : "moves"}:`
    : `${capital(side)} to move lose, whatever they play:`;
  replace(body, h("p", { role: "status" }, path.length ? h("span", { class: "soft" }, `After ${path.join(" ")}: `) : "", head),
    h("ul", { class: "branches" }, branches.slice(0, 60).map(branchView)),
    h("div", { class: "row" },
      path.length > 0 && h("button", { type: "button", id: "proof-up", onclick: () => look(path.length === 1 ? [] : path.slice(0, -2)) }, "Back up"),
      path.length > 0 && h("button", { type: "button", id: "proof-play", onclick: () => request("variation", { moves: path }) }, "Play these moves on the board")));
}

on("refutation", (event) => {
  if (event.node !== store.state?.node || event.path.join() !== path.join()) return;
  level = event;
  draw();
});

watch(({ state, analysis, exercise }) => {
  const card = document.getElementById("proof-card");
  if (!card) return;
  const known = analysis?.proven ?? state.tree.find((entry) => entry.id === state.node)?.value?.proven;
  if (node !== state.node) {
    [node, level, path] = [state.node, null, []];
    replace(body);
  }
  card.hidden = !!exercise || !!state.ending || !known?.winner;
});
