// The panels beside the board, one shown at a time.

import { byId, h } from "./dom.js";

const panels = [];
const openers = new Map();

// Adds a panel and gives the element to fill; `opened` is called when it is shown.
export function addPanel(name, title, opened) {
  const tab = h("button", { type: "button", role: "tab", id: "tab-" + name, "aria-controls": "panel-" + name, "aria-selected": "false", tabindex: "-1", onclick: () => openPanel(name) }, title);
  const panel = h("div", { class: "panel", role: "tabpanel", id: "panel-" + name, "aria-labelledby": "tab-" + name, tabindex: "-1", hidden: true });
  byId("tabs").append(tab);
  byId("panels").append(panel);
  panels.push({ name, tab, panel });
  if (opened) openers.set(name, opened);
  return panel;
}

export function openPanel(name) {
  for (const { name: known, tab, panel } of panels) {
    const shown = known === name;
    tab.setAttribute("aria-selected", String(shown));
    tab.tabIndex = shown ? 0 : -1;
    panel.hidden = !shown;
  }
  openers.get(name)?.();
}

export const isOpen = (name) => panels.some((entry) => entry.name === name && !entry.panel.hidden);

export function listenToTabs() {
  byId("tabs").addEventListener("keydown", (event) => {
    const at = panels.findIndex(({ tab }) => tab === event.target);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (at < 0 || !step) return;
    event.preventDefault();
    const next = panels[(at + step + panels.length) % panels.length];
    openPanel(next.name);
    next.tab.focus();
  });
}
