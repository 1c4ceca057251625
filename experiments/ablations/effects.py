"""What each setting is worth, from all runs of `screen.py` together.

The model is a sum: a run's Elo over the reference nets is a constant, a slope times the logarithm of its processor time, and
one number for each setting that is not the default. All numbers have a normal prior around 0 (ridge regression).
"""

import argparse
import json
import math
from pathlib import Path

import numpy as np

from settings import SETTINGS, schedule

PRIOR = 60  # Elo: the standard deviation of a setting's effect before any run
LEAST_DEVIATION = 60  # Elo: of equal runs with other seeds
DOUBLED = [
    "schedule.generations", "learning.batch_size", "learning.draws_per_position", "learning.window_positions",
    "learning.learning_rate", "search.max_considered", "search.c_scale", "selfplay.max_plies",
]
NAMES = [(name, level) for name, levels in SETTINGS.items() if name != "games" for level in levels[1:]]


def elo(pairs):
    """The difference at a score with one point added to each side, so that it is finite."""
    points, games = sum(n * k / 2 for k, n in enumerate(pairs)), 2 * sum(pairs)
    return -400 * math.log10((games + 2) / (points + 1) - 1)


def rows_of(files):
    return [json.loads(line) for file in files if file.exists() for line in file.read_text().splitlines()]


def posterior(rows):
    """Means and covariance of the constants of the rule sets, the slope and the effects, and the runs' deviation."""
    rules = sorted({row["rules"] for row in rows})
    seconds = np.array([row["processor_seconds"] for row in rows])
    typical = {name: np.median([row["processor_seconds"] for row in rows if row["rules"] == name]) for name in rules}
    columns = [[float(row["rules"] == name) for row in rows] for name in rules]
    columns.append(np.log2(seconds / np.array([typical[row["rules"]] for row in rows])))
    columns += [[float(row["settings"].get(name, SETTINGS[name][0]) == level) for row in rows] for name, level in NAMES]
    x, y = np.array(columns, dtype=float).T, np.array([elo(row["pairs"]) for row in rows])
    prior = np.array([1e4] * len(rules) + [1e3] + [PRIOR] * len(NAMES), dtype=float)
    deviation = 80.0
    for _ in range(20):
        covariance = np.linalg.inv(x.T @ x / deviation**2 + np.diag(prior**-2))
        mean = covariance @ x.T @ y / deviation**2
        effective = np.trace(x @ covariance @ x.T) / deviation**2
        deviation = max(math.sqrt(np.sum((y - x @ mean) ** 2) / max(len(y) - effective, 1)), LEAST_DEVIATION)
    return rules, mean, covariance, deviation


def doublings(row):
    """By how many doublings each of some numbers exceeds its default."""
    numbers = {name: (row["settings"][name], SETTINGS[name][0]) for name in DOUBLED}
    default = {name: levels[0] for name, levels in SETTINGS.items()}
    numbers["simulations (mean)"] = (schedule(row["settings"])[1], schedule(default)[1])
    return {name: math.log2(value / default) for name, (value, default) in numbers.items()}


def print_slopes(rows):
    """Prints what a doubling of each of these numbers is worth, without regard to the other settings' effects."""
    rules = sorted({row["rules"] for row in rows})
    found = [doublings(row) for row in rows]
    columns = [[float(row["rules"] == name) for row in rows] for name in rules]
    columns.append([math.log2(row["processor_seconds"] / 120) for row in rows])
    columns += [[numbers[name] for numbers in found] for name in found[0]]
    x, y = np.array(columns).T, np.array([elo(row["pairs"]) for row in rows])
    precision = np.array([0.0] * len(rules) + [1e-4] + [PRIOR**-2.0] * len(found[0]))
    deviation = np.std(y)
    for _ in range(20):
        covariance = np.linalg.inv(x.T @ x / deviation**2 + np.diag(precision))
        mean = covariance @ x.T @ y / deviation**2
        deviation = math.sqrt(np.sum((y - x @ mean) ** 2) / (len(y) - len(mean) / 2))
    print("\n| twice the | Elo |\n|---|---|")
    for name, value, error in zip(found[0], mean[len(rules) + 1 :], np.sqrt(np.diag(covariance))[len(rules) + 1 :]):
        print(f"| {name} | {value:+.0f} ± {1.96 * error:.0f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+", help="files of results from screen.py")
    parser.add_argument("--rules", help="only runs of this rule set")
    options = parser.parse_args()
    rows = [row for row in rows_of(options.files) if options.rules in (None, row["rules"])]
    rules, mean, covariance, deviation = posterior(rows)
    errors = np.sqrt(np.diag(covariance))
    print(f"{len(rows)} runs; deviation of one run {deviation:.0f} Elo")
    first = len(rules)
    print(f"twice the time: {mean[first]:+.0f} ± {1.96 * errors[first]:.0f}; defaults: ", end="")
    print(", ".join(f"{name} {value:+.0f}" for name, value in zip(rules, mean)))
    print("\n| setting | default | value | runs | Elo |\n|---|---|---|---|---|")
    for (name, level), value, error in zip(NAMES, mean[first + 1 :], errors[first + 1 :]):
        runs = sum(row["settings"].get(name) == level for row in rows)
        print(f"| `{name}` | {SETTINGS[name][0]} | {level} | {runs} | {value:+.0f} ± {1.96 * error:.0f} |")
    print_slopes(rows)


if __name__ == "__main__":
    main()
