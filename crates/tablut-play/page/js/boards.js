// The boards that are offered, each with a picture of its start position.

import { h, s } from "./dom.js";
import { store } from "./store.js";

export const widthOf = (rows) => rows.split("/").length;
// The rule set of a board that is offered first.
export const usualRules = (size) => store.hello.boards.find((board) => board.size === size).rules;
const boardTitle = ({ title, size }) => `${title} ${size} × ${size}`;

const PIECES = { t: "piece-attacker", T: "piece-defender", K: "piece-king" };

// The position with these rows, as a picture.
export function boardPicture(rows) {
  const width = widthOf(rows);
  const pieces = rows.split("/").map((row, y) => {
    let x = 0;
    return row.match(/\d+|[tTK]/g)?.map((part) => {
      x += Number(part) || 1;
      return PIECES[part] && s("use", { href: "#" + PIECES[part], x: x - 1, y, width: 1, height: 1 });
    });
  });
  const lines = Array.from({ length: width - 1 }, (_, at) => `M${at + 1} 0V${width}M0 ${at + 1}H${width}`).join("");
  return s("svg", { viewBox: `0 0 ${width} ${width}`, class: "board-picture", "aria-hidden": "true" }, s("path", { d: lines }), pieces);
}

// Options of rule sets, in one group for each board.
export const rulesByBoard = (option) => store.hello.boards.map((board) => h("optgroup", { label: boardTitle(board) }, store.hello.rule_sets.filter(({ size }) => size === board.size).map(option)));
