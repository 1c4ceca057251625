// The host of the page's game: it loads the engine, answers requests and searches in short slices, so that a request is
// answered within a few milliseconds.

import { startEngine } from "./engine.js";
import * as games from "./games.js";

// How long the search goes on before the worker looks for requests.
const SLICE = 12;

const again = new MessageChannel();
let site = null;
let engine = null;
let isRunning = false;
let order = Promise.resolve();
// How many of the device's cores work, and what the others need to start.
let nWorkers = 1;
let nTeachers = 1;
let parts = null;
let helpers = [];
// The engine's time stands still while the page is hidden.
let hiddenSince = null;
let rested = 0;
const books = new Map();

const tell = (event) => postMessage(event);
const now = () => (hiddenSince ?? performance.now()) - rested;
const fileOf = (path) => new URL("../" + path, import.meta.url);

// What was loaded of what must be there before the first game can be played.
let [loaded, expected] = [0, 0];

// Fetches a file, and tells how much of it is there.
async function answerOf({ file, bytes }, type) {
  expected += bytes;
  const answer = await fetch(fileOf(file));
  if (!answer.ok) throw new Error(`${file}: ${answer.status} ${answer.statusText}`);
  let at = 0;
  const count = (value, stream) => {
    at += value.length;
    loaded += value.length;
    tell({ event: "loading", loaded, of: expected });
    stream.enqueue(value);
  };
  const check = (stream) => { if (at !== bytes) stream.error(new Error(`${file} has ${at} bytes, expected ${bytes}`)); };
  return new Response(answer.body.pipeThrough(new TransformStream({ transform: count, flush: check })), { headers: { "content-type": type } });
}

// Windows that show the same game tell each other what was played.
const windows = new BroadcastChannel("tablut games");
let shown = null;
windows.onmessage = ({ data }) => {
  if (data === shown) queue(() => answer({ id: 0, do: "open", game: data }));
};

async function keep({ game, text }) {
  try {
    await games.save(game, text);
    windows.postMessage(game);
  } catch (error) {
    tell({ event: "refused", re: 0, error: `The game cannot be saved: ${error.message}` });
  }
}

// The other workers take part in a search, or end their part in the last one.
function share({ number, order }) {
  if (order && !helpers.length) helpers = Array.from({ length: nWorkers - 1 }, (_, index) => startHelper(index + 1));
  for (const helper of helpers) helper.postMessage({ number, order });
}

function startHelper(worker) {
  const helper = new Worker(new URL("./helper.js", import.meta.url), { type: "module" });
  helper.postMessage({ ...parts, worker });
  helper.addEventListener("message", ({ data }) => {
    try {
      engine.found(data);
    } catch (error) {
      fail(error);
    }
  });
  // The search goes on without it.
  helper.addEventListener("error", (event) => {
    event.preventDefault();
    helpers = helpers.filter((other) => other !== helper);
  });
  return helper;
}

function hide(hidden) {
  if (hidden) hiddenSince ??= performance.now();
  else if (hiddenSince !== null) {
    rested += performance.now() - hiddenSince;
    hiddenSince = null;
  }
  engine.setHidden(hidden);
  for (const helper of helpers) helper.postMessage({ hidden });
  wake();
}

function deliver(outputs) {
  for (const output of outputs) {
    if (output.event === "save") keep(output);
    else if (output.event === "search") share(output);
    else {
      if (output.event === "game") shown = output.game;
      tell(output);
    }
  }
}

// Only a new worker helps after a bug.
function fail(error) {
  tell({ event: "broken", error: error.message });
  close();
}

function wake() {
  if (isRunning) return;
  isRunning = true;
  again.port2.postMessage(null);
}

again.port1.onmessage = () => {
  const end = performance.now() + SLICE;
  let pause = 0;
  try {
    do {
      deliver(engine.step(now()));
      pause = engine.pause(now());
    } while (pause === 0 && performance.now() < end);
  } catch (error) {
    fail(error);
    return;
  }
  isRunning = pause === 0;
  if (isRunning) again.port2.postMessage(null);
  else if (pause > 0) setTimeout(wake, pause);
};

// The files of saved games that a request names.
async function savedFor(request) {
  const named = { open: [request.game], "own-puzzle": [request.game], "find-puzzles": request.games, "export-games": request.games }[request.do] ?? [];
  const texts = await Promise.all(named.map(async (name) => [name, await games.load(name)]));
  return Object.fromEntries(texts.filter(([, text]) => text !== undefined));
}

