// The WebAssembly module of the host: text and bytes go into its memory, JSON comes out.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

// Starts the module. The functions throw with the module's words; after a bug in it only a new one helps.
export async function startEngine(module, settings) {
  const { exports: wasm } = await WebAssembly.instantiate(module, {});
  const output = () => decoder.decode(new Uint8Array(wasm.memory.buffer, wasm.tablut_output(), wasm.tablut_output_bytes()));
  function call(name, argument, ...numbers) {
    if (argument !== null) {
      const given = typeof argument === "string" ? encoder.encode(argument) : argument;
      const at = wasm.tablut_input(given.length);
      if (!at && given.length) throw new Error(`${given.length} bytes are too many for this page`);
      new Uint8Array(wasm.memory.buffer, at, given.length).set(given);
    }
    let done = 0;
    try {
      done = wasm[name](...numbers);
    } catch (error) {
      throw Object.assign(new Error(output() || String(error)), { isBug: true });
    }
    if (!done) throw new Error(output());
    return JSON.parse(output());
  }
  call("tablut_start", JSON.stringify({ ...settings, seed: Array.from(crypto.getRandomValues(new Uint32Array(2))) }));
  return {
    loadNet: (bytes) => call("tablut_load_net", bytes),
    readNet: (bytes) => call("tablut_read_net", bytes),
    offerNets: (bytes) => call("tablut_offer_nets", bytes),
    addPuzzles: (text) => call("tablut_add_puzzles", text),
    request: (request) => call("tablut_request", JSON.stringify(request)),
    step: (now) => call("tablut_step", null, now),
    pause: (now) => wasm.tablut_pause(now),
    setHidden: (hidden) => call("tablut_set_hidden", null, Number(hidden)),
    found: (found) => call("tablut_found", JSON.stringify(found)),
    help: (order) => call("tablut_help", JSON.stringify(order)),
    helpStep: () => call("tablut_help_step", null),
    helpFound: () => call("tablut_help_found", null),
    report: (order) => call("tablut_report", JSON.stringify(order)),
    evaluate: (order) => call("tablut_evaluate", JSON.stringify(order)),
    bytes: () => wasm.memory.buffer.byteLength,
  };
}
