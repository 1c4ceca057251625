#!/usr/bin/env python3
"""Compares the shares of games that the attackers won by the workshop and by matches; 95 % intervals by Wilson and Newcombe."""

import json
import math
from pathlib import Path

HERE = Path(__file__).parent
Z = 1.96


def wilson(wins, games):
    p, z2 = wins / games, Z * Z
    middle, half = (p + z2 / (2 * games)) / (1 + z2 / games), Z * math.sqrt(p * (1 - p) / games + z2 / (4 * games**2)) / (1 + z2 / games)
    return p, middle - half, middle + half


def difference(after, before):
    """Newcombe's interval for the difference of two shares, each with its Wilson interval."""
    (p, pl, pu), (q, ql, qu) = after, before
    return p - q, p - q - math.hypot(p - pl, qu - q), p - q + math.hypot(pu - p, q - ql)


def shares():
    found = {}
    for line in open(HERE / "workshop.jsonl"):
        view = json.loads(line)
        for balance in view["balances"]:
            found["workshop", view["rules"], balance["simulations"]] = wilson(balance["attackers"]["count"], balance["games"])
    for line in open(HERE / "matches.jsonl"):
        report = json.loads(line)
        wins = sum(ending["attackers_won"] for ending in report["endings"].values())
        found["match", report["rules"], int(report["players"][0].split("-")[-1])] = wilson(wins, report["games"])
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
            percent = ["{:.0f} % ({:.0f}–{:.0f})".format(*(100 * x for x in share)) for share in (before, after)]
            print(f"| {simulations} | {by} | {percent[0]} | {percent[1]} | {show(shifts[-1])} |")
        between, half = shifts[0][0] - shifts[1][0], math.hypot(shifts[0][2] - shifts[0][0], shifts[1][2] - shifts[1][0])
        agree = "agree" if abs(between) <= half else "disagree"
        print(f"\nAt {simulations} simulations the shifts differ by {100 * between:+.0f} ± {100 * half:.0f} points: they {agree}.\n")


main()
