// Teaches a net in Chromium, which is killed and started again at random moments, and compares it with the program's:
// node experiments/browser/teach.mjs SITE TABLUT [KILLS] [WORKERS]
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve, startChromium } from "./browser.mjs";

const [SHORTEST_MS, LONGEST_MS] = [1000, 6000];
const CONFIG = join(import.meta.dirname, "tiny.toml");

const [site, tablut, kills = "30", workers = "3"] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "tablut-teach-"));
const hash = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 16);

const run = join(folder, "run");
const trained = spawnSync(tablut, ["train", CONFIG, "--run", run], { env: { ...process.env, TABLUT_SIMD: "plain" }, encoding: "utf8" });
if (trained.status !== 0) throw new Error(trained.stderr);
const generations = Number(readFileSync(CONFIG, "utf8").match(/generations = (\d+)/)[1]);
const expected = hash(readFileSync(join(run, "checkpoints", `gen-${String(generations - 1).padStart(5, "0")}.safetensors`)));

let round = 1;
const order = () => JSON.stringify({ run: `run-${round}`, workers: Number(workers), config: readFileSync(CONFIG, "utf8") });
let [hear, last] = [() => {}, null];
const server = await serve(site, { index: '<!doctype html><script type="module" src="/measure/teachpage.mjs"></script>' }, (request, response) => {
  if (request.url === "/order") response.end(order());
  else if (request.url === "/event") {
    let text = "";
    request.on("data", (part) => { text += part; });
    request.on("end", () => { response.end(); hear(JSON.parse(text)); });
  } else return false;
  return true;
});

// Runs the browser until the net is there, or for some time. Gives the net, or null.
function visit(ms) {
  const chromium = startChromium(server.address, join(folder, "profile"));
  return new Promise((resolve, reject) => {
    const end = (result) => {
      clearTimeout(timer);
      hear = () => {};
      chromium.on("exit", () => result instanceof Error ? reject(result) : resolve(result));
      process.kill(-chromium.pid, "SIGKILL");
    };
    const timer = setTimeout(() => end(null), ms);
    hear = (event) => {
      if (event.event === "training") last = event;
      if (event.event === "refused") end(new Error(event.error));
      else if (event.state?.failed) end(new Error(event.state.failed));
      else if (event.event === "net-file") end(Buffer.from(event.base64, "base64"));
    };
  });
}

const counts = {};
let n = 0;
let isSame = true;
function compare(net) {
  console.log(`round ${round}: ${hash(net)}, the program's net is ${expected}`);
  isSame &&= hash(net) === expected;
  round += 1;
}
// A net that is finished before the last kill begins another round.
while (n < Number(kills)) {
  last = null;
  const net = await visit(SHORTEST_MS + Math.random() * (LONGEST_MS - SHORTEST_MS));
  if (net) {
    compare(net);
    continue;
  }
  n += 1;
  const phase = last?.phase ?? "starting";
  counts[phase] = (counts[phase] ?? 0) + 1;
}
compare(await visit(2 ** 31 - 1));
console.log(`${n} kills ${JSON.stringify(counts)}: ${isSame ? "the same nets" : "OTHER NETS"}`);
server.close();
rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
process.exitCode = isSame ? 0 : 1;
