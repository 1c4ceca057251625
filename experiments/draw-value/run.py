#!/usr/bin/env python3
"""Plays a net that values draws at less than 0 against a weaker net, and against itself: to the other one a draw is a draw.

    python3 experiments/draw-value/run.py play --out runs/draw-value
    python3 experiments/draw-value/run.py table --out runs/draw-value

Finished matches are kept. `--rules` names some rule sets, so that two calls can share two cores.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from program import SOURCES, call_once  # noqa: E402
from scores import elo_text, of_pairs  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["play", "table"])
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--net", default="models/all-rules.tablut")
    parser.add_argument("--weaker", default="models/earlier/all-rules-1.tablut")
    parser.add_argument("--values", type=float, nargs="*", default=[0, -0.4, -0.7])
    parser.add_argument("--simulations", type=int, default=512)
    parser.add_argument("--games", type=int, default=120)
    parser.add_argument("--out", type=Path, default=Path("runs/draw-value"))
    parser.add_argument("--rules", nargs="*", default=SOURCES)
    parser.add_argument("--opponents", nargs="*", default=["weaker", "itself"])
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    {"play": play, "table": table}[options.step](options)


def path(options, rules, value, opponent):
    return options.out / f"{rules}{value:+g}-{opponent}.json"


def play(options):
    search = f"{options.simulations},precision=fastest"
    for rules in options.rules:
        for value in options.values:
            for opponent, net in [("weaker", options.weaker), ("itself", options.net)]:
                if opponent not in options.opponents or (opponent == "itself" and value == 0):
                    continue
                players = [f"net:{options.net}@{search},draw_value={value:g}", f"net:{net}@{search},draw_value=0"]
                command = [options.binary, "match", *players, "--rules", rules, "--openings", "even", "--threads", 1]
                call_once(path(options, rules, value, opponent), [*command, "--games", options.games, "--json", "-q"])


def table(options):
    print("| rules | draw value | against | wins, draws, losses | as attackers | as defenders | Elo (95 %) |")
    print("|---|--:|---|---|---|---|---|")
    for opponent in ["weaker", "itself"]:
        for rules in options.rules:
            for value in options.values:
                found = path(options, rules, value, opponent)
                if found.exists():
                    print(f"| {rules} | {value:g} | {opponent} {cells(json.loads(found.read_text())['matches'][0])}")


def cells(match):
    sides = [" ".join(str(n) for n in match[part]["results"].values()) for part in ["total", "as_attackers", "as_defenders"]]
    _, mean, low, high = of_pairs(match["pentanomial"]["counts"])
    return "".join(f"| {cell} " for cell in [*sides, elo_text(mean, low, high)]) + "|"


if __name__ == "__main__":
    main()
