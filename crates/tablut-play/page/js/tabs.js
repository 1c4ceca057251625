// The panels beside the board: five tabs, some with parts, one part shown at a time.

import { byId, h } from "./dom.js";

const GROUPS = [["game", "Game"], ["analyse", "Analyse"], ["learn", "Learn"], ["rules", "Rules"], ["share", "Share"]];
const groups = new Map();
let current = null;

function makeGroup(name, title) {
  const tab = h("button", { type: "button", role: "tab", id: "tab-" + name, "aria-controls": "group-" + name, "aria-selected": "false", tabindex: "-1", onclick: () => openGroup(name) }, title);
  const parts = h("div", { class: "parts", role: "tablist", "aria-label": title, hidden: true });
  const body = h("div", { role: "tabpanel", id: "group-" + name, "aria-labelledby": "tab-" + name, hidden: true }, parts);
  byId("tabs").append(tab);
  byId("panels").append(body);
  groups.set(name, { tab, parts, body, panels: [] });
}

export function makeTabs() {
  for (const [name, title] of GROUPS) makeGroup(name, title);
  for (const list of document.querySelectorAll("[role=tablist]")) list.addEventListener("keydown", step);
}

// Adds a part to a tab and gives the element to fill. `opened` and `closed` are called when it is shown and left.
export function addPanel(group, name, title, { opened, closed } = {}) {
  const { parts, body, panels } = groups.get(group);
  const tab = h("button", { type: "button", role: "tab", id: "part-" + name, "aria-controls": "panel-" + name, "aria-selected": "false", tabindex: "-1", onclick: () => openPanel(name) }, title);
  const panel = h("div", { class: "panel", role: "tabpanel", id: "panel-" + name, "aria-labelledby": "part-" + name, hidden: true });
  parts.append(tab);
  body.append(panel);
  panels.push({ name, tab, panel, opened, closed });
  parts.hidden = panels.length < 2;
  return panel;
}

function select(tab, on) {
  tab.setAttribute("aria-selected", String(on));
  tab.tabIndex = on ? 0 : -1;
}

export function openPanel(name) {
  const left = current;
  for (const group of groups.values()) {
    const entry = group.panels.find((part) => part.name === name);
    select(group.tab, !!entry);
    group.body.hidden = !entry;
    if (!entry) continue;
    group.last = name;
    current = entry;
    for (const part of group.panels) {
      select(part.tab, part === entry);
      part.panel.hidden = part !== entry;
    }
  }
  if (left && left !== current) left.closed?.();
  current.opened?.();
}

function openGroup(name) {
  const group = groups.get(name);
  openPanel(group.last ?? group.panels.find(({ tab }) => !tab.hidden).name);
}

export const isOpen = (name) => current?.name === name;

// Shows or hides a part that not every host can fill.
export const offerPanel = (name, on) => { byId("part-" + name).hidden = !on; };

function step(event) {
  const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const tabs = [...event.currentTarget.querySelectorAll("[role=tab]")].filter((tab) => !tab.hidden);
  const at = tabs.indexOf(event.target);
  if (at < 0 || !move) return;
  event.preventDefault();
  const next = tabs[(at + move + tabs.length) % tabs.length];
  next.click();
  next.focus();
}
