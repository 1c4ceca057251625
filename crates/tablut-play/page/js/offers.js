// Offers between two people with a seat each: a draw, to take moves back, another game.

import { byId, h, replace } from "./dom.js";
import { on } from "./host.js";
import { keepSeat } from "./seats.js";
import { request, say, store, watch } from "./store.js";

const WORDS = { draw: ["a draw", "offers"], "take-back": ["to take the last move back", "asks"], rematch: ["another game with the sides changed", "offers"] };

export const offer = (what) => request("offer", { side: store.seat, what });
const decline = () => request("decline", { side: store.seat });
const button = (id, text, onclick) => h("button", { type: "button", id, onclick }, text);
let shown = "";

watch(({ state, seat }) => {
  const key = JSON.stringify([store.game, state.offer, seat]);
  if (key === shown) return;
  shown = key;
  const box = byId("offer");
  box.hidden = !state.offer || !seat;
  if (box.hidden) return;
  const { what, side } = state.offer;
  const [object, verb] = WORDS[what];
  const own = side === seat;
  const text = own ? `You have ${verb === "asks" ? "asked" : "offered"} ${object}.` : `Your opponent ${verb} ${object}.`;
  replace(box, h("p", {}, text), h("div", { class: "row" }, own ? button("decline-offer", "Withdraw", decline) : [button("decline-offer", "Decline", decline), button("accept-offer", "Accept", () => offer(what))]));
  if (!own) say(text);
});

// The page of the new game may need a connection of its own, because a link reaches one game.
on("rematch", ({ game, seat }) => {
  keepSeat(game, seat);
  history.pushState(null, "", `#game=${game}&seat=${seat}`);
  location.reload();
});
