// Games between two people with a seat each: one side's secret is kept here, the other's is in the link for the opponent.

import { h } from "./dom.js";
import { ask, on } from "./host.js";
import { keep, keepText, kept, keptText } from "./kept.js";
import { clearMessage, showNotice } from "./message.js";
import { changed, say, set, store } from "./store.js";

const KEY = "seats";
const secretsOf = (game) => kept(KEY, {})[game] ?? {};
const keepSecrets = (game, values) => keep(KEY, { ...kept(KEY, {}), [game]: values });
let wantedSide = "attackers";

// The side that the user chose for the next game.
export const wantSide = (side) => { wantedSide = side; };

// Keeps the secret of a link that was opened. A player who opens the link for the opponent stays in the own seat.
export function keepSeat(game, secret) {
  const known = secretsOf(game);
  if (secret && !known.own) keepSecrets(game, { own: secret });
  else if (secret && secret === known.other) showNotice("This is the link for your opponent. You have the other seat.");
}

// The key with which this browser takes seats, so that nobody else with the same link sits there.
function ownKey() {
  if (!keptText("key")) keepText("key", Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(""));
  return keptText("key");
}

const sit = (secret) => ask("sit", { seat: secret, key: ownKey() }).catch((error) => showNotice(error.message));

on("game", ({ game }) => {
  set({ seat: null, presence: null });
  const { own } = secretsOf(game);
  if (own) sit(own);
});
const WORDS = { free: "not here yet", here: "is here", away: "has left" };
on("presence", (presence) => {
  const other = opponent();
  const isNews = other && store.presence && presence[other] !== store.presence[other];
  set({ presence });
  if (isNews) say(`Your opponent ${WORDS[presence[other]]}.`);
});

const opponent = () => store.seat && (store.seat === "attackers" ? "defenders" : "attackers");

// Where the player of a side is, in words; nothing about players who are here.
export const whereabouts = (side) => (store.presence && store.presence[side] !== "here" ? WORDS[store.presence[side]] : "");
on("seats", (secrets) => {
  const other = wantedSide === "attackers" ? "defenders" : "attackers";
  keepSecrets(store.game, { own: secrets[wantedSide], other: secrets[other] });
  sit(secrets[wantedSide]);
});
on("seat", ({ side }) => set({ seat: side }));

// The link that gives the opponent the other seat, until somebody has taken it. Only the browser that began the game has it.
export function inviteLink() {
  const { other } = secretsOf(store.game);
  const isFree = (store.presence?.[opponent()] ?? "free") === "free";
  return other && isFree && new URL(`#game=${store.game}&seat=${other}`, document.baseURI).href;
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

const LOCAL = ["localhost", "127.0.0.1", "[::1]"];

// The welcome card's part for a game with seats.
export function seatView() {
  const link = inviteLink();
  if (!link) return h("p", { class: "soft" }, store.seat ? "Your opponent has the other seat." : "You watch this game.");
  const field = h("input", { id: "seat-link", readonly: true, value: link, "aria-label": "Link for your opponent" });
  const told = h("span", { class: "soft small", role: "status" });
  const digits = Array.from(new TextEncoder().encode(link), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return h("div", { class: "stack" }, h("p", {}, "Send this link to your opponent. The person who opens it gets the other seat. All others can only watch."),
    LOCAL.includes(location.hostname) && h("p", { class: "soft small", id: "local-link" }, "It works only on this machine. For a friend on another one, start the program with --listen 0.0.0.0, and open the page at the address that it prints."), field,
    h("div", { class: "row" }, h("button", { type: "button", class: "primary", id: "copy-seat", onclick: () => copy(field, told) }, "Copy the link"), told),
    h("details", {}, h("summary", {}, "Show the link as a QR code"), h("img", { id: "seat-code", class: "qr", src: `qr.svg?${digits}`, width: 200, height: 200, alt: "QR code of the link for your opponent" })));
}

addEventListener("storage", (event) => { if (event.key === KEY) changed(); });
