// The workshop's training: a net learns somebody's rules for a few minutes, and its balance is seen to move.

import { can, on } from "./host.js";
import { h, percent, replace, s } from "./dom.js";
import { request, store } from "./store.js";

const result = h("div", { class: "stack", id: "training" });

export function trainingCard(values, ready) {
  const trains = can("train");
  const start = h("button", { ...(trains ? ready : { type: "button", disabled: true }), id: "train", onclick: () => request("train", { set: values() }) }, "Train for five minutes");
  return h("div", { class: "card" }, h("h2", {}, "Train on these rules"),
    h("p", { class: "soft small" }, trains
      ? "A small net learns these rules from nothing, on this machine, by playing itself. How its games end shows where the balance goes as it gets better."
      : "This page cannot train nets: that needs the whole program. `tablut serve` can."),
    h("div", { class: "row" }, start, trains && h("button", { type: "button", id: "stop-training", onclick: () => request("stop-training") }, "End it")), result);
}

// Shares of wins by generation as bands that sum to the whole, attackers below.
function bands(generations) {
  const last = Math.max(1, generations.length - 1);
  const x = (index) => ((100 * index) / last).toFixed(2);
  const band = (from, to, name) => {
    const up = generations.map((entry, index) => `${x(index)} ${(40 - 40 * from(entry)).toFixed(2)}`);
    const down = generations.map((entry, index) => `${x(index)} ${(40 - 40 * to(entry)).toFixed(2)}`).reverse();
    const made = s("path", { d: `M${up.join("L")}L${down.join("L")}z` });
    made.style.fill = name;
    return made;
  };
  const attackers = (entry) => entry.attackers.part;
  const drawn = (entry) => entry.attackers.part + entry.draws.part;
  const finished = (entry) => drawn(entry) + entry.defenders.part;
  const svg = s("svg", { class: "graph", viewBox: "0 0 100 40", preserveAspectRatio: "none", role: "img" },
    band(() => 0, attackers, "var(--attackers)"), band(attackers, drawn, "var(--draw)"), band(drawn, finished, "var(--defenders)"));
  const [first, now] = [generations[0], generations.at(-1)];
  svg.setAttribute("aria-label", `Results by generation: the attackers won ${percent(first.attackers.part)} of the first games and ${percent(now.attackers.part)} of the last.`);
  return svg;
}

// The host adds a trained net to its nets; it is the last one.
const playTrained = () => request("new", { rules: { toml: trainedRules }, players: { attackers: { kind: "person" }, defenders: { kind: "computer", name: "strong", net: store.hello.nets.length - 1 } } });

const share = ({ part, low, high }) => [percent(part), h("span", { class: "soft small interval" }, `${Math.round(100 * low)}–${Math.round(100 * high)}`)];

let trainedRules = "";

on("training", ({ rules, toml, seconds, of, generations, state, folder }) => {
  trainedRules = toml;
  const words = state === "running" ? `${rules}: ${Math.floor(seconds / 60)} min ${seconds % 60} s of ${of / 60} min.` : state === "ended" ? `${rules}: the training has ended after ${seconds} s.` : `${rules}: the training failed: ${state.failed}`;
  const row = (entry) => h("tr", {}, h("th", { scope: "row" }, String(entry.generation)), h("td", {}, share(entry.attackers)), h("td", {}, share(entry.draws)), h("td", {}, share(entry.defenders)), h("td", {}, share(entry.unfinished)), h("td", {}, entry.mean_plies.toFixed(0)));
  replace(result, h("p", { role: "status" }, words), h("progress", { max: of, value: seconds, "aria-label": "Time of the training" }),
    generations.length > 1 && bands(generations),
    generations.length > 0 && h("div", { class: "legend" }, ["attackers", "draw", "defenders", "unfinished"].map((side) => h("span", {}, h("i", { class: "fill-" + side }), side))),
    generations.length > 0 && h("div", { class: "scroll" }, h("table", { id: "generations" }, h("thead", {}, h("tr", {}, ["Generation", "Attackers", "Draws", "Defenders", "Unfinished", "Plies"].map((text) => h("th", { scope: "col" }, text)))), h("tbody", {}, generations.slice(-8).reverse().map(row)))),
    generations.length === 0 && state === "running" && h("p", { class: "soft small" }, "The first games are being played."),
    state === "ended" && h("p", { class: "soft small" }, `The net and its games are in ${folder}.`),
    state === "ended" && h("div", { class: "row" }, h("button", { type: "button", class: "primary", id: "play-trained", onclick: () => playTrained() }, "Play against the new net")));
});
