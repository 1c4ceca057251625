// The workshop: change any clause, read what it means, see at once what contradicts what, and let the net try it out.

import { boardPicture, rulesByBoard, usualRules, widthOf } from "./boards.js";
import { ask, on } from "./host.js";
import { h, percent, replace, saveFile } from "./dom.js";
import { USUAL_LEVEL } from "./levels.js";
import { request, store } from "./store.js";
import { addPanel } from "./tabs.js";
import { topicsView } from "./rules.js";
import { openTeach } from "./teach.js";

let values = null;
let check = null;
let made = false;
let isMeasuring = false;
const body = h("div", { class: "stack" });
const result = h("div", { class: "stack" });
const verdict = h("div", { class: "stack", "aria-live": "polite" });
const inputs = new Map();
// The fields by the keys of their clauses.
const fields = new Map();

const read = (key) => key.split(".").reduce((at, part) => at?.[part], values);
function write(key, value) {
  const parts = key.split(".");
  const last = parts.pop();
  const at = parts.reduce((object, part) => object[part], values);
  if (value === null) delete at[last];
  else at[last] = value;
}

function field(clause, group) {
  const made = input(clause);
  const fault = h("span", { class: "fault" });
  const box = made.box;
  box.append(fault);
  fields.set(clause.key, { box, fault, input: made.input, label: clause.label, group: group.title });
  return box;
}

function input(clause) {
  const id = "clause-" + clause.key.replaceAll(".", "-");
  const help = clause.help && h("span", { class: "help", id: id + "-help" }, clause.help);
  const describedby = clause.help ? id + "-help" : null;
  const change = (value) => { write(clause.key, value); recheck(); };
  const { kind } = clause.kind;
  let input;
  if (kind === "choice") {
    input = h("select", { id, "aria-describedby": describedby, onchange: () => change(input.value) }, clause.kind.options.map((option) => h("option", { value: option.value }, option.label)));
    // A rule file leaves out clauses that have their first value.
    inputs.set(clause.key, () => { input.value = read(clause.key) ?? clause.kind.options[0].value; });
  } else if (kind === "flag") {
    input = h("input", { type: "checkbox", id, "aria-describedby": describedby, onchange: () => change(input.checked) });
    inputs.set(clause.key, () => { input.checked = read(clause.key); });
    return { input, box: h("div", { class: "field" }, h("div", { class: "check" }, input, h("label", { for: id }, clause.label)), help) };
  } else if (kind === "number") {
    input = h("input", { type: "number", id, min: clause.kind.least, max: clause.kind.most, placeholder: clause.kind.optional ? "no limit" : null, "aria-describedby": describedby, onchange: () => change(input.value === "" ? (clause.kind.optional ? null : clause.kind.least) : Math.round(Number(input.value))) });
    inputs.set(clause.key, () => { input.value = read(clause.key) ?? ""; });
  } else if (kind === "rows") {
    return startInput(clause, id, help);
  } else {
    input = h("input", { id, maxlength: 60, "aria-describedby": describedby, onchange: () => change(input.value) });
    inputs.set(clause.key, () => { input.value = read(clause.key) ?? ""; });
  }
  return { input, box: h("div", { class: "field" }, h("label", { for: id }, clause.label), input, help) };
}

// The start position: its rows as text with a picture. Buttons take the start of another board, or the position on the board.
function startInput({ key, label }, id, help) {
  const picture = h("div");
  const show = () => {
    input.value = read(key);
    replace(picture, boardPicture(input.value));
  };
  const change = (rows) => {
    // A king who moves any distance does so on a board of another size as well.
    const isFree = read("king.reach") === widthOf(read(key)) - 1;
    write(key, rows);
    if (isFree) write("king.reach", widthOf(rows) - 1);
    inputs.get("king.reach")();
    show();
    recheck();
  };
  const input = h("input", { id, maxlength: 200, spellcheck: "false", autocapitalize: "none", "aria-describedby": id + "-help", onchange: () => change(input.value.trim()) });
  inputs.set(key, show);
  const button = (text, rows) => h("button", { type: "button", onclick: () => change(rows()) }, text);
  const boards = store.hello.boards.map(({ size, start }) => button(`${size} × ${size}`, () => start));
  return { input, box: h("div", { class: "field start" }, h("label", { for: id }, label), picture, input, h("div", { class: "row" }, boards, button("As on the board", () => store.state.position.split(" ")[0])), help) };
}

async function recheck() {
  // What is measured belongs to the rules before.
  if (isMeasuring) await request("stop");
  isMeasuring = false;
  replace(result);
  try {
    await ask("check-rules", { set: values });
  } catch (error) {
    replace(verdict, h("p", { class: "error" }, error.message));
  }
}

// Marks the fields that contradict each other, each with the words of its contradictions.
function markFields(faults) {
  for (const [key, { box, fault, input }] of fields) {
    const words = faults.filter(({ keys }) => keys.includes(key)).map((one) => one.words);
    box.classList.toggle("faulty", words.length > 0);
    input.toggleAttribute("aria-invalid", words.length > 0);
    fault.textContent = words.join(" ");
  }
}

