#!/usr/bin/env python3
"""Compares the shipped net's chance of a draw with the share of drawn games.

    python3 experiments/draws/run.py play --out runs/draws
    python3 experiments/draws/run.py table --out runs/draws

`play` needs the program, `table` the Python package. The shipped net plays itself with 64 simulations a move, from even openings and
from four random plies. A game stops after 400 plies. Both games of a pair are the same here, so one of them counts. `table` writes
`results.json` and prints tables.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from program import RULES, call_once, net_hash  # noqa: E402
from scores import wilson  # noqa: E402

RESULTS = Path(__file__).with_name("results.json")
NET = "net:shipped@64"
# The start of the games, with its options and the number of different games of a rule set.
STARTS = {"even": (["--openings", "even"], 100), "random": ([], 500)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["play", "table"])
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--out", type=Path, default=Path("runs/draws"))
    options = parser.parse_args()
    {"play": play, "table": table}[options.step](options)


def play(options):
    options.out.mkdir(parents=True, exist_ok=True)
    for start, (how, n) in STARTS.items():
        for rules in RULES:
            out = options.out / f"{start}-{rules}.json"
            command = [options.binary, "match", f"a={NET}", f"b={NET}", "--rules", rules, "--games", 2 * n, *how]
            call_once(out, [*command, "--save-games", out.with_suffix(".jsonl"), "--seed", 1, "--json", "-q"])


def table(options):
    import tablut

    model = tablut.Model.shipped()
    assert model.hash == net_hash(options.binary, "shipped"), "the package and the program have different nets"
    results = {"net": model.hash}
    for start in STARTS:
        results[start] = {rules: compare(model, options.out / f"{start}-{rules}.jsonl") for rules in RULES}
        print(f"\n**From {start} openings**\n")
        print("| rules | games | drawn, % (95 %) | chance after the opening, % | mean chance in a game, % | unfinished, % |")
        print("|---|--:|---|--:|--:|--:|")
        for rules, found in results[start].items():
            low, high = (100 * min(max(bound, 0), 1) for bound in wilson(found["drawn"], found["finished"]))
            chances = " | ".join(f"{100 * found[key]:.1f}" for key in ["after_opening", "mean", "unfinished"])
            print(f"| {rules} | {found['finished']} | {100 * found['drawn']:.1f} ({low:.0f}–{high:.0f}) | {chances} |")
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")


def compare(model, file):
    """The share of drawn games and the net's mean chances of a draw in finished games."""
    import tablut

    _, *games = map(json.loads, file.read_text().splitlines())
    games = {tuple(game["moves"]): game for game in games}
    finished = [game for game in games.values() if game["reason"] != "ply-limit"]
    after_opening, means = [], []
    for game in finished:
        replay, states = tablut.Game(game["rules"], first=game["first"]), []
        for ply, move in enumerate(game["moves"]):
            if ply >= game["opening_plies"]:
                states.append(replay.copy())
            replay.play(move)
        chances = model.evaluate(states).wdl[:, 1]
        after_opening.append(float(chances[0]))
        means.append(float(chances.mean()))
    n = len(finished)
    drawn = sum(game["winner"] is None for game in finished) / n
    shares = {"drawn": drawn, "after_opening": sum(after_opening) / n, "mean": sum(means) / n, "unfinished": 1 - n / len(games)}
    return {"finished": n, **{key: round(share, 4) for key, share in shares.items()}}


if __name__ == "__main__":
    main()
