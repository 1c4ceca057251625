// A face for each level: the stronger, the longer the beard and the larger the horns. The adaptive one is half and half.

import { s } from "./dom.js";

const path = (d, style) => {
  const element = s("path", { d, "stroke-linejoin": "round", "stroke-linecap": "round" });
  Object.assign(element.style, style);
  return element;
};
const LINE = { fill: "none", stroke: "var(--face-ink)", strokeWidth: 2.2 };

export function face(strength, most) {
  const adapts = strength === 0;
  const share = adapts ? 0.5 : (strength - 1) / Math.max(1, most - 1);
  const horn = 4 + 11 * share;
  const beard = 46 + 13 * share;
  const brow = 3 * share;
  const parts = [
    share > 0.2 && path(`M16 25C9 ${24 - horn / 2} 10 ${22 - horn} 13 ${18 - horn} 14 ${22 - horn / 2} 18 21 21 20z`, { fill: "var(--face-horn)", stroke: "var(--face-ink)", strokeWidth: 1.5 }),
    share > 0.2 && path(`M48 25C55 ${24 - horn / 2} 54 ${22 - horn} 51 ${18 - horn} 50 ${22 - horn / 2} 46 21 43 20z`, { fill: "var(--face-horn)", stroke: "var(--face-ink)", strokeWidth: 1.5 }),
    path("M15 33a17 18 0 0 1 34 0c0 11-7 19-17 19S15 44 15 33z", { fill: "var(--face-skin)", stroke: "var(--face-ink)", strokeWidth: 2 }),
    share > 0.1 && path(`M16 38C17 ${beard - 2} 26 ${beard} 32 ${beard + 2} 38 ${beard} 47 ${beard - 2} 48 38 44 43 38 42 32 42S20 43 16 38z`, { fill: "var(--face-beard)", stroke: "var(--face-ink)", strokeWidth: 1.8 }),
    path("M14 31C13 17 22 11 32 11S51 17 50 31C44 27 20 27 14 31z", { fill: adapts ? "var(--face-cap)" : "var(--face-helmet)", stroke: "var(--face-ink)", strokeWidth: 2 }),
    adapts && path("M32 11C42 11 51 17 50 31 46 29 39 28 32 28z", { fill: "var(--face-helmet)", stroke: "var(--face-ink)", strokeWidth: 2 }),
    path(`M23 ${33 - brow / 2}l6 ${brow}M41 ${33 - brow / 2}l-6 ${brow}`, LINE),
    path("M26 37v1M38 37v1", { ...LINE, strokeWidth: 3.4 }),
    path(share > 0.6 ? "M27 46h10" : "M27 45q5 4 10 0", LINE),
  ];
  return s("svg", { viewBox: "0 0 64 64", class: "face", "aria-hidden": "true" }, parts.filter(Boolean));
}
