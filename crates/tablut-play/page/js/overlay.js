// Arrows over the board: candidates, lines, hints, threats, the king's escape routes, and the user's drawings.

import { byId, percent, replace, s } from "./dom.js";
import { placeOf, width as squares } from "./board.js";
import { watch } from "./store.js";
import { arrowsOf, currentComment } from "./study.js";

const middle = (square) => placeOf(square).map((place) => place + 0.5);

function arrow([from, to], colour, width, opacity, text) {
  const [x1, y1] = middle(from);
  const [x2, y2] = middle(to);
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const head = 0.16 + width;
  const [tx, ty] = [x2 - dx * 0.12, y2 - dy * 0.12];
  const [bx, by] = [tx - dx * head, ty - dy * head];
  const points = `${tx},${ty} ${bx - dy * head * 0.62},${by + dx * head * 0.62} ${bx + dy * head * 0.62},${by - dx * head * 0.62}`;
  const group = s("g", { opacity }, s("line", { x1: x1 + dx * 0.2, y1: y1 + dy * 0.2, x2: bx, y2: by, "stroke-width": width, "stroke-linecap": "round" }), s("polygon", { points, "stroke-width": 0 }));
  group.style.stroke = colour;
  group.style.fill = colour;
  if (!text) return group;
  // The label is next to the arrow's head, where it covers neither the arrow nor the next square's sign.
  const [lx, ly] = [x2 + (dx ? 0 : 0.29), y2 + (dx ? -0.3 : -dy * 0.02)];
  const label = s("text", { x: Math.min(squares - 0.22, Math.max(0.22, lx)), y: Math.min(squares - 0.1, Math.max(0.28, ly)) + 0.08, "font-size": 0.25, "text-anchor": "middle", "font-weight": 700, "stroke-width": 0.07, "paint-order": "stroke" }, text);
  label.style.fill = "var(--ink)";
  label.style.stroke = "var(--card)";
  return [group, label];
}

function ring(square, colour) {
  const [cx, cy] = middle(square);
  const made = s("circle", { cx, cy, r: 0.42, fill: "none", "stroke-width": 0.07 });
  made.style.stroke = colour;
  return made;
}

const squaresOf = (move) => move.split("x")[0].split("-");

// How thick a candidate is drawn.
const WEIGHTS = { visits: (line) => line.visits, prior: (line) => line.prior, value: (line, side) => line.chances[side] };

function candidates(analysis, drawnBy, side) {
  const weight = WEIGHTS[drawnBy];
  const most = Math.max(1e-6, ...analysis.lines.map((line) => weight(line, side)));
  const mostVisits = Math.max(1, ...analysis.lines.map((line) => line.visits));
  const shown = analysis.lines.slice(0, 4).filter((line, index) => index === 0 || line.visits > mostVisits / 12 || line.proven);
  return shown.reverse().map((line) => {
    const share = weight(line, side) / most;
    const best = line === analysis.lines[0];
    return arrow(squaresOf(line.moves[0]), "var(--target)", 0.05 + 0.08 * share, 0.35 + 0.55 * share, best || drawnBy !== "visits" ? percent(drawnBy === "prior" ? line.prior : line.chances[side]) : null);
  });
}

function render({ state, analysis, shownLine, hint, threat, drawnBy, drawing, exercise }) {
  const drawn = [];
  if (!exercise) {
    for (const square of state.routes) {
      const [cx, cy] = middle(square);
      const dot = s("rect", { x: cx - 0.09, y: cy - 0.09, width: 0.18, height: 0.18, transform: `rotate(45 ${cx} ${cy})` });
      dot.style.fill = "var(--route)";
      drawn.push(dot);
    }
  }
  if (shownLine) {
    shownLine.slice(0, 7).forEach((move, index) => drawn.push(arrow(squaresOf(move), index % 2 ? "var(--danger)" : "var(--target)", 0.09, 0.9, String(index + 1))));
  } else {
    if (analysis) drawn.push(candidates(analysis, drawnBy, state.side));
    if (hint) drawn.push(arrow(squaresOf(hint), "var(--focus)", 0.12, 0.9));
    if (threat) drawn.push(arrow(squaresOf(threat.lines[0].moves[0]), "var(--danger)", 0.12, 0.9));
  }
  for (const { from, to } of state.is_study ? arrowsOf(currentComment()) : drawing ?? []) drawn.push(from === to ? ring(from, "var(--own)") : arrow([from, to], "var(--own)", 0.1, 0.85));
  replace(byId("overlay"), s("svg", { viewBox: `0 0 ${squares} ${squares}` }, drawn.flat(2)));
}

watch(render);
