// Chromium over a site's files, without a display. Its page asks this program for tasks and posts their results.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";

const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".json": "application/json", ".html": "text/html", ".css": "text/css", ".svg": "image/svg+xml", ".wasm": "application/wasm" };
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--no-first-run"];

const pause = (ms) => new Promise((then) => setTimeout(then, ms));

// Serves `folder`, compressed as static hosts do, and the files beside this one as `/measure`. `index` replaces the page. All
// files together get the bytes of the network. `answer` may answer a request itself, and then returns true.
export async function serve(folder, { index, network }, answer = () => false) {
  let free = 0;
  async function send(response, content) {
    if (!network) return response.end(content);
    await pause(network.firstByteMs);
    for (let at = 0; at < content.length; at += 4096) {
      const part = content.subarray(at, at + 4096);
      free = Math.max(free, performance.now()) + part.length / network.bytesPerMs;
      await pause(free - performance.now());
      response.write(part);
    }
    response.end();
  }
  const server = createServer((request, response) => {
    if (answer(request, response)) return;
    const { pathname } = new URL(request.url, "http://localhost");
    const path = pathname === "/" ? "/index.html" : pathname;
    try {
      const file = path.startsWith("/measure/") ? join(import.meta.dirname, path.slice(9)) : join(folder, path);
      const content = gzipSync(path === "/index.html" ? index : readFileSync(file));
      response.setHeader("content-type", TYPES[extname(path)] ?? "application/octet-stream");
      response.setHeader("content-encoding", "gzip");
      send(response, content);
    } catch {
      response.statusCode = 404;
      response.end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}/`, close: () => { server.close(); server.closeAllConnections(); } };
}

// A browser with a folder of its own, which is deleted at its end, or with the folder `kept`.
export function startChromium(address, kept = null) {
  const profile = kept ?? mkdtempSync(join(tmpdir(), "tablut-"));
  const chromium = spawn("chromium", [...FLAGS, `--user-data-dir=${profile}`, address], { stdio: "ignore", detached: true });
  chromium.on("exit", () => { if (!kept) rm(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }); });
  return chromium;
}

// A browser whose page works on one task at a time.
export async function startBrowser(folder, page) {
  const orders = [];
  let [waiting, resolve, opened] = [null, null, null];
  const isOpen = new Promise((then) => { opened = then; });
  const hand = () => {
    if (!waiting || !orders.length) return;
    waiting.end(orders.shift());
    waiting = null;
  };
  const server = await serve(folder, { index: "<!doctype html>" + page }, (request, response) => {
    if (request.url === "/next") {
      opened(request.headers["user-agent"].match(/Chrome\/\d+/)[0]);
      waiting = response;
      hand();
    } else if (request.url === "/result") {
      let text = "";
      request.on("data", (part) => { text += part; });
      request.on("end", () => { response.end(); resolve(JSON.parse(text)); });
    } else return false;
    return true;
  });
  const chromium = startChromium(server.address);
  const name = await isOpen;
  const order = (what) => { orders.push(JSON.stringify(what)); hand(); };
  const ask = (what) => new Promise((then) => { resolve = then; order(what); });
  const end = () => new Promise((then) => {
    order({ task: "end" });
    chromium.on("exit", then);
    chromium.kill();
    server.close();
  });
  return { name, ask, end };
}
