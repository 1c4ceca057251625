#!/usr/bin/env python3
"""Times the engine with each instruction set in turn, on one core: run.py target/release/tablut. It takes a minute."""

import json
import os
import statistics
import subprocess
import sys

SHAPES = ["lines32x1", "lines32x2", "lines64x2"]
BATCHES = ["1", "64"]
ROUNDS = 5


def timings(program, simd):
    command = [program, "bench", "inference", "--shape", ",".join(SHAPES), "--batch", ",".join(BATCHES)]
    command += ["--threads", "1", "--secs", "0.5", "--json"]
    done = subprocess.run(command, env={**os.environ, "TABLUT_SIMD": simd}, capture_output=True, text=True)
    if "has no " + simd in done.stderr:
        return None
    done.check_returncode()
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {(line["shape"], str(line["batch"])): line["evals_per_sec"] for line in lines}


def main():
    found = {}
    for _ in range(ROUNDS):
        for simd in ["avx512", "avx2", "plain"]:
            for key, speed in (timings(sys.argv[1], simd) or {}).items():
                found.setdefault(simd, {}).setdefault(key, []).append(speed)
    columns = [(simd, batch) for simd in found for batch in BATCHES]
    print("| net | " + " | ".join(f"{simd}, batch {batch}" for simd, batch in columns) + " |")
    print("|---|" + "--:|" * len(columns))
    for shape in SHAPES:
        medians = [statistics.median(found[simd][shape, batch]) for simd, batch in columns]
        print(f"| {shape} | " + " | ".join(f"{speed:,.0f}" for speed in medians) + " |")


main()
