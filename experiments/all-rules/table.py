#!/usr/bin/env python3
"""The table of a net's scores against the baselines, from what `run.sh` wrote.

    python3 experiments/all-rules/table.py experiments/all-rules/results.jsonl
"""

import argparse
import json
from pathlib import Path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="a JSON object on each line, for one rule set each")
    found = [json.loads(line) for line in parser.parse_args().results.read_text().splitlines()]
    opponents = [match["players"][1] for match in found[0]["matches"]]
    print("| rules | " + " | ".join(f"`{opponent}` | att. / def." for opponent in opponents) + " |")
    print("|---" * (2 * len(opponents) + 1) + "|")
    for of in found:
        cells = [f"{cell(match['total'])} | {sides(match)}" for match in of["matches"]]
        print(f"| {of['rules']} | " + " | ".join(cells) + " |")
    means = []
    for index, opponent in enumerate(opponents):
        scores = [of["matches"][index]["total"]["score"]["mean"] for of in found]
        means.append(f"{100 * sum(scores) / len(scores):.0f} % against `{opponent}`")
    print(f"\nMean over {len(found)} rule sets: " + ", ".join(means))


def cell(total):
    """A score with its 95 % interval, in per cent."""
    score = total["score"]
    return f"{100 * score['mean']:.0f} % ({100 * score['low']:.0f}–{100 * score['high']:.0f})"


def sides(match):
    """The scores as attackers and as defenders, in per cent."""
    return " / ".join(f"{100 * match[side]['score']['mean']:.0f}" for side in ["as_attackers", "as_defenders"])


if __name__ == "__main__":
    main()
