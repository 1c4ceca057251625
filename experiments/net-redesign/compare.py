#!/usr/bin/env python3
"""Two builds side by side, in turns: compare.py BEFORE AFTER (paths of the binary `tablut`), from the repository's root."""

import json
import math
import shutil
import statistics
import subprocess
import sys
import time

BEFORE, AFTER = sys.argv[1:3]


def run(binary, arguments):
    return subprocess.run([binary, *arguments], capture_output=True, text=True, check=True).stdout


def in_turns(name, rounds, measure):
    """Measures both builds in each round, in changing order. The median of the rounds' ratios counts: a machine's speed drifts."""
    values = {BEFORE: [], AFTER: []}
    for turn in range(rounds):
        for binary in (BEFORE, AFTER) if turn % 2 == 0 else (AFTER, BEFORE):
            values[binary].append(measure(binary))
    before, after = (statistics.median(values[binary]) for binary in (BEFORE, AFTER))
    ratios = sorted(after / before for before, after in zip(values[BEFORE], values[AFTER]))
    # The interval of a median from its order statistics: 95 % by the normal approximation of the binomial distribution.
    half = 0.98 * math.sqrt(rounds)
    low = ratios[max(0, math.floor(rounds / 2 - half))]
    high = ratios[min(rounds - 1, math.ceil(rounds / 2 + half) - 1)]
    print(
        f"{name}: before {before:.5g}, after {after:.5g}, ratio {statistics.median(ratios):.3f} ({low:.3f} to {high:.3f})",
        flush=True,
    )


def selfplay(binary):
    shutil.rmtree("/tmp/compare-selfplay", ignore_errors=True)
    start = time.time()
    run(binary, "selfplay models/quickstart.tablut --games 96 --simulations 32 --seed 3 --out /tmp/compare-selfplay".split())
    return time.time() - start


def steps(shape, n):
    arguments = ["bench", "training", "--shape", shape, "--steps", str(n), "--json"]
    return lambda binary: json.loads(run(binary, arguments).splitlines()[0])["best_samples_per_sec"]


def inference(binary):
    arguments = "bench inference --shape b6c64 --batch 64 --threads 2 --json".split()
    return json.loads(run(binary, arguments).splitlines()[0])["evals_per_sec"]


def search(method):
    def measure(binary):
        lines = run(binary, "bench search --secs 2 --plies 1 --json".split()).splitlines()
        return max(json.loads(line)["best_simulations_per_sec"] for line in lines if json.loads(line)["method"] == method)

    return measure


in_turns("search, Gumbel, simulations/s", 12, search("gumbel"))
in_turns("search, PUCT, simulations/s", 12, search("puct"))
in_turns("self-play, seconds", 24, selfplay)
in_turns("training b4c32, samples/s", 12, steps("b4c32", 16))
in_turns("training b6c64, samples/s", 8, steps("b6c64", 5))
in_turns("inference b6c64, batch 64, evaluations/s", 16, inference)
