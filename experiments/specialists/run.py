#!/usr/bin/env python3
"""Trains weights of their own for each source's rule set, puts them into one net, and plays it against the general net.

    python3 experiments/specialists/run.py train --out runs/specialists
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
from typing import NamedTuple

sys.path.append(str(Path(__file__).parents[1]))
from program import call, call_once, checkpoints  # noqa: E402
from scores import match_cells  # noqa: E402

CONFIG = "configs/specialist.toml"


class Play(NamedTuple):
    """New games. The learning rate falls in the last part of a run, a share of `decay`; a run that was stopped early had no such part.
    A game begins with the most even of `openings` of up to `plies` random plies."""

    generations: int
    seed: int
    simulations: int = 128
    window: int = 60_000
    decay: float = 0.3
    openings: int = 16
    plies: int = 8


class Learn(NamedTuple):
    """The last generations of the games so far are learnt once more, without new ones."""

    generations: int
    draws: float = 2.0
    rate: float = 0.0015
    window: int = 300_000


# What each rule set's net went through: each step begins with the net of the one before it.
STEPS = {
    "piecepack": [
        *[Play(50, 1), Play(40, 2), Learn(40, draws=3, rate=0.002, window=500_000)],
        *[Play(40, 4, 256, 150_000, openings=64, plies=10), Learn(60, draws=3, rate=0.002, window=600_000)],
    ],
    "imperial": [Play(40, 1), Play(40, 2), Play(50, 3, 256, 150_000), Learn(45, draws=3, rate=0.002, window=600_000)],
    "ludoteka": [
        *[Play(50, 1), Learn(42, draws=3, rate=0.002, window=600_000)],
        *[Play(40, 4, 256, 150_000, openings=64, plies=10), Learn(60, draws=3, rate=0.002, window=600_000)],
    ],
    "linnaeus": [Play(50, 1), Learn(30), Play(16, 3, 256, 150_000, decay=0), Learn(41, draws=3, rate=0.002, window=500_000)],
    "masters": [
        *[Play(50, 1), Learn(30), Play(50, 3, 256, 150_000), Learn(40, window=500_000)],
        Learn(40, draws=4, rate=0.002, window=600_000),
    ],
    "kvasir": [Play(50, 1), Learn(30), Play(50, 3, 256, 150_000), Learn(40, window=500_000)],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["train", "combine", "match", "table"])
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--general", default="models/earlier/all-rules-4.tablut")
    parser.add_argument("--simulations", type=int, default=256)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--out", type=Path, default=Path("runs/specialists"))
    parser.add_argument("--rules", nargs="*", default=list(STEPS))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    {"train": train, "combine": combine, "match": match, "table": table}[options.step](options)


def folder(options, rules, number):
    return options.out / f"{rules}-{number}"


def train(options):
    for rules in options.rules:
        start, games, simulations = options.general, [], None
        for number, step in enumerate(STEPS[rules], 1):
            run = folder(options, rules, number)
            sets = [f'rules=["{rules}"]', f"schedule.generations={step.generations}", f'start="{start}"']
            sets.append(f"learning.window_positions={step.window}")
            if isinstance(step, Play):
                simulations = step.simulations
                sets += [f"seed={step.seed}", f"learning.decay_share={step.decay}"]
                sets += [f"selfplay.balanced_openings={step.openings}", f"selfplay.opening_plies={step.plies}"]
            else:
                sets += learnt(step)
                put(run, games[-step.generations :])
            sets.append(f"schedule.simulations=[[0,{simulations}]]")
            command = [options.binary, "train", CONFIG, "--run", run, "--plain"]
            environment = {**os.environ, "RAYON_NUM_THREADS": "1"}
            call(command + [part for assignment in sets for part in ("--set", assignment)], env=environment)
            start = checkpoints(run)[-1]
            if isinstance(step, Play):
                games += sorted(run.glob("games/gen-*.games"))
            print(f"trained {run}", flush=True)


def learnt(step):
    sets = [f"learning.learning_rate={step.rate}", f"learning.draws_per_position={step.draws}"]
    # Games with equal searches and with unequal ones are learnt from alike.
    return [*sets, "selfplay.balance=0", "selfplay.balance_share=0"]


def put(run, games):
    """A run that finds a generation's games in its folder does not play them: it only learns."""
    (run / "games").mkdir(parents=True, exist_ok=True)
    for number, source in enumerate(games):
        link = run / "games" / f"gen-{number:05}.games"
        if not link.exists():
            os.link(source, link)


def combine(options):
    out = options.out / "combined.tablut"
    nets = [checkpoints(folder(options, rules, len(STEPS[rules])))[-1] for rules in options.rules]
    print(call([options.binary, "model", "combine", options.general, *nets, "--out", out, "--force"]), end="")


def match(options):
    search = f"{options.simulations},precision=fastest"
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
