// Requests to the host with their answers, and the host's events.

import { eased } from "./ease.js";
import * as transport from "./transport.js";

const listeners = new Map();
const waiting = new Map();
let hello = null;
let lastId = 0;
// After this time the page shows that a request is waiting for its answer.
const PATIENCE_MS = 1500;
// The server ends a connection that sends more at once.
const MOST_BYTES = 250000;

// Whether the host can do something that not every host can. `hello` says it, or the transport.
export function can(what) {
  const known = { train: hello?.trains, "ask-checkpoints": hello?.checkpoints.length > 0, "share-games": transport.hasServer };
  return !!known[what];
}

// Calls `then` with every event of that kind.
export function on(kind, then) {
  if (!listeners.has(kind)) listeners.set(kind, []);
  listeners.get(kind).push(then);
}

function tell(kind, event) {
  for (const then of listeners.get(kind) ?? []) then(event);
}

// Sends a request. The promise resolves when it is done, and rejects with the host's reason if it is refused.
export function ask(what, more = {}) {
  return new Promise((resolve, reject) => {
    lastId += 1;
    const text = JSON.stringify({ id: lastId, do: what, ...eased(more, hello?.levels) });
    const bytes = transport.hasServer ? new Blob([text]).size : 0;
    if (bytes > MOST_BYTES) return reject(new Error(`This has ${Math.ceil(bytes / 1000)} kB, expected at most ${MOST_BYTES / 1000} kB.`));
    if (!transport.send(text)) {
      reject(new Error("There is no connection to the program."));
      return;
    }
    waiting.set(lastId, { resolve, reject });
    setTimeout(tellWaiting, PATIENCE_MS, lastId);
  });
}

function tellWaiting(id) {
  if (waiting.has(id)) tell("waiting", { on: true });
}

// The computer's move is shown so long after the one before it that this one and its captures are seen first.
const REPLY_MS = 400;
const CAPTURE_MS = 700;
let last = { at: 0, state: null };
let held = null;

function hear(event) {
  if (held) return held.push(event);
  const { at, state } = last;
  const isReply = event.event === "state" && state?.computer_to_move && event.ply === state.ply + 1;
  const wait = isReply ? at + (state.last?.captured.length ? CAPTURE_MS : REPLY_MS) - performance.now() : 0;
  if (wait <= 0) return take(event);
  held = [event];
  return setTimeout(release, wait);
}

function release() {
  const [first, ...later] = held;
  held = null;
  take(first);
  for (const event of later) hear(event);
}

function take(event) {
  if (event.event === "state") last = { at: performance.now(), state: event };
  if (event.event === "game") last.state = null;
  tell("waiting", { on: false });
  if (event.event === "done") {
    waiting.get(event.re)?.resolve();
    waiting.delete(event.re);
  } else if (event.event === "refused") {
    const request = waiting.get(event.re);
    waiting.delete(event.re);
    if (request) request.reject(new Error(event.error));
    else tell("trouble", event);
  } else {
    if (event.event === "hello") hello = event;
    tell(event.event, event);
  }
}

function changed(state, reason = "") {
  if (state === "open") return tell("connected", {});
  for (const { reject } of waiting.values()) reject(new Error("The connection was lost."));
  waiting.clear();
  tell("waiting", { on: false });
  tell("lost", { reason });
}

export const connect = () => transport.connect((text) => hear(JSON.parse(text)), changed);
