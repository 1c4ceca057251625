// Analysis: the best moves, what follows them, and how sure it is.

import { capital, chancesBar, h, percent, replace } from "./dom.js";
import { request, set, store, watch } from "./store.js";
import { addPanel } from "./tabs.js";
import { drawGraph, makeGraph } from "./evaluation.js";
import { on } from "./host.js";
import { aboutNets } from "./nets.js";
import { proofCard } from "./proof.js";
import { studyCard } from "./study.js";

const toggle = h("button", { type: "button", id: "analyse", "aria-pressed": "false", onclick: () => analyse(!store.analysing) }, "Analyse this position");
const summary = h("div", { class: "stack" });
// The moves of a line that the board shows.
const SHOWN = 7;
const lines = h("ol", { class: "lines" });
const graph = makeGraph();
const DRAWN_BY = [["visits", "visits"], ["prior", "prior"], ["value", "value"]];
const drawnBy = h("select", { id: "drawn-by", onchange: () => set({ drawnBy: drawnBy.value }) }, DRAWN_BY.map(([value, text]) => h("option", { value }, text)));

// The net that analyses, where there are several.
const nets = h("select", { id: "analysis-net", "aria-label": "Net that analyses", hidden: true, onchange: () => { if (store.analysing) analyse(true); } });
on("hello", ({ nets: names }) => {
  const chosen = nets.value;
  replace(nets, names.map((name, index) => h("option", { value: String(index) }, name)));
  nets.value = String(chosen < names.length ? Number(chosen) : 0);
  nets.hidden = names.length < 2;
});

export async function analyse(isOn, net = Number(nets.value)) {
  nets.value = String(net);
  set({ analysing: isOn, ...(isOn ? {} : { analysis: null }) });
  if (!(await request("analyse", { on: isOn, net }))) set({ analysing: false });
}

export function makeLines() {
  addPanel("analyse", "analysis", "Analysis").append(
    h("div", { class: "card" }, h("div", { class: "row" }, toggle, h("label", { for: "drawn-by", class: "small" }, "Arrows by"), drawnBy, nets), summary, lines),
    studyCard(),
    proofCard(),
    h("div", { class: "card" }, h("h2", {}, "Chances over the game"), graph, h("p", { class: "soft small" }, "Up: the attackers are ahead. Down: the defenders. Click to go there.")),
    aboutNets());
}

function lineView(line, side) {
  const value = line.proven ? h("span", { class: "sure" }, line.words) : h("span", {}, percent(line.chances[side]));
  const show = () => set({ shownLine: line.moves });
  const hide = () => set({ shownLine: null });
  let step = 0;
  return h("li", {}, h("button", { type: "button", onmouseenter: show, onmouseleave: hide, onfocus: show, onblur: hide, title: "Show the line step by step", onclick: () => { step = (step % Math.min(line.moves.length, SHOWN)) + 1; set({ shownLine: line.moves.slice(0, step) }); } },
    h("span", { class: "first" }, line.moves[0]), value, h("span", { class: "soft small" }, `${line.visits.toLocaleString("en")} visits · prior ${percent(line.prior)}`),
    h("span", { class: "rest" }, line.moves.slice(1, 9).join(" "))), h("button", { type: "button", class: "play", "aria-label": `Play ${line.moves[0]}`, onclick: () => request("play", { move: line.moves[0] }) }, "Play"));
}

let focused = null;
watch((all) => {
  const { state, analysing, analysis, exercise } = all;
  toggle.setAttribute("aria-pressed", String(analysing));
  toggle.disabled = !!exercise;
  toggle.textContent = analysing ? (analysis?.done ? "Close" : "Stop") : "Analyse this position";
  drawGraph(graph, all, all.review?.mistakes);
  if (!analysing || !analysis) {
    const waiting = analysing && !state.ending ? "Thinking…" : state.ending ? "The game is over." : "Nothing is shown until you ask.";
    replace(summary, waiting && h("p", { class: "soft" }, waiting));
    replace(lines);
    return;
  }
  replace(summary, h("p", {}, analysis.proven ? [h("strong", {}, "Certain: "), analysis.words] : capital(analysis.words), "."), chancesBar(analysis.chances),
    h("div", { class: "legend" }, ["attackers", "draw", "defenders"].map((side) => h("span", {}, h("i", { class: "fill-" + side }), `${side} ${percent(analysis.chances[side])}`))),
    h("p", { class: "soft small" }, `${analysis.simulations.toLocaleString("en")} simulations${analysis.workers ? ` by ${analysis.workers} workers` : ""}${!analysis.done ? ", going on" : analysis.proven ? "" : ". The memory for this analysis is full"}.`));
  // A list under the pointer or the focus is not pulled away while it is being read.
  if (lines.matches(":hover") || lines.contains(document.activeElement)) {
    if (focused === state.node && lines.children.length) return;
  }
  focused = state.node;
  replace(lines, analysis.lines.map((line) => lineView(line, state.side)));
});
