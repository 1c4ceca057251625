// A worker that takes part in the long searches of the game's worker. It sees the board in another symmetry.

import { startEngine } from "./engine.js";

// How long the search goes on before the worker looks for messages.
const SLICE = 12;
const REPORT_EVERY = 150;

const again = new MessageChannel();
let started = null;
let engine = null;
let [number, worker] = [0, 0];
let [goesOn, isHidden, isRunning] = [false, false, false];
let reported = 0;

async function start({ module, net, name, worker: own }) {
  worker = own;
  engine = await startEngine(module, { net: name, worker });
  engine.loadNet(net);
}

function wake() {
  if (isRunning || !goesOn || isHidden) return;
  isRunning = true;
  again.port2.postMessage(null);
}

again.port1.onmessage = () => {
  const end = performance.now() + SLICE;
  isRunning = false;
  while (goesOn && performance.now() < end) goesOn = engine.helpStep();
  if (!goesOn || end > reported + REPORT_EVERY) {
    reported = end;
    postMessage({ number, worker, analysis: engine.helpFound() });
  }
  wake();
};

function take(data) {
  if ("hidden" in data) isHidden = data.hidden;
  else {
    number = data.number;
    goesOn = data.order !== null;
    reported = performance.now();
    if (goesOn) engine.help(data.order);
  }
  wake();
}

onmessage = ({ data }) => {
  if (data.module) started = start(data);
  else started.then(() => take(data));
};
