#!/usr/bin/env python3
"""The speed of the Python package beside the program and beside another environment, interleaved.

    cargo build --release
    cargo build --release -p tablut-lab --example bench
    pip install . chess pygame 'pettingzoo>=1.25'
    python3 experiments/python/run.py

In every round each thing is timed in turn for about a second, so that what else the machine does falls on all. The medians of the
rounds are compared. `results.json` gets all figures.
"""

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

import numpy as np

import tablut
from tablut.vector import VectorEnv

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))
from program import call  # noqa: E402

RULES = ["kvasir", "imperial", "ludoteka"]
PLAYOUT_PLIES = 200


def per_second(count, secs, work):
    """How many `count`s a second `work` does, over at least so many seconds."""
    work()
    done, begun = 0, time.perf_counter()
    while (passed := time.perf_counter() - begun) < secs:
        work()
        done += count
    return done / passed


def vector_steps(rules, observations, masks, secs):
    """Steps a second of random games on one core."""
    env = VectorEnv(256, rules, observations=observations, masks=masks, max_plies=PLAYOUT_PLIES)
    env.reset(seed=1)
    return per_second(len(env), secs, lambda: env.step(env.random_actions()))


def chess_steps(secs):
    """Steps a second of random games in PettingZoo's chess on one core, observations and masks included."""
    from pettingzoo.classic import chess_v6

    env = chess_v6.raw_env()
    random = np.random.default_rng(1)
    steps, begun = 0, time.perf_counter()
    while (passed := time.perf_counter() - begun) < secs:
        env.reset()
        while env.agents:
            observation, _, over, truncated, _ = env.last()
            env.step(None if over or truncated else int(random.choice(np.flatnonzero(observation["action_mask"]))))
            steps += 1
    return steps / passed


def aec_steps(rules, secs):
    """Steps a second of random games in this package's PettingZoo environment on one core, observations and masks included."""
    from tablut.pettingzoo import raw_env

    env = raw_env(rules)
    random = np.random.default_rng(1)
    steps, begun = 0, time.perf_counter()
    while (passed := time.perf_counter() - begun) < secs:
        env.reset()
        while env.agents:
            observation, _, over, truncated, _ = env.last()
            env.step(None if over or truncated else int(random.choice(np.flatnonzero(observation["action_mask"]))))
            steps += 1
    return steps / passed


def playout_plies(bench, rules):
    """Plies a second of random games in Rust on one core."""
    report = json.loads(call([bench, "rules", "--rules", rules, "--rounds", 1, "--depth", 2, "--playouts", 8000, "--json"]))
    return report["playout_plies_per_sec"]


def positions(n):
    """Positions from random games of all rule sets on 9 × 9 squares, as in `tablut-lab`'s `bench positions`."""
    random = np.random.default_rng(1)
    sets = [rules for rules in map(tablut.Rules, tablut.Rules.names()) if rules.width == 9]
    games = []
    while len(games) < n:
        game = tablut.Game(sets[len(games) % len(sets)])
        for _ in range(random.integers(60)):
            actions = game.legal_actions()
            if len(actions) == 0:
                break
            game.play(int(actions[random.integers(len(actions))]))
        if game.outcome is None:
            games.append(game)
    return games


def evaluations(model, games, threads, secs):
    return per_second(len(games), secs, lambda: model.evaluate(games, threads=threads))


def positions_per_second(bench, net, batch, threads, secs):
    """Evaluations a second in Rust, with the moves listed and the positions encoded, as Python's `evaluate` does."""
    command = [bench, "positions", "--model", net, "--batch", batch, "--threads", threads, "--secs", secs, "--json"]
    return json.loads(call(command))["evals_per_sec"]


def search_speed(model, simulations, secs):
    """Simulations a second of a search from the start."""
    game = tablut.Game("kvasir")
    return per_second(simulations, secs, lambda: tablut.search(game, model, simulations=simulations))


def analyze_speed(binary, simulations):
    search = json.loads(call([binary, "analyze", "--json", "--simulations", simulations]))["search"]
    return search["simulations"] / search["seconds"]


def callable_speed(secs, threads):
    """Evaluations a second of searches of many games with a callable that returns constants."""
    policy, value = np.zeros((8192, tablut.Rules("kvasir").policy_entries), np.float32), np.zeros(8192, np.float32)
    count = [0]

    def evaluator(planes, features):
        count[0] += len(planes)
        return policy[: len(planes)], value[: len(planes)]

    games = [game for game in positions(256) if game.rules.name != "imperial"]
    begun = time.perf_counter()
    while (passed := time.perf_counter() - begun) < secs:
        tablut.search(games, evaluator=evaluator, simulations=200, threads=threads, batch=128)
    return count[0] / passed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--bench", default="target/release/examples/bench")
    parser.add_argument("--net", default="models/all-rules.tablut")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--secs", type=float, default=1.0)
    parser.add_argument("--only", default="", help="measure only what begins so")
    parser.add_argument("--out", type=Path, default=HERE / "results.json")
    args = parser.parse_args()

    model = tablut.Model.load(args.net)
    small, large = positions(64), positions(1024)
    measured = {"chess, PettingZoo": lambda: chess_steps(args.secs)}
    for rules in RULES:
        measured[f"playouts, Rust, {rules}"] = lambda rules=rules: playout_plies(args.bench, rules)
        measured[f"PettingZoo, {rules}"] = lambda rules=rules: aec_steps(rules, args.secs)
        for observations, masks in [("none", False), ("board", True), ("planes", True)]:
            name = f"vector, {observations}{' and masks' if masks else ''}, {rules}"
            measured[name] = lambda rules=rules, o=observations, m=masks: vector_steps(rules, o, m, args.secs)
    for threads in (1, 2):
        for batch, games in ((64, small), (1024, large)):
            name = f"batch {batch}, {threads} threads"
            measured[f"inference, Rust, {name}"] = lambda b=batch, t=threads: positions_per_second(
                args.bench, args.net, b, t, args.secs
            )
            measured[f"inference, Python, {name}"] = lambda g=games, t=threads: evaluations(model, g, t, args.secs)
    for simulations in (800, 5000):
        measured[f"search, Rust, {simulations}"] = lambda n=simulations: analyze_speed(args.binary, n)
        measured[f"search, Python, {simulations}"] = lambda n=simulations: search_speed(model, n, args.secs)
    for threads in (1, 2):
        measured[f"callable, {threads} threads"] = lambda t=threads: callable_speed(args.secs, t)

    measured = {name: measure for name, measure in measured.items() if name.startswith(args.only)}
    figures = {name: [] for name in measured}
    for number in range(args.rounds):
        for name, measure in measured.items():
            figures[name].append(measure())
            print(f"round {number + 1}: {name}: {figures[name][-1]:,.0f}", file=sys.stderr)
    medians = {name: statistics.median(values) for name, values in figures.items()}
    args.out.write_text(json.dumps({"medians": medians, "rounds": figures}, indent=1) + "\n")
    for name, median in medians.items():
        print(f"{name:44} {median:12,.0f}")


if __name__ == "__main__":
    main()
