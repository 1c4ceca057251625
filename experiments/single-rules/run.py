#!/usr/bin/env python3
"""Trains a net for one rule set from nothing, and plays the net for all rules against it until a sequential test ends.

    python3 experiments/single-rules/run.py train --out runs/single-rules
    python3 experiments/single-rules/run.py book --out runs/single-rules
    python3 experiments/single-rules/run.py match --out runs/single-rules
    python3 experiments/single-rules/run.py table --out runs/single-rules

A run that was stopped goes on, and finished matches are kept. `--rules` names some rule sets, so that two calls can share two
cores.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from program import call, call_once, checkpoints  # noqa: E402
from scores import match_cells  # noqa: E402

CONFIG = "experiments/single-rules/config.toml"
RULES = ["imperial", "piecepack"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["train", "book", "match", "table"])
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--net", default="models/all-rules.tablut", help="the net for all rules")
    parser.add_argument("--simulations", type=int, default=256)
    parser.add_argument("--games", type=int, default=2000, help="the most games of a match")
    parser.add_argument("--bounds", default="-30,0", help="Elo of the two hypotheses, that the net is weaker and that it is not")
    parser.add_argument("--out", type=Path, default=Path("runs/single-rules"))
    parser.add_argument("--rules", nargs="*", default=RULES)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    {"train": train, "book": book, "match": match, "table": table}[options.step](options)


def train(options):
    for rules in options.rules:
        run = options.out / rules
        call([options.binary, "train", CONFIG, "--set", f'rules=["{rules}"]', "--run", run, "--plain"])
        print(f"trained {run}", flush=True)


def book(options):
    """More even openings than come with the program: a match plays each twice, and a test may take many games."""
    for rules in options.rules:
        judge = f"net:{options.net}@2048,precision=fastest"
        command = [options.binary, "generate", "openings", "--rules", rules, "--steer", "--count", options.games // 2, "--judge", judge]
        command += ["--band", 0.2, "--threads", 1, "-q", "--out", options.out / f"{rules}.openings"]
        call_once(options.out / f"book-{rules}.txt", command)


def match(options):
    search = f"{options.simulations},precision=fastest"
    for rules in options.rules:
        single = checkpoints(options.out / rules)[-1]
        players = [f"all=net:{options.net}@{search}", f"single=net:{single}@{search}"]
        command = [options.binary, "match", *players, "--rules", rules, "--games", options.games]
        command += ["--openings", options.out / f"{rules}.openings"]
        command += [f"--sequential-test={options.bounds}", "--threads", 1, "--json", "-q"]
        call_once(options.out / f"match-{rules}.json", command)


def table(options):
    print("| rules | games | score (95 %) | Elo (95 %) | as attackers / defenders, % | test |\n|---|--:|---|---|--:|---|")
    for rules in options.rules:
        path = options.out / f"match-{rules}.json"
        if not path.exists():
            continue
        one = json.loads(path.read_text())["matches"][0]
        print(f"| {rules} | {match_cells(one)} | {one['sprt']['verdict']} |")


if __name__ == "__main__":
    main()
