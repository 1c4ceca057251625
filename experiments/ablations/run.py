#!/usr/bin/env python3
"""Trains variants of a config with several seeds, plays their nets against the base's and against frozen nets, and
prints what each variant is worth.

    run.py train  --binary tablut --base base.toml --variants variants.json --out DIR [--jobs 16] [--seeds 3]
    run.py match  --binary tablut --base base.toml --variants variants.json --out DIR [--jobs 16] [--games 40]
    run.py table  --variants variants.json --out DIR

`variants.json` maps a name to what differs from the base: a list of `key=value`. The name "base" has none. Every run
has one thread, so that `jobs` of them share a machine of as many cores. All steps can be stopped and called again:
what is done is kept. A training run that was stopped starts anew, because its time is measured. The table needs no binary.
"""

import argparse
import json
import math
import os
import queue
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from program import call_once, checkpoints  # noqa: E402

# Variants that are further from the base, in Elo, have a spread of their own: it is much wider there.
NEAR = 300
# Earlier nets with other strengths and weaknesses than the base's: a net can beat one opponent and be no stronger.
FROZEN = ["models/earlier/all-rules-1.tablut", "models/quickstart.tablut"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["train", "match", "table"])
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--base", default="experiments/ablations/base.toml", help="the config that variants differ from")
    parser.add_argument("--variants", required=True)
    parser.add_argument("--out", required=True, help="folder of runs and results")
    parser.add_argument("--only", nargs="+", help="these variants alone, and the base")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--games", type=int, default=40, help="games under each rule set against each of the base's nets and each frozen net")
    parser.add_argument("--play", default="128", help="how all nets play: what follows @ in a player's text")
    parser.add_argument("--frozen", nargs="*", default=FROZEN, help="nets outside the table that all nets play against")
    parser.add_argument("--rules", nargs="+", default=["kvasir"], help="rule sets of the matches; points count together")
    parser.add_argument("--minutes", type=float, default=1e9, help="start nothing new after so many minutes")
    options = parser.parse_args()
    variants = json.loads(Path(options.variants).read_text())
    if options.only:
        unknown = sorted(set(options.only) - set(variants))
        if unknown:
            sys.exit(f"{options.variants}: no variant is called {', '.join(unknown)}; there are {', '.join(variants)}")
        variants = {name: sets for name, sets in variants.items() if name in ["base", *options.only]}
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


def alone(cores):
    """A process that sees only some cores, with one thread of learning."""
    return {"preexec_fn": lambda: os.sched_setaffinity(0, cores), "env": {**os.environ, "RAYON_NUM_THREADS": "1"}}


def run_folder(options, name, seed):
    return Path(options.out) / f"{name}-s{seed}"


def train(options, variants):
    def one(core, name, seed):
        folder = run_folder(options, name, seed)
        done = folder / "trained.json"
        if done.exists():
            return
        sets = [f"seed={seed}", "evaluation.games=0", "machine.workers=1", *variants[name]]
        if folder.exists():
            shutil.rmtree(folder)
        command = [options.binary, "train", options.base, "--run", str(folder)]
        command += [part for assignment in sets for part in ("--set", assignment)]
        with open(folder.with_suffix(".log"), "ab") as log:
            begin = time.time()
            process = subprocess.Popen(command, stdout=log, stderr=log, **alone(core))
            _, process.returncode, usage = os.wait4(process.pid, 0)
        if process.returncode != 0:
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


def opponents(options, name, seed):
    """The nets that a variant's net of one seed plays against, by the name of their result: (path, frozen)."""
    found = {}
    for base_seed in range(1, options.seeds + 1):
        # The base's nets play each other once.
        if name != "base" or seed < base_seed:
            found[f"base-s{base_seed}"] = run_folder(options, "base", base_seed)
    for path in options.frozen:
        found[Path(path).stem] = Path(path)
    return found


def result_file(options, name, seed, opponent, rules):
    return Path(options.out) / f"match-{name}-s{seed}-{opponent}-{rules}.json"


def play(options, variants):
    def one(core, name, seed, opponent, path, rules):
        out = result_file(options, name, seed, opponent, rules)
        folders = [folder for folder in (run_folder(options, name, seed), path) if folder.suffix != ".tablut"]
        if not all((folder / "trained.json").exists() for folder in folders):
            return
        nets = checkpoints(run_folder(options, name, seed))[-1], path if path.suffix == ".tablut" else checkpoints(path)[-1]
        players = [f"net:{net}@{options.play}" for net in nets]
        command = [options.binary, "match", *players, "--games", str(options.games), "--rules", rules, "--json"]
        command += ["--seed", str(seed), "--quiet"]
        call_once(out, command, **alone(core))

    seeds = range(1, options.seeds + 1)
    jobs = [(n, s, *o, r) for s in seeds for n in variants for o in opponents(options, n, s).items() for r in options.rules]
    each(options, jobs, one)


def elo(points, games):
    """The logistic difference at a score. Half a notional win and half a loss keep lost matches finite: 0 of 40 is −763."""
    return 400 * math.log10((points + 0.5) / (games - points + 0.5))


def t95(freedom):
    """The two-sided 95 % quantile of Student's t, from the normal one (Cornish and Fisher), within 1 % from 3 degrees of freedom on."""
    return 1.96 + 2.372 / freedom + 2.823 / freedom**2 + 2.556 / freedom**3


def mean(values):
    values = list(values)
    return sum(values) / max(len(values), 1)