const jump = (key) => { fields.get(key).input.scrollIntoView({ block: "center" }); fields.get(key).input.focus(); };
const labelOf = (key) => `${fields.get(key).group}: ${fields.get(key).label}`;

on("rule-check", (found) => {
  check = found;
  const fine = !found.faults.length;
  for (const button of body.querySelectorAll("[data-needs-rules]")) button.disabled = !fine;
  markFields(found.faults);
  replace(verdict, fine
    ? h("details", {}, h("summary", {}, "These rules hold together. Read them in words"), topicsView(found.rules.topics))
    : [h("p", {}, h("strong", {}, "These rules contradict themselves:")), h("ul", { class: "faults" }, found.faults.map((fault) => h("li", {}, fault.words,
      fault.keys.filter((key) => fields.has(key)).map((key) => [" ", h("button", { type: "button", class: "link", onclick: () => jump(key) }, labelOf(key))]))))]);
});

function startFrom(name) {
  values = structuredClone(store.hello.rule_sets.find((set) => set.name === name).set);
  values.name = "my-" + name;
  for (const show of inputs.values()) show();
  recheck();
}

const saveRules = () => saveFile(values.name.replace(/[^\w-]+/g, "-") + ".toml", "application/toml", check.rules.toml);
async function run(games) {
  isMeasuring = await request("experiment", { set: values, games });
}
const play = () => request("new", { rules: { toml: check.rules.toml }, players: { attackers: { kind: "person" }, defenders: { kind: "computer", name: USUAL_LEVEL, net: 0 } } });
const ready = { "data-needs-rules": true, disabled: true, type: "button" };

function make() {
  if (made || !store.hello) return;
  made = true;
  const base = h("select", { id: "base", onchange: () => startFrom(base.value) }, rulesByBoard(({ name }) => h("option", { value: name }, name)));
  const isKnown = store.hello.rule_sets.some(({ name }) => name === store.rules?.name);
  base.value = isKnown ? store.rules.name : usualRules(store.rules?.size ?? 9);
  const games = h("select", { id: "games" }, [[10, "10 games each"], [40, "40 games each"], [150, "150 games each"]].map(([value, text]) => h("option", { value: String(value) }, text)));
  replace(body,
    h("div", { class: "card" }, h("h2", {}, "Change the rules and try them"), h("p", { class: "soft small" }, "Start from a rule set, change clauses below, and let the net play itself at three strengths: by its policy alone, with 16 and with 64 simulations a move."),
      h("div", { class: "field" }, h("label", { for: "base" }, "Start from"), base), verdict,
      h("div", { class: "row" }, h("label", { for: "games", class: "hidden-text" }, "Games"), games, h("button", { ...ready, class: "primary", id: "run-experiment", onclick: () => run(Number(games.value)) }, "Let the net play"),
        h("button", { type: "button", onclick: () => request("stop") }, "Stop"), h("button", { ...ready, id: "teach-these", onclick: () => openTeach({ name: values.name, toml: check.rules.toml }) }, "Teach a net these rules"), h("button", { ...ready, id: "play-rules", onclick: play }, "Play these rules"), h("button", { ...ready, id: "save-rules", onclick: saveRules }, "Save the rule file")), result),
    store.hello.form.map((group) => h("fieldset", {}, h("legend", {}, group.title), group.fields.map((clause) => field(clause, group)))));
  startFrom(base.value);
}

const share = ({ count, part, low, high }) => h("td", { title: `${count} games` }, percent(part), h("span", { class: "soft small interval" }, `${Math.round(100 * low)}–${Math.round(100 * high)}`));

on("experiment", ({ experiment, done }) => {
  if (done) isMeasuring = false;
  const row = (balance) => h("tr", {}, h("th", { scope: "row" }, balance.simulations ? `${balance.simulations} simulations` : "policy alone"), ["attackers", "draws", "defenders", "unfinished"].map((part) => share(balance[part])),
    h("td", {}, balance.games ? `${balance.mean_plies.toFixed(0)} ± ${balance.plies_within.toFixed(0)}` : ""));
  replace(result, h("p", { role: "status" }, `${experiment.rules}: ${experiment.played} of ${experiment.games} games${done ? ", finished" : ""}.`), h("progress", { max: experiment.games, value: experiment.played, "aria-label": "Games played" }),
    h("div", { class: "scroll" }, h("table", { id: "balance" }, h("thead", {}, h("tr", {}, ["Strength", "Attackers", "Draws", "Defenders", "Unfinished", "Plies"].map((text) => h("th", { scope: "col" }, text)))), h("tbody", {}, experiment.balances.map(row)))),
    h("p", { class: "soft small" }, "Won by each side, drawn, and unfinished after 400 plies; below each share its 95 % interval. Openings are four random plies. A net that has never seen such rules plays them less well than those it learnt."));
});

export function makeWorkshop() {
  addPanel("rules", "workshop", "Make your own", { opened: make }).append(body);
}
