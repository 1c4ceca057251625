// Pieces slide to their squares, and captured pieces fade. There is no motion if the system's settings ask for none.

import { cells, placeOf } from "./board.js";
import { store, watch } from "./store.js";
import { use } from "./dom.js";

const SLIDE_MS = 190;
const FADE_MS = 260;
const still = matchMedia("(prefers-reduced-motion: reduce)");
let before = null;

const pieceIn = (square) => cells.get(square).querySelector(".piece");

function slide(from, to) {
  const piece = pieceIn(to);
  if (!piece?.animate) return;
  const [x1, y1] = placeOf(from);
  const [x2, y2] = placeOf(to);
  const cell = cells.get(to);
  cell.classList.add("moving");
  const motion = piece.animate([{ transform: `translate(${100 * (x1 - x2)}%, ${100 * (y1 - y2)}%)` }, { transform: "none" }], { duration: SLIDE_MS, easing: "cubic-bezier(.3,.1,.2,1)" });
  motion.addEventListener("finish", () => cell.classList.remove("moving"));
  motion.addEventListener("cancel", () => cell.classList.remove("moving"));
}

function fade(square, piece) {
  const ghost = use("piece-" + piece);
  ghost.setAttribute("class", "leaving");
  cells.get(square).append(ghost);
  const motion = ghost.animate([{ opacity: 1, transform: "none" }, { opacity: 0, transform: "scale(.6)" }], { duration: FADE_MS, delay: SLIDE_MS / 2, fill: "backwards", easing: "ease-in" });
  motion.addEventListener("finish", () => ghost.remove());
}

watch(({ state, game }) => {
  const now = { game, pieces: state.pieces, node: state.node };
  const last = before;
  if (last?.pieces === now.pieces) return;
  before = now;
  if (!last || last.game !== game || last.node === now.node) return;
  const dragged = store.dragged;
  store.dragged = false;
  if (still.matches) return;
  const squares = new Set([...Object.keys(last.pieces), ...Object.keys(now.pieces)]);
  const gone = [...squares].filter((square) => last.pieces[square] && !now.pieces[square]);
  const come = [...squares].filter((square) => now.pieces[square] && last.pieces[square] !== now.pieces[square]);
  // More than one move at a time is shown at once.
  if (come.length > 4 || gone.length > 4) return;
  const forward = state.last && come.includes(state.last.to) ? state.last : null;
  const [from, to] = forward ? [forward.from, forward.to] : come.length >= 1 && gone.length === 1 ? [gone[0], come.find((square) => now.pieces[square] === last.pieces[gone[0]])] : [];
  if (from && to && !dragged) slide(from, to);
  for (const square of gone) if (square !== from) fade(square, last.pieces[square]);
});
