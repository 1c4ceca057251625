"""The package and the program give the same results."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tablut
from conftest import ROOT, random_positions

CONTEST_GAMES = ROOT.parent / "shared" / "data" / "challenge_games.jsonl"


def beginning(game):
    """The program's arguments for a game's position with its history."""
    side = "attackers" if game.start.endswith("a") else "defenders"
    return ["--rules", game.rules.name, "--first", side, *game.history]


@pytest.mark.parametrize("rules", tablut.Rules.names())
def test_perft_to_depth_3(program, rules):
    expected = program.text("perft", "--rules", rules, "--depth", 3, "--divide").split()
    moves, counts = expected[0:-1:2], list(map(int, expected[1:-1:2]))
    game = tablut.Game(rules)
    assert tablut.Rules(rules).perft(3) == int(expected[-1])
    assert game.legal_moves() == moves
    for move, count in zip(moves, counts):
        after = tablut.Game(rules, moves=[move], first=game.side_to_move)
        assert after.outcome is not None or after.rules.perft(2, after.position) == count


def test_a_thousand_evaluations_to_the_bit(program, model):
    games = random_positions(1000, seed=9)
    evaluations = model.evaluate(games)

    def ask(game):
        return program.json("analyze", "--json", "--simulations", 1, *beginning(game))

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(ask, games))
    n_lines = 0
    for place, (game, answer) in enumerate(zip(games, answers)):
        assert answer["position"] == game.position
        net = answer["net"]
        wdl = np.array([net["attackers"], net["draw"], net["defenders"]], np.float32)
        assert np.array_equal(wdl, evaluations.wdl[place]), game
        assert np.float32(net["plies_left"]) == evaluations.moves_left[place]
        policy = dict(zip(game.legal_moves(), evaluations.policy(place)))
        for line in answer["search"]["lines"]:
            assert np.float32(line["prior"]) == policy[line["moves"][0]]
            n_lines += 1
    assert n_lines > 900


@pytest.mark.parametrize("simulations", [16, 400])
def test_a_search_move_for_move(program, model, simulations):
    for game in random_positions(14, seed=4):
        answer = program.json("analyze", "--json", "--simulations", simulations, *beginning(game))["search"]
        result = tablut.search(game, model, simulations=simulations)
        assert result.chosen == answer["best"] and np.float32(answer["value"]) == np.float32(result.value)
        assert result.simulations == answer["simulations"] and result.nodes == answer["nodes"]
        lines = result.lines(5)
        assert [line["moves"] for line in lines] == [line["moves"] for line in answer["lines"]]
        assert [line["visits"] for line in lines] == [line["visits"] for line in answer["lines"]]
        proven = None if result.proven is None else {
            "winner": result.proven.winner, "plies": result.proven.plies, "from_history": result.proven.from_history
        }
        assert proven == answer["proven"]


def test_a_match_game_for_game(program):
    players = ["greedy", "alphabeta:1", "net:shipped@8"]
    expected = program.json("match", *players, "--rules", "imperial", "--games", 6, "--seed", 3, "--max-plies", 120, "--json", "--quiet")
    assert tablut.match(players, rules="imperial", games=6, seed=3, max_plies=120) == expected


def test_self_play_game_for_game(program, tmp_path):
    config = tmp_path / "config.toml"
    config.write_text(
        'rules = ["kvasir", "imperial"]\nshape = "lines32x1"\nseed = 7\n'
        "[schedule]\ngenerations = 3\nsimulations = [[0, 8]]\n[selfplay]\nmax_plies = 80\n"
    )
    program.text("selfplay", config, "--games", 6, "--out", tmp_path, "--quiet")
    expected = tablut.read_games(tmp_path / "selfplay.games")
    games = tablut.self_play(rules=["kvasir", "imperial"], games=6, simulations=8, max_plies=80, seed=7, generation=2)
    assert list(games) == expected


def test_training_data_array_for_array(program, model, tmp_path):
    games = list(tablut.self_play(model, rules=["kvasir", "imperial"], games=4, simulations=4, max_plies=60))
    tablut.write_games(tmp_path / "own.games", games)
    archive = tmp_path / "positions.npz"
    program.text("data", "export", "positions", tmp_path / "own.games", "--out", archive, "--value-share", "0.5", "--quiet")
    expected = np.load(archive)
    found = tablut.to_arrays(games, value_share=0.5)
    assert sorted(expected.files) == sorted(found)
    for name, array in found.items():
        assert array.dtype == expected[name].dtype and np.array_equal(array, expected[name], equal_nan=array.dtype.kind == "f"), name
    assert "4 games" in program.text("data", "info", tmp_path / "own.games")


def test_a_runs_metrics_cell_for_cell(program, tmp_path):
    config = tmp_path / "config.toml"
    config.write_text(
        'rules = ["kvasir"]\nshape = "lines32x1"\nseed = 7\n'
        "[schedule]\ngenerations = 2\ngames = 8\nsimulations = [[0, 4]]\n[selfplay]\nmax_plies = 40\n"
        "[evaluation]\nagainst = []\ngames = 2\nrating_share = 0.0\n"
    )
    folder = tmp_path / "run"
    program.text("train", config, "--run", folder, "--quiet", "--plain")
    run = tablut.Run(folder)
    table = [line.split(",") for line in program.text("data", "export", "metrics", folder, "--quiet").splitlines()]
    assert list(run.metrics) == table[0]
    for place, name in enumerate(table[0]):
        cells = [row[place] for row in table[1:]]
        values = run.metrics[name]
        assert len(values) == 2
        for cell, value in zip(cells, values):
            assert (cell == "") == (value is None) and (value is None or isinstance(value, str) or float(cell) == value)
    assert run.metrics["generation"] == [0, 1] and run.metrics["rules"] == ["kvasir"] * 2
    assert run.config["seed"] == "7" and "generations = 2" in run.config_text and run.notes == []
    assert run.generations()[-1] == 1 and run.model().architecture == "lines32x1"
    assert len(run.games()) == 16 and len(run.games(1)) == 8
    newest = run.model()
    assert tablut.search(tablut.Game(), newest, simulations=4).simulations == 4
    with pytest.raises(FileNotFoundError, match="generation 9"):
        run.model(9)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="no run"):
        tablut.Run(tmp_path / "empty")
    with pytest.raises(FileNotFoundError):
        tablut.Run(tmp_path / "absent")


@pytest.mark.skipif(not CONTEST_GAMES.exists(), reason=f"{CONTEST_GAMES} is missing")
def test_the_contests_games_are_replayed():
    n_games = ended = captured = 0
    for line in CONTEST_GAMES.read_text().splitlines():
        record = json.loads(line)
        game = tablut.Game("ashton", first="defenders")
        for text in record["moves"]:
            # The records do not name a captured king. A move with other captures is refused.
            squares = game.play(text)
            king = "K" not in game.position
            assert len(squares) == text.count("x") + king
            captured += len(squares)
        n_games += 1
        if game.outcome is not None:
            ended += 1
            assert (game.outcome.winner or "draw") == record["result"]
    assert (n_games, ended, captured) == (400, 250, 2496)
