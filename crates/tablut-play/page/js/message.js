// Messages appear next to the control that was used, or under the page's head if there was none.

import { byId } from "./dom.js";

const GAP = 8;
let used = null;

// The element whose use led to the next message.
const remember = (event) => { used = event.target.closest?.("button, input, select, textarea, .cell, summary") ?? used; };

function place(box, anchor) {
  const at = anchor.getBoundingClientRect();
  const [width, height] = [box.offsetWidth, box.offsetHeight];
  const left = Math.max(GAP, Math.min(at.left, innerWidth - width - GAP));
  const below = at.bottom + GAP + height < innerHeight;
  const top = below ? at.bottom + GAP : Math.max(GAP, Math.min(at.top, innerHeight) - height - GAP);
  Object.assign(box.style, { left: left + "px", top: top + "px" });
}

function show(text, kind, anchor) {
  const box = byId("message");
  // A modal dialog hides everything outside of it.
  (document.querySelector("dialog[open]") ?? document.body).append(box);
  box.hidden = !text;
  box.className = "message " + kind;
  byId("error").textContent = kind === "bad" ? text : "";
  byId("notice").textContent = kind === "good" ? text : "";
  if (text) place(box, anchor);
}

const isShown = (element) => element?.isConnected && element.getClientRects().length > 0;

export const showError = (text) => show(text, "bad", isShown(used) ? used : byId("head"));
// For what concerns the whole page, such as a link that cannot be opened.
export const showPageError = (text) => show(text, "bad", byId("head"));
export const showNotice = (text) => show(text, "good", byId("head"));
export const clearMessage = () => { if (!byId("message").hidden) show("", "bad"); };

export function listenForMessages() {
  for (const kind of ["pointerdown", "keydown", "change"]) addEventListener(kind, remember, true);
  byId("close-message").addEventListener("click", clearMessage);
  addEventListener("keydown", (event) => { if (event.key === "Escape") clearMessage(); });
}
