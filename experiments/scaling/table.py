#!/usr/bin/env python3
"""Makes the tables of `run.py`'s matches: `python3 experiments/scaling/table.py runs/scaling`."""

import json
import sys
from pathlib import Path

from pairings import DOUBLED, RULES, VARIANTS, name, pairings, player

sys.path.append(str(Path(__file__).parents[1]))
from scores import elo_text, of_pairs  # noqa: E402


def read(folder):
    """Pairs by points of the first player, from 0 to 2 by halves, for each pairing that is whole."""
    paths = {pairing: folder / f"{name(pairing)}.json" for pairing in pairings("all")}
    played = {pairing: json.loads(path.read_text()) for pairing, path in paths.items() if path.exists()}
    return {pairing: report["matches"][0]["pentanomial"]["counts"] for pairing, report in played.items()}


def cell(counts):
    """Elo with its interval, and the games."""
    if not counts or not sum(counts):
        return "–"
    games, mean, low, high = of_pairs(counts)
    return f"{elo_text(mean, low, high)}, {games}"


def table(head, rows):
    """Prints a table in Markdown."""
    print("| " + " | ".join(head) + " |")
    print("|" + "|".join(["---"] + ["--:"] * (len(head) - 1)) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def main():
    pairs = read(Path(sys.argv[1]) if sys.argv[1:] else sys.exit("expected the folder that run.py wrote"))
    print("Elo of twice the simulations over once (95 %), games\n")
    rows = [[f"{n} → {2 * n}"] + [cell(pairs.get((r, player(2 * n), player(n)))) for r in RULES] for n in DOUBLED]
    table(["simulations", *RULES], rows)
    for budget, texts in VARIANTS.items():
        print(f"Elo of the default over others at {budget} simulations (95 %), games\n")
        rows = []
        for options in texts:
            cells = [cell(pairs.get((r, player(budget), player(budget, options)))) for r in RULES]
            rows.append([f"`{options}`", *cells])
        table(["other", *RULES], rows)


if __name__ == "__main__":
    main()
