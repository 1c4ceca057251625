// The panel in which a net is taught: rules and time are chosen, the run is watched, and earlier nets are listed.

import { rulesByBoard } from "./boards.js";
import { h, replace, saveFile } from "./dom.js";
import { ask, can, on } from "./host.js";
import { analyse } from "./lines.js";
import { showError } from "./message.js";
import { keptRules } from "./myrules.js";
import { request, say, store } from "./store.js";
import { addPanel, isOpen, openPanel } from "./tabs.js";
import { makeRunView, timeText } from "./teachview.js";

const TIMES = [["120", "2 minutes"], ["600", "10 minutes"], ["3600", "An hour"], ["", "Until I stop it"]];
const MORE_SECONDS = 600;
const body = h("div", { class: "stack" });
const shownRun = h("div", { class: "card", id: "teaching", hidden: true });
const listed = h("div");
const rules = h("select", { id: "teach-rules" });
const start = h("button", { type: "button", class: "primary", id: "teach", onclick: () => teach() }, "Teach");
const refusal = h("p", { class: "soft small", id: "teach-refused", hidden: true });
const buttons = h("div", { class: "row" });
const view = makeRunView(buttons);
// The run that is shown, its last state, and the rules from elsewhere on the page that can be chosen.
let run = null;
let last = null;
let given = null;
let isNewest = false;
const known = new Set();

const secondsOf = (value) => (value ? Number(value) : null);
const chosenTime = () => secondsOf(body.querySelector("[name=teach-time]:checked").value);

function chosenRules() {
  const [kind, name] = rules.value.split(/:(.*)/s);
  if (kind === "given") return { toml: given.toml };
  return kind === "own" ? { toml: keptRules().find((own) => own.name === name).toml } : { name };
}

async function teach() {
  isNewest = true;
  if (!(await request("teach", { rules: chosenRules(), seconds: chosenTime() }))) isNewest = false;
}

// Fills the list of rules. Those of `wanted` are chosen: a name, or a name with the text of a rule file.
function offer(wanted) {
  if (wanted?.toml) given = wanted;
  const option = (value, text) => h("option", { value }, text);
  const own = keptRules().filter(({ name }) => name !== given?.name).map(({ name }) => option("own:" + name, name));
  if (given) own.unshift(option("given:", given.name));
  replace(rules, own.length > 0 && h("optgroup", { label: "Your own rules" }, own), rulesByBoard(({ name, title }) => option("set:" + name, title)));
  const { name, toml } = wanted ?? {};
  const known = [...rules.options].map(({ value }) => value);
  rules.value = ["set:" + name, "own:" + name].find((value) => !toml && known.includes(value)) ?? (toml ? "given:" : known[0]);
}

// Opens the panel with these rules chosen.
export function openTeach(wanted) {
  openPanel("teach");
  offer(wanted);
  rules.focus();
}

async function opened() {
  if (!store.hello) return;
  const chosen = rules.value;
  offer(store.rules && { name: store.rules.name, ...(store.rules.built_in ? {} : { toml: store.rules.toml }) });
  if ([...rules.options].some(({ value }) => value === chosen)) rules.value = chosen;
  replace(refusal, can("train") ? "" : "This page cannot teach nets: that needs the whole program. `tablut serve` can.");
  [start.disabled, refusal.hidden] = [!can("train"), can("train")];
  delete refusal.dataset.kept;
  if (can("train")) await request("taught-nets");
}

const inPlay = () => ({ toml: last.toml });
const level = (net) => ({ kind: "computer", name: "strong", net });

async function play() {
  if (await request("new", { rules: inPlay(), players: { attackers: { kind: "person" }, defenders: level(last.net) } })) openPanel("moves");
}

async function analyseWith() {
  const { net } = last;
  if (!(await request("new", { rules: inPlay(), players: { attackers: { kind: "person" }, defenders: { kind: "person" } } }))) return;
  openPanel("analysis");
  analyse(true, net);
}

async function shareRules() {
  if (!(await request("new", { rules: inPlay(), players: { attackers: { kind: "person" }, defenders: { kind: "person" } } }))) return;
  openPanel("share");
  request("link");
}

on("net-file", ({ name, base64 }) => saveFile(name, "application/octet-stream", Uint8Array.from(atob(base64), (letter) => letter.codePointAt(0))));

// A button that deletes asks once more.
function deleteButton(name) {
  const button = h("button", { type: "button" });
  let isSure = false;
  const be = (sure, text) => {
    isSure = sure;
    button.textContent = text;
    button.setAttribute("aria-label", `${text} ${name}`);
  };
  be(false, "Delete");
  button.addEventListener("click", async () => {
    if (!isSure) {
      be(true, "Really delete?");
      setTimeout(be, 4000, false, "Delete");
      return;
    }
    if ((await request("forget-taught", { run: name })) && run === name) show(null);
  });
  return button;
}

