// Requests to the host with their answers, and the host's events.

import * as transport from "./transport.js";

const listeners = new Map();
const waiting = new Map();
let hello = null;
let lastId = 0;

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

// Sends a request; the promise is kept when it is done, and broken with the host's words when it is refused.
export function ask(what, more = {}) {
  return new Promise((resolve, reject) => {
    lastId += 1;
    if (!transport.send(JSON.stringify({ id: lastId, do: what, ...more }))) {
      reject(new Error("There is no connection to the program."));
      return;
    }
    waiting.set(lastId, { resolve, reject });
  });
}

function hear(text) {
  const event = JSON.parse(text);
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

function changed(state) {
  if (state === "open") return tell("connected", {});
  for (const { reject } of waiting.values()) reject(new Error("The connection was lost."));
  waiting.clear();
  tell("lost", {});
}

export const connect = () => transport.connect(hear, changed);