def strengths(options, name, seed):
    """A net's Elo against the base's nets, its Elo against the frozen nets, and its games."""
    against = {"base": [], "frozen": []}
    games = 0
    for opponent, path in opponents(options, name, seed).items():
        points, played = points_of(options, name, seed, opponent)
        if played > 0:
            against["frozen" if path.suffix == ".tablut" else "base"].append(elo(points, played))
            games += played
    if name == "base":
        # The games between two of the base's nets are stored under the smaller seed.
        for other in range(1, seed):
            points, played = points_of(options, name, other, f"base-s{seed}")
            if played > 0:
                against["base"].append(-elo(points, played))
    return mean(against["base"]), mean(against["frozen"]), games


def table(options, variants):
    seeds = range(1, options.seeds + 1)
    played = {}
    for name in variants:
        found = [strengths(options, name, s) for s in seeds if (run_folder(options, name, s) / "trained.json").exists()]
        played[name] = [row for row in found if row[2] > 0]
    base_frozen = mean(frozen for _, frozen, _ in played["base"])
    rows = []
    for name in variants:
        trained = [run_folder(options, name, s) / "trained.json" for s in seeds]
        trained = [json.loads(path.read_text()) for path in trained if path.exists()]
        if not trained:
            continue
        by_seed = [(base + frozen - base_frozen) / 2 for base, frozen, _ in played[name]]
        rows.append({
            "name": name,
            "sets": variants[name],
            "seeds": len(trained),
            "cpu_seconds": mean(t["cpu_seconds"] for t in trained),
            "evaluations": mean(t["evaluations"] for t in trained),
            "games": sum(games for _, _, games in played[name]),
            "over_base": mean(base for base, _, _ in played[name]),
            "over_frozen": mean(frozen - base_frozen for _, frozen, _ in played[name]),
            "elo_by_seed": by_seed,
            "elo": mean(by_seed),
        })
    base = next((row for row in rows if row["name"] == "base"), None)
    if base is None:
        sys.exit(f"{options.out}: there is no trained net of the base; `train` comes first")
    less, more = doublings(rows, base)
    near = [row for row in rows if abs(row["elo"]) <= NEAR]
    spreads = {"near": spread_of_seeds(near), "far": spread_of_seeds([row for row in rows if row not in near])}
    for row in rows:
        row["time"] = row["cpu_seconds"] / base["cpu_seconds"]
        row["elo_at_equal_time"] = row["elo"] - (more if row["time"] > 1 else less) * math.log2(row["time"])
        spread, freedom = spreads["near" if row in near else "far"]
        of_means = [spread**2 / max(len(row["elo_by_seed"]), 1), spreads["near"][0] ** 2 / max(len(base["elo_by_seed"]), 1)]
        row["interval"] = t95(freedom) * math.sqrt(sum(of_means))
    summary = {"elo_for_half_the_time": -less, "elo_for_twice_the_time": more, "spreads": spreads, "rows": rows}
    (Path(options.out) / "table.json").write_text(json.dumps(summary, indent=1))
    print(f"The base takes {base['cpu_seconds']:.0f} core-seconds. Twice the time is worth {more:+.0f} Elo, half of it {-less:+.0f}.")
    (near_by, near_freedom), (far_by, far_freedom) = spreads["near"], spreads["far"]
    print(f"Seeds of one variant differ by a standard deviation of {near_by:.0f} Elo ({near_freedom} degrees of freedom),")
    print(f"those of variants that are more than {NEAR} Elo away by {far_by:.0f} ({far_freedom}).\n")
    print("| variant | settings | time | evaluations | over the base's nets | against frozen nets | Elo (by seed) | at equal time |")
    print("|---|---|--:|--:|--:|--:|---|--:|")
    for row in sorted(rows, key=lambda row: -row["elo_at_equal_time"]):
        by_seed = ", ".join(f"{value:+.0f}" for value in row["elo_by_seed"])
        change = "0" if row is base else f"{row['elo']:+.0f} ± {row['interval']:.0f}"
        print(
            f"| {row['name']} | `{' '.join(row['sets']) or '-'}` | {row['time']:.2f} | {row['evaluations'] / 1e6:.2f} M "
            f"| {row['over_base']:+.0f} | {row['over_frozen']:+.0f} | {change} ({by_seed}) | {row['elo_at_equal_time']:+.0f} |"
        )


def spread_of_seeds(rows):
    """One spread between seeds for several variants, with its degrees of freedom. It holds the games' chance too."""
    squares = sum((value - row["elo"]) ** 2 for row in rows for value in row["elo_by_seed"])
    freedom = max(sum(len(row["elo_by_seed"]) - 1 for row in rows if row["elo_by_seed"]), 1)
    return math.sqrt(squares / freedom), freedom


def doublings(rows, base):
    """Elo for twice the time, from the base's run of half the length and from the one of twice the length."""
    by_name = {row["name"]: row for row in rows}
    slope = lambda row: row["elo"] / math.log2(row["cpu_seconds"] / base["cpu_seconds"])
    return [slope(by_name[name]) if name in by_name else 0.0 for name in ("half", "double")]


def points_of(options, name, seed, opponent):
    """A net's points against an opponent over all rule sets that were played, and its games."""
    points = games = 0
    for rules in options.rules:
        file = result_file(options, name, seed, opponent, rules)
        if file.exists():
            score = json.loads(file.read_text())["matches"][0]["total"]["score"]
            points += score["mean"] * score["games"]
            games += score["games"]
    return points, games


if __name__ == "__main__":
    main()
