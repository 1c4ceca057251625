// The connection to the host: requests with answers, events, and coming back after it was lost.

const listeners = new Map();
const waiting = new Map();
let socket = null;
let lastId = 0;
let pause = 300;

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
    if (socket?.readyState !== WebSocket.OPEN) {
      reject(new Error("There is no connection to the program."));
      return;
    }
    lastId += 1;
    waiting.set(lastId, { resolve, reject });
    socket.send(JSON.stringify({ id: lastId, do: what, ...more }));
  });
}

function hear(event) {
  if (event.event === "done") {
    waiting.get(event.re)?.resolve();
    waiting.delete(event.re);
  } else if (event.event === "refused") {
    const request = waiting.get(event.re);
    waiting.delete(event.re);
    if (request) request.reject(new Error(event.error));
    else tell("trouble", event);
  } else {
    tell(event.event, event);
  }
}

export function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/ws`);
  socket.addEventListener("open", () => {
    pause = 300;
    tell("connected", {});
  });
  socket.addEventListener("message", (message) => hear(JSON.parse(message.data)));
  socket.addEventListener("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("The connection was lost."));
    waiting.clear();
    tell("lost", {});
    setTimeout(connect, pause);
    pause = Math.min(2 * pause, 5000);
  });
}
