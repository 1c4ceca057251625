#!/usr/bin/env python3
"""Trains nets for tartu's rules, with and without the solver, and rates their checkpoints in one pool each.

    python3 experiments/tartu/run.py train --out runs/tartu
    python3 experiments/tartu/run.py match --out runs/tartu
    python3 experiments/tartu/run.py table --out runs/tartu

Each step can be stopped and run again: finished work is kept. In the pool every checkpoint plays every other one; the
untrained net is the anchor at 0 Elo.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from program import call, call_once, checkpoints  # noqa: E402

# What differs from the quickstart's config, and how the nets of that run search in the pool.
RUNS = {
    "solver": {"train": [], "play": ""},
    "no-solver": {"train": ["search.solver=off"], "play": ",solver=off"},
}
# Share of the run after which a checkpoint is taken into the pool.
SHARES = [0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["train", "match", "table"])
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--config", default="configs/quickstart.toml")
    parser.add_argument("--out", type=Path, default=Path("runs/tartu"))
    parser.add_argument("--games", type=int, default=40, help="games of each pair of checkpoints")
    parser.add_argument("--simulations", type=int, default=64)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change the config of both runs")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for name, run in RUNS.items():
        {"train": train, "match": match, "table": table}[options.step](options, name, run)


def train(options, name, run):
    """The run, and a net of the same shape that has learnt nothing: one game at a rate of next to nothing."""
    sets = ["rules=['tartu']", "evaluation.games=0", *options.set, *run["train"]]
    untrained = ["schedule.generations=1", "schedule.games=1", "learning.learning_rate=1e-9"]
    for folder, more in [(options.out / name, []), (options.out / f"{name}-untrained", untrained)]:
        arguments = [part for assignment in sets + more for part in ("--set", assignment)]
        call([options.binary, "train", options.config, "--run", folder, *arguments])


def metrics(folder):
    """The run's metrics, a dictionary for each generation."""
    path = folder / "metrics.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def pool(options, name):
    """The nets of the pool: their names, files, and how many evaluations and hours made them."""
    nets = checkpoints(options.out / name)
    lines = metrics(options.out / name)
    chosen = sorted({max(0, round(share * len(nets)) - 1) for share in SHARES})
    yield "untrained", checkpoints(options.out / f"{name}-untrained")[0], 0, 0, 0.0
    for generation in chosen:
        done = lines[: generation + 1]
        evaluations = sum(line["selfplay"]["evaluations"] for line in done)
        positions = sum(line["selfplay"]["positions"] for line in done)
        seconds = sum(line["selfplay"]["seconds"] + line["learning"]["seconds"] for line in done)
        yield f"gen-{generation}", nets[generation], evaluations, positions, seconds / 3600


def match(options, name, run):
    """Every net of the pool against every other one."""
    out = options.out / f"{name}.json"
    players = [f"{label}=net:{net}@{options.simulations}{run['play']}" for label, net, *_ in pool(options, name)]
    command = [options.binary, "match", *players, "--rules", "tartu", "--games", options.games, "--anchor", "untrained=0"]
    # The games are kept as they end: a match that was stopped goes on.
    command += ["--save-games", options.out / f"{name}.games.jsonl", "--json"]
    call_once(out, command)


def table(options, name, run):
    """Ratings against evaluations and hours, as a table in Markdown."""
    ratings = {player["name"]: player for player in json.loads((options.out / f"{name}.json").read_text())["players"]}
    print(f"\n`{name}`, {options.simulations} simulations a side, {options.games} games a pair\n")
    print("| net | positions | evaluations | hours | Elo (95 %) |")
    print("|---|--:|--:|--:|---|")
    for label, _, evaluations, positions, hours in pool(options, name):
        player = ratings[label]
        interval = "anchor" if player["anchor"] else f"{player['elo']:+,.0f} ({player['low']:+,.0f} to {player['high']:+,.0f})"
        print(f"| {label} | {positions:,} | {evaluations / 1e6:.2f} M | {hours:.3f} | {interval} |")


if __name__ == "__main__":
    main()
