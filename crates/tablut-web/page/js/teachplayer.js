// A worker that plays games of a run: its net and the numbers of the games come in, finished games go out.

import { startTeaching } from "./teachmodule.js";

// How long it plays before it looks for messages.
const SLICE = 12;

const again = new MessageChannel();
let started = null;
let player = null;
let running = 0;
// The number of the order. Messages about an earlier one are of no use.
let turn = 0;
let isPlaying = false;

async function start(module) {
  ({ player } = await startTeaching(module));
}

function fail(error) {
  running = 0;
  postMessage({ turn, error: error.message });
}

again.port1.onmessage = () => {
  isPlaying = false;
  const end = performance.now() + SLICE;
  try {
    let [games, evaluations] = [[], 0];
    do {
      const { json, parts } = player({ do: "round" });
      ({ running, evaluations } = json);
      games = games.concat(parts);
    } while (running && performance.now() < end);
    postMessage({ turn, games, evaluations });
  } catch (error) {
    fail(error);
  }
  wake();
};

function wake() {
  if (isPlaying || !running) return;
  isPlaying = true;
  again.port2.postMessage(null);
}

function take({ turn: given, begin, parts, games }) {
  try {
    if (begin) {
      [turn, running] = [given, 0];
      player(begin, parts);
    }
    player({ do: "add", games });
    running += games.length;
  } catch (error) {
    fail(error);
  }
  wake();
}

onmessage = ({ data }) => {
  if (data.module) started = start(data.module);
  else started.then(() => take(data), fail);
};
