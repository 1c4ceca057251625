"""Short runs of many settings, all with about the same processor time, and their strength.

Every run chooses each setting at random: half of them by chance, the default with probability 0.6; the others by a draw from what all
runs before say about the setting (Thompson sampling). So each run says something about every setting, and good settings are
tried together. `effects.py` computes what each setting is worth.
"""

import argparse
import json
import os
import random
import resource
import shutil
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1]))
from effects import NAMES, posterior, rows_of
from program import call, checkpoints
from scores import of_pairs
from settings import DEFAULTS, SETTINGS, games_per_generation, schedule

REFERENCE_SEEDS = [1001, 1002]
RUNS_BY_CHANCE = 8


def drawn(seed, rows):
    numbers = random.Random(seed)
    chosen = {
        name: levels[0] if numbers.random() < 0.6 else numbers.choice(levels[1:] or levels) for name, levels in SETTINGS.items()
    }
    if len(rows) < RUNS_BY_CHANCE:
        return chosen
    rules, mean, covariance, _ = posterior(rows)
    effects = np.random.default_rng(seed).multivariate_normal(mean, covariance)[len(rules) + 1 :]
    for name, levels in SETTINGS.items():
        if name != "games" and numbers.random() < 0.5:
            values = {levels[0]: 0.0} | {level: value for (of, level), value in zip(NAMES, effects) if of == name}
            chosen[name] = max(levels, key=values.get)
    return chosen


def train(options, rules, seed, chosen, name):
    """The newest net of a run, the evaluations and positions of its self-play, and its processor time in seconds."""
    run = options.out / name
    net = options.out / f"{name}.tablut"
    config = options.out / f"{name}.toml"
    shape = chosen["shape"]
    config.write_text(f'rules = ["{rules}"]\nshape = "{shape}"\nseed = {seed}\n')
    keys = {name: value for name, value in chosen.items() if "." in name}
    keys |= {
        "schedule.simulations": schedule(chosen)[0],
        "schedule.games": games_per_generation(chosen, options.games),
        "evaluation.games": 0,
        "evaluation.rating_share": 0,
        "machine.workers": 1,
    }
    line = chosen["line"]
    sets = [word for key, value in keys.items() for word in ["--set", f"{key}={value}"]]
    knobs = {name: str(value) for name, value in chosen.items() if name.startswith("T_") and value != DEFAULTS[name]}
    shutil.rmtree(run, ignore_errors=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [options.programs / f"knobs-{line}", "train", config, "--run", run, "--plain", "-q", *sets]
    call(command, env=os.environ | {"RAYON_NUM_THREADS": "1"} | knobs)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    generations = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    shutil.copy(checkpoints(run)[-1], net)
    shutil.rmtree(run)
    config.unlink()
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    counts = {
        key: sum(generation["selfplay"][key] for generation in generations) for key in ["evaluations", "positions"]
    }
    return net, {**counts, "processor_seconds": round(spent, 1)}


def strength(options, rules, net):
    """The scores against the reference nets, in pairs of games with 0, ½, 1, 1½ and 2 points."""
    total = [0] * 5
    for seed in REFERENCE_SEEDS:
        other = options.out / f"{rules}-{seed}.tablut"
        players = [f"net:{net}@{options.simulations}", f"net:{other}@{options.simulations}"]
        words = ["--rules", rules, "--openings", "even", "--games", options.match_games, "--threads", 1, "--json", "-q"]
        match = json.loads(call([options.programs / "knobs-64-3", "match", *players, *words]))
        total = [a + b for a, b in zip(total, match["matches"][0]["pentanomial"]["counts"])]
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=Path, required=True, help="folder of the programs `knobs-WIDTH-DEPTH`")
    parser.add_argument("--out", type=Path, required=True, help="folder of the nets and of results.jsonl")
    parser.add_argument("--others", type=Path, nargs="*", default=[], help="files of results that count in the choice")
    parser.add_argument("--rules", nargs="+", default=["kvasir", "masters"])
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--games", type=int, default=120, help="games per generation of a run with the defaults")
    parser.add_argument("--match-games", type=int, default=60, help="against each of the two reference nets")
    parser.add_argument("--simulations", type=int, default=64)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    results = options.out / "results.jsonl"
    for rules in options.rules:
        for seed in REFERENCE_SEEDS:
            if not (options.out / f"{rules}-{seed}.tablut").exists():
                print(rules, seed, train(options, rules, seed, DEFAULTS, f"{rules}-{seed}")[1], flush=True)
    for seed in range(options.first_seed, options.first_seed + options.runs):
        rows = rows_of([results, *options.others])
        rules = options.rules[seed % len(options.rules)]
        if (rules, seed) in {(row["rules"], row["seed"]) for row in rows}:
            continue
        chosen = drawn(seed, rows)
        net, spent = train(options, rules, seed, chosen, "current")
        pairs = strength(options, rules, net)
        net.unlink()
        row = {"rules": rules, "seed": seed, "settings": chosen, **spent, "pairs": pairs}
        with results.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{rules} {seed}: {of_pairs(pairs)[1]:.2f}, {spent}", flush=True)


if __name__ == "__main__":
    main()
