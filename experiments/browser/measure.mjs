// What the engine does in a JavaScript machine: evaluations a second, and how long each level takes to answer.

const BATCH = 16;
const SPEED_ROUNDS = 60;
const LEVELS = { newcomer: 40, casual: 40, club: 80, strong: 60, expert: 20, full: 6 };

const sorted = (numbers) => [...numbers].sort((a, b) => a - b);
const at = (numbers, part) => sorted(numbers)[Math.min(numbers.length - 1, Math.floor(part * numbers.length))];

function evaluationsPerSecond(engine) {
  const speeds = [];
  for (let round = 0; round < SPEED_ROUNDS; round += 1) {
    const began = performance.now();
    engine.evaluate(10);
    speeds.push((10 * BATCH * 1000) / (performance.now() - began));
  }
  return { median: Math.round(at(speeds.slice(5), 0.5)), best: Math.round(Math.max(...speeds)) };
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
  return { replies, median: Math.round(at(times, 0.5)), within90: Math.round(at(times, 0.9)), longest: Math.round(Math.max(...times)) };
}

// The longest step of a search, for which a request may have to wait.
function longestStep(engine) {
  engine.request({ id: 1, do: "new", rules: { name: "kvasir" } });
  engine.request({ id: 2, do: "analyse", on: true });
  let longest = 0;
  for (const end = performance.now() + 10000; performance.now() < end; ) {
    const began = performance.now();
    engine.step(began);
    longest = Math.max(longest, performance.now() - began);
  }
  engine.request({ id: 3, do: "analyse", on: false });
  return Math.round(longest);
}

export async function measured(startEngine, site, bytesOf) {
  const engine = await startEngine(await bytesOf(site.engine.file), { net: site.net, parts: site.parts });
  for (const [index, part] of site.parts.entries()) engine.loadPart(index, await bytesOf(part.file));
  const evaluations = evaluationsPerSecond(engine);
  const replies = Object.fromEntries(Object.entries(LEVELS).map(([level, count]) => [level, replyTimes(engine, level, count)]));
  const longest = longestStep(engine);
  return { evaluations, replies, longest_step_ms: longest, memory_mb: Math.round(engine.bytes() / 1e6) };
}
