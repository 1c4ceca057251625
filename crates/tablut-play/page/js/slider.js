// The slider: how the checkpoints of a run see this position, generation by generation.

import { can, on } from "./host.js";
import { chancesBar, chancesText, h, percent, replace, s } from "./dom.js";
import { request, set, store, watch } from "./store.js";
import { addPanel, isOpen, offerPanel } from "./tabs.js";

const body = h("div", { class: "stack" });
const told = h("p", { class: "soft small", role: "status" });
const detail = h("div", { class: "stack" });
const chart = s("svg", { class: "graph", viewBox: "0 0 100 40", preserveAspectRatio: "none", role: "img" });
const range = h("input", { type: "range", id: "generation", min: 0, value: 0, "aria-label": "Generation", oninput: () => show(Number(range.value)) });
let seen = [];
let node = null;

const label = (index) => "generation " + Number(store.hello.checkpoints[index].replace(/\D+/g, "") || index);

function show(index) {
  const analysis = seen[index];
  range.value = String(index);
  range.setAttribute("aria-valuetext", label(index));
  if (!analysis) return replace(detail);
  const line = analysis.lines[0];
  set({ shownLine: line.moves.slice(0, 1) });
  replace(detail, h("p", {}, h("strong", {}, label(index)), ": ", analysis.words, "; plays ", h("strong", {}, line.moves[0]), h("span", { class: "soft" }, ` (prior ${percent(line.prior)})`)),
    chancesBar(analysis.chances), h("p", { class: "soft small" }, chancesText(analysis.chances)));
  draw();
}

function draw() {
  const last = Math.max(1, store.hello.checkpoints.length - 1);
  const points = seen.map((analysis, index) => [(100 * index) / last, 20 - 19 * (analysis.chances.attackers - analysis.chances.defenders)]);
  const line = (attributes, colour) => { const made = s("line", { "vector-effect": "non-scaling-stroke", ...attributes }); made.style.stroke = colour; return made; };
  const at = (100 * Number(range.value)) / last;
  const path = s("path", { d: points.map(([x, y], index) => `${index ? "L" : "M"}${x.toFixed(2)} ${y.toFixed(2)}`).join(""), fill: "none", "stroke-width": 2, "vector-effect": "non-scaling-stroke" });
  path.style.stroke = "var(--accent)";
  replace(chart, line({ x1: 0, x2: 100, y1: 20, y2: 20, "stroke-dasharray": "4 4" }, "var(--soft)"), points.length > 1 && path, line({ x1: at, x2: at, y1: 0, y2: 40, "stroke-width": 1.5 }, "var(--ink)"));
  const words = seen.length ? `${label(0)}: ${seen[0].words}; ${label(seen.length - 1)}: ${seen.at(-1).words}.` : "Nothing seen yet.";
  chart.setAttribute("aria-label", "The position's value by generation, attackers above. " + words);
}

async function look() {
  [seen, node] = [[], store.state.node];
  replace(detail);
  told.textContent = store.state.ending ? "The game is over." : "Looking…";
  draw();
  if (!store.state.ending && !(await request("checkpoints"))) told.textContent = "";
}

on("checkpoint-analysis", ({ node: of, checkpoint, analysis }) => {
  if (of !== node || checkpoint !== seen.length) return;
  seen.push(analysis);
  const all = store.hello.checkpoints.length;
  told.textContent = seen.length < all ? `${seen.length} of ${all}` : `All ${all} checkpoints have looked, with 64 simulations each and without the solver.`;
  show(seen.length - 1);
});

function make() {
  if (!can("ask-checkpoints")) return;
  const { checkpoints } = store.hello;
  range.max = String(checkpoints.length - 1);
  if (!body.children.length) {
    chart.addEventListener("click", (event) => {
      const box = chart.getBoundingClientRect();
      const index = Math.round(((event.clientX - box.left) / box.width) * (checkpoints.length - 1));
      show(Math.max(0, Math.min(seen.length - 1, index)));
    });
    replace(body, h("div", { class: "card" }, h("h2", {}, "Evaluations by the run's checkpoints"), h("p", { class: "soft small" }, "The evaluation of the current position by the net of each checkpoint. Attackers above, defenders below."), chart, range, told, detail));
  }
  if (node !== store.state?.node) look();
}

export function makeSlider() {
  addPanel("analyse", "slider", "Checkpoints", { opened: make }).append(body);
  on("hello", () => offerPanel("slider", can("ask-checkpoints")));
}

watch(({ state, exercise }) => {
  if (isOpen("slider") && can("ask-checkpoints") && !exercise && node !== state.node) look();
});
