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
    assert planes[2, 4, 4] == 1 and tablut.Game("kvasir").features().shape == (48,)


def test_batches_are_their_rows():
    for rules, width in [(None, 9), (["brandubh"], 7), (["copenhagen", "fetlar"], 11)]:
        games = random_positions(30, rules=rules)
        batch = tablut.encode(games)
        ends = batch["move_ends"].tolist()
        assert batch["planes"].shape == (30, 16, width, width) and batch["features"].shape == (30, 48)
        for row, game in enumerate(games):
            start = ends[row - 1] if row else 0
            assert np.array_equal(batch["planes"][row], game.planes())
            assert np.array_equal(batch["features"][row], game.features())
            assert np.array_equal(batch["moves"][start : ends[row]], game.policy_index())
    empty = tablut.encode([])
    assert empty["planes"].shape == (0, 16, 9, 9) and empty["moves"].shape == (0, 2)
    with pytest.raises(ValueError, match="expected boards of one size"):
        tablut.encode([tablut.Game("kvasir"), tablut.Game("brandubh")])


@pytest.mark.parametrize("symmetry", range(8))
@pytest.mark.parametrize("rules", [["brandubh"], None, ["copenhagen"]])
def test_a_symmetry_turns_games_planes_and_policy_alike(rules, symmetry):
    games = random_positions(14, seed=symmetry, rules=rules)
    width, entries = games[0].rules.width, games[0].rules.policy_entries
    squares, policy = tablut.symmetry_squares(width)[symmetry], tablut.symmetry_policy(width)[symmetry]
    assert sorted(squares.tolist()) == list(range(width * width)) and sorted(policy.tolist()) == list(range(entries))
    for game in games:
        turned = game.transformed(symmetry)
        planes = game.planes(symmetry)
        assert np.array_equal(planes, turned.planes())
        image = np.empty((16, width * width), np.float32)
        image[:, squares] = game.planes().reshape(16, -1)
        assert np.array_equal(image, planes.reshape(16, -1))
        indices = game.policy_index()
        assert np.array_equal(policy[indices[:, 0]], game.policy_index(symmetry)[:, 0])
        assert sorted(map(tuple, game.policy_index(symmetry).tolist())) == sorted(map(tuple, turned.policy_index().tolist()))


def test_symmetries_are_of_boards_that_exist():
    assert tablut.symmetry_squares().shape == (8, 81) and tablut.symmetry_policy(width=11).shape == (8, 4961)
    with pytest.raises(ValueError, match="8"):
        tablut.symmetry_squares(8)
