// The worker that teaches nets: it holds the run that learns, orders its games from players, which are workers too, and keeps what
// it has learnt in the browser's database.

import { startTeaching } from "./teachmodule.js";
import * as runs from "./teachstore.js";

// Games that a player plays at the same time. Their positions are evaluated together.
const GAMES_AT_ONCE = 64;
const TELL_EVERY_MS = 1000;
const SHOW_EVERY_MS = 2000;
// The players play for this time, twice, to show how fast this device is.
const MEASURE_MS = 700;
const SECONDS = [60, 24 * 3600];
// Without a limit a run is planned for this time, and then for as much again as it has taken.
const FIRST_SECONDS = 600;
const MOST_WAITING = 8;
const LOCK = "tablut teaching";
const LOCK_MS = 3000;
const ELSEWHERE = "Another window of this browser is teaching a net. Stop it there, or wait until it has ended.";

// A person has stopped the run.
class Stopped extends Error {}

let module = null;
let nPlayers = 1;
// The learner of the run that learns now, or one that only answers questions.
let learner = null;
let players = [];
let turn = 0;
const queue = [];
let current = null;
let teaching = null;
const failed = new Map();
const channel = new MessageChannel();

const tell = (event) => postMessage({ event });
// Lets messages come in.
const tick = () => new Promise((resolve) => { channel.port1.onmessage = resolve; channel.port2.postMessage(null); });
const now = () => (performance.now() - current.opened) / 1000;
const spent = () => current.spent + now();
const ask = (request, parts) => learner({ now: now(), ...request }, parts);

function checkStop() {
  if (current.isStopped) throw new Stopped();
}

function startPlayers() {
  players = Array.from({ length: nPlayers }, () => {
    const worker = new Worker(new URL("./teachplayer.js", import.meta.url), { type: "module" });
    worker.postMessage({ module });
    return worker;
  });
}

function endPlayers() {
  for (const worker of players) worker.terminate();
  players = [];
}

// Lets the players play these games of an order or a match, and gives the finished ones to `take`, in any order. It ends after
// `most` milliseconds at the latest. Gives the number of evaluations.
function play(begin, parts, games, take, most = Infinity) {
  const left = [...games].reverse();
  const atOnce = Math.max(1, Math.min(GAMES_AT_ONCE, Math.ceil(left.length / players.length)));
  const next = (count) => Array.from({ length: Math.min(count, left.length) }, () => left.pop());
  let open = left.length;
  const evaluations = players.map(() => 0);
  const until = performance.now() + most;
  const own = ++turn;
  return new Promise((resolve, reject) => {
    const fail = (error) => { turn += 1; reject(error); };
    current.stop = () => fail(new Stopped());
    players.forEach((worker, place) => {
      worker.onerror = (event) => { event.preventDefault(); fail(new Error(event.message ?? "a player has stopped")); };
      worker.onmessage = ({ data }) => {
        if (data.turn !== turn || own !== turn) return;
        if (data.error) { fail(new Error(data.error)); return; }
        evaluations[place] = data.evaluations;
        try {
          if (data.games.length) take(data.games);
        } catch (error) {
          fail(error);
          return;
        }
        open -= data.games.length;
        if (data.games.length && left.length) worker.postMessage({ turn, games: next(data.games.length) });
        if (open === 0 || performance.now() > until) resolve(evaluations.reduce((sum, count) => sum + count, 0));
      };
      worker.postMessage({ turn, begin, parts, games: next(atOnce) });
    });
    if (open === 0) resolve(0);
  }).finally(() => { if (current) current.stop = null; });
}

// The evaluations per second of one player under these rules.
async function speed(config, rules) {
  ask({ do: "open", config, rules: [rules], generation: null, metrics: [], games: [], spent: 0, seconds: null });
  const { json: { order, missing }, parts } = ask({ do: "order" });
  const games = missing.slice(0, 32 * nPlayers);
  // The browser compiles the code well only once it has run for a while.
  await play({ do: "play", order }, parts, games, () => {}, MEASURE_MS);
  const start = performance.now();
  const evaluations = await play({ do: "play", order }, parts, games, () => {}, MEASURE_MS);
  return (1000 * evaluations) / (performance.now() - start) / nPlayers;
}

// Makes the record of a new run.
async function begun({ run, rules, plan, seconds }) {
  current.phase = "preparing";
  tellState(true);
  const pace = await speed(plan.config, plan.rules);
  const seed = crypto.getRandomValues(new Uint32Array(1))[0];
  const { json: { name, config, rules: text } } = ask({ do: "plan", rules, seconds, evaluations_per_second: pace, players: nPlayers, seed });
  const record = { run, name, config, rules: [text], generation: null, metrics: [], seconds: 0, changed: Date.now(), hasPlan: true };
  await runs.put(record);
  return record;
}

function showGame() {
  current.shown = performance.now();
  const { json: game } = ask({ do: "show" });
  if (game) tell({ event: "training-game", ...game, run: current.run });
}

