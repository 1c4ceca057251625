// The card beside the board: before the first move who one is, what the goal is and what to click; at the end how it ended.

import { boardPicture } from "./boards.js";
import { byId, capital, h, replace, use } from "./dom.js";
import { USUAL_LEVEL, levelOf, playerName, starsView } from "./levels.js";
import { openLesson } from "./lesson.js";
import { myGames, mySide } from "./mygames.js";
import { openNewGame } from "./newgame.js";
import { focusBoard } from "./input.js";
import { offer } from "./offers.js";
import { turningPoint } from "./review.js";
import { inviteLink, seatView, wantSide } from "./seats.js";
import { study } from "./study.js";
import { openPanel } from "./tabs.js";
import { request, store, watch } from "./store.js";

const other = (side) => (side === "attackers" ? "defenders" : "attackers");
const pieceOf = (side) => (side === "attackers" ? "piece-attacker" : "piece-king");
let shown = "";
// The game that was on the screen before.
let shownGame = null;

// The last game that is not over, other than the one that is open.
function unfinished() {
  return myGames().find((entry) => entry.game !== store.game && entry.players && !entry.ending);
}

const continueButton = (entry) => entry && h("button", { type: "button", id: "continue-last", onclick: () => request("open", { game: entry.game }) },
  `Continue your last game (${entry.plies} ${entry.plies === 1 ? "move" : "moves"})`);

function goal(picture, text) {
  return h("p", { class: "goal" }, use(picture), h("span", {}, text));
}

function howToMove(side, state) {
  const yours = side ? "one of your ringed pieces" : `one of the ${state.side}' pieces`;
  const first = side && state.side !== side ? `${state.has_seats ? "Your opponent" : "The computer"} moves first. Then ${PRESS.toLowerCase()} ` : `${PRESS} `;
  return h("p", {}, first, h("strong", {}, yours), ", then a marked square.");
}

// What a person does to a square, by the device.
const PRESS = matchMedia("(pointer: coarse)").matches ? "Tap" : "Click";

// The boards, the first choice of a visitor. Each begins its game with the same players.
function boards({ state, rules }) {
  const pick = ({ size, title, start, rules: name }) => h("button", { type: "button", class: "pick", "data-size": size, "aria-current": size === rules.size ? "true" : null, onclick: () => request("new", { rules: { name }, players: state.players }) },
    boardPicture(start), h("span", { class: "pick-text" }, h("strong", {}, title), h("span", { class: "soft small" }, `${size} × ${size}`)));
  return h("fieldset", { class: "picks boards" }, h("legend", {}, "Tablut and its relatives: choose a board"), store.hello.boards.map(pick));
}

function welcome({ state, rules }) {
  const side = mySide();
  const title = side ? `You are the ${side}` : "Two players, one board";
  const level = side && !state.has_seats && levelOf(state.players[other(side)]);
  const sides = side ? [side] : ["attackers", "defenders"];
  return h("div", { class: "card welcome" }, h("h2", {}, side && use(pieceOf(side)), title),
    sides.map((one) => goal(pieceOf(one), side ? rules.aims[one] : `${capital(one)}: ${rules.aims[one]}`)),
    state.has_seats && seatView(),
    howToMove(side, state),
    !state.has_seats && boards({ state, rules }),
    level && h("p", { class: "soft small" }, "You play against ", h("strong", {}, level.title), level.stars ? [" ", starsView(level)] : "", `. ${level.description}`),
    h("div", { class: "row" },
      h("button", { type: "button", id: "start-lesson", class: "primary", onclick: openLesson }, "Learn in two minutes"),
      h("button", { type: "button", onclick: openNewGame }, "Choose opponent and rules"),
      continueButton(unfinished())));
}

// The game goes on against the computer. From an earlier position of its line it is a new game.
async function goOnAs(side) {
  const players = { [side]: { kind: "person" }, [other(side)]: { kind: "computer", name: USUAL_LEVEL, net: 0 } };
  if (await request(store.state.can_redo ? "play-on" : "players", { players })) focusBoard();
}