async function puzzlesFor(rules) {
  const file = site.puzzles[rules];
  if (!file || books.has(rules)) return;
  const answer = await fetch(fileOf(file));
  if (!answer.ok) throw new Error(`${file}: ${answer.status} ${answer.statusText}`);
  engine.addPuzzles(await answer.text());
  books.set(rules, true);
}

async function answer(request) {
  try {
    if (request.do === "puzzle") await puzzlesFor(request.rules);
    deliver(engine.request({ ...request, saved: await savedFor(request) }));
    wake();
  } catch (error) {
    if (error.isBug) fail(error);
    else tell({ event: "refused", re: request.id, error: error.message });
  }
}

// Loads the engine and the net.
async function begin(given) {
  ({ site, workers: nWorkers, teachers: nTeachers } = given);
  try {
    const compiled = answerOf(site.engine, "application/wasm").then((answer) => WebAssembly.compileStreaming(answer));
    const bytes = answerOf(site.net, "application/octet-stream").then((answer) => answer.arrayBuffer());
    const [module, net] = await Promise.all([compiled, bytes]);
    parts = { module, net: new Uint8Array(net), name: site.net.name };
    engine = await startEngine(module, { net: parts.name });
    engine.loadNet(parts.net);
    tell({ event: "ready" });
    await offerNets();
  } catch (error) {
    fail(error);
  }
}

// Teaching is work of its own, in a worker that starts when somebody first asks for it.
const ABOUT_TEACHING = ["teach", "teach-on", "stop-teaching", "taught-nets", "show-taught", "forget-taught", "download-net"];
let teacher = null;
let taught = [];

// The page knows a net by its place among those that are offered.
function tellOfTeaching(event) {
  const place = event.event === "training" ? taught.indexOf(event.run) : -1;
  tell(place < 0 ? event : { ...event, net: place + 1 });
}

async function startTeacher() {
  const { file } = site.teach;
  const answer = await fetch(fileOf(file));
  if (!answer.ok) throw new Error(`${file}: ${answer.status} ${answer.statusText}`);
  const module = await WebAssembly.compileStreaming(answer);
  const worker = new Worker(new URL("./teacher.js", import.meta.url), { type: "module" });
  worker.addEventListener("message", ({ data }) => {
    if (data.changed) queue(offerNets);
    else queue(() => tellOfTeaching(data.event));
  });
  worker.postMessage({ teach: module, workers: nTeachers });
  return worker;
}

async function askTeacher(request) {
  try {
    teacher ??= startTeacher();
    (await teacher).postMessage({ request });
  } catch (error) {
    teacher = null;
    tell({ event: "refused", re: request.id, error: `Teaching cannot start: ${error.message}` });
  }
}

// The nets that were taught here play too.
async function offerNets() {
  try {
    const { nets } = await import("./teachstore.js");
    const found = await nets();
    const list = JSON.stringify(found.map(({ name, bytes }) => ({ name, bytes: bytes.length })));
    if (!found.length && !taught.length) return;
    const argument = await new Blob([list + "\n", ...found.map(({ bytes }) => bytes)]).arrayBuffer();
    const abouts = engine.offerNets(new Uint8Array(argument));
    taught = found.map(({ name }) => name);
    tell({ event: "offered", nets: taught, about_nets: abouts });
  } catch (error) {
    if (error.isBug) fail(error);
    else console.warn(`Nets that were taught here are not offered: ${error.message}`);
  }
}

// A net from a file is offered like those that were taught here.
async function addNet({ id, name, base64 }) {
  try {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.codePointAt(0));
    const { rules, toml } = engine.readNet(bytes);
    const { all, putNet } = await import("./teachstore.js");
    const own = new Set((await all()).filter(({ isFile }) => !isFile).map(({ run }) => run));
    const run = own.has(name) ? `${name} (file)` : name;
    await putNet({ run, name: rules, rules: [toml], generation: 0, metrics: [], seconds: 0, changed: Date.now(), isFile: true }, bytes);
    await offerNets();
    tell({ event: "done", re: id });
  } catch (error) {
    if (error.isBug) fail(error);
    else tell({ event: "refused", re: id, error: `${name}: ${error.message}` });
  }
}

// Requests are answered in their order.
const queue = (then) => { order = order.then(then); };

onmessage = ({ data }) => queue(() => {
  if (data.site) return begin(data);
  if (data.do === "add-net") return addNet(data);
  if (ABOUT_TEACHING.includes(data.do)) return askTeacher(data);
  return "hidden" in data ? hide(data.hidden) : answer(data);
});
