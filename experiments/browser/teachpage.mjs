// A page that goes on with a run until it has ended, tells all events, and posts the net.

const order = await (await fetch("/order")).json();
const post = (path, value) => fetch(path, { method: "POST", body: JSON.stringify(value) });
const teacher = new Worker("/js/teacher.js", { type: "module" });
teacher.addEventListener("message", ({ data: { event } }) => {
  if (!event) return;
  if (event.event === "training" && event.state === "ended") teacher.postMessage({ request: { id: 2, do: "download-net", run: order.run } });
  post("/event", event);
});
teacher.addEventListener("error", (event) => post("/event", { event: "refused", error: event.message }));
teacher.postMessage({ teach: await WebAssembly.compileStreaming(fetch("/teacher.wasm")), workers: order.workers });
teacher.postMessage({ request: { id: 1, do: "teach-config", run: order.run, config: order.config, rules: [] } });
