#!/usr/bin/env python3
"""Lets a net play itself under every rule set, picks one game that each side won, and has them reviewed.

    python3 experiments/annotated-games/make.py --net models/all-rules.tablut

Writes RULES-attackers.json and RULES-defenders.json beside this file: games that the page opens (Share, Open). Each
begins with two random plies. Games that are there stay.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from program import RULES, call  # noqa: E402

HERE = Path(__file__).parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--net", default="models/all-rules.tablut")
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("--games", type=int, default=24, help="games among which the two are picked")
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
    players = [f"{name}=net:{options.net}@{options.play},precision=fastest" for name in ("one", "other")]
    command = [options.binary, "match", *players, "--rules", rules, "--games", options.games, "--opening-plies", 2]
    call([*command, "--save-games", kept, "--json", "-q"])
    games = [game for game in map(json.loads, kept.read_text().splitlines()) if "moves" in game]
    # A net plays itself without noise: the second game of each opening is the first one again.
    return [game for game in games if game["game"] % 2 == 0]


def review(options, rules, game, out):
    text = out.with_suffix(".txt")
    text.write_text(f"Tablut, {rules} rules\n{' '.join(game['moves'])}\n")
    call([options.binary, "analyze", "--game", text, options.net, "--simulations", options.review, "--out", out, "-q"])
    text.unlink()


if __name__ == "__main__":
    main()
