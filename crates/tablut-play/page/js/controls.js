// Buttons under the board, the two players, the status line, and keys that work everywhere.

import { byId, capital, h, replace, use } from "./dom.js";
import { request, set, store, watch } from "./store.js";

const button = (name, text, what, title) => h("button", { type: "button", id: "do-" + name, title, onclick: what }, text);

export function makeControls() {
  replace(byId("controls"),
    button("back", "‹", () => request("back"), "One move back (←)"),
    button("forward", "›", () => request("forward"), "One move forward (→)"),
    button("take-back", "Take back", () => request("take-back"), "Back to your turn (U)"),
    button("hint", "Hint", () => request("hint"), "What a strong player would do (H)"),
    button("threat", "Threat", () => request("threat"), "What the opponent would do if it were its turn (T)"),
    button("move-now", "Move for me", () => request("move-now"), "Let the computer move for the side to move"),
    button("resign", "Resign", resign, "Give the game up"));
  byId("do-back").setAttribute("aria-label", "One move back");
  byId("do-forward").setAttribute("aria-label", "One move forward");
  document.addEventListener("keydown", shortcuts);
}

function resign() {
  const button = byId("do-resign");
  if (button.dataset.sure) {
    delete button.dataset.sure;
    request("resign");
  } else {
    button.dataset.sure = "yes";
    button.textContent = "Really resign?";
    setTimeout(() => { delete button.dataset.sure; button.textContent = "Resign"; }, 4000);
  }
}

function shortcuts(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select, dialog, [role=gridcell], [role=tab]")) {
    // On the board only the letters are free.
    if (!event.target.closest?.("[role=gridcell]") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!["u", "h", "t"].includes(event.key)) return;
  }
  const keys = { ArrowLeft: "back", ArrowRight: "forward", u: "take-back", h: "hint", t: "threat" };
  const name = keys[event.key];
  if (!name || byId("do-" + name).disabled) return;
  event.preventDefault();
  byId("do-" + name).click();
}

function playerName(player) {
  if (player.kind === "person") return "a person";
  const level = store.hello?.levels.find((known) => known.name === player.name);
  const net = store.hello?.nets.length > 1 ? ` (${store.hello.nets[player.net]})` : "";
  return (level?.title ?? player.name) + net;
}

function player(side, { state, thinking }) {
  const lost = Object.values(state.pieces).filter((piece) => piece === side.slice(0, -1)).length;
  const moves = !state.ending && state.side === side;
  const what = moves && thinking ? "thinking…" : moves ? "to move" : "";
  return [use(side === "attackers" ? "piece-attacker" : "piece-king"), h("span", {}, capital(side)), h("span", { class: "captured" }, `${playerName(state.players[side])} · ${lost} ${side === "attackers" ? "on the board" : "and the king"}`), h("span", { class: "to-move" }, what)];
}

watch((all) => {
  const { state, rules, exercise, thinking } = all;
  replace(byId("player-top"), player("attackers", all));
  replace(byId("player-bottom"), player("defenders", all));
  replace(byId("game-name"), rules ? `${rules.name} rules` : "", ` · ${state.ply === 1 ? "1 move" : state.ply + " moves"}`);
  const status = byId("status");
  status.classList.toggle("over", !!state.ending);
  status.textContent = exercise ? exercise.task : state.ending ? state.said.split(". ").pop() : state.alarm ? capital(state.alarm) + "! " + (state.alarm === "raichi" ? "The king has a way out." : "The king has more than one way out.") : "";
  replace(byId("notes"), state.notes.map((note) => h("li", {}, note)));
  const over = !!state.ending;
  const busy = thinking || over || !!exercise;
  byId("do-back").disabled = !state.can_undo;
  byId("do-forward").disabled = !state.can_redo;
  byId("do-take-back").disabled = !state.can_undo;
  for (const name of ["hint", "threat", "move-now", "resign"]) byId("do-" + name).disabled = busy && !(name === "resign" && thinking && !over);
});

export function makeTheme() {
  const saved = localStorage.getItem("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const apply = (theme) => { document.documentElement.dataset.theme = theme ?? (system.matches ? "dark" : "light"); };
  apply(saved);
  system.addEventListener("change", () => { if (!localStorage.getItem("theme")) apply(null); });
  byId("theme").addEventListener("click", () => {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    localStorage.setItem("theme", next);
    apply(next);
  });
}

export const stopShowing = () => set({ shownLine: null });
