#!/usr/bin/env python3
"""Makes the tables of `run.py`'s results: `python3 experiments/scaling/table.py runs/scaling/results.jsonl`.

Games of a pair share their opening, so the interval goes by the pairs: Wilson's, with the number of games divided by the
variance of pairs over that of independent games. Two notional pairs with a ratio of one keep a few like pairs from
claiming certainty.
"""

import json
import math
import sys
from collections import defaultdict

from pairings import DOUBLED, RULES, VARIANTS, player

Z = 1.96


def read(paths):
    """Pairs by points of the first player, from 0 to 2 by halves, for each pairing; and its endings."""
    pairs = defaultdict(lambda: [0] * 5)
    for path in paths:
        for line in open(path, encoding="utf-8"):
            try:
                chunk = json.loads(line)
            except ValueError:
                continue
            counts = pairs[(chunk["rules"], chunk["first"], chunk["second"])]
            for at, n in enumerate(chunk["pentanomial"]):
                counts[at] += n
    return pairs


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
    pairs = read(sys.argv[1:] or sys.exit("expected one results.jsonl or more"))
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
