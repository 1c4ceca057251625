#!/usr/bin/env python3
"""Does a value target with the search's own chances teach the chance of a draw, and what does it cost in strength?

    run.py train NAME=BINARY... --out DIR      short runs, one core each, of every binary, rule set and seed
    run.py match BINARY --out DIR              the nets of the two names against each other
    run.py table --out DIR                     the tables of README.md

A binary of the old target is a build whose `value_target` (crates/tablut-games/src/window.rs) begins with
`let search = Chances::new(search.value(), 0.0);`.
"""

import argparse
import json
import os
import subprocess
from pathlib import Path

SEEDS = {"masters": [1, 2, 3], "linnaeus": [1], "kvasir": [1, 2, 3]}
GENERATIONS, GAMES, LAST = 12, 200, 3
CONFIG = """rules = ["{rules}"]
shape = "b4c32"
seed = {seed}
[schedule]
generations = {generations}
games = {games}
[learning]
value_share = {share}
held_out_share = 0.1
[evaluation]
games = 0
rating_share = 0.0
[machine]
workers = 1
"""


def runs(out, names):
    for rules, seeds in SEEDS.items():
        for seed in seeds:
            for name in names:
                yield rules, seed, name, out / f"{name}-{rules}-{seed}"


def train(binaries, out, share):
    out.mkdir(parents=True, exist_ok=True)
    for rules, seed, name, run in runs(out, binaries):
        config = run.with_suffix(".toml")
        config.write_text(CONFIG.format(rules=rules, seed=seed, generations=GENERATIONS, games=GAMES, share=share))
        command = [binaries[name], "train", str(config), "--run", str(run), "--quiet"]
        subprocess.run(command, check=True, env={**os.environ, "RAYON_NUM_THREADS": "1"})


def match(binary, names, out, games):
    results = {}
    for rules in SEEDS:
        for seed in SEEDS[rules]:
            nets = [f"{name}=net:{out / f'{name}-{rules}-{seed}'}@64" for name in names]
            command = [binary, "match", *nets, "--rules", rules, "--games", str(games), "--seed", str(seed), "--json", "--quiet"]
            report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            results[f"{rules}-{seed}"] = report["matches"][0]
            (out / "matches.json").write_text(json.dumps(results, indent=1))


def draws(run):
    """Predicted and drawn shares on the held-out games of the last generations, after the net has learnt from the others."""
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    parts = [line["learning"]["held_out"]["draws"] for line in lines[-LAST:]]
    n = sum(part["positions"] for part in parts)
    return tuple(sum(part["positions"] * part[key] for part in parts) / n for key in ("predicted", "drawn"))


def table(names, out):
    print("| rules | seed | target | predicted | drawn | difference |\n|---|--:|---|--:|--:|--:|")
    for rules, seed, name, run in runs(out, names):
        if (run / "metrics.jsonl").exists():
            predicted, drawn = (100 * share for share in draws(run))
            print(f"| {rules} | {seed} | {name} | {predicted:.1f} % | {drawn:.1f} % | {predicted - drawn:+.1f} |")
    if (out / "matches.json").exists():
        print("\n| rules, seed | score | Elo |\n|---|--:|--:|")
        for key, report in json.loads((out / "matches.json").read_text()).items():
            score, elo = report["total"]["score"], report["elo"]
            print(f"| {key} | {100 * score['mean']:.1f} % | {elo} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("command", choices=["train", "match", "table"])
    parser.add_argument("binaries", nargs="*", help="NAME=BINARY for train, BINARY for match")
    parser.add_argument("--names", default="new,old")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--value-share", type=float, default=0.4, help="of the runs that train makes")
    parser.add_argument("--out", type=Path, default=Path("runs/draw-chances"))
    args = parser.parse_args()
    if args.command == "train":
        train(dict(pair.split("=", 1) for pair in args.binaries), args.out, args.value_share)
    elif args.command == "match":
        match(args.binaries[0], args.names.split(","), args.out, args.games)
    else:
        table(args.names.split(","), args.out)


if __name__ == "__main__":
    main()
