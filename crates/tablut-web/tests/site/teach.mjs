// Teaches a net with the module of a site: `node teach.mjs SITE PLAYERS`, with the config on the input. The net is the output.
import { readFileSync, writeFileSync } from "node:fs";

const GAMES_AT_ONCE = 7;

const [site, nPlayers] = process.argv.slice(2);
const source = readFileSync(`${site}/js/teachmodule.js`, "utf8");
const { startTeaching } = await import("data:text/javascript," + encodeURIComponent(source));
const module = await WebAssembly.compile(readFileSync(`${site}/teacher.wasm`));
const { learner } = await startTeaching(module);
const players = await Promise.all(Array.from({ length: Number(nPlayers) }, () => startTeaching(module)));
const config = readFileSync(0, "utf8");
let state = learner({ do: "open", config, rules: [], generation: null, metrics: [], games: [], spent: 0, seconds: null }).json;
let net = null;
while (!state.finished) {
  const { json: { order, missing }, parts } = learner({ do: "order" });
  for (const { player } of players) player({ do: "play", order }, parts);
  const running = players.map(() => 0);
  let left = missing.length;
  while (left) {
    players.forEach(({ player }, place) => {
      const games = missing.splice(0, GAMES_AT_ONCE - running[place]);
      player({ do: "add", games });
      const { json, parts: finished } = player({ do: "round" });
      running[place] = json.running;
      left -= finished.length;
      learner({ do: "game" }, finished);
    });
  }
  const { json: { steps } } = learner({ do: "learn", seconds: 1 });
  for (let step = 0; step < steps; step++) learner({ do: "step" });
  learner({ do: "learnt" });
  const finished = learner({ do: "finish" });
  state = finished.json;
  net = finished.parts[1];
}
writeFileSync(1, net);
