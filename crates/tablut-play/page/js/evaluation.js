// The bar beside the board and the graph over the game: chances, or certainty. Points that were hardly searched are left out.

import { byId, chancesText, h, replace, s } from "./dom.js";
import { request, store, watch } from "./store.js";

const LEAST_SIMULATIONS = 30;

export const isWellSearched = (value) => value && (value.proven || value.simulations >= LEAST_SIMULATIONS);

export const valueWords = (value) => (value.proven ? (value.proven.winner ? `the ${value.proven.winner} win, proven` : "a draw, proven") : chancesText(value.chances));

export function makeGraph() {
  const graph = s("svg", { class: "graph", viewBox: "0 0 100 40", preserveAspectRatio: "none", role: "img" });
  graph.addEventListener("click", (event) => {
    const box = graph.getBoundingClientRect();
    const line = store.state.line;
    const at = Math.round(((event.clientX - box.left) / box.width) * Math.max(1, line.length - 1));
    request("go-to", { node: line[Math.min(line.length - 1, Math.max(0, at))] });
  });
  return graph;
}

export function drawGraph(graph, { state }, mistakes) {
  const values = new Map(state.tree.map((node) => [node.id, node.value]));
  const steps = Math.max(1, state.line.length - 1);
  const points = state.line.map((id, index) => ({ id, x: (100 * index) / steps, value: values.get(id) })).filter(({ value }) => isWellSearched(value));
  const y = ({ value }) => 20 - 19 * (value.chances.attackers - value.chances.defenders);
  const parts = [s("line", { x1: 0, x2: 100, y1: 20, y2: 20, "stroke-width": 1, "vector-effect": "non-scaling-stroke", "stroke-dasharray": "4 4" })];
  parts[0].style.stroke = "var(--soft)";
  if (points.length > 1) {
    const path = points.map((point, index) => `${index ? "L" : "M"}${point.x.toFixed(2)} ${y(point).toFixed(2)}`).join("");
    const area = s("path", { d: `${path}L${points.at(-1).x} 20L${points[0].x} 20z`, opacity: 0.25 });
    area.style.fill = "var(--accent)";
    const line = s("path", { d: path, fill: "none", "stroke-width": 2, "vector-effect": "non-scaling-stroke" });
    line.style.stroke = "var(--accent)";
    parts.push(area, line);
  }
  for (const { ply } of mistakes ?? []) {
    const bar = s("line", { x1: (100 * ply) / steps, x2: (100 * ply) / steps, y1: 0, y2: 40, "stroke-width": 2, "vector-effect": "non-scaling-stroke", "stroke-dasharray": "2 2" });
    bar.style.stroke = "var(--warn)";
    parts.push(bar);
  }
  const at = state.line.indexOf(state.node);
  const here = s("line", { x1: (100 * at) / steps, x2: (100 * at) / steps, y1: 0, y2: 40, "stroke-width": 1.5, "vector-effect": "non-scaling-stroke" });
  here.style.stroke = "var(--ink)";
  parts.push(here);
  replace(graph, parts);
  const last = points.at(-1);
  graph.setAttribute("aria-label", last ? `Chances over the game: up, the attackers are ahead. Last: ${valueWords(last.value)}.` : "No chances known yet.");
}

watch(({ state, analysing, analysis, exercise }) => {
  const bar = byId("eval-bar");
  const value = analysis ?? state.tree.find((node) => node.id === state.node)?.value;
  bar.hidden = !analysing || !!exercise;
  if (bar.hidden || !value) return;
  const parts = ["attackers", "draw", "defenders"].map((side) => {
    const part = h("span", { class: "fill-" + side });
    part.style.flex = `${value.chances[side]} 0 0`;
    return part;
  });
  replace(bar, parts);
  bar.setAttribute("aria-label", "Evaluation: " + valueWords(value));
  bar.title = valueWords(value);
});
