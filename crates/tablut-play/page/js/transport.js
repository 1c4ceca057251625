// How the page reaches its host: the only file that knows where the host is. Another file of this name with the same
// four exports is another transport, for example a worker in the same browser.
//
//   connect(onMessage, onState): starts. onMessage(text) receives each event as JSON; onState("open" | "lost", reason)
//     reports the connection, and why the server refuses it. A transport that is lost connects again without being asked.
//   send(text): sends a request as JSON. It returns false if the transport is not open.
//   close(): ends the connection for good.
//   hasServer: whether the host is a server, which other people can reach too. See `can` in host.js.

import { kept } from "./kept.js";

export const hasServer = true;

const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 5000;
let socket = null;
let isClosed = false;
let pause = FIRST_PAUSE_MS;

// The socket of the server that served the page, relative to the page. Without the server's token a visitor reaches only the
// game in the address, with the secret of a seat in it.
function address() {
  const url = new URL("ws", document.baseURI);
  const [, game, , shown] = location.hash.match(/^#game=([a-z0-9]+)(&seat=([0-9a-f]+))?/) ?? [];
  const seat = shown ?? kept("seats", {})[game]?.own;
  if (game && seat) url.search = new URLSearchParams({ game, seat });
  return url;
}

export function connect(onMessage, onState) {
  isClosed = false;
  const url = address();
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  socket = new WebSocket(url);
  socket.addEventListener("open", () => {
    pause = FIRST_PAUSE_MS;
    onState("open");
  });
  socket.addEventListener("message", (message) => onMessage(message.data));
  socket.addEventListener("close", async () => {
    onState("lost");
    if (isClosed) return;
    const reason = await refusal();
    if (reason) onState("lost", reason);
    setTimeout(() => connect(onMessage, onState), pause);
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  });
}

// Why the server refuses this page, for example because a proxy has another name. A POST tells it the page's origin.
async function refusal() {
  try {
    const answer = await fetch(address(), { method: "POST" });
    return answer.status === 403 ? await answer.text() : "";
  } catch {
    return "";
  }
}

export function send(text) {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(text);
  return true;
}

export function close() {
  isClosed = true;
  socket?.close();
}
