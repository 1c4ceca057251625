#!/usr/bin/env python3
"""Lets a net play itself under every rule set, picks one game that each side won, and has them reviewed.

    python3 experiments/annotated-games/make.py --net models/all-rules.tablut

Writes RULES-attackers.json and RULES-defenders.json beside this file: games that the page opens (Share, Open). Each
begins with two random plies. Games that are there stay.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

RULES = [
    "piecepack", "piecepack-open-castle", "piecepack-defenders-first", "imperial", "ludoteka", "linnaeus", "linnaeus-open-camps",
    "masters", "masters-weak-king", "masters-armed-king", "masters-edge", "kvasir", "tartu", "ashton",
]
HERE = Path(__file__).parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--net", default="models/all-rules.tablut")
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("--games", type=int, default=12, help="games among which the two are picked")
    parser.add_argument("--play", type=int, default=2000, help="simulations a move")
    parser.add_argument("--review", type=int, default=2000, help="simulations at each position of the review")
    parser.add_argument("--rules", nargs="*", default=RULES)
    options = parser.parse_args()
    for rules in options.rules:
        games = played(options, rules)
        for winner in ["attackers", "defenders"]:
            out = options.out / f"{rules}-{winner}.json"
            won = [game for game in games if game["winner"] == winner]
            if not won:
                print(f"{rules}: the {winner} won none of {len(games)} games", file=sys.stderr)
            elif not out.exists():
                # The longest of them: a fight.
                review(options, rules, max(won, key=lambda game: len(game["moves"])), out)


def played(options, rules):
    kept = Path("runs/annotated-games") / f"{rules}.jsonl"
    kept.parent.mkdir(parents=True, exist_ok=True)
    players = [f"{name}=net:{options.net}@{options.play},precision=bf16" for name in ("one", "other")]
    command = [options.binary, "match", *players, "--rules", rules, "--games", options.games, "--opening-plies", 2]
    call([*command, "--save-games", kept, "--json", "-q"])
    return [game for game in map(json.loads, kept.read_text().splitlines()) if "moves" in game]


def review(options, rules, game, out):
    text = out.with_suffix(".txt")
    text.write_text(f"Tablut, {rules} rules\n{' '.join(game['moves'])}\n")
    call([options.binary, "review", text, options.net, "--simulations", options.review, "--out", out, "-q"])
    text.unlink()


def call(command):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode}: {' '.join(map(str, command))}")


if __name__ == "__main__":
    main()
