// Setting up a position: choose a piece, click squares. Nothing is shown of its worth until it is asked for.

import { h, replace, use } from "./dom.js";
import { on } from "./host.js";
import { cells } from "./board.js";
import { request, say, set, store, watch } from "./store.js";
import { addPanel } from "./tabs.js";
import { editWith } from "./input.js";

let pieces = null;
let hand = "attacker";
const HAND = [["attacker", "piece-attacker", "Attacker"], ["defender", "piece-defender", "Defender"], ["king", "piece-king", "King"], [null, null, "Empty"]];
const palette = h("div", { class: "row palette", role: "group", "aria-label": "Piece to put down" });
const side = h("select", { id: "edit-side" }, h("option", { value: "attackers" }, "attackers to move"), h("option", { value: "defenders" }, "defenders to move"));
const tools = h("div", { class: "stack", hidden: true });
const begin = h("button", { type: "button", class: "primary", id: "edit", onclick: () => edit(true) }, "Set up a position");

function put(square) {
  if (hand === "king") for (const [known, piece] of Object.entries(pieces)) if (piece === "king") delete pieces[known];
  if (hand === null || pieces[square] === hand) delete pieces[square];
  else pieces[square] = hand;
  say(`${square} ${pieces[square] ?? "empty"}`);
  draw();
}

function draw() {
  for (const [square, cell] of cells) {
    const piece = pieces[square];
    const marks = (store.rules?.marks[square] ?? []).filter((mark) => mark === "throne" || mark === "corner");
    cell.dataset.key = "editing";
    cell.classList.remove("last-from", "last-to", "movable");
    cell.setAttribute("aria-label", [square, piece ?? "empty"].join(", "));
    replace(cell, marks.map((mark) => { const sign = use("mark-" + mark); sign.setAttribute("class", "mark"); return sign; }), piece && use("piece-" + piece));
  }
  replace(palette, HAND.map(([piece, name, text]) => h("button", { type: "button", "aria-pressed": String(hand === piece), "aria-label": text, title: text, onclick: () => { hand = piece; draw(); } }, name ? use(name) : text)));
}

// Begins or ends the editing. It ends with every event of a game and with every change of the panel, so that no click on the board
// places a piece by mistake.
function edit(on) {
  tools.hidden = !on;
  begin.hidden = on;
  editWith(on ? put : null);
  if (on) {
    pieces = { ...store.state.pieces };
    side.value = store.state.side;
    set({ selected: null, editing: true });
    draw();
  } else if (pieces) {
    pieces = null;
    for (const cell of cells.values()) delete cell.dataset.key;
    set({ editing: false });
  }
}

const stop = () => edit(false);

export function makeEditor() {
  tools.append(palette, h("div", { class: "field" }, h("label", { for: "edit-side" }, "Turn"), side),
    h("div", { class: "row" }, h("button", { type: "button", class: "primary", id: "edit-done", onclick: () => request("set-up", { rules: store.ownRules(), pieces, side: side.value }) }, "Play this position"),
      h("button", { type: "button", onclick: () => { pieces = {}; draw(); } }, "Clear the board"),
      h("button", { type: "button", onclick: stop }, "Cancel")));
  addPanel("analyse", "editor", "Set up", { closed: stop }).append(h("div", { class: "card" }, h("h2", {}, "A position of your own"), h("p", { class: "soft small" }, "It has the current rules. Both sides are people until you choose other players under Share."), begin, tools));
  for (const event of ["game", "state", "exercise"]) on(event, stop);
}

watch(() => { if (pieces) draw(); });
