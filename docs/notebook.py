#!/usr/bin/env python3
"""Looks at a run with pandas: how the sides fare in each rule set, and how good the net's values are.

    tablut report runs/quickstart --csv metrics.csv
    tablut data csv runs/quickstart/games/gen-00017.games > plies.csv
    python3 docs/notebook.py metrics.csv plies.csv

Needs pandas (python3 -m pip install pandas). The columns are those of docs/metrics.md.
"""

import sys

import pandas as pd


def main(metrics_path, plies_path):
    metrics = pd.read_csv(metrics_path)
    metrics["rules"] = metrics["rules"].fillna("all")
    for side in ("attackers", "defenders"):
        metrics[f"{side}_share"] = metrics[f"{side}_won"] / metrics["games"]
    last = metrics[metrics["generation"] > metrics["generation"].max() - 3]
    print("The last three generations, by rule set:")
    columns = ["attackers_share", "defenders_share", "attackers_entropy", "defenders_entropy", "net_error", "search_error"]
    print(last.groupby("rules")[columns].mean().round(3).to_string())

    plies = pd.read_csv(plies_path)
    searched = plies[plies["searched"] == 1].copy()
    searched["result"] = searched["winner"].map({"attackers": 1, "defenders": -1}).fillna(0)
    searched["bin"] = (searched["value"] * 5).round() / 5
    print("\nWhat the search's values were worth (mean result by value):")
    print(searched.groupby("bin")["result"].agg(["count", "mean"]).round(3).to_string())


if __name__ == "__main__":
    main(*sys.argv[1:3])
