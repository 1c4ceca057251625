#!/usr/bin/env python3
"""Gives the game counts of crates/tablut-ratings/tests/published_ratings.rs to Ordo and BayesElo.

    python3 experiments/ratings/compare.py --ordo path/to/ordo --bayeselo path/to/bayeselo

Both are built from their sources; either may be left out. Attackers are White.
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

# Wins, draws and losses of the first player with the attackers, then with the defenders: imperial rules,
# `tablut match alphabeta:1 alphabeta:2 alphabeta:3 --rules imperial --games 100`.
IMPERIAL = [
    ("ab1", "ab2", (0, 18, 32), (17, 7, 26)),
    ("ab1", "ab3", (1, 2, 47), (6, 6, 38)),
    ("ab2", "ab3", (3, 7, 40), (24, 16, 10)),
]
# Laskos, "EloStat, Bayeselo and Ordo", talkchess, 24 June 2012; colours shared evenly.
LASKOS = [
    ("Strelka", "Komodo", (9, 5, 1), (9, 4, 2)),
    ("Houdini", "Strelka", (9, 5, 1), (9, 4, 2)),
    ("Houdini", "Komodo", (12, 3, 0), (12, 3, 0)),
]


def pgn(matches, halve_draws):
    """One line a game; with `halve_draws` every game twice, a draw as a win and a loss."""
    lines = []
    for first, second, as_attackers, as_defenders in matches:
        for white, black, (wins, draws, losses) in [(first, second, as_attackers), (second, first, as_defenders[::-1])]:
            if halve_draws:
                wins, draws, losses = 2 * wins + draws, 0, 2 * losses + draws
            for result, n in [("1-0", wins), ("1/2-1/2", draws), ("0-1", losses)]:
                lines += [f'[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n\n{result}\n'] * n
    return "\n".join(lines)


def run(command, text=None):
    print("$", " ".join(command))
    print(subprocess.run(command, input=text, capture_output=True, text=True, timeout=120).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ordo")
    parser.add_argument("--bayeselo")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, matches, anchor in [("laskos", LASKOS, "Strelka"), ("imperial", IMPERIAL, "ab1")]:
            whole, halved = (Path(folder) / f"{name}{suffix}.pgn" for suffix in ("", "-halved"))
            whole.write_text(pgn(matches, halve_draws=False))
            halved.write_text(pgn(matches, halve_draws=True))
            if args.ordo:
                for options in (["-W"], ["-W", "-D", "-M"]):
                    run([args.ordo, "-q", "-a", "0", "-A", anchor, "-N", "2", "-p", str(whole), *options])
            if args.bayeselo:
                settings = "prior 0\ndrawelo 0.001\nadvantage 0\nmm 1 0\n"
                run([args.bayeselo], f"prompt off\nreadpgn {halved}\nelo\n{settings}ratings\nadvantage\nx\nx\n")
                run([args.bayeselo], f"prompt off\nreadpgn {whole}\nelo\nmm 1 1\nratings\nadvantage\ndrawelo\nx\nx\n")


if __name__ == "__main__":
    main()
