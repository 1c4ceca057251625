// How the page reaches its host without a server: the host is a Web Worker in the same browser. The page's own file of this
// name, which the server serves, says what the exports mean.
//
// The page draws the board before the host is there: `first.json` has what the host would send first. Requests wait until the
// engine is loaded.

import { keep, kept } from "./kept.js";
import { hideProgress, showFailure, showProgress } from "./loading.js";

export const hasServer = false;

const PAUSE_AFTER_BUG_MS = 3000;
// Each worker sees the board in another symmetry, and there are eight.
const MOST_WORKERS = 8;
// One core is left for the page.
const workers = Math.max(1, Math.min(navigator.hardwareConcurrency - 1, MOST_WORKERS));
// While the players of a training play, its learner waits. So two cores can have two players.
const teachers = Math.max(workers, Math.min(navigator.hardwareConcurrency, 2));
let worker = null;
let isClosed = false;

// What the page shows, to draw it at once after a reload.
const shown = { game: null, rules: null, state: null };
const KEPT = "shown";
addEventListener("pagehide", () => { if (shown.state) keep(KEPT, shown); });

// What the address names; "board" is a place on the page.
const fragmentOf = () => (location.hash === "#board" ? "" : location.hash.slice(1));

// The events of the game that the address names, as far as they are known before the host is there.
function firstEvents(first) {
  const fragment = fragmentOf();
  if (!fragment) return first.events;
  const last = kept(KEPT, {});
  return fragment.match(/^game=([a-z0-9]+)/)?.[1] === last.game ? [{ event: "game", game: last.game }, last.rules, last.state] : [];
}

function hear(event, onMessage) {
  if (event.event === "game") Object.assign(shown, { game: event.game, rules: null, state: null });
  if (event.event === "rules" || event.event === "state") shown[event.event] = event;
  onMessage(JSON.stringify(event));
}

const withNets = (hello, { nets, about_nets: abouts }) => ({ ...hello, nets: [hello.nets[0], ...nets], about_nets: [hello.about_nets[0], ...abouts] });

async function firstOf() {
  const answer = await fetch(new URL("../first.json", import.meta.url));
  if (!answer.ok) throw new Error(`first.json: ${answer.status} ${answer.statusText}`);
  return answer.json();
}

const tellHidden = () => worker?.postMessage({ hidden: document.hidden });
document.addEventListener("visibilitychange", tellHidden);

function start(first, onMessage, onState) {
  worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.addEventListener("message", ({ data }) => {
    if (data.event === "loading") showProgress(data.loaded, data.of);
    else if (data.event === "ready") ready();
    else if (data.event === "offered") onMessage(JSON.stringify(withNets(first.hello, data)));
    else if (data.event === "broken" && FORBIDDEN.test(data.error)) refuse(onState);
    else if (data.event === "broken") restart(data.error, first, onMessage, onState);
    else hear(data, onMessage);
  });
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    restart(event.message ?? "the engine does not start", first, onMessage, onState);
  });
  worker.postMessage({ site: first.site, workers, teachers });
  if (document.hidden) tellHidden();
  onState("open");
  onMessage(JSON.stringify(first.hello));
}

// The words of browsers for a site whose policy forbids WebAssembly. To start again would not help.
const FORBIDDEN = /unsafe-eval|blocked by CSP|Content Security Policy/i;

function refuse(onState) {
  close();
  onState("lost");
  showFailure("The engine needs WebAssembly, which this site forbids. Its Content-Security-Policy must have script-src 'self' 'wasm-unsafe-eval'.");
}

// A bug ends the worker. Saved games are safe, and a new worker opens the game again.
function restart(error, first, onMessage, onState) {
  worker?.terminate();
  worker = null;
  onState("lost");
  showFailure(`The engine has stopped (${error}). It starts again…`);
  if (!isClosed) setTimeout(() => start(first, onMessage, onState), PAUSE_AFTER_BUG_MS);
}

async function ready() {
  hideProgress();
  const { afterStart } = await import("./library.js");
  afterStart();
}

export async function connect(onMessage, onState) {
  isClosed = false;
  try {
    const first = await firstOf();
    const events = firstEvents(first);
    const longest = first.hello.levels.find(({ name }) => name === "full");
    if (workers > 1) longest.description += ` On this device ${workers} workers search at once.`;
    start(first, onMessage, onState);
    for (const event of events) onMessage(JSON.stringify(event));
  } catch (error) {
    showFailure(`The page cannot start: ${error.message}`);
  }
}

export function send(text) {
  worker?.postMessage(JSON.parse(text));
  return worker !== null;
}

export function close() {
  isClosed = true;
  worker?.terminate();
  worker = null;
}
