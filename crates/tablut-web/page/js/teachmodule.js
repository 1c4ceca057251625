// The WebAssembly module that teaches. A message is JSON with parts, which are files or games; crates/tablut-teach says how it
// is written.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function bytesOf(json, parts) {
  const text = encoder.encode(JSON.stringify(json));
  const all = [text, ...parts];
  const head = Uint32Array.of(parts.length, ...all.map((part) => part.length));
  const bytes = new Uint8Array(head.byteLength + all.reduce((sum, part) => sum + part.length, 0));
  bytes.set(new Uint8Array(head.buffer));
  let at = head.byteLength;
  for (const part of all) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function messageOf(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const lengths = Array.from({ length: view.getUint32(0, true) + 1 }, (_, place) => view.getUint32(4 + 4 * place, true));
  let at = 4 + 4 * lengths.length;
  const [text, ...parts] = lengths.map((length) => bytes.slice(at, (at += length)));
  return { json: JSON.parse(decoder.decode(text)), parts };
}

// Starts the module. The functions `learner` and `player` answer a message, or throw with the module's words; after a bug in it
// only a new one helps.
export async function startTeaching(module) {
  const { exports: wasm } = await WebAssembly.instantiate(module, {});
  const output = () => new Uint8Array(wasm.memory.buffer, wasm.tablut_output(), wasm.tablut_output_bytes());
  function call(name, json, parts = []) {
    const given = bytesOf(json, parts);
    const at = wasm.tablut_input(given.length);
    if (!at) throw new Error(`${given.length} bytes are too many for this page`);
    new Uint8Array(wasm.memory.buffer, at, given.length).set(given);
    let done = 0;
    try {
      done = wasm[name]();
    } catch (error) {
      throw Object.assign(new Error(decoder.decode(output()) || String(error)), { isBug: true });
    }
    if (!done) throw new Error(decoder.decode(output()));
    return messageOf(output());
  }
  wasm.tablut_start();
  return { learner: (json, parts) => call("tablut_learner", json, parts), player: (json, parts) => call("tablut_player", json, parts) };
}
