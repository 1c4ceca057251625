// Searches positions with the engine of a site: `node report.mjs SITE`, with one order in JSON on each line of the input.
import { readFileSync } from "node:fs";
import { webcrypto } from "node:crypto";

globalThis.crypto ??= webcrypto;
const [site] = process.argv.slice(2);
const source = readFileSync(`${site}/js/engine.js`, "utf8");
const { startEngine } = await import("data:text/javascript," + encodeURIComponent(source));
const { net } = JSON.parse(readFileSync(`${site}/first.json`, "utf8")).site;
const engine = await startEngine(await WebAssembly.compile(readFileSync(`${site}/engine.wasm`)), { net: net.name });
engine.loadNet(readFileSync(`${site}/${net.file}`));
for (const line of readFileSync(0, "utf8").split("\n")) if (line) console.log(JSON.stringify(engine.report(JSON.parse(line))));
