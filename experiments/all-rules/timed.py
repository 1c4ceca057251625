#!/usr/bin/env python3
"""Plays a net against a player at equal time a move, or at the player's own limit, under each rule set, from even openings.

    python3 experiments/all-rules/timed.py play --net NET --against net:models/earlier/all-rules-1.tablut@100ms --out runs/timed
    python3 experiments/all-rules/timed.py table --out runs/timed

Games have one core each, so nothing else should run. Finished games are kept, and a match that was stopped goes on.
"""

import argparse
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from program import RULES, SOURCES, call_once  # noqa: E402
from scores import elo_text, of_pairs  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["play", "table"])
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--net", default="models/all-rules.tablut")
    parser.add_argument("--time", default="100ms", help="the net's time for each move")
    parser.add_argument("--against", default="net:models/earlier/all-rules-1.tablut@100ms")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2, help="matches at the same time: no more than cores")
    parser.add_argument("--ratings", action="store_true", help="a column with the rating that `tablut match` prints")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rules", nargs="*", default=[*SOURCES, *(rules for rules in RULES if rules not in SOURCES)])
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    {"play": play_all, "table": table}[options.step](options)


def play_all(options):
    with ThreadPoolExecutor(options.processes) as pool:
        for _ in pool.map(lambda rules: play(options, rules), options.rules):
            pass


def play(options, rules):
    """One match, in JSON; nothing if it is there already."""
    out = options.out / f"{rules}-{options.seed}.json"
    command = [options.binary, "match", f"net:{options.net}@{options.time}", options.against, "--rules", rules]
    command += ["--openings", "even", "--games", options.games, "--seed", options.seed, "--threads", 1]
    command += ["--save-games", out.with_suffix(".games.jsonl"), "--json", "-q"]
    if call_once(out, command):
        print(row(options, rules), flush=True)


def row(options, rules):
    """A line of the table: all seeds of a rule set together."""
    pairs, sides = [0] * 5, {"as_attackers": [0, 0], "as_defenders": [0, 0]}
    for path in sorted(options.out.glob(f"{rules}-[0-9]*.json")):
        one = json.loads(path.read_text())["matches"][0]
        pairs = [a + b for a, b in zip(pairs, one["pentanomial"]["counts"])]
        for side, sums in sides.items():
            results = one[side]["results"]
            sums[0] += results["wins"] + results["draws"] / 2
            sums[1] += sum(results.values())
    if not sum(pairs):
        return f"| {rules} | – | – | – | – |" + " – |" * options.ratings
    games, mean, low, high = of_pairs(pairs)
    attackers, defenders = (100 * points / games for points, games in sides.values())
    return (
        f"| {rules} | {games} | {100 * mean:.1f} % ({100 * low:.1f}–{100 * high:.1f}) "
        f"| {elo_text(mean, low, high)} | {attackers:.0f} / {defenders:.0f} |"
        f"{rating(options, rules) if options.ratings else ''}"
    )


def rating(options, rules):
    """The net's lead in the ladder of one match. One of the two is the anchor, whose interval is a point."""
    found = sorted(options.out.glob(f"{rules}-[0-9]*.json"))
    if len(found) != 1:
        return " – |"
    result = json.loads(found[0].read_text())
    rated = {player["name"]: player for player in result["players"]}
    net, opponent = (rated[name] for name in result["matches"][0]["players"])
    low, high = net["low"] - opponent["high"], net["high"] - opponent["low"]
    return f" {net['elo'] - opponent['elo']:+.0f} ({low:+.0f} to {high:+.0f}) |"


def table(options):
    print("| rules | games | score (95 %) | Elo (95 %) | as attackers / defenders, % |" + " rating (95 %) |" * options.ratings)
    print("|---|--:|---|---|--:|" + "---|" * options.ratings)
    for rules in options.rules:
        print(row(options, rules))


if __name__ == "__main__":
    main()
