// What is known of the nets: how they were trained, what they score, what they are bad at.

import { h, replace } from "./dom.js";
import { on } from "./host.js";

const known = h("div", { class: "stack", id: "about-nets" });

const count = (number) => number.toLocaleString("en");
const part = ({ mean }) => String(Math.round(100 * mean));
const share = ({ mean, low, high }) => `${part({ mean })} (${part({ mean: low })}–${part({ mean: high })})`;
const fact = (name, text) => text && h("p", { class: "small" }, h("strong", {}, `${name}: `), text);

function scoresView(scores) {
  const row = (score) => h("tr", {}, h("th", { scope: "row" }, score.rules), h("td", {}, score.opponent), h("td", { class: "tight" }, share(score.score)), h("td", {}, part(score.as_attackers)), h("td", {}, part(score.as_defenders)));
  return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ["Rules", "Against", "Score %", "Att.", "Def."].map((text) => h("th", { scope: "col" }, text)))), h("tbody", {}, scores.map(row))));
}

function netView({ name, shape, parameters, rules, training, hash, card }) {
  const scores = card?.scores ?? [];
  const plays = [...new Set(scores.map(({ play }) => (/^\d+$/.test(play) ? `${play} simulations` : play)))].join(", ");
  return h("details", { class: "card" }, h("summary", {}, `About the net: ${name}`),
    card?.about && h("p", {}, card.about),
    fact("Shape", `${shape}, ${count(parameters)} parameters`),
    fact("Rules", rules.join(", ")),
    fact("Learnt from", `${count(training.games)} games against itself, ${count(training.positions)} positions, ${count(training.evaluations)} evaluations`),
    fact("Trained on", card?.hardware),
    fact("Licence", card?.licence),
    fact("Commit", card?.commit),
    fact("Hash", h("code", {}, hash)),
    card?.weaknesses.length > 0 && [h("p", { class: "small" }, h("strong", {}, "Weaknesses:")), h("ul", { class: "small" }, card.weaknesses.map((text) => h("li", {}, text)))],
    scores.length > 0 && [h("p", { class: "small" }, h("strong", {}, "Scores "), `at ${plays} a move, with 95 % intervals, and as attackers and defenders`), scoresView(scores)],
    scores.length > 0 && card.command && h("p", { class: "small" }, "Measured by ", h("code", {}, card.command)),
    card?.config && h("details", {}, h("summary", {}, "The config of its training"), h("pre", { class: "scroll small" }, card.config)));
}

export const aboutNets = () => known;

on("hello", ({ about_nets: nets }) => replace(known, nets.map(netView)));
