#!/usr/bin/env python3
"""Compares the shares of games that the attackers won by the workshop and by matches; 95 % intervals by Wilson and Newcombe."""

import json
import math
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))
from scores import wilson  # noqa: E402


def share(wins, games):
    """A share with its interval."""
    return wins / games, *wilson(wins / games, games)


def difference(after, before):
    """Newcombe's interval for the difference of two shares, each with its Wilson interval."""
    (p, pl, pu), (q, ql, qu) = after, before
    return p - q, p - q - math.hypot(p - pl, qu - q), p - q + math.hypot(pu - p, q - ql)


def shares():
    found = {}
    for line in open(HERE / "workshop.jsonl"):
        view = json.loads(line)
        for balance in view["balances"]:
            found["workshop", view["rules"], balance["simulations"]] = share(balance["attackers"]["count"], balance["games"])
    for line in open(HERE / "matches.jsonl"):
        report = json.loads(line)
        wins = sum(ending["attackers"] for ending in report["endings"].values())
        # The net plays itself without noise: the two games of a pair are the same one.
        found["match", report["rules"], int(report["players"][0].split("-")[-1])] = share(wins / 2, report["games"] / 2)
    return found


def show(interval):
    return "{:+.0f} ({:+.0f} to {:+.0f})".format(*(100 * x for x in interval))


def main():
    found = shares()
    print("| simulations | by | edge | corners | shift, points |\n|--:|---|--:|--:|--:|")
    for simulations in (16, 64):
        shifts = []
        for by in ("workshop", "match"):
            before, after = found[by, "kvasir", simulations], found[by, "my-kvasir", simulations]
            shifts.append(difference(after, before))
            percent = ["{:.0f} % ({:.0f}–{:.0f})".format(*(100 * x for x in won)) for won in (before, after)]
            print(f"| {simulations} | {by} | {percent[0]} | {percent[1]} | {show(shifts[-1])} |")
        between, half = shifts[0][0] - shifts[1][0], math.hypot(shifts[0][2] - shifts[0][0], shifts[1][2] - shifts[1][0])
        agree = "agree" if abs(between) <= half else "disagree"
        print(f"\nAt {simulations} simulations the shifts differ by {100 * between:+.0f} ± {100 * half:.0f} points: they {agree}.\n")


main()