function sharedPosition({ state, rules }) {
  const { title } = store.hello.boards.find(({ size }) => size === rules.size);
  const sides = [state.side, other(state.side)];
  return h("div", { class: "card welcome shared" }, h("h2", {}, use(pieceOf(state.side)), `${title}: ${state.side} to move`),
    h("p", {}, "Somebody shared this position with you."),
    sides.map((side) => goal(pieceOf(side), `${capital(side)}: ${rules.aims[side]}`)),
    h("div", { class: "row" },
      sides.map((side, index) => h("button", { type: "button", id: "go-on-" + side, class: index ? null : "primary", onclick: () => goOnAs(side) }, `Play the ${side}`)),
      h("button", { type: "button", id: "start-lesson", onclick: openLesson }, "Learn in two minutes")),
    h("p", { class: "soft small" }, "The computer takes the other side. You can also move for both sides on the board."));
}

const invitation = () => h("div", { class: "card welcome" }, h("h2", {}, "Your opponent is not here yet"), seatView());

function rematch(swap) {
  const { attackers, defenders } = store.state.players;
  wantSide(swap ? other(mySide() ?? "attackers") : mySide() ?? "attackers");
  request("new", { rules: store.ownRules(), ...(store.state.pauses_on_blunders ? { "pauses-on-blunders": true } : {}), players: swap ? { attackers: defenders, defenders: attackers } : { attackers, defenders } });
}

function share() {
  openPanel("share");
  byId("make-link").focus();
}

function review() {
  openPanel("review");
  byId("start-review").click();
}

function ending({ state, review: reviewed }) {
  const side = mySide();
  const { winner } = state.ending;
  const title = !winner ? "A draw" : !side ? `${capital(winner)} win` : winner === side ? "You won" : "You lost";
  const why = capital(state.said.split(". ").pop().replace(/^[^:]*: /, ""));
  const moves = state.ply === 1 ? "1 move" : `${state.ply} moves`;
  return h("div", { class: "card welcome ended " + (!side || !winner ? "" : winner === side ? "won" : "lost") },
    h("h2", {}, use(pieceOf(winner ?? "attackers")), title),
    h("p", {}, `${why} After ${moves}${side ? ` against ${state.has_seats ? "your opponent" : playerName(other(side), state)}` : ""}.`),
    reviewed && h("p", {}, turningPoint(reviewed)),
    h("div", { class: "row" },
      h("button", { type: "button", id: "rematch", class: "primary", disabled: state.has_seats && (!side || state.offer?.what === "rematch"), onclick: () => (state.has_seats ? offer("rematch") : rematch(false)) }, "Rematch"),
      side && !state.has_seats && h("button", { type: "button", id: "swap-sides", onclick: () => rematch(true) }, "Swap sides"),
      h("button", { type: "button", id: "review-end", onclick: review }, "Review"),
      h("button", { type: "button", id: "study-end", onclick: study }, "Study"),
      h("button", { type: "button", id: "share-end", onclick: share }, "Share")));
}

// Whether somebody else than the user has ended the game.
function isUnasked({ state, seat }) {
  const mover = other(state.side);
  return state.ending.reason !== "resigned" && (state.players[mover].kind !== "person" || (state.has_seats && seat !== mover));
}

// A card that comes unasked covers what is below it until the user does something, so that nothing moves away.
function settle() {
  byId("welcome").classList.remove("floating");
}
addEventListener("click", settle);
addEventListener("keydown", settle);

watch((all) => {
  const { state, rules, exercise } = all;
  if (!rules) return;
  // The computer's first move leaves the explanation where it is.
  const isPlayed = state.players.attackers.kind === "person" || state.players.defenders.kind === "person";
  const isStart = (state.tree.length === 1 && isPlayed) || (state.tree.length === 2 && state.ply === 1 && all.shared?.game !== all.game && mySide() === state.side && !state.has_seats);
  const isShared = all.shared?.game === all.game && all.shared.positions === state.tree.length && state.players.attackers.kind === "person" && state.players.defenders.kind === "person" && /&(start|moves)=/.test(state.link);
  const kind = exercise || store.editing || state.is_study ? "" : state.ending ? "end" : isShared ? "shared" : isStart ? "start" : all.seat && inviteLink() ? "invitation" : "";
  const key = JSON.stringify([kind, store.game, state.node, state.players, rules.name, state.ending, state.offer, !!all.review, all.seat, all.presence, store.hello?.levels.length, unfinished()?.game]);
  if (key === shown) return;
  shown = key;
  if (kind === "end" && shownGame === store.game && !byId("welcome").hasChildNodes() && isUnasked(all)) byId("welcome").classList.add("floating");
  if (kind !== "end") settle();
  shownGame = store.game;
  replace(byId("welcome"), kind === "end" ? ending(all) : kind === "shared" ? sharedPosition(all) : kind === "start" ? welcome(all) : kind === "invitation" ? invitation() : []);
});