async function playGames(generation) {
  current.phase = "playing";
  tellState(true);
  const { json: { order, missing }, parts } = ask({ do: "order" });
  const began = now();
  await play({ do: "play", order }, parts, missing, (games) => {
    ask({ do: "game" }, games);
    if (performance.now() > current.shown + SHOW_EVERY_MS) showGame();
    tellState();
  });
  const { json: { steps }, parts: [games] } = ask({ do: "learn", seconds: now() - began });
  await runs.putGames(current.run, generation, games);
  return steps;
}

async function learn(steps) {
  current.phase = "learning";
  tellState(true);
  for (let step = 0; step < steps; step++) {
    ask({ do: "step" });
    tellState();
    await tick();
    checkStop();
  }
}

// Plays the matches that show how strong the new net is.
async function measure() {
  current.phase = "measuring";
  tellState(true);
  const { json: { matches }, parts: [newest, start] } = ask({ do: "learnt" });
  for (const [index, text] of matches.entries()) {
    const opponent = text.generation === null ? start : await runs.part(current.run, "net", text.generation);
    const began = now();
    const games = Array.from({ length: 2 * text.n_pairs }, (_, game) => game);
    const found = [];
    await play({ do: "match", text }, [newest, opponent], games, (more) => { found.push(...more); tellState(); });
    ask({ do: "rated", index, seconds: now() - began }, found);
  }
}

async function openRun(record, seconds) {
  const { run, generation } = record;
  const games = await runs.gamesOf(run);
  const parts = generation === null ? [] : [await runs.part(run, "state", generation)];
  for (const played of games) parts.push(await runs.part(run, "games", played));
  Object.assign(current, { record, seconds, opened: performance.now(), spent: record.seconds });
  const limit = record.hasPlan ? seconds ?? Math.max(FIRST_SECONDS, record.seconds) : null;
  return ask({ do: "open", config: record.config, rules: record.rules, generation, metrics: record.metrics, games, spent: record.seconds, seconds: limit }, parts).json;
}

async function teach(order) {
  let record = await runs.get(order.run) ?? await begun(order);
  let state = await openRun(record, order.seconds);
  while (!state.finished) {
    const steps = state.stored ? ask({ do: "learn", seconds: 0 }).json.steps : await playGames(state.next);
    await learn(steps);
    await measure();
    const { json, parts: [kept, net] } = ask({ do: "finish" });
    state = json;
    record = { ...record, config: state.config, generation: state.next - 1, metrics: [...record.metrics, state.metrics], seconds: spent(), changed: Date.now() };
    await runs.complete(record, record.generation, kept, net, state.needed);
    current.record = record;
    checkStop();
    if (state.finished && order.seconds === null && record.hasPlan) state = ask({ do: "extend", spent: record.seconds, seconds: Math.max(FIRST_SECONDS, record.seconds) }).json;
  }
}

// Teaches the runs of the queue, one after the other, while no other window does.
async function teachAll() {
  while (queue.length) {
    const order = queue.shift();
    current = { run: order.run, order, opened: performance.now(), spent: 0, told: 0, shown: 0, phase: "preparing" };
    failed.delete(order.run);
    await tellList();
    try {
      ({ learner } = await startTeaching(module));
      if (!players.length) startPlayers();
      await teach(order);
    } catch (error) {
      endPlayers();
      if (!(error instanceof Stopped)) failed.set(order.run, error.message);
    }
    current = null;
    postMessage({ changed: true });
    await tellRun(order);
    await tellList();
  }
  teaching = null;
  endPlayers();
}

// Gives whether this window teaches, which begins now unless another one does. A window that has just been closed may hold
// the lock for a moment.
function begin() {
  teaching ??= new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(LOCK_MS);
    navigator.locks.request(LOCK, { signal }, async () => {
      resolve(true);
      await teachAll();
    }).catch((error) => {
      teaching = null;
      if (error === signal.reason) resolve(false);
      else reject(error);
    });
  });
  return teaching;
}

async function enqueue(order) {
  if (queue.length >= MOST_WAITING) throw new Error(`${MOST_WAITING} nets are waiting already, the maximum`);
  queue.push(order);
  if (await begin()) {
    if (current && current.order !== order) await Promise.all([tellRun(order), tellList()]);
    return;
  }
  queue.splice(queue.indexOf(order), 1);
  throw new Error(ELSEWHERE);
}

// What people see.

function stateOf(run) {
  if (current?.run === run) return "running";
  const place = queue.findIndex((order) => order.run === run);
  if (place >= 0) return { waiting: place + 1 };
  return failed.has(run) ? { failed: failed.get(run) } : "ended";
}

const EMPTY = { phase: null, seconds: 0, seconds_left: null, final_scores: [], net: null, folder: null };

