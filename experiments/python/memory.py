#!/usr/bin/env python3
"""What games and dropped trainers leave behind: resident memory and threads before, during and after.

    pip install .
    python3 experiments/python/memory.py
"""

import argparse
import ctypes
import gc
import os

import numpy as np

import tablut
from tablut.vector import VectorEnv


def left():
    """Resident MiB after the free memory went back to the system, and threads of this process."""
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    with open("/proc/self/statm") as statm:
        pages = int(statm.read().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20, len(os.listdir("/proc/self/task"))


def say(what):
    mib, threads = left()
    print(f"{what:42} {mib:8.1f} MiB {threads:4} threads", flush=True)


def games(n):
    """Random games, played in the vector environment. A `Game` is played for each hundredth one."""
    env = VectorEnv(256, "kvasir", max_plies=200)
    env.reset(seed=1)
    played, kept = 0, 0
    while played < n:
        _, _, terminated, truncated, _ = env.step(env.random_actions())
        played += int(np.sum(terminated | truncated))
        if played // 100 > kept:
            kept = played // 100
            game = tablut.Game("kvasir")
            while game.outcome is None and game.ply < 40:
                game.play(int(game.legal_actions()[0]))
    return played


class Trainer:
    """Self-play with a callable of its own: a cycle."""

    def __init__(self):
        self.games = tablut.self_play(evaluator=self.net, games=1000, simulations=8, max_plies=20, threads=2, batch=16)
        next(self.games)

    def net(self, planes, features):
        return np.zeros((len(planes), 2673), np.float32), np.zeros(len(planes), np.float32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--trainers", type=int, default=1000)
    args = parser.parse_args()
    games(1000)
    Trainer()
    say("before")
    for part in range(1, 5):
        games(args.games // 4)
        say(f"after {part * args.games // 4:,} games")
    for part in range(1, 5):
        for _ in range(args.trainers // 4):
            Trainer()
        say(f"after {part * args.trainers // 4:,} dropped trainers")


if __name__ == "__main__":
    main()
