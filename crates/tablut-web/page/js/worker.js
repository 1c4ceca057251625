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
const books = new Map();

const tell = (event) => postMessage(event);
const fileOf = (path) => new URL("../" + path, import.meta.url);

// What was loaded of what must be there before the first game can be played.
let [loaded, expected] = [0, 0];

// A file's bytes.
async function bytesOf({ file, bytes }) {
  expected += bytes;
  const answer = await fetch(fileOf(file));
  if (!answer.ok) throw new Error(`${file}: ${answer.status} ${answer.statusText}`);
  const whole = new Uint8Array(bytes);
  const reader = answer.body.getReader();
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    whole.set(value, at);
    at += value.length;
    loaded += value.length;
    tell({ event: "loading", loaded, of: expected });
  }
  if (at !== bytes) throw new Error(`${file} has ${at} bytes, expected ${bytes}`);
  return whole;
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

function deliver(outputs) {
  for (const output of outputs) {
    if (output.event === "save") keep(output);
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
      deliver(engine.step(performance.now()));
      pause = engine.pause(performance.now());
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
  site = given;
  try {
    const [bytes, net] = await Promise.all([bytesOf(site.engine), bytesOf(site.net)]);
    engine = await startEngine(bytes, { net: site.net.name });
    engine.loadNet(net);
    tell({ event: "ready" });
  } catch (error) {
    fail(error);
  }
}

// Requests are answered in their order.
const queue = (then) => { order = order.then(then); };

onmessage = ({ data }) => queue(() => (data.site ? begin(data.site) : answer(data)));
