#!/usr/bin/env python3
"""How often does the net win what it has won? Counts the games of a net against itself in which one side was clearly ahead.

    python3 experiments/finishing/run.py --net models/all-rules.tablut --rules ashton --games 500 --out runs/finishing

A side is clearly ahead once the searches of twenty plies in a row gave it a value above 0.9. Each game counts once: from the first
ply at which that holds. The games are self-play: noise at the root, and the game's own start.
"""

import argparse
import csv
import io
import sys
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from program import call  # noqa: E402

AHEAD = 0.9
PLIES = 20


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--net", default="models/all-rules.tablut")
    parser.add_argument("--rules", nargs="+", default=["ashton"])
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--simulations", type=int, default=128)
    parser.add_argument("--out", type=Path, default=Path("runs/finishing"))
    options = parser.parse_args()
    print("| rules | side ahead | games | won | drawn | lost |")
    print("|---|---|--:|--:|--:|--:|")
    for rules in options.rules:
        results = Counter(result for game in games(options, rules) if (result := ahead(game)))
        for side in ("attackers", "defenders"):
            counts = [results[side, end] for end in ("won", "drawn", "lost")]
            n = sum(counts)
            shares = " | ".join(f"{100 * count / n:.1f} %" if n else "–" for count in counts)
            print(f"| {rules} | {side} | {n} | {shares} |")


def games(options, rules):
    """The games of a rule set: lists of rows of `tablut data csv`. Played unless they are there already."""
    folder = options.out / f"{rules}-{options.simulations}"
    if not list(folder.glob("*.games")):
        command = [options.binary, "selfplay", options.net, "--rules", rules, "--games", options.games, "--out", folder, "-q"]
        call([*command, "--simulations", options.simulations])
    rows = csv.DictReader(io.StringIO(call([options.binary, "data", "csv", *sorted(folder.glob("*.games"))])))
    game, number = [], None
    for row in rows:
        if (row["file"], row["game"]) != number:
            if game:
                yield game
            game, number = [], (row["file"], row["game"])
        game.append(row)
    yield game


def ahead(game):
    """The side that was first clearly ahead and how the game ended for it, or nothing."""
    run, leader = 0, None
    for row in game:
        if not row["value"]:
            continue
        value = float(row["value"])
        # From -1, the defenders win, to 1, the attackers win.
        side = "attackers" if value > AHEAD else "defenders" if value < -AHEAD else None
        run = run + 1 if side and side == leader else int(side is not None)
        leader = side
        if run == PLIES:
            won = row["winner"]
            return side, "won" if won == side else "lost" if won in ("attackers", "defenders") else "drawn"
    return None


if __name__ == "__main__":
    main()
