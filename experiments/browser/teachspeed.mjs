// How fast games are played and nets learn, on one core: the program, node and Chromium in turn.
// node experiments/browser/teachspeed.mjs SITE TABLUT [TURNS]
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve, startChromium } from "./browser.mjs";
import { bench } from "./teachbench.mjs";

const [site, tablut, turns = "5"] = process.argv.slice(2);
const CONFIG = join(import.meta.dirname, "speed.toml");
const config = readFileSync(CONFIG, "utf8");

function native(simd) {
  const run = join(mkdtempSync(join(tmpdir(), "tablut-speed-")), "run");
  const one = { ...process.env, TABLUT_SIMD: simd, RAYON_NUM_THREADS: "1" };
  const trained = spawnSync(tablut, ["train", CONFIG, "--run", run, "--set", "machine.workers=1"], { env: one, encoding: "utf8" });
  if (trained.status !== 0) throw new Error(trained.stderr);
  const { selfplay, learning } = JSON.parse(readFileSync(join(run, "metrics.jsonl"), "utf8").trim().split("\n").at(-1));
  rmSync(run, { recursive: true });
  return [selfplay.evaluations / selfplay.seconds, learning.samples_per_second];
}

const source = readFileSync(join(site, "js/teachmodule.js"), "utf8");
const { startTeaching } = await import("data:text/javascript," + encodeURIComponent(source));
const module = await WebAssembly.compile(readFileSync(join(site, "teacher.wasm")));
const inNode = () => bench(startTeaching, module, config, () => performance.now());

async function inChromium() {
  let heard = null;
  const result = new Promise((resolve) => { heard = resolve; });
  const server = await serve(site, { index: '<!doctype html><script type="module" src="/measure/teachbench.mjs"></script>' }, (request, response) => {
    if (request.url === "/order") response.end(config);
    else if (request.url === "/event") {
      let text = "";
      request.on("data", (part) => { text += part; });
      request.on("end", () => { response.end(); heard(JSON.parse(text)); });
    } else return false;
    return true;
  });
  const chromium = startChromium(server.address);
  const found = await result;
  await new Promise((resolve) => { chromium.on("exit", resolve); chromium.kill(); });
  server.close();
  return found;
}

const PLACES = { AVX2: () => native("avx2"), plain: () => native("plain"), node: inNode, Chromium: inChromium };
const found = Object.fromEntries(Object.keys(PLACES).map((name) => [name, []]));
for (let turn = 0; turn < Number(turns); turn++) for (const [name, measure] of Object.entries(PLACES)) found[name].push(await measure());
const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
for (const [name, speeds] of Object.entries(found)) {
  const values = [0, 1].map((kind) => median(speeds.map((speed) => speed[kind])));
  const shares = [0, 1].map((kind) => median(speeds.map((speed, turn) => speed[kind] / found.AVX2[turn][kind])));
  console.log(`${name}: ${Math.round(values[0])} evaluations/s (${shares[0].toFixed(2)}), ${Math.round(values[1])} samples/s (${shares[1].toFixed(2)})`);
}
