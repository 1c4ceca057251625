// Measures the engine with native instruction sets, in node and in Chromium, in turn on one core each, in three minutes:
// node experiments/browser/run.mjs SITE target/release/examples/evaluations
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { webcrypto } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBrowser } from "./browser.mjs";
import { evaluationsPerSecond, start, thinking } from "./measure.mjs";

globalThis.crypto ??= webcrypto;
const [folder, evaluations] = process.argv.slice(2);
if (!evaluations) throw new Error("expected the folder of a site and the program `evaluations`");

const POSITIONS = "448";
const TURNS = 7;
// Each turn takes about half a second.
const NATIVE = { avx512: 150, avx2: 100, plain: 20 };
const ROUNDS = 30;

const work = mkdtempSync(join(tmpdir(), "tablut-"));
const file = join(work, "positions");
const positions = execFileSync(evaluations, [POSITIONS, "9"]).toString();
writeFileSync(file, positions);

function native(simd) {
  try {
    const options = { env: { ...process.env, TABLUT_SIMD: simd }, stdio: ["ignore", "pipe", "pipe"] };
    return JSON.parse(execFileSync(evaluations, [file, String(NATIVE[simd])], options)).median;
  } catch (error) {
    if (String(error.stderr).includes("has no")) return null;
    throw error;
  }
}

const { startEngine } = await import("data:text/javascript," + encodeURIComponent(readFileSync(join(folder, "js/engine.js"), "utf8")));
const { site } = JSON.parse(readFileSync(join(folder, "first.json"), "utf8"));
const engine = await start(startEngine, site, async (name) => readFileSync(join(folder, name)));
const browser = await startBrowser(folder, '<script type="module">new Worker("/measure/worker.mjs", { type: "module" });</script>');

const speeds = {};
const add = (where, speed) => { if (speed) (speeds[where] ??= []).push(speed); };
for (let turn = 0; turn < TURNS; turn += 1) {
  for (const simd of Object.keys(NATIVE)) add(simd, native(simd));
  add(`node ${process.version}`, evaluationsPerSecond(engine, positions, ROUNDS));
  add(browser.name, await browser.ask({ task: "speed", positions, rounds: ROUNDS }));
}
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
for (const [where, found] of Object.entries(speeds)) {
  const shares = speeds.avx2 && found.map((speed, turn) => speed / speeds.avx2[turn]);
  const [evaluations_per_second, best] = [median(found), Math.max(...found)].map(Math.round);
  console.log(JSON.stringify({ where, evaluations_per_second, best, share_of_avx2: shares && Number(median(shares).toFixed(3)) }));
}
console.log(JSON.stringify({ where: `node ${process.version}`, ...thinking(engine) }));
console.log(JSON.stringify({ where: browser.name, ...(await browser.ask({ task: "thinking" })) }));
await browser.end();
rmSync(work, { recursive: true });
