"""Prints the tables of a page from lines of `endgames`: `python3 tables.py < brandubh.jsonl`."""

import json
import sys


def per_cent(part, all):
    """A share with one decimal. 0 and 100 are exact, other shares never round to them."""
    share = 100 * part / all
    if part in (0, all):
        return "0" if part == 0 else "100"
    return "< 0.1" if share < 0.05 else "> 99.9" if share >= 99.95 else f"{share:.1f}"


def shares(counts):
    return " / ".join(per_cent(counts[key], counts["positions"]) for key in ("attackers_win", "defenders_win", "neither"))


lines = [json.loads(line) for line in sys.stdin]
print("| rules | class | positions | attackers to move | defenders to move | attackers' longest win | defenders' longest win |")
print("|---|---|--:|--:|--:|--:|--:|")
for line in lines:
    longest = [(line[f"{side}_longest"] or {"plies": "–"})["plies"] for side in ("attackers", "defenders")]
    print(
        f"| {line['rules']} | {line['class']} | {line['positions']:,} | {shares(line['attackers_to_move'])} "
        f"| {shares(line['defenders_to_move'])} | {longest[0]} | {longest[1]} |"
    )
print("\n| rules | class | winner | plies | position |\n|---|---|---|--:|---|")
for line in lines:
    for side in ("attackers", "defenders"):
        if win := line[f"{side}_longest"]:
            print(f"| {line['rules']} | {line['class']} | {side} | {win['plies']} | `{win['position']}` |")
