#!/usr/bin/env python3
"""The ratios of README.md from the files that run.sh writes: table.py OUT"""

import json
import math
import statistics
import sys
from pathlib import Path

OUT = Path(sys.argv[1])
ROUNDS = range(1, 6)


def timed(name, key):
    return [[json.loads((OUT / f"{name}-{which}-{i}.json").read_text().splitlines()[0])[key] for which in ("base", "head")] for i in ROUNDS]


def run(generation, value):
    lines = lambda which, i: (OUT / f"run-{which}-{i}" / "metrics.jsonl").read_text().splitlines()
    return [[value(json.loads(lines(which, i)[generation])) for which in ("base", "head")] for i in ROUNDS]


def row(name, pairs):
    ratios = [head / base for base, head in pairs]
    base, head = (statistics.median(pair[i] for pair in pairs) for i in (0, 1))
    mean = math.exp(statistics.mean(map(math.log, ratios)))
    print(f"| {name} | {base:,.0f} | {head:,.0f} | {mean:.2f} ({min(ratios):.2f} to {max(ratios):.2f}) |")


print("| | base | today | ratio, geometric mean (range) |\n|---|--:|--:|---|")
row("search, Gumbel, 800 simulations: simulations/s", timed("search", "simulations_per_sec"))
row("search, best of 3 s", timed("search", "best_simulations_per_sec"))
row("training steps: samples/s", timed("training", "samples_per_sec"))
row("training steps, best of 20", timed("training", "best_samples_per_sec"))
for threads in (1, 2):
    row(f"inference, threads: {threads}: evaluations/s", timed(f"inference-{threads}", "evals_per_sec"))
    row(f"inference, threads: {threads}, best batch", timed(f"inference-{threads}", "best_evals_per_sec"))
for generation in range(3):
    row(f"self-play, generation {generation}: evaluations/s", run(generation, lambda m: m["selfplay"]["evaluations"] / m["selfplay"]["seconds"]))
    row(f"learning, generation {generation}: samples/s", run(generation, lambda m: m["learning"]["samples_per_second"]))
