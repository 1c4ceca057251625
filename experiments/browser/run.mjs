// Measures the engine in node and in Chromium, and the kernels of this machine beside it:
// node experiments/browser/run.mjs SITE TABLUT
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { webcrypto } from "node:crypto";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { measured } from "./measure.mjs";

globalThis.crypto ??= webcrypto;
const [folder, tablut] = process.argv.slice(2);
if (!tablut) throw new Error("expected the folder of a site and the program tablut");

for (const simd of ["plain", "avx2"]) {
  const shape = ["--shape", "lines32x2", "--batch", "16", "--threads", "1", "--secs", "10", "--json"];
  const text = execFileSync(tablut, ["bench", "inference", ...shape], { env: { ...process.env, TABLUT_SIMD: simd } }).toString();
  const { evals_per_sec: median, best_evals_per_sec: best } = JSON.parse(text);
  console.log(JSON.stringify({ where: `native, ${simd}`, evaluations: { median: Math.round(median), best: Math.round(best) } }));
}

const { startEngine } = await import("data:text/javascript," + encodeURIComponent(readFileSync(join(folder, "js/engine.js"), "utf8")));
const { site } = JSON.parse(readFileSync(join(folder, "first.json"), "utf8"));
const inNode = await measured(startEngine, site, async (file) => readFileSync(join(folder, file)));
console.log(JSON.stringify({ where: `node ${process.version}`, ...inNode }));

const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".json": "application/json" };
const PAGE = '<!doctype html><script type="module">new Worker("/measure/worker.mjs", { type: "module" });</script>';
const profile = mkdtempSync(join(tmpdir(), "tablut-"));
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, "http://localhost");
  if (request.method === "POST") {
    let text = "";
    request.on("data", (part) => { text += part; });
    request.on("end", () => {
      response.end();
      console.log(JSON.stringify({ where: request.headers["user-agent"].match(/Chrome\/\d+/)[0], ...JSON.parse(text) }));
      chromium.kill();
      server.close();
    });
  } else if (pathname === "/") {
    response.setHeader("content-type", "text/html");
    response.end(PAGE);
  } else {
    const file = pathname.startsWith("/measure/") ? join(import.meta.dirname, pathname.slice(9)) : join(folder, pathname);
    try {
      const content = readFileSync(file);
      response.setHeader("content-type", TYPES[extname(file)] ?? "application/octet-stream");
      response.end(content);
    } catch {
      response.statusCode = 404;
      response.end();
    }
  }
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--no-first-run"];
const chromium = spawn("chromium", [...flags, `--user-data-dir=${profile}`, `http://127.0.0.1:${server.address().port}/`], { stdio: "ignore" });
chromium.on("exit", () => rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
