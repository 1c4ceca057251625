"""Rule sets and games."""

import copy
import pickle

import numpy as np
import pytest

import tablut
from conftest import random_positions


def test_each_name_is_a_rule_set():
    names = tablut.Rules.names()
    assert len(names) == 20 and "kvasir" in names
    for name in names:
        rules = tablut.Rules(name)
        assert rules.name == name and rules.source
        assert tablut.Rules.from_toml(rules.to_toml()) == rules
    assert tablut.Rules("imperial").first is None and tablut.Rules("imperial").n_actions == 12960
    assert tablut.Rules("ludoteka").first == "defenders" and tablut.Rules("ludoteka").n_actions == 2592
    assert tablut.Rules("kvasir") is not None and tablut.Game("kvasir").rules == tablut.Rules("kvasir")
    for name, numbers in [("brandubh", (7, 1225, 1176)), ("kvasir", (9, 2673, 2592)), ("copenhagen", (11, 4961, 4840))]:
        rules = tablut.Rules(name)
        assert (rules.width, rules.policy_entries, rules.n_actions) == numbers
        assert tablut.Game(name).board().shape == (rules.width, rules.width)


def test_a_variant_has_its_own_rules(tmp_path):
    text = 'base = "kvasir"\nname = "slow"\n[king]\nreach = 2\n'
    slow = tablut.Rules.from_toml(text)
    assert slow.name == "slow" and slow != tablut.Rules("kvasir")
    path = tmp_path / "slow.toml"
    path.write_text(text)
    assert tablut.Rules(path) == slow and tablut.Game(str(path)).rules == slow
    assert len({slow, tablut.Rules(path)}) == 1
    assert "at most 2 squares" in slow.explain() or "2" in slow.explain()


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: tablut.Rules("kvasr"), 'no rule set "kvasr"'),
        (lambda: tablut.Rules.from_toml("base = 3"), "expected the name of a built-in rule set"),
        (lambda: tablut.Game("kvasir", "9/9 a"), "is no position"),
        (lambda: tablut.Game("kvasir", first="white"), '"white" is no side'),
        (lambda: tablut.Game("kvasir", moves=["d1-d3", "d1-d2"]), "ply 2: d1-d2 is illegal"),
        (lambda: tablut.Game("kvasir").undo(), "there is no move to take back"),
        (lambda: tablut.Game("kvasir").planes(symmetry=8), "symmetry 8: expected 0 to 7"),
    ],
)
def test_wrong_texts_are_value_errors_with_the_programs_words(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_wrong_types_are_type_errors():
    with pytest.raises(TypeError, match="rules: found int"):
        tablut.Game(3)
    with pytest.raises(TypeError, match="expected a text"):
        tablut.Game("kvasir").play(1.5)


def test_a_game_is_played_and_taken_back():
    game = tablut.Game("kvasir", "9/9/9/9/9/3Tt1T2/3K5/3t5/4T4 d")
    assert game.routes > 0 and game.side_to_move == "defenders"
    assert game.play("d3-e3") == ["e4"]
    assert game.history == ["d3-e3"] and game.ply == 1 and game.plies_since_capture == 0
    assert game.undo() == "d3-e3" and game.ply == 0 and game.position == game.start
    for move in ["d3-e3", "d2-d1", "e3-i3"]:
        game.play(move)
    assert (game.outcome.winner, game.outcome.reason) == ("defenders", "king-escaped")
    assert str(game.outcome) == "defenders win by king-escaped" and "king-escaped" in repr(game)
    assert game.legal_moves() == [] and game.routes == 0 and len(game.legal_actions()) == 0


def test_a_game_that_is_over_says_so():
    game = tablut.Game("kvasir", "2K6/9/9/9/9/9/9/9/4t4 a")
    for use in [
        lambda: game.play("e1-e2"),
        lambda: game.play(0),
        lambda: tablut.search(game, simulations=1),
        lambda: tablut.Model.shipped().evaluate([tablut.Game(), game]),
        lambda: tablut.Player("random", "kvasir").choose(game),
    ]:
        with pytest.raises(ValueError, match="over.*defenders win by king-escaped"):
            use()
    with pytest.raises(tablut.IllegalMoveError):
        game.play("e1-e2")
    assert game.planes().shape == (16, 9, 9) and game.action_mask().sum() == 0


def test_illegal_moves_are_named_with_the_reason():
    game = tablut.Game("kvasir")
    with pytest.raises(tablut.IllegalMoveError, match="it is the attackers' turn"):
        game.play("e5-e6")
    with pytest.raises(tablut.IllegalMoveError, match="is no move"):
        game.play(2592)
    with pytest.raises(ValueError):
        game.play("x")
    assert game.ply == 0


@pytest.mark.parametrize("name", tablut.Rules.names())
def test_actions_and_moves_are_one_to_one(name):
    for game in random_positions(20, seed=2, rules=[name]):
        moves, actions = game.legal_moves(), game.legal_actions()
        assert len(set(actions.tolist())) == len(moves) and actions.dtype == np.int64
        assert [game.move_text(int(action)) for action in actions] == moves
        assert [game.action(move) for move in moves] == actions.tolist()
        mask = game.action_mask()
        assert mask.dtype == np.int8 and mask.shape == (game.rules.n_actions,)
        assert np.flatnonzero(mask).tolist() == sorted(actions.tolist())
        copied = game.copy()
        copied.play(int(actions[0]))
        assert copied.history[-1] == moves[0] and game.ply + 1 == copied.ply


def test_a_choice_of_captures_is_an_action():
    game = tablut.Game("imperial", "9/9/6K2/9/2T6/2t6/Tt1tT4/9/2T6 d")
    choices = [move for move in game.legal_moves() if move.startswith("c1-c3x")]
    assert sorted(choices) == ["c1-c3xb3", "c1-c3xc4", "c1-c3xd3"]
    assert len({game.action(move) for move in choices}) == 3
    assert min(game.action(move) for move in choices) >= 2592
    assert game.play(game.action("c1-c3xb3")) == ["b3"]


def test_games_and_rules_are_copied_and_pickled():
    for game in random_positions(14):
        for again in [pickle.loads(pickle.dumps(game)), copy.copy(game), copy.deepcopy(game), game.copy()]:
            assert (again.history, again.start, again.position) == (game.history, game.start, game.position)
            assert again.rules == game.rules and again.occurrences == game.occurrences
    limited = tablut.Game("kvasir", max_plies=2)
    again = pickle.loads(pickle.dumps(limited))
    again.play("d1-d2")
    again.play(again.legal_moves()[0])
    assert str(again.outcome) == "draw by ply-limit" and limited.ply == 0
    drawn = tablut.Game("imperial", first="defenders")
    assert pickle.loads(pickle.dumps(drawn)).side_to_move == "defenders"


def test_a_notebook_shows_the_board():
    game = tablut.Game("masters", moves=["d1-d3"])
    picture = game._repr_svg_()
    assert picture.startswith("<svg") and picture.rstrip().endswith("</svg>") and "masters" in picture
    assert "◆" in str(game) and "[●]" in str(game) and "K" in game.text(ascii=True)
    assert "\x1b[" in game.text(colour=True)


def test_the_board_has_the_pieces():
    board = tablut.Game("kvasir").board()
    assert board.dtype == np.int8 and board.shape == (9, 9)
    assert [(board == piece).sum() for piece in (1, 2, 3)] == [16, 8, 1] and board[4, 4] == 3
