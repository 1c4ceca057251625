#!/usr/bin/env python3
"""The tables of this page, from the ratings and the matches: experiments/levels/table.py RATINGS MATCHES SCRIPTED"""

import json
import sys

ratings, matches, scripted = ([json.loads(line) for line in open(path)] for path in sys.argv[1:])

print("| level | attackers | games | defenders | games |\n|---|--:|--:|--:|--:|")
for level in ratings[1:]:
    sides = [level[side] for side in ("attackers", "defenders")]
    cells = [f"{side['elo']} ({side['low']} to {side['high']}) | {side['games']}" for side in sides]
    print(f"| {level['level']} | {' | '.join(cells)} |")

print("\n| level | person | " + " | ".join(f"{rules}, attackers | defenders" for rules in ("kvasir", "masters", "imperial")) + " |")
print("|---|---" + "|--:" * 6 + "|")
rows = {}
for line in scripted:
    rows.setdefault((line["level"], line["person"]), []).append(f"{100 * line['second_half']:.0f}")
for (level, person), cells in rows.items():
    print(f"| {level} | {person} | {' | '.join(cells)} |")

print("\n| first | second | first with the attackers | first with the defenders |\n|---|---|--:|--:|")
for match in matches[1:]:
    results = [match[side]["results"] for side in ("as_attackers", "as_defenders")]
    cells = [f"+{one['wins']} ={one['draws']} −{one['losses']}" for one in results]
    print(f"| {' | '.join(match['players'])} | {' | '.join(cells)} |")
