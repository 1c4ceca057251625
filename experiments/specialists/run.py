#!/usr/bin/env python3
"""Trains weights of their own for each source's rule set, puts them into one net, and plays it against the general net.

    python3 experiments/specialists/run.py train --out runs/specialists
    python3 experiments/specialists/run.py again --out runs/specialists
    python3 experiments/specialists/run.py combine --out runs/specialists
    python3 experiments/specialists/run.py match --out runs/specialists
    python3 experiments/specialists/run.py table --out runs/specialists

A run that was stopped goes on, and finished matches are kept. `--rules` names some rule sets, so that two calls can share two
cores.
"""

import argparse
import json
import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from program import call, call_once, checkpoints  # noqa: E402
from scores import match_cells  # noqa: E402

CONFIG = "configs/specialist.toml"
# The runs for each rule set, (generations, seed): a run begins with the net of the one before it.
ROUNDS = {
    "piecepack": [(50, 1), (40, 2)],
    "imperial": [(40, 1), (40, 2)],
    "ludoteka": [(50, 1)],
    "linnaeus": [(50, 1)],
    "masters": [(50, 1)],
    "kvasir": [(50, 1)],
}

# Nets that learn the last games of their run once more.
AGAIN = ["linnaeus", "masters", "kvasir"]
LAST_GENERATIONS = 30


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["train", "again", "combine", "match", "table"])
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--general", default="models/earlier/all-rules-4.tablut")
    parser.add_argument("--simulations", type=int, default=256)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--out", type=Path, default=Path("runs/specialists"))
    parser.add_argument("--rules", nargs="*", default=list(ROUNDS))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    {"train": train, "again": again, "combine": combine, "match": match, "table": table}[options.step](options)


def folder(options, rules, number):
    return options.out / f"{rules}-{number}"


def last_run(options, rules):
    return folder(options, rules, len(ROUNDS[rules]))


def specialist(options, rules):
    """The rule set's net: that of its last run, or that which learnt the run's games once more."""
    run = folder(options, rules, "again") if rules in AGAIN else last_run(options, rules)
    return checkpoints(run)[-1]


def train(options):
    for rules in options.rules:
        start = options.general
        for number, (generations, seed) in enumerate(ROUNDS[rules], 1):
            run = folder(options, rules, number)
            sets = [f'rules=["{rules}"]', f"schedule.generations={generations}", f"seed={seed}", f'start="{start}"']
            command = [options.binary, "train", CONFIG, "--run", run, "--plain"]
            call(command + [part for assignment in sets for part in ("--set", assignment)])
            start = checkpoints(run)[-1]
            print(f"trained {run}", flush=True)


def again(options):
    """A run that finds a generation's games in its folder does not play them: it only learns."""
    for rules in (rules for rules in AGAIN if rules in options.rules):
        source, run = last_run(options, rules), folder(options, rules, "again")
        (run / "games").mkdir(parents=True, exist_ok=True)
        for number, games in enumerate(sorted(source.glob("games/gen-*.games"))[-LAST_GENERATIONS:]):
            link = run / "games" / f"gen-{number:05}.games"
            if not link.exists():
                os.link(games, link)
        sets = [f'rules=["{rules}"]', f'start="{checkpoints(source)[-1]}"', f"schedule.generations={LAST_GENERATIONS}"]
        sets += ["learning.learning_rate=0.0015", "learning.window_positions=300000"]
        # Games with equal searches and with unequal ones are learnt from alike.
        sets += ["selfplay.balance=0", "selfplay.balance_share=0"]
        command = [options.binary, "train", CONFIG, "--run", run, "--plain"]
        environment = {**os.environ, "RAYON_NUM_THREADS": "1"}
        call(command + [part for assignment in sets for part in ("--set", assignment)], env=environment)
        print(f"learnt {run}", flush=True)


def combine(options):
    out = options.out / "combined.tablut"
    nets = [specialist(options, rules) for rules in options.rules]
    print(call([options.binary, "model", "combine", options.general, *nets, "--out", out, "--force"]), end="")


def match(options):
    search = f"{options.simulations},precision=bf16"
    for rules in options.rules:
        players = [f"own=net:{options.out}/combined.tablut@{search}", f"general=net:{options.general}@{search}"]
        command = [options.binary, "match", *players, "--rules", rules, "--openings", "even", "--games", options.games]
        call_once(options.out / f"match-{rules}.json", [*command, "--json", "-q"])


def table(options):
    print("| rules | games | score (95 %) | Elo (95 %) | as attackers / defenders, % |\n|---|--:|---|---|--:|")
    for rules in options.rules:
        path = options.out / f"match-{rules}.json"
        if not path.exists():
            continue
        one = json.loads(path.read_text())["matches"][0]
        print(f"| {rules} | {match_cells(one)} |")


if __name__ == "__main__":
    main()
