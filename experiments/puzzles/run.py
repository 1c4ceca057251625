#!/usr/bin/env python3
"""Measures searches on the program's puzzles: writes results.json and prints the tables of the README.

Usage: experiments/puzzles/run.py [TABLUT]
"""
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TABLUT = sys.argv[1] if len(sys.argv) > 1 else ROOT / "target" / "release" / "tablut"
FILES = sorted((ROOT / "crates" / "tablut-play" / "puzzles").glob("*.jsonl"))
DISTANCES = [2, 3, 4, 5]
RUNS = {"no net, 800": [], "net, 400": ["--model", "shipped", "--simulations", "400"]}


def bench(options):
    command = [TABLUT, "bench", "puzzles", *FILES, *options, "--json"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def table(header, rows):
    print("\n| " + " | ".join(header) + " |\n|---" + "|--:" * (len(header) - 1) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")


def cell(counts):
    if not counts["puzzles"]:
        return "–"
    return " / ".join(f"{100 * counts[key] / counts['puzzles']:.0f}" for key in ("solved", "proven"))


def cells(report):
    return [cell(counts) for counts in [*report["by_distance"], report["all"]]]


def contents(path):
    header, *puzzles = map(json.loads, path.read_text().splitlines())
    kinds = [(puzzle["distance"], puzzle["position"][-1]) for puzzle in puzzles]
    counts = [f"{kinds.count((distance, 'a'))} / {kinds.count((distance, 'd'))}" for distance in DISTANCES]
    return [header["rules"]["set"]["name"], str(header["games"]), *counts]


results = {name: bench(options) for name, options in RUNS.items()}
(HERE / "results.json").write_text(json.dumps(results, indent=1) + "\n")
moves = [f"{distance} moves" for distance in DISTANCES]
table(["rules", "games", *moves], [contents(path) for path in FILES])
table(["solved / proven", *moves, "all"],
      [row for name, run in results.items()
       for row in [[f"**{name}**", *cells(run["all"])], *([one["rules"], *cells(one)] for one in run["sets"])]])
for name, run in results.items():
    counts = run["all"]
    print(f"\n{name}: {counts['confirmed']} proofs confirmed, {counts['unchecked']} not checked, "
          f"{len(counts['contradicted'])} contradicted")
