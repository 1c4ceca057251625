// How long a first visit waits for the computer's first reply, on a phone: node experiments/browser/phone.mjs SITE [SITE…]
//
// A phone is Chromium that runs a quarter of the time, all its processes together. Its network is 3G (1.6 Mbit/s, 300 ms until
// a file's first byte), or as fast as the machine. The visitor moves as soon as the board takes a move. Sites take turns.
import { readFileSync, readdirSync } from "node:fs";
import { serve, startChromium } from "./browser.mjs";

const TURNS = 3;
const SLICE_MS = 10;
const SLOWER = 4;
const NETWORKS = { "fast network": null, "3G": { bytesPerMs: 200, firstByteMs: 300 } };

// The processes that a process has started, and theirs.
function family(pid) {
  const parents = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map((name) => {
    try {
      return [Number(name), Number(readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1].split(" ")[1])];
    } catch {
      return [0, 0];
    }
  });
  const found = [pid];
  for (const parent of found) found.push(...parents.filter(([, of]) => of === parent).map(([child]) => child));
  return found;
}

function signal(pids, name) {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended.
    }
  }
}

// Lets a process and all that it starts run one slice of four. Returns a function that ends this.
function slow(pid) {
  let slice = 0;
  let stopped = [];
  const timer = setInterval(() => {
    slice = (slice + 1) % SLOWER;
    if (slice === 0) signal(stopped, "SIGCONT");
    if (slice === 1) signal(stopped = family(pid), "SIGSTOP");
  }, SLICE_MS);
  return () => { clearInterval(timer); signal(stopped, "SIGCONT"); };
}

async function firstReply(folder, network) {
  let done;
  const result = new Promise((then) => { done = then; });
  const visitor = '<script type="module" src="/measure/visitor.mjs"></script>';
  const index = readFileSync(folder + "/index.html", "utf8").replace("</body>", visitor + "</body>");
  const server = await serve(folder, { index, network }, (request, response) => {
    if (request.url !== "/result") return false;
    let text = "";
    request.on("data", (part) => { text += part; });
    request.on("end", () => { response.end(); done(JSON.parse(text)); });
    return true;
  });
  const chromium = startChromium(server.address);
  const endSlow = slow(chromium.pid);
  const times = await result;
  endSlow();
  await new Promise((then) => { chromium.on("exit", then); chromium.kill(); });
  server.close();
  return times;
}

const found = {};
for (let turn = 0; turn < TURNS; turn += 1) {
  for (const [name, network] of Object.entries(NETWORKS)) {
    for (const folder of process.argv.slice(2)) {
      const times = await firstReply(folder, network);
      (found[`${folder}, ${name}`] ??= []).push(times);
      console.log(folder, name, JSON.stringify(times));
    }
  }
}
const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
for (const [where, times] of Object.entries(found)) {
  const seconds = (what) => (median(times.map((one) => one[what])) / 1000).toFixed(1);
  console.log(`${where}: board ${seconds("board")} s, reply ${seconds("reply")} s (median of ${times.length})`);
}
