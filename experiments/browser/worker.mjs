// The measurements in a Web Worker, as the page's engine runs. It asks for the next one, and posts its result.
import { startEngine } from "/js/engine.js";
import { evaluationsPerSecond, start, thinking } from "/measure/measure.mjs";

const bytesOf = async (file) => new Uint8Array(await (await fetch("/" + file)).arrayBuffer());
const tasks = { speed: ({ positions, rounds }) => evaluationsPerSecond(engine, positions, rounds), thinking: () => thinking(engine) };
const { site } = await (await fetch("/first.json")).json();
const engine = await start(startEngine, site, bytesOf);
for (;;) {
  const order = await (await fetch("/next")).json();
  if (order.task === "end") break;
  let result;
  try {
    result = tasks[order.task](order);
  } catch (error) {
    result = { error: error.stack };
  }
  await fetch("/result", { method: "POST", body: JSON.stringify(result) });
}
