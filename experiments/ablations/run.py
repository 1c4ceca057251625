#!/usr/bin/env python3
"""Trains variants of a config with several seeds, plays their nets against the base's, and prints what each is worth.

    run.py train  --binary tablut --base base.toml --variants variants.json --out DIR [--jobs 16] [--seeds 3]
    run.py match  --binary tablut --base base.toml --variants variants.json --out DIR [--jobs 16] [--games 60]
    run.py table  --variants variants.json --out DIR

`variants.json` maps a name to what differs from the base: a list of `key=value`. The name "base" has none. Every run
has one thread, so that `jobs` of them share a machine of as many cores. All steps can be stopped and called again:
what is done is kept. The table needs no binary.
"""

import argparse
import json
import math
import os
import queue
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["train", "match", "table"])
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--base", default="experiments/ablations/base.toml", help="the config that variants differ from")
    parser.add_argument("--variants", required=True)
    parser.add_argument("--out", required=True, help="folder of runs and results")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--games", type=int, default=60, help="games against each of the base's nets")
    parser.add_argument("--simulations", type=int, default=128)
    parser.add_argument("--rules", default="kvasir")
    parser.add_argument("--minutes", type=float, default=1e9, help="start nothing new after so many minutes")
    options = parser.parse_args()
    variants = json.loads(Path(options.variants).read_text())
    options.deadline = time.time() + 60 * options.minutes
    Path(options.out).mkdir(parents=True, exist_ok=True)
    {"train": train, "match": play, "table": table}[options.step](options, variants)


def each(options, jobs, work):
    """Calls `work` on the jobs in order, `options.jobs` at a time, each on a core of its own."""
    cores = queue.SimpleQueue()
    all_cores = os.sched_getaffinity(0)
    for core in (sorted(all_cores) * options.jobs)[: options.jobs]:
        # A single job may wander: it may share the machine with other work.
        cores.put(all_cores if options.jobs == 1 else {core})

    def one(job):
        if time.time() > options.deadline:
            return
        core = cores.get()
        try:
            work(core, *job)
        finally:
            cores.put(core)

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, jobs))


def start(cores, command, **streams):
    """Starts a command with one thread of learning, that sees only some cores."""
    environment = {**os.environ, "RAYON_NUM_THREADS": "1"}
    return subprocess.Popen(command, preexec_fn=lambda: os.sched_setaffinity(0, cores), env=environment, **streams)


def run_folder(options, name, seed):
    return Path(options.out) / f"{name}-s{seed}"


def train(options, variants):
    def one(core, name, seed):
        folder = run_folder(options, name, seed)
        done = folder / "trained.json"
        if done.exists():
            return
        sets = [f"seed={seed}", "evaluation.games=0", "machine.workers=1", *variants[name]]
        command = [options.binary, "train", options.base, "--run", str(folder)]
        command += [part for assignment in sets for part in ("--set", assignment)]
        with open(folder.with_suffix(".log"), "ab") as log:
            begin = time.time()
            _, status, usage = os.wait4(start(core, command, stdout=log, stderr=log).pid, 0)
        if status != 0:
            sys.exit(f"{folder}: training failed, see {folder.with_suffix('.log')}")
        lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
        result = {
            "name": name,
            "seed": seed,
            "cpu_seconds": usage.ru_utime + usage.ru_stime,
            "wall_seconds": time.time() - begin,
            "evaluations": sum(line["selfplay"]["evaluations"] for line in lines),
            "steps": sum(line["learning"]["steps"] for line in lines),
            "last": lines[-1],
        }
        done.write_text(json.dumps(result))
        print(f"trained {name} seed {seed}: {result['cpu_seconds']:.0f} s of one core", flush=True)

    # Long runs first in each round of seeds, so that the cores end together.
    cost = lambda name: -float(next((v.split("=")[1] for v in variants[name] if v.startswith("schedule.generations")), 0))
    each(options, [(name, seed) for seed in range(1, options.seeds + 1) for name in sorted(variants, key=cost)], one)


def newest(folder):
    checkpoints = [p for p in folder.glob("checkpoints/gen-*.safetensors") if not p.name.endswith(".state.safetensors")]
    return max(checkpoints, key=lambda p: int(p.name.split("-")[1].split(".")[0]))


