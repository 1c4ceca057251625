// The user's settings: light or dark, board, pieces and sounds. This browser keeps them.

import { byId, h, replace } from "./dom.js";
import { on } from "./host.js";
import { keepText, keptText } from "./kept.js";

const CHOICES = {
  theme: ["Light or dark", [["", "as the system"], ["light", "light"], ["dark", "dark"]]],
  board: ["Board", [["wood", "wood"], ["slate", "slate"]]],
  pieces: ["Pieces", [["signs", "with signs"], ["figures", "figures"]]],
  sound: ["Sounds", [["on", "on"], ["off", "off"]]],
};
const listeners = [];

export const setting = (name) => keptText(name) ?? CHOICES[name][1][0][0];
export const onSetting = (then) => listeners.push(then);

function apply() {
  const root = document.documentElement;
  root.dataset.theme = setting("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  root.dataset.board = setting("board");
  root.dataset.pieces = setting("pieces");
  for (const then of listeners) then();
}

function change(name, value) {
  keepText(name, value);
  apply();
}

function field(name) {
  const [label, values] = CHOICES[name];
  const inputs = values.map(([value, text]) => h("label", { class: "pill" }, h("input", { type: "radio", name: "set-" + name, value, checked: setting(name) === value, onchange: () => change(name, value) }), h("span", {}, text)));
  return h("fieldset", { class: "pills" }, h("legend", {}, label), inputs);
}

export function makeSettings() {
  apply();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
  const links = h("p", { class: "small", id: "links" });
  const dialog = h("dialog", { id: "settings", "aria-labelledby": "settings-title" });
  document.body.append(dialog);
  byId("open-settings").addEventListener("click", () => {
    replace(dialog, h("form", { method: "dialog", class: "stack" }, h("h2", { id: "settings-title" }, "Settings"), Object.keys(CHOICES).map(field), links, h("div", { class: "row" }, h("button", { class: "primary" }, "Close"))));
    dialog.showModal();
  });
  on("hello", ({ run_page: page }) => replace(links, page ? h("a", { href: page }, "The page of the training run") : ""));
}
