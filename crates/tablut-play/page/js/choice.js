// A question under the board: what to capture, or whether something is meant.

import { byId, h, replace } from "./dom.js";

let asked = null;

// Shows a question with its answers, each a text and what it does. `cancelled` is called when nothing is chosen.
export function ask(question, answers, cancel, cancelled = () => {}) {
  const box = byId("choice");
  const before = document.activeElement;
  const leave = (then) => () => {
    const within = box.contains(document.activeElement);
    close();
    then();
    if (within && before?.isConnected) before.focus();
  };
  asked = leave(cancelled);
  const button = ([text, then]) => h("button", { type: "button", onclick: leave(then) }, text);
  replace(box, h("p", {}, question), h("div", { class: "row" }, h("button", { type: "button", onclick: asked }, cancel), answers.map(button)));
  box.hidden = false;
  box.querySelector("button").focus();
  box.scrollIntoView({ block: "nearest" });
}

export function close() {
  byId("choice").hidden = true;
  asked = null;
}

export const isAsking = () => asked !== null;
export const cancel = () => asked?.();

// Asks before something that cannot be undone. The answer lies elsewhere than the button that asked.
export const confirmFirst = (question, yes, then) => ask(question, [[yes, then]], "Keep playing");
