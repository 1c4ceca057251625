// The rules in words, and what the signs on the board mean: only those that these rules use.

import { h, replace, use } from "./dom.js";
import { watch } from "./store.js";
import { addPanel } from "./tabs.js";
import { openTeach } from "./teach.js";

const SIGNS = {
  throne: ["mark-throne", "throne"], corner: ["mark-corner", "corner"], escape: ["mark-escape", "the king escapes here, over the marked side"],
};
const body = h("div", { class: "stack" });
let shown = null;

export function makeRules() {
  addPanel("rules", "rules", "These rules").append(body);
}

export function topicsView(topics) {
  return topics.map((topic) => h("section", {}, h("h3", {}, topic.title), h("ul", { class: "topic" }, topic.sentences.map((sentence) => h("li", {}, sentence)))));
}

watch(({ rules }) => {
  if (!rules || rules === shown) return;
  shown = rules;
  const used = new Set(Object.values(rules.marks).flat());
  const sign = (name, text) => [h("dt", {}, use(name)), h("dd", {}, text)];
  const camp = h("dt", {}, h("span", { class: "cell camp" }));
  camp.firstChild.style.cssText = "position:absolute;inset:0";
  replace(body, h("div", { class: "card" }, h("h2", {}, rules.title), h("p", { class: "soft small" }, rules.source), h("div", { class: "row" }, h("button", { type: "button", id: "teach-rules-here", onclick: () => openTeach({ name: rules.name, ...(rules.built_in ? {} : { toml: rules.toml }) }) }, "Teach a net these rules")), topicsView(rules.topics)),
    h("div", { class: "card" }, h("h2", {}, "Signs"), h("dl", { class: "symbols" },
      sign("piece-attacker", "attacker"), sign("piece-defender", "defender"), sign("piece-king", "king, on the defenders' side"),
      Object.entries(SIGNS).filter(([mark]) => used.has(mark)).map(([, [name, text]]) => sign(name, text)),
      used.has("camp") && [camp, h("dd", {}, "camp")],
      sign("sign-danger", "could be captured by the opponent's next move"),
      sign("sign-route", "a square that the king could escape to: raichi is one escape route, tuichi are two"))));
});
