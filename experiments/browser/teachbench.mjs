// One player and the learner in turn on this thread: the games and the steps of one generation, with their speeds.

const GAMES_AT_ONCE = 64;

// `start` is the module's startTeaching, `clock` gives milliseconds.
export async function bench(start, module, config, clock) {
  const [{ learner }, { player }] = [await start(module), await start(module)];
  let { json: state } = learner({ do: "open", config, rules: [], generation: null, metrics: [], games: [], spent: 0, seconds: null });
  const found = [];
  while (!state.finished) {
    const { json: { order, missing }, parts } = learner({ do: "order" });
    player({ do: "play", order }, parts);
    let [left, running, evaluations] = [missing.length, 0, 0];
    const began = clock();
    while (left) {
      player({ do: "add", games: missing.splice(0, GAMES_AT_ONCE - running) });
      const { json, parts: games } = player({ do: "round" });
      ({ running, evaluations } = json);
      left -= games.length;
      learner({ do: "game" }, games);
    }
    const played = clock();
    const { json: { steps } } = learner({ do: "learn", seconds: 1 });
    const before = clock();
    for (let step = 0; step < steps; step++) learner({ do: "step" });
    const learnt = clock();
    learner({ do: "learnt" });
    ({ json: state } = learner({ do: "finish" }));
    const batch = Number(config.match(/batch_size = (\d+)/)[1]);
    found.push([(1000 * evaluations) / (played - began), (1000 * steps * batch) / (learnt - before)]);
  }
  // The browser compiles the code well only once it has run for a while.
  return found.at(-1);
}

if (globalThis.document) {
  const { startTeaching } = await import("/js/teachmodule.js");
  const [config, module] = await Promise.all([(await fetch("/order")).text(), WebAssembly.compileStreaming(fetch("/teacher.wasm"))]);
  const speeds = await bench(startTeaching, module, config, () => performance.now());
  await fetch("/event", { method: "POST", body: JSON.stringify(speeds) });
}
