"""Positions as arrays, compared with `docs/how-net.md`."""

import numpy as np
import pytest

import tablut
from conftest import random_positions


def test_the_documents_example_holds():
    game = tablut.Game("kvasir")
    index = dict(zip(game.legal_moves(), game.policy_index().tolist()))
    assert index["d1-d3"] == [84, 65535] and game.action("d1-d3") == 84
    imperial = tablut.Game("imperial", "9/9/6K2/9/2T6/2t6/Tt1tT4/9/2T6 d")
    index = dict(zip(imperial.legal_moves(), imperial.policy_index().tolist()))
    # c1 is square 2, two to the north: plane 1. c4 is square 29, b3 is 19.
    assert index["c1-c3xc4"] == [1 * 81 + 2, 32 * 81 + 29] and index["c1-c3xb3"] == [83, 32 * 81 + 19]


def test_the_start_has_the_planes_of_the_table():
    planes = tablut.Game("kvasir").planes()
    assert planes.dtype == np.float32 and planes.shape == (16, 9, 9)
    counts = planes.sum(axis=(1, 2)).astype(int).tolist()
    assert counts[:5] == [16, 8, 1, 81, 0] and counts[5:9] == [1, 0, 0, 32] and counts[14:] == [0, 0]
    assert planes[2, 4, 4] == 1 and tablut.Game("kvasir").features().shape == (42,)


def test_batches_are_their_rows():
    games = random_positions(30)
    batch = tablut.encode(games)
    ends = batch["move_ends"].tolist()
    assert batch["planes"].shape == (30, 16, 9, 9) and batch["features"].shape == (30, 42)
    for row, game in enumerate(games):
        start = ends[row - 1] if row else 0
        assert np.array_equal(batch["planes"][row], game.planes())
        assert np.array_equal(batch["features"][row], game.features())
        assert np.array_equal(batch["moves"][start : ends[row]], game.policy_index())
    empty = tablut.encode([])
    assert empty["planes"].shape == (0, 16, 9, 9) and empty["moves"].shape == (0, 2)


@pytest.mark.parametrize("symmetry", range(8))
def test_a_symmetry_turns_games_planes_and_policy_alike(symmetry):
    squares, policy = tablut.symmetry_squares()[symmetry], tablut.symmetry_policy()[symmetry]
    assert sorted(squares.tolist()) == list(range(81)) and sorted(policy.tolist()) == list(range(2673))
    for game in random_positions(28, seed=symmetry):
        turned = game.transformed(symmetry)
        planes = game.planes(symmetry)
        assert np.array_equal(planes, turned.planes())
        image = np.empty((16, 81), np.float32)
        image[:, squares] = game.planes().reshape(16, 81)
        assert np.array_equal(image, planes.reshape(16, 81))
        indices = game.policy_index()
        assert np.array_equal(policy[indices[:, 0]], game.policy_index(symmetry)[:, 0])
        assert sorted(map(tuple, game.policy_index(symmetry).tolist())) == sorted(map(tuple, turned.policy_index().tolist()))
