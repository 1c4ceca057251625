#!/usr/bin/env python3
"""Shows the attackers' points by the judge's value of the opening, from a book and the saved games of a match from it.

    python3 experiments/openings/by_value.py kvasir.openings kvasir.games.jsonl
"""

import argparse
import json
from collections import defaultdict
from pathlib import Path

POINTS = {"attackers": 1, None: 0.5, "defenders": 0}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("book", type=Path)
    parser.add_argument("games", type=Path)
    options = parser.parse_args()
    values = {line["moves"]: line["value"] for line in lines(options.book) if "moves" in line}
    points = defaultdict(list)
    for game in lines(options.games):
        if "game" in game:
            opening = " ".join(game["moves"][: game["opening_plies"]])
            points[round(10 * values[opening]) / 10].append(POINTS[game["winner"]])
    every = [point for some in points.values() for point in some]
    for value, some in [*sorted(points.items()), ("all", every)]:
        print(f"{value}: {100 * sum(some) / len(some):.0f} % of {len(some)} games")


def lines(path):
    return map(json.loads, path.read_text().splitlines())


if __name__ == "__main__":
    main()
