#!/usr/bin/env python3
"""Makes the tables of `run.py`'s matches: `python3 experiments/scaling/table.py runs/scaling`.

Games of a pair share their opening, so the interval goes by the pairs: Wilson's, with the number of games divided by the
variance of pairs over that of independent games. Two notional pairs with a ratio of one keep a few like pairs from
claiming certainty.
"""

import json
import math
import sys
from pathlib import Path

from pairings import DOUBLED, RULES, VARIANTS, name, pairings, player

Z = 1.96


def read(folder):
    """Pairs by points of the first player, from 0 to 2 by halves, for each pairing that is whole."""
    paths = {pairing: folder / f"{name(pairing)}.json" for pairing in pairings("all")}
    played = {pairing: json.loads(path.read_text()) for pairing, path in paths.items() if path.exists()}
    return {pairing: report["matches"][0]["pentanomial"]["counts"] for pairing, report in played.items()}


def score(counts):
    """Games, score, and its interval."""
    n_pairs = sum(counts)
    points = [0, 0.25, 0.5, 0.75, 1]
    mean = sum(n * p for n, p in zip(counts, points)) / n_pairs
    variance = sum(n * (p - mean) ** 2 for n, p in zip(counts, points)) / n_pairs
    single = mean * (1 - mean)
    ratio = 2 * variance / single if single > 0 else 1.0
    effect = (ratio * n_pairs + 2) / (n_pairs + 2)
    n = 2 * n_pairs / max(effect, 1e-3)
    centre = (mean + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * math.sqrt(mean * (1 - mean) / n + Z * Z / (4 * n * n))
    return 2 * n_pairs, mean, centre - half, centre + half


def elo(share):
    """The logistic difference at a score, kept within what can be printed."""
    share = min(max(share, 1e-3), 1 - 1e-3)
    return -400 * math.log10(1 / share - 1)


def cell(counts):
    """Elo with its interval, and the games."""
    if not counts or not sum(counts):
        return "–"
    games, mean, low, high = score(counts)
    return f"{elo(mean):+.0f} ({elo(low):+.0f} to {elo(high):+.0f}), {games}"


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
