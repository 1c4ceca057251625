// Games between two people with a seat each: one side's secret is kept here, the other's is in the link for the opponent.

import { h } from "./dom.js";
import { ask, on } from "./host.js";
import { clearMessage, showError } from "./message.js";
import { changed, set, store } from "./store.js";

const KEY = "seats";
const kept = () => JSON.parse(localStorage.getItem(KEY) ?? "{}");
const keep = (game, values) => localStorage.setItem(KEY, JSON.stringify({ ...kept(), [game]: values }));
let wantedSide = "attackers";

// The side that the user chose for the next game.
export const wantSide = (side) => { wantedSide = side; };

// Keeps the secret of a link that was opened.
export function keepSeat(game, own) {
  if (own) keep(game, { ...kept()[game], own });
}

const sit = (secret) => ask("sit", { seat: secret }).catch((error) => showError(error.message));

on("game", ({ game }) => {
  set({ seat: null });
  const own = kept()[game]?.own;
  if (own) sit(own);
});
on("seats", (secrets) => {
  const other = wantedSide === "attackers" ? "defenders" : "attackers";
  keep(store.game, { own: secrets[wantedSide], other: secrets[other] });
  sit(secrets[wantedSide]);
});
on("seat", ({ side }) => set({ seat: side }));

// The link that gives the opponent the other seat. Only the browser that began the game has it.
function inviteLink() {
  const other = kept()[store.game]?.other;
  return other && new URL(`#game=${store.game}&seat=${other}`, document.baseURI).href;
}

async function copy(field, told) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    told.textContent = "Copied.";
  } catch {
    told.textContent = "Copy this link and send it.";
  }
  clearMessage();
}

// The welcome card's part for a game with seats.
export function seatView() {
  const link = inviteLink();
  if (!link) return h("p", { class: "soft" }, store.seat ? "Your opponent has the other seat." : "You watch this game: both seats are taken by others.");
  const field = h("input", { id: "seat-link", readonly: true, value: link, "aria-label": "Link for your opponent" });
  const told = h("span", { class: "soft small", role: "status" });
  return h("div", { class: "stack" }, h("p", {}, "Send this link to your opponent. The person who opens it gets the other seat. All others can only watch."), field,
    h("div", { class: "row" }, h("button", { type: "button", class: "primary", id: "copy-seat", onclick: () => copy(field, told) }, "Copy the link"), told));
}

addEventListener("storage", (event) => { if (event.key === KEY) changed(); });
