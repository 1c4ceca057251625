// What the engine does in a JavaScript machine: evaluations a second, the bits of evaluations, and how long levels think.

const LEVELS = { newcomer: 20, casual: 20, club: 30, strong: 30, expert: 12, full: 5 };

const at = (numbers, part) => [...numbers].sort((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(part * numbers.length))];

// Positions, as lines of JSON, by their rules.
function byRules(lines) {
  const orders = new Map();
  for (const { rules, position } of lines.trim().split("\n").map((line) => JSON.parse(line))) {
    if (!orders.has(rules)) orders.set(rules, []);
    orders.get(rules).push(position);
  }
  return [...orders].map(([name, positions]) => ({ rules: { name }, positions }));
}

// Evaluations a second. Each position is evaluated so often that reading the positions does not count.
export function evaluationsPerSecond(engine, lines, rounds) {
  const began = performance.now();
  let count = 0;
  for (const order of byRules(lines)) {
    engine.evaluate({ ...order, rounds });
    count += rounds * order.positions.length;
  }
  return (1000 * count) / (performance.now() - began);
}

// The checksum of all outputs, as `evaluations` of tablut-net computes it.
export function checksum(engine, lines) {
  const bits = new Uint32Array(1);
  const value = new Float32Array(bits.buffer);
  let sum = 0xcbf29ce484222325n;
  for (const order of byRules(lines)) {
    for (const outputs of engine.evaluate({ ...order, rounds: 1 })) {
      for (const output of outputs) {
        value[0] = output;
        sum = BigInt.asUintN(64, (sum ^ BigInt(bits[0])) * 0x100000001b3n);
      }
    }
  }
  return sum.toString(16).padStart(16, "0");
}

// A person who plays moves that follow from a counter alone, against a level.
function replyTimes(engine, level, replies) {
  const times = [];
  let id = 0;
  const ask = (request) => {
    id += 1;
    const outputs = engine.request({ id, ...request });
    const refused = outputs.find(({ event }) => event === "refused");
    if (refused) throw new Error(refused.error);
    return outputs;
  };
  const stateOf = (outputs) => outputs.findLast(({ event }) => event === "state");
  while (times.length < replies) {
    const players = { attackers: { kind: "person" }, defenders: { kind: "computer", name: level, net: 0 } };
    let state = stateOf(ask({ do: "new", rules: { name: "kvasir" }, players }));
    while (!state.ending && times.length < replies) {
      const { text: move } = state.moves[(7 * id) % state.moves.length];
      const began = performance.now();
      state = stateOf(ask({ do: "play", move }));
      if (state.ending) break;
      let answer;
      while (!answer) answer = stateOf(engine.step(performance.now()));
      times.push(performance.now() - began);
      state = answer;
    }
  }
  return { median: Math.round(at(times, 0.5)), within90: Math.round(at(times, 0.9)), longest: Math.round(Math.max(...times)) };
}

// Simulations of an analysis after one second, and its longest step, for which a request may have to wait.
function analysis(engine) {
  engine.request({ id: 1, do: "new", rules: { name: "kvasir" } });
  engine.request({ id: 2, do: "analyse", on: true });
  let [longest, simulations] = [0, 0];
  for (const end = performance.now() + 1000; performance.now() < end; ) {
    const began = performance.now();
    const found = engine.step(began).findLast(({ event }) => event === "analysis");
    simulations = found?.analysis.simulations ?? simulations;
    longest = Math.max(longest, performance.now() - began);
  }
  engine.request({ id: 3, do: "analyse", on: false });
  return { simulations, longest_step_ms: Math.round(longest) };
}

export async function start(startEngine, site, bytesOf) {
  const engine = await startEngine(await WebAssembly.compile(await bytesOf(site.engine.file)), { net: site.net.name });
  engine.loadNet(await bytesOf(site.net.file));
  return engine;
}

export function thinking(engine) {
  const replies = Object.fromEntries(Object.entries(LEVELS).map(([level, count]) => [level, replyTimes(engine, level, count)]));
  return { replies, analysis: analysis(engine), memory_mb: Math.round(engine.bytes() / 1e6) };
}
