#!/usr/bin/env python3
"""Measures the shipped net: against the net before, against alpha-beta, and against itself with more time.

    python3 experiments/all-rules/measure.py play --out runs/shipped
    python3 experiments/all-rules/measure.py table > experiments/all-rules/tables.md

All games start from even openings. Finished matches are kept, and a match that was
stopped goes on. `play` writes the results to `results.json` beside this script, with the hash of the net.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from program import RULES, call_once, net_hash  # noqa: E402
from scores import match_cells  # noqa: E402

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
NET = "shipped"
BEFORE = "models/earlier/all-rules-6.tablut"
SOME = ["kvasir", "masters", "ashton", "brandubh", "copenhagen"]
# Name, heading, the player, the opponent, rule sets and games. Players have simulations, not a time, so other work does not change the
# results. Both nets have the same shape and so the same speed: 100 simulations take about 1 ms of one core with AVX-512.
MATCHES = [
    ("before", "The net before, both with 100 simulations", f"net:{NET}@100", f"net:{BEFORE}@100", RULES, 100),
    ("alphabeta-2", "`alphabeta:2`, the net with 100 simulations", f"net:{NET}@100", "alphabeta:2", RULES, 40),
    ("alphabeta-4", "`alphabeta:4`, the net with 100 simulations", f"net:{NET}@100", "alphabeta:4", SOME, 40),
    ("time-10", "800 simulations (about 10 ms) against 80", f"long=net:{NET}@800", f"short=net:{NET}@80", SOME, 60),
    ("time-100", "8,000 simulations (about 100 ms) against 800", f"long=net:{NET}@8000", f"short=net:{NET}@800", SOME, 20),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["play", "table"])
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--matches", nargs="*", default=[name for name, *_ in MATCHES])
    parser.add_argument("--threads", type=int, default=2, help="games at the same time")
    parser.add_argument("--out", type=Path, default=Path("runs/shipped"))
    options = parser.parse_args()
    {"play": play, "table": table}[options.step](options)


def play(options):
    options.out.mkdir(parents=True, exist_ok=True)
    net = net_hash(options.binary, NET)
    found = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    found = found if found.get("net") == net else {"net": net}
    for name, _, player, opponent, all_rules, games in MATCHES:
        for rules in all_rules if name in options.matches else []:
            out = options.out / f"{name}-{rules}-{net[:8]}.json"
            command = [options.binary, "match", player, opponent, "--rules", rules, "--openings", "even", "--games", games]
            call_once(out, [*command, "--threads", options.threads, "--save-games", out.with_suffix(".games.jsonl"), "--json", "-q"])
            match = json.loads(out.read_text())["matches"][0]
            kept = {key: {"score": {"mean": match[key]["score"]["mean"]}} for key in ["as_attackers", "as_defenders"]}
            found.setdefault(name, {})[rules] = {"pentanomial": {"counts": match["pentanomial"]["counts"]}, **kept}
            RESULTS.write_text(json.dumps(found, indent=1) + "\n")
            print(name, rules, match_cells(match), flush=True)


def table(_):
    found = json.loads(RESULTS.read_text())
    print(f"The net has the hash `{found['net'][:8]}…`.")
    for name, heading, *_ in MATCHES:
        if name in found:
            print(f"\n**{heading}**\n\n| rules | games | score (95 %) | Elo (95 %) | as attackers / defenders, % |\n|---|--:|---|---|--:|")
            for rules, match in found[name].items():
                print(f"| {rules} | {match_cells(match)} |")


if __name__ == "__main__":
    main()