def play(options, variants):
    def one(core, name, seed, base_seed):
        out = Path(options.out) / f"match-{name}-s{seed}-base-s{base_seed}.json"
        folders = run_folder(options, name, seed), run_folder(options, "base", base_seed)
        if out.exists() or not all((folder / "trained.json").exists() for folder in folders):
            return
        players = [f"net:{newest(folder)}@{options.simulations}" for folder in folders]
        command = [options.binary, "match", *players, "--games", str(options.games), "--rules", options.rules, "--json"]
        command += ["--seed", str(1000 * seed + base_seed)]
        child = start(core, command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        result, complaint = child.communicate()
        if child.returncode != 0:
            sys.exit(f"{' '.join(command)}: {complaint.decode()}")
        out.write_bytes(result)

    seeds = range(1, options.seeds + 1)
    each(options, [(n, s, b) for s in seeds for b in seeds for n in variants if n != "base" or s < b], one)


def elo(score):
    score = min(max(score, 1e-4), 1 - 1e-4)
    return 400 * math.log10(score / (1 - score))


# Two-sided 95 % quantiles of Student's t.
T95 = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26}


def table(options, variants):
    seeds = range(1, options.seeds + 1)
    rows = []
    for name in variants:
        trained = [run_folder(options, name, s) / "trained.json" for s in seeds]
        trained = [json.loads(path.read_text()) for path in trained if path.exists()]
        if not trained:
            continue
        per_seed = []
        for seed in seeds:
            scores = []
            for base_seed in seeds:
                path = Path(options.out) / f"match-{name}-s{seed}-base-s{base_seed}.json"
                if path.exists():
                    scores.append(score_of(json.loads(path.read_text())))
            if scores:
                per_seed.append((elo(sum(s for s, _ in scores) / len(scores)), sum(n for _, n in scores)))
        mean = lambda values: sum(values) / max(len(values), 1)
        row = {
            "name": name,
            "sets": variants[name],
            "seeds": len(trained),
            "cpu_seconds": mean([t["cpu_seconds"] for t in trained]),
            "evaluations": mean([t["evaluations"] for t in trained]),
            "elo_by_seed": [round(e) for e, _ in per_seed],
            "games": sum(n for _, n in per_seed),
        }
        if per_seed and name != "base":
            values = [e for e, _ in per_seed]
            row["elo"] = mean(values)
            if len(values) > 1:
                # The spread between seeds holds the games' chance too: nothing is added for it.
                deviation = math.sqrt(sum((v - row["elo"]) ** 2 for v in values) / (len(values) - 1))
                row["interval"] = T95[len(values) - 1] * deviation / math.sqrt(len(values))
        rows.append(row)
    base = next(row for row in rows if row["name"] == "base")
    slope = doubling(rows, base)
    for row in rows:
        row["time"] = row["cpu_seconds"] / base["cpu_seconds"]
        if "elo" in row:
            row["elo_at_equal_time"] = row["elo"] - slope * math.log2(row["time"])
    (Path(options.out) / "table.json").write_text(json.dumps({"elo_per_doubling": slope, "rows": rows}, indent=1))
    print(f"A doubling of the base's time is worth {slope:.0f} Elo.\n")
    print("| variant | settings | time | evaluations | Elo (by seed) | at equal time |")
    print("|---|---|---|---|---|---|")
    for row in sorted(rows, key=lambda row: -row.get("elo_at_equal_time", 0)):
        if "elo" in row:
            by_seed = ", ".join(f"{e:+d}" for e in row["elo_by_seed"])
            strength = f"{row['elo']:+.0f} ± {row.get('interval', float('nan')):.0f} ({by_seed})"
        else:
            strength = "0"
        print(
            f"| {row['name']} | `{' '.join(row['sets']) or '-'}` | {row['time']:.2f} | {row['evaluations'] / 1e6:.2f} M "
            f"| {strength} | {row.get('elo_at_equal_time', 0):+.0f} |"
        )


def doubling(rows, base):
    """Elo for twice the time, from the base's shorter and longer runs (`half`, `double`)."""
    found = [row for row in rows if row["name"] in ("half", "double") and "elo" in row]
    slopes = [row["elo"] / math.log2(row["cpu_seconds"] / base["cpu_seconds"]) for row in found]
    return sum(slopes) / len(slopes) if slopes else 0.0


def score_of(result):
    """The first player's score and the games of a `tablut match --json`."""
    score = result["matches"][0]["total"]["score"]
    return score["mean"], score["games"]


if __name__ == "__main__":
    main()
