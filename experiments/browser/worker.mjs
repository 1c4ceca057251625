// The measurement in a Web Worker, as the page's engine runs.
import { startEngine } from "/js/engine.js";
import { measured } from "/measure/measure.mjs";

const bytesOf = async (file) => new Uint8Array(await (await fetch("/" + file)).arrayBuffer());
const { site } = await (await fetch("/first.json")).json();
const result = await measured(startEngine, site, bytesOf).catch((error) => ({ error: error.stack }));
await fetch("/result", { method: "POST", body: JSON.stringify(result) });
