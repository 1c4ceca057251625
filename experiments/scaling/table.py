#!/usr/bin/env python3
"""Makes the tables of `run.py`'s matches, with those of `results.json`.

    python3 experiments/scaling/table.py runs/scaling
    python3 experiments/scaling/table.py runs/scaling --keep

`--keep` writes all of them to `results.json`.
"""

import argparse
import json
import sys
from pathlib import Path

from pairings import DOUBLED, DOUBLED_TIMES, RESULTS, RULES, VARIANTS, kept, name, pairings, player

sys.path.append(str(Path(__file__).parents[1]))
from scores import elo_text, of_pairs  # noqa: E402


def read(folder):
    """Pairs by points of the first player, from 0 to 2 by halves, for each pairing that is whole."""
    paths = {name(pairing): folder / f"{name(pairing)}.json" for pairing in pairings("all")}
    played = {pairing: json.loads(path.read_text()) for pairing, path in paths.items() if path.exists()}
    return kept() | {pairing: report["matches"][0]["pentanomial"]["counts"] for pairing, report in played.items()}


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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder that run.py wrote")
    parser.add_argument("--keep", action="store_true", help="write all pairings to results.json")
    options = parser.parse_args()
    pairs = read(options.folder)
    if options.keep:
        lines = [f"  {json.dumps(pairing)}: {counts}" for pairing, counts in sorted(pairs.items())]
        RESULTS.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print("Elo of twice the simulations over once (95 %), games\n")
    rows = [[f"{n} → {2 * n}"] + [cell(pairs.get(name((r, player(2 * n), player(n))))) for r in RULES] for n in DOUBLED]
    table(["simulations", *RULES], rows)
    print("Elo of twice the time over once (95 %), games\n")
    rows = []
    for of, player_name in [("alphabeta:", "alpha-beta"), ("", "net")]:
        for ms in DOUBLED_TIMES:
            cells = [cell(pairs.get(name((r, f"{of}{2 * ms}ms", f"{of}{ms}ms")))) for r in RULES]
            rows.append([f"{player_name}: {ms} ms → {2 * ms} ms", *cells])
    table(["time", *RULES], rows)
    for budget, texts in VARIANTS.items():
        print(f"Elo of the default over others at {budget} simulations (95 %), games\n")
        rows = []
        for options in texts:
            cells = [cell(pairs.get(name((r, player(budget), player(budget, options))))) for r in RULES]
            rows.append([f"`{options}`", *cells])
        table(["other", *RULES], rows)


if __name__ == "__main__":
    main()
