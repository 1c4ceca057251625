#!/usr/bin/env python3
"""Packs the searched positions of exported games, and holds a twentieth of the games out.

    tablut data export positions RUN/games/gen-*.games --out positions.npz
    python3 experiments/line-nets/prepare.py positions.npz kvasir.npz
"""

import sys

import numpy as np

HELD_OUT = 20


def main(source, target):
    data = np.load(source)
    planes, ends = data["planes"], data["move_ends"].astype(np.int64)
    n = len(planes)
    counts = np.diff(ends, prepend=0)
    moves = data["moves"]
    assert (moves[:, 1] == 65535).all(), "rules with a choice of capture are not part of this study"
    row = np.repeat(np.arange(n), counts)
    place = np.arange(len(moves)) - np.repeat(ends - counts, counts)
    entries = np.full((n, counts.max()), -1, np.int16)
    policy = np.zeros((n, counts.max()), np.float16)
    entries[row, place], policy[row, place] = moves[:, 0], data["policy"]
    # Within a game the plies left fall. Games of one generation follow each other.
    left = data["moves_left"]
    game = np.cumsum(np.concatenate([[True], left[1:] >= left[:-1]])) - 1
    random = np.random.default_rng(0)
    held = np.zeros(game[-1] + 1, bool)
    held[random.permutation(len(held))[: len(held) // HELD_OUT]] = True
    np.savez(
        target,
        planes=np.packbits(planes.reshape(n, -1), axis=1),
        features=data["features"].astype(np.float32),
        entries=entries,
        policy=policy,
        values=data["values"],
        left=left,
        held=held[game],
    )
    print(f"{n} positions of {len(held)} games, {held[game].sum()} held out, {counts.mean():.1f} moves")


if __name__ == "__main__":
    main(*sys.argv[1:])
