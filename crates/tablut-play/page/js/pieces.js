// Pieces and marks as shapes: attackers are dark and six-cornered, defenders light and round, the king wears a crown.

import { replace, s } from "./dom.js";
import { onSetting, setting } from "./settings.js";

const shape = (tag, attributes, style) => {
  const element = s(tag, attributes);
  Object.assign(element.style, style);
  return element;
};

const attacker = () => [
  shape("path", { d: "M32 8 53 20V44L32 56 11 44V20z", "stroke-width": 2.5, "stroke-linejoin": "round" }, { fill: "var(--attacker)", stroke: "var(--attacker-edge)" }),
  shape("path", { d: "M32 20 42 39H22z", fill: "none", "stroke-width": 3, "stroke-linejoin": "round" }, { stroke: "var(--attacker-glyph)" }),
];
const defender = () => [
  shape("circle", { cx: 32, cy: 32, r: 23, "stroke-width": 2.5 }, { fill: "var(--defender)", stroke: "var(--defender-edge)" }),
  shape("circle", { cx: 32, cy: 32, r: 11.5, fill: "none", "stroke-width": 3 }, { stroke: "var(--defender-glyph)" }),
];
const king = () => [
  shape("circle", { cx: 32, cy: 32, r: 26, "stroke-width": 3 }, { fill: "var(--king)", stroke: "var(--king-edge)" }),
  shape("path", { d: "M18 43V23l7.5 7.5L32 18l6.5 12.5L46 23v20z" }, { fill: "var(--king-glyph)" }),
];
// The same three pieces as figures: a spear, a shield, a crown.
const attackerFigure = () => [
  shape("rect", { x: 12, y: 12, width: 40, height: 40, rx: 4, "stroke-width": 2.5, transform: "rotate(45 32 32)" }, { fill: "var(--attacker)", stroke: "var(--attacker-edge)" }),
  shape("path", { d: "M32 16v32M25 25l7-9 7 9", fill: "none", "stroke-width": 3.4, "stroke-linecap": "round", "stroke-linejoin": "round" }, { stroke: "var(--attacker-glyph)" }),
];
const defenderFigure = () => [
  shape("path", { d: "M32 8c8 5 15 6 21 6 0 22-6 34-21 42C17 48 11 36 11 14c6 0 13-1 21-6z", "stroke-width": 2.5, "stroke-linejoin": "round" }, { fill: "var(--defender)", stroke: "var(--defender-edge)" }),
  shape("path", { d: "M32 18v28M21 28h22", fill: "none", "stroke-width": 3, "stroke-linecap": "round" }, { stroke: "var(--defender-glyph)" }),
];
const kingFigure = () => [
  shape("path", { d: "M10 52V18l12 11L32 10l10 19 12-11v34z", "stroke-width": 3, "stroke-linejoin": "round" }, { fill: "var(--king)", stroke: "var(--king-edge)" }),
  shape("path", { d: "M18 43h28", fill: "none", "stroke-width": 4, "stroke-linecap": "round" }, { stroke: "var(--king-glyph)" }),
];
const outline = (tag, attributes) => shape(tag, { fill: "none", "stroke-width": 2.5, ...attributes }, { stroke: "currentColor" });
const throne = () => [outline("path", { d: "M32 10 54 32 32 54 10 32z" }), outline("path", { d: "M32 20 44 32 32 44 20 32z" })];
const corner = () => [outline("path", { d: "M14 14 50 50M50 14 14 50" }), outline("rect", { x: 14, y: 14, width: 36, height: 36 })];
const escape = () => [shape("path", { d: "M2 4h60", fill: "none", "stroke-width": 8, "stroke-linecap": "round", "stroke-linejoin": "round" }, { stroke: "var(--escape)" })];
const route = () => [shape("rect", { x: 23, y: 23, width: 18, height: 18, transform: "rotate(45 32 32)" }, { fill: "var(--route)" })];
const danger = () => [shape("path", { d: "M46 6 58 6 58 18z" }, { fill: "var(--danger)" })];
const target = () => [shape("circle", { cx: 32, cy: 32, r: 9, "fill-opacity": 0.85 }, { fill: "var(--target)" })];
const capture = () => [shape("circle", { cx: 32, cy: 32, r: 27, fill: "none", "stroke-width": 4, "stroke-dasharray": "8 6" }, { stroke: "var(--target)" }), ...target()];

const SHAPES = {
  "piece-attacker": attacker, "piece-defender": defender, "piece-king": king,
  "mark-throne": throne, "mark-corner": corner, "mark-escape": escape,
  "sign-danger": danger, "sign-route": route, "sign-target": target, "sign-capture": capture,
};

const FIGURES = { "piece-attacker": attackerFigure, "piece-defender": defenderFigure, "piece-king": kingFigure };

export function defineShapes() {
  const symbol = ([id, make]) => s("symbol", { id, viewBox: "0 0 64 64" }, make());
  const definitions = s("svg", { width: 0, height: 0, "aria-hidden": "true" });
  definitions.style.position = "absolute";
  document.body.prepend(definitions);
  const draw = () => replace(definitions, Object.entries({ ...SHAPES, ...(setting("pieces") === "figures" ? FIGURES : {}) }).map(symbol));
  draw();
  onSetting(draw);
}