function show(name) {
  run = name;
  last = null;
  shownRun.hidden = true;
  if (name) request("show-taught", { run: name });
}

const isActive = ({ state }) => state === "running" || state.waiting !== undefined;

let shownButtons = "";
// The buttons are made anew only when others are needed, so that the focus stays on one.
function showButtons({ state, net, n_generations: generations }) {
  const key = [run, state.waiting ? "waiting" : isActive({ state }), net, generations > 0].join();
  if (key === shownButtons) return;
  const hadFocus = buttons.contains(document.activeElement);
  shownButtons = key;
  const button = (id, text, onclick, more) => h("button", { type: "button", id, onclick, ...more }, text);
  replace(buttons, isActive({ state }) ? button("stop-teaching", state === "running" ? "Stop" : "Leave the queue", () => request("stop-teaching", { run })) : [
    net !== null && [button("play-taught", "Play it", play, { class: "primary" }), button("analyse-taught", "Analyse with it", analyseWith)],
    generations > 0 && button("download-net", "Download the net", () => request("download-net", { run })),
    button("teach-on", "Go on for ten more minutes", () => request("teach-on", { run, seconds: MORE_SECONDS })),
    button("share-taught", "Share the rules", shareRules)]);
  if (hadFocus) buttons.querySelector("button")?.focus();
}

on("training", (event) => {
  // A run that this page has started, or the first one that it hears of, is shown.
  const isOwn = isNewest && !known.has(event.run);
  if (isOwn) [run, last, isNewest] = [event.run, null, false];
  known.add(event.run);
  run ??= event.run;
  if (event.run !== run) return;
  const wasRunning = last?.state === "running";
  last = event;
  shownRun.hidden = false;
  view.showRun(event);
  showButtons(event);
  if (isOwn) shownRun.scrollIntoView({ block: "start", behavior: "smooth" });
  if (wasRunning && event.state !== "running") say(event.state === "ended" ? `The net has learnt ${event.rules}.` : `The training failed: ${event.state.failed}`);
});
on("training-game", (event) => { if (event.run === run) view.showGame(event); });
on("hello", () => { if (isOpen("teach")) opened(); });

const STATES = { running: "is learning", ended: "" };
const stateText = (state) => STATES[state] ?? (state.waiting ? `waits, number ${state.waiting}` : "failed");
const size = (bytes) => (bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`);

on("taught-nets", ({ runs, bytes, "most-bytes": most, refused }) => {
  if (refused !== null || !refusal.dataset.kept) {
    refusal.textContent = refused ?? "";
    refusal.hidden = !refused;
    start.disabled = !!refused;
    if (refused) refusal.dataset.kept = "yes";
  }
  for (const net of runs) if (!isNewest) known.add(net.run);
  // Another server, or a window that was not connected, may not know how a run ended.
  const shownNow = runs.find((net) => net.run === run);
  if (shownNow && last && stateText(shownNow.state) !== stateText(last.state)) request("show-taught", { run });
  const row = (net) => h("tr", {}, h("th", { scope: "row" }, h("button", { type: "button", class: "link", onclick: () => { show(net.run); shownRun.scrollIntoView({ block: "nearest" }); } }, net.run)),
    h("td", {}, stateText(net.state) || timeText(net.seconds)), h("td", {}, net.changed ? new Date(1000 * net.changed).toLocaleDateString() : ""), h("td", {}, size(net.bytes)), h("td", {}, isActive(net) ? "" : deleteButton(net.run)));
  replace(listed, runs.length > 0 && h("div", { class: "card" }, h("h2", {}, "Nets that were taught here"),
    h("div", { class: "scroll" }, h("table", { id: "taught-nets" }, h("thead", {}, h("tr", {}, ["Net", "Learnt for", "Last on", "Size"].map((text) => h("th", { scope: "col" }, text)), h("td"))), h("tbody", {}, runs.map(row)))),
    h("p", { class: "soft small" }, `${size(bytes)} of at most ${size(most)}. None is deleted unless you delete it.`)));
  if (run && !runs.some((net) => net.run === run) && !(last && isActive(last))) show(null);
});

export function makeTeach() {
  const time = ([value, text], index) => h("label", { class: "pill" }, h("input", { type: "radio", name: "teach-time", value, checked: index === 0 }), h("span", {}, text));
  shownRun.append(view.element);
  replace(body, shownRun, h("div", { class: "card" }, h("h2", {}, "Teach a net"),
    h("p", { class: "soft small" }, "A new net learns these rules from nothing, by playing against itself, while you watch. Its first games are nonsense."),
    h("div", { class: "field" }, h("label", { for: "teach-rules" }, "Rules"), rules),
    h("fieldset", { class: "pills" }, h("legend", {}, "For how long"), TIMES.map(time)), refusal, h("div", { class: "row" }, start)), listed);
  addPanel("rules", "teach", "Teach", { opened }).append(body);
}
