// Evaluates 10,000 positions of all rule sets with every instruction set, and compares the checksums of all outputs:
// node experiments/browser/bits.mjs SITE target/release/examples/evaluations target/aarch64-unknown-linux-gnu/release/examples/evaluations [POSITIONS]
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { webcrypto } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checksum, start } from "./measure.mjs";

globalThis.crypto ??= webcrypto;
const [folder, here, arm, n = "10000"] = process.argv.slice(2);
if (!arm) throw new Error("expected the folder of a site, and the program `evaluations` for this machine and for ARM");

const work = mkdtempSync(join(tmpdir(), "tablut-"));
const file = join(work, "positions");
const positions = execFileSync(here, [n, "7", "9", "11"], { maxBuffer: 1 << 26 }).toString();
writeFileSync(file, positions);

const found = {};
function note(where, sum) {
  found[where] = sum;
  console.log(sum, where);
}
function native(where, program, words, simd) {
  const text = execFileSync(program, [...words, file, "1"], { env: { ...process.env, TABLUT_SIMD: simd } });
  note(where, JSON.parse(text).checksum);
}
for (const simd of ["avx512", "avx2", "plain"]) native(simd, here, [], simd);
const emulator = (cpu) => ["-L", "/usr/aarch64-linux-gnu", "-cpu", cpu, arm];
native("neon with dot products", "qemu-aarch64-static", emulator("max"), "neon");
native("neon without", "qemu-aarch64-static", emulator("cortex-a53"), "neon");
const { startEngine } = await import("data:text/javascript," + encodeURIComponent(readFileSync(join(folder, "js/engine.js"), "utf8")));
const { site } = JSON.parse(readFileSync(join(folder, "first.json"), "utf8"));
const engine = await start(startEngine, site, async (name) => readFileSync(join(folder, name)));
note(`simd128 in node ${process.version}`, checksum(engine, positions));
rmSync(work, { recursive: true });
if (new Set(Object.values(found)).size !== 1) throw new Error("the bits differ");
console.log(`${n} positions: the same bits ${Object.keys(found).length} times`);
