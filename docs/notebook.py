#!/usr/bin/env python3
"""Looks at a run with pandas and NumPy: how the sides fare in each rule set, and how good the values are.

    tablut data export metrics runs/quickstart --out metrics.csv
    tablut data export plies runs/quickstart/games/gen-00016.games --out plies.csv
    tablut data export positions runs/quickstart/games/gen-00016.games --out positions.npz
    python3 docs/notebook.py metrics.csv plies.csv positions.npz

Needs pandas and NumPy (python3 -m pip install numpy pandas). docs/metrics.md explains the columns, docs/formats.md
the arrays.
"""

import sys

import numpy as np
import pandas as pd


def show_metrics(path):
    metrics = pd.read_csv(path)
    results = ["attackers", "draws", "defenders", "unfinished"]
    for result in results:
        metrics[f"{result}_share"] = metrics[result] / metrics["games"]
    last = metrics[metrics["generation"] > metrics["generation"].max() - 3]
    print("The last three generations, by rule set:")
    columns = [f"{result}_share" for result in results]
    columns += ["attackers_entropy", "defenders_entropy", "net_error", "search_error"]
    print(last.groupby("rules")[columns].mean().round(3).to_string())


def show_plies(path):
    plies = pd.read_csv(path)
    searched = plies[(plies["searched"] == 1) & (plies["reason"] != "ply-limit")].copy()
    searched["result"] = searched["winner"].map({"attackers": 1, "defenders": -1}).fillna(0)
    searched["bin"] = (searched["value"] * 5).round() / 5
    print("\nWhat the search's values were worth in finished games (mean result by value):")
    print(searched.groupby("bin")["result"].agg(["count", "mean"]).round(3).to_string())


def show_positions(path):
    data = np.load(path)
    starts = np.concatenate([[0], data["move_ends"][:-1]])
    moves = data["move_ends"] - starts
    policy = data["policy"]
    terms = np.where(policy > 0, -policy * np.log(np.maximum(policy, 1e-12)), 0)
    entropy = np.add.reduceat(terms, starts)
    print(f"\n{len(moves)} positions, {moves.mean():.1f} legal moves, entropy of the search's policy {entropy.mean():.2f} nats")


def main(metrics_path, plies_path, positions_path=None):
    show_metrics(metrics_path)
    show_plies(plies_path)
    if positions_path:
        show_positions(positions_path)


if __name__ == "__main__":
    main(*sys.argv[1:4])