function viewOf(record, { run, plan } = record) {
  const rules = record ? { rules: record.name, toml: record.rules[0] } : { rules: plan.name, toml: plan.rules };
  const isCurrent = current?.run === run;
  const { json } = isCurrent && current.record ? ask({ do: "view" }) : learner({ do: "views", metrics: record?.metrics ?? [] });
  const times = isCurrent ? { phase: current.phase, seconds: spent(), seconds_left: current.seconds ? Math.max(0, current.seconds - now()) : null } : { seconds: record?.seconds ?? 0 };
  return { event: "training", ...EMPTY, run, ...rules, state: stateOf(run), ...times, ...json };
}

// Tells the state of the run that learns: at once, or if some time has passed.
function tellState(atOnce = false) {
  if (!atOnce && performance.now() < current.told + TELL_EVERY_MS) return;
  current.told = performance.now();
  tell(viewOf(current.record, current.order));
}

const tellRun = async (order) => {
  const record = await runs.get(order.run);
  if (record || order.plan) tell(viewOf(record, order));
};

async function tellList() {
  const [all, sizes, { quota }] = [await runs.all(), await runs.sizes(), await navigator.storage.estimate()];
  const listed = all.sort((a, b) => b.changed - a.changed).map((record) => ({
    run: record.run, rules: record.name, state: stateOf(record.run), seconds: record.seconds, changed: record.changed / 1000, bytes: sizes.get(record.run), generations: (record.generation ?? -1) + 1,
  }));
  tell({ event: "taught-nets", runs: listed, bytes: listed.reduce((sum, { bytes }) => sum + bytes, 0), most_bytes: quota, refused: null });
}

// Requests.

async function newName(rules) {
  const known = new Set([...(await runs.all()), ...queue, ...(current ? [current.order] : [])].map(({ run }) => run));
  let number = 1;
  while (known.has(`${rules}-${number}`)) number += 1;
  return `${rules}-${number}`;
}

async function known(run) {
  const record = await runs.get(run);
  if (!record) throw new Error(`there is no net ${run} here`);
  return record;
}

function checkSeconds(seconds) {
  if (seconds !== null && !(seconds >= SECONDS[0] && seconds <= SECONDS[1])) throw new Error(`${seconds} seconds, expected ${SECONDS.join(" to ")}`);
}

function checkIdle(run) {
  if (stateOf(run) === "running" || stateOf(run).waiting) throw new Error(`${run} is running or waiting already`);
}

const base64 = (bytes) => {
  const chunks = Array.from({ length: Math.ceil(bytes.length / 8192) }, (_, at) => String.fromCharCode(...bytes.subarray(8192 * at, 8192 * (at + 1))));
  return btoa(chunks.join(""));
};

const ANSWERS = {
  async teach({ rules, seconds }) {
    checkSeconds(seconds);
    const { json: plan } = learner({ do: "plan", rules, seconds, evaluations_per_second: 1000, players: nPlayers, seed: 1 });
    await enqueue({ run: await newName(plan.name), rules, plan, seconds });
  },
  // Teaches with a config file, which has its own number of games and generations.
  async "teach-config"({ run, config, rules }) {
    if (!(await runs.get(run))) await runs.put({ run, name: run, config, rules, generation: null, metrics: [], seconds: 0, changed: Date.now(), hasPlan: false });
    await enqueue({ run, seconds: null });
  },
  async "teach-on"({ run, seconds }) {
    checkSeconds(seconds);
    checkIdle(run);
    if ((await known(run)).isFile) throw new Error(`${run} came from a file, which has no training to go on with`);
    await enqueue({ run, seconds });
  },
  async "stop-teaching"({ run }) {
    const waiting = queue.findIndex((order) => order.run === run);
    if (waiting >= 0) {
      const [order] = queue.splice(waiting, 1);
      tell(viewOf(await runs.get(run), order));
      await tellList();
    }
    if (current?.run !== run) return;
    current.isStopped = true;
    current.stop?.();
  },
  async "forget-taught"({ run }) {
    checkIdle(run);
    await runs.remove(run);
    failed.delete(run);
    postMessage({ changed: true });
    await tellList();
  },
  async "taught-nets"() {
    await tellList();
    for (const order of [...(current ? [current.order] : []), ...queue]) await tellRun(order);
  },
  async "show-taught"({ run }) {
    const order = [current?.order, ...queue].find((active) => active?.run === run) ?? { run };
    if (!order.plan) await known(run);
    await tellRun(order);
  },
  async "download-net"({ run }) {
    const { generation } = await known(run);
    if (generation === null) throw new Error("there is no net yet");
    tell({ event: "net-file", name: `${run}.tablut`, base64: base64(await runs.part(run, "net", generation)) });
  },
};

async function answer(request) {
  try {
    await ANSWERS[request.do](request);
    tell({ event: "done", re: request.id });
  } catch (error) {
    tell({ event: "refused", re: request.id, error: error.message });
  }
}

async function prepare({ teach: compiled, workers }) {
  module = compiled;
  nPlayers = workers;
  ({ learner } = await startTeaching(module));
}

let prepared = null;
onmessage = ({ data }) => {
  if (data.teach) prepared = prepare(data);
  else prepared.then(() => answer(data.request), (error) => tell({ event: "refused", re: data.request.id, error: error.message }));
};
