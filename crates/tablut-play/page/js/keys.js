// Keys that work everywhere, and the list of them.

import { byId, h, replace } from "./dom.js";
import { isEditing } from "./input.js";

const MAP = [
  ["←  →", "one move back or forward"], ["Home  End", "to the beginning or the end"], ["U", "take back"], ["H", "hint"], ["T", "show the threat"],
  ["F", "turn the board"], ["N", "new game"], ["A", "analyse"], ["Tab, then arrows", "move over the squares of the board"], ["Enter or Space", "pick a piece up, put it down"],
  ["Esc", "let go of a piece, close a message"], ["right mouse button", "draw an arrow or mark a square"], ["mouse wheel on the board", "step through the game"], ["?", "this list"],
];
const BUTTONS = { ArrowLeft: "do-back", ArrowRight: "do-forward", Home: "do-first", End: "do-last", u: "do-take-back", h: "do-hint", t: "do-threat", f: "do-flip", n: "new-game", a: "analyse", "?": "open-keys" };

function onKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || !event.target.closest || event.target.closest("input, textarea, select, dialog")) return;
  // The arrow keys of the board and of lists of tabs are their own.
  if (event.target.closest("[role=gridcell], [role=tab]") && event.key.length > 1) return;
  const button = byId(BUTTONS[event.key] ?? BUTTONS[event.key.toLowerCase()] ?? "");
  if (!button || button.disabled || isEditing()) return;
  event.preventDefault();
  button.click();
}

// The wheel steps through the game, one move at a time, where the board does not have to scroll.
let wheeled = 0;
function onWheel(event) {
  if (event.ctrlKey || document.documentElement.scrollHeight > innerHeight + 4 || event.timeStamp - wheeled < 120) return;
  const button = byId(event.deltaY < 0 ? "do-back" : "do-forward");
  if (button.disabled) return;
  wheeled = event.timeStamp;
  event.preventDefault();
  button.click();
}

export function makeKeys() {
  const dialog = h("dialog", { id: "keys", "aria-labelledby": "keys-title" });
  document.body.append(dialog);
  byId("open-keys").addEventListener("click", () => {
    replace(dialog, h("form", { method: "dialog", class: "stack" }, h("h2", { id: "keys-title" }, "Keys"),
      h("dl", { class: "keys" }, MAP.map(([key, text]) => [h("dt", {}, key), h("dd", {}, text)])), h("div", { class: "row" }, h("button", { class: "primary" }, "Close"))));
    dialog.showModal();
  });
  document.addEventListener("keydown", onKey);
  byId("board").addEventListener("wheel", onWheel, { passive: false });
}
