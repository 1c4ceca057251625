// The lens: this position under every rule set, side by side.

import { on } from "./host.js";
import { chancesBar, h, replace } from "./dom.js";
import { request, set, store } from "./store.js";
import { addPanel } from "./tabs.js";

const rows = h("tbody");
const told = h("p", { class: "soft small", role: "status" });

async function look() {
  replace(rows);
  told.textContent = "Looking…";
  if (!(await request("lens"))) told.textContent = "";
}

export function makeLens() {
  addPanel("rules", "lens", "Compare").append(h("div", { class: "card" }, h("h2", {}, "This position under every rule set of its board"),
    h("p", { class: "soft small" }, "What this position is worth, and what to play, under each of the rule sets: the same net plays them all, and the solver proves what it can."),
    h("div", { class: "row" }, h("button", { type: "button", id: "look", class: "primary", onclick: look }, "Look")), told,
    h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Rules"), h("th", { scope: "col" }, "Chances"), h("th", { scope: "col" }, "Best"))), rows))));
}

on("lens", ({ rules, analysis, over }) => {
  const best = analysis?.lines[0];
  const show = () => set({ shownLine: best.moves });
  const hide = () => set({ shownLine: null });
  const own = rules === store.rules?.name;
  rows.append(h("tr", {}, h("th", { scope: "row" }, own ? h("strong", {}, rules) : rules),
    over ? h("td", { colspan: 2 }, over) : [
      h("td", {}, chancesBar(analysis.chances), h("span", { class: "small" + (analysis.proven ? "" : " soft") }, analysis.words)),
      h("td", {}, h("button", { type: "button", onmouseenter: show, onmouseleave: hide, onfocus: show, onblur: hide, title: best.moves.slice(0, 5).join(" ") }, best.moves[0]))]));
});
on("lens-done", () => { told.textContent = "All rule sets looked at."; });
on("state", () => {
  if (rows.children.length) told.textContent = "The position may have changed since.";
});
