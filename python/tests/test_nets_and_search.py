"""Nets, searches and callables."""

import copy
import gc
import os
import pickle
import time

import numpy as np
import pytest

import tablut
from conftest import ROOT, random_positions, uniform


def test_a_model_says_what_it_is(model):
    assert len(model.rules) >= 14 and len(model.hash) == 64
    assert model.card["licence"] and model.training["evaluations"] > 0
    loaded = tablut.Model.load(ROOT / "models" / "quickstart.tablut")
    assert [rules.name for rules in loaded.rules] == ["kvasir"] and loaded.hash != model.hash


def test_files_that_are_no_models_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="absent.tablut"):
        tablut.Model.load(tmp_path / "absent.tablut")
    wrong = tmp_path / "wrong.tablut"
    wrong.write_text("rules = 3\n")
    with pytest.raises(ValueError, match="wrong.tablut: not a model file"):
        tablut.Model.load(wrong)


def test_an_evaluation_depends_on_its_position_alone(model):
    games = random_positions(100)
    whole = model.evaluate(games, threads=2)
    assert len(whole) == 100 and whole.wdl.shape == (100, 3) and whole.moves_left.shape == (100,)
    assert whole.logits.dtype == whole.wdl.dtype == np.float32
    ends = whole.move_ends.tolist()
    assert ends[-1] == len(whole.logits) == sum(len(game.legal_moves()) for game in games)
    for place in [0, 1, 37, 99]:
        alone = model.evaluate([games[place]])
        start = ends[place - 1] if place else 0
        assert np.array_equal(alone.logits, whole.logits[start : ends[place]])
        assert np.array_equal(alone.wdl[0], whole.wdl[place])
        assert abs(whole.policy(place).sum() - 1) < 1e-5
        assert whole.values[place] == whole.wdl[place, 0] - whole.wdl[place, 2]
    assert len(model.evaluate([])) == 0
    with pytest.raises(IndexError):
        whole.policy(100)
    with pytest.raises(ValueError, match="0 threads"):
        model.evaluate(games, threads=0)


def test_a_search_tells_what_it_found(model):
    result = tablut.search(tablut.Game("kvasir"), model, simulations=200)
    k = len(result.moves)
    for array in (result.visits, result.priors, result.q, result.policy, result.proofs):
        assert len(array) == k
    assert result.chosen in result.moves and result.pv[0] == result.chosen
    assert abs(result.priors.sum() - 1) < 1e-4 and abs(result.policy.sum() - 1) < 1e-4
    assert result.visits.sum() == result.simulations == 200 and result.stop == "simulations"
    assert abs(sum(result.chances) - 1) < 1e-5 and -1 <= result.value <= 1
    lines = result.lines(3)
    assert lines[0]["moves"][0] == result.moves[int(result.visits.argmax())] and len(lines) <= 3
    tree = result.tree(2)
    assert sum(branch["visits"] for branch in tree) == 200
    assert all(reply["replies"] == [] for branch in tree for reply in branch["replies"])


def test_a_forced_win_is_proven():
    result = tablut.search(tablut.Game("kvasir", "9/9/9/9/2K5t/9/9/9/4t3t d"), evaluator=uniform, simulations=100)
    assert (result.proven.winner, result.proven.plies, result.proven.from_history) == ("defenders", 1, False)
    assert result.value == -1 and result.stop == "proven"


def test_a_search_ends_by_its_time(model):
    begun = time.monotonic()
    result = tablut.search(tablut.Game("kvasir"), model, time="50ms")
    assert result.stop == "time" and result.simulations > 0 and time.monotonic() - begun < 5
    for time_asked in ("800", 800):
        with pytest.raises(ValueError, match="time \"800\""):
            tablut.search(tablut.Game("kvasir"), model, time=time_asked)
    with pytest.raises(ValueError, match="0.2"):
        tablut.search(tablut.Game("kvasir"), model, time=0.2)
    with pytest.raises(ValueError, match="cannot read limit"):
        tablut.search(tablut.Game("kvasir"), model, time="soon")


def test_options_are_those_of_players(model):
    game = tablut.Game("kvasir")
    gumbel = tablut.search(game, model, simulations=64, options={"method": "gumbel"})
    puct = tablut.search(game, model, simulations=64, options={"method": "puct", "solver": "off", "stop_when_decided": False})
    assert gumbel.visits.tolist() != puct.visits.tolist()
    for options, message in [({"method": "fast"}, "unknown variant"), ({"nonsense": 1}, "KEY=VALUE"), ({"draw_value": -2}, "-1 to 1")]:
        with pytest.raises(ValueError, match=message):
            tablut.search(game, model, options=options)
    with pytest.raises(ValueError, match="purpose"):
        tablut.search(game, model, purpose="fun")


def test_a_callable_with_a_nets_outputs_searches_as_the_net(model):
    """A net that is called through a callable's arrays gives the same search as the net itself."""
    games = random_positions(12, seed=5)
    table = {}

    def evaluator(planes, features):
        policy = np.zeros((len(planes), 2673), np.float32)
        wdl = np.zeros((len(planes), 3), np.float32)
        left = np.zeros(len(planes), np.float32)
        for row, key in enumerate(zip(planes, features)):
            policy[row], wdl[row], left[row] = table[key[0].tobytes() + key[1].tobytes()]
        return policy, wdl, left

    evaluations = model.evaluate(games)
    start = 0
    for place, game in enumerate(games):
        end = int(evaluations.move_ends[place])
        policy = np.zeros(2673, np.float32)
        indices = game.policy_index()
        # The logit of a choice of captures is the sum of two entries, so it cannot be written into the table in general.
        if (indices[:, 1] == 65535).all():
            policy[indices[:, 0]] = evaluations.logits[start:end]
            table[game.planes().tobytes() + game.features().tobytes()] = (
                policy, evaluations.wdl[place], evaluations.moves_left[place],
            )
            theirs = tablut.search(game, evaluator=evaluator, simulations=0, options={"solver": "off"})
            ours = tablut.search(game, model, simulations=0, options={"solver": "off"})
            assert theirs.chosen == ours.chosen and np.array_equal(theirs.priors, ours.priors)
            assert theirs.raw_value == ours.raw_value
        start = end


def test_many_games_are_searched_as_each_alone(model):
    games = random_positions(20, seed=3)
    together = tablut.search(games, model, simulations=40, threads=2, batch=7)
    for game, result in zip(games, together):
        alone = tablut.search(game, model, simulations=40)
        assert (alone.chosen, alone.visits.tolist(), alone.value) == (result.chosen, result.visits.tolist(), result.value)
    sizes = []

    def evaluator(planes, features):
        sizes.append(len(planes))
        return uniform(planes, features)

    tablut.search(random_positions(64), evaluator=evaluator, simulations=20, threads=1)
    assert max(sizes) > 100, "positions of many games form one batch"


def test_values_and_policies_of_other_float_types_are_taken():
    game = tablut.Game("kvasir")
    for kind in (np.float16, np.float32, np.float64):
        policy = np.broadcast_to(np.zeros(2673, kind), (1, 2673))

        def evaluator(planes, features, policy=policy, kind=kind):
            n = len(planes)
            return np.broadcast_to(policy[0], (n, 2673)), np.full((n, 3), 1 / 3, kind).astype(np.float32)

        assert tablut.search(game, evaluator=evaluator, simulations=5).simulations == 5


@pytest.mark.parametrize("rules", ["kvasir", ["kvasir", "imperial"]])
def test_self_play_yields_records_in_order(model, rules):
    seen = list(tablut.self_play(model, rules=rules, games=5, simulations=4, max_plies=60, seed=3))
    assert [record.index for record in seen] == list(range(5))
    again = list(tablut.self_play(model, rules=rules, games=5, simulations=4, max_plies=60, seed=3, threads=1, batch=2))
    assert again == seen
    record = seen[0]
    assert len(record) == len(record.moves) == len(record.simulations) == len(record.chances)
    game = record.game()
    assert game.history == record.moves and game.outcome == record.outcome
    searched = np.flatnonzero(record.searched)
    assert np.array_equal(np.isnan(record.chances[:, 0]), ~record.searched) and (record.simulations[~record.searched] == 0).all()
    assert len(searched) and abs(record.policy(int(searched[0])).sum() - 1) < 1e-5
    assert len(record.policy(int(searched[0]))) == len(record.game(int(searched[0])).legal_moves())


@pytest.mark.parametrize("rules", ["brandubh", "kvasir", "copenhagen"])
def test_the_shipped_net_searches_on_each_board(model, rules):
    games = random_positions(6, seed=2, rules=[rules])
    found = model.evaluate(games)
    assert np.allclose(found.wdl.sum(axis=1), 1, atol=1e-3)
    assert len(found.logits) == sum(len(game.legal_moves()) for game in games)
    results = tablut.search(games, model, simulations=32)
    assert all(result.chosen in game.legal_moves() for game, result in zip(games, results))
    alone = tablut.search(games[0], model, simulations=32)
    assert alone.visits.tolist() == results[0].visits.tolist()
    assert len(tablut.search(games, evaluator=uniform, simulations=8)) == 6


def test_a_callable_gets_each_size_of_board_in_a_call():
    widths = set()

    def evaluator(planes, features):
        widths.add(planes.shape[-1])
        return uniform(planes, features)

    rules = ["brandubh", "kvasir", "copenhagen"]
    records = list(tablut.self_play(evaluator=evaluator, rules=rules, games=6, simulations=4, max_plies=20))
    assert widths == {7, 9, 11} and [record.rules.name for record in records] == 2 * rules
    assert [record.game().outcome is not None for record in records] == [True] * 6
    with pytest.raises(ValueError, match="expected boards of one size"):
        tablut.to_arrays(records)
    for record in records[:3]:
        width = record.rules.width
        assert tablut.to_arrays([record])["planes"].shape[1:] == (16, width, width)
    result = tablut.match([("own", evaluator, 4), "random"], rules="brandubh", games=2, batch=2, max_plies=30)
    assert result["rules"] == "brandubh"


def test_the_outputs_of_onnx_runtime_are_taken():
    """It returns a list, and the plies left as a column."""
    game = tablut.Game("kvasir")

    def evaluator(planes, features):
        policy, value = uniform(planes, features)
        return [policy, value[:, None] + np.float32(0.25), value[:, None] + 3]

    result = tablut.search(game, evaluator=evaluator, simulations=5)
    assert result.simulations == 5 and result.raw_value == 0.25


def test_nets_evaluations_and_players_are_copied_and_pickled(model):
    games = random_positions(5)
    other = tablut.Model.load(ROOT / "models" / "quickstart.tablut")
    for net in (model, other):
        expected = net.evaluate(games)
        for again in [copy.copy(net), copy.deepcopy(net), pickle.loads(pickle.dumps(net))]:
            assert again.hash == net.hash and again.card == net.card and again.rules == net.rules
            assert again.evaluate(games).wdl.tobytes() == expected.wdl.tobytes()
        for again in [copy.copy(expected), copy.deepcopy(expected), pickle.loads(pickle.dumps(expected))]:
            assert again.wdl.tobytes() == expected.wdl.tobytes() and again.policy(3).tobytes() == expected.policy(3).tobytes()
    assert len(pickle.dumps(model)) < 200, "the shipped net is pickled by its name"
    result = tablut.search(games[0], model, simulations=8)
    for again in [copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))]:
        assert again.visits.tolist() == result.visits.tolist() and again.policy.tobytes() == result.policy.tobytes()
        assert (again.lines(), again.tree(4), again.nodes) == (result.lines(), result.tree(4), result.nodes)
        assert (again.pv, again.stop, again._repr_svg_()) == (result.pv, result.stop, result._repr_svg_())
    won = tablut.search(tablut.Game("ashton", position="4t4/9/9/9/4K4/9/9/9/9 d"), model)
    for again in [copy.deepcopy(won.proven), pickle.loads(pickle.dumps(won)).proven]:
        assert again is not None and again == won.proven
    player = tablut.Player("net:shipped@8", "kvasir", seed=4)
    game = tablut.Game("kvasir")
    for again in [copy.copy(player), copy.deepcopy(player), pickle.loads(pickle.dumps(player))]:
        assert again.name == player.name and again.choose(game) == tablut.Player("net:shipped@8", "kvasir", seed=4).choose(game)


def test_a_callable_in_play_evaluates_as_many_positions_at_once_as_asked(model):
    sizes = []

    def evaluator(planes, features):
        sizes.append(len(planes))
        return np.zeros((len(planes), 2673), np.float32), np.zeros(len(planes), np.float32)

    def most_at_once(limit):
        sizes.clear()
        tablut.Player(("own", evaluator, limit), "kvasir").choose(tablut.Game("kvasir"))
        return max(sizes)

    assert most_at_once("400") == 1 and most_at_once("400,leaves_in_flight=8") == 8
    with pytest.raises(ValueError, match="leaves"):
        most_at_once("400,leaves=8")


def n_threads():
    """The threads of this process."""
    return len(os.listdir("/proc/self/task"))


def test_self_play_that_its_own_callable_keeps_is_collected():
    class Trainer:
        def __init__(self):
            self.games = tablut.self_play(evaluator=self.net, games=1000, simulations=8, threads=2)
            next(self.games)

        def net(self, planes, features):
            return uniform(planes, features)

    gc.collect()
    before = n_threads()
    for _ in range(3):
        Trainer()
    gc.collect()
    assert n_threads() == before


def test_closed_self_play_has_no_threads(model):
    before = n_threads()
    for arguments in [{"evaluator": uniform}, {"model": model}]:
        games = tablut.self_play(**arguments, games=1000, simulations=8, threads=2)
        next(games)
        games.close()
        assert n_threads() == before and list(games) == []


def test_self_play_waits_for_its_consumer(model):
    games = tablut.self_play(model, games=100_000, simulations=1, max_plies=4, threads=1, batch=1)
    last = -1
    while games.evaluations != last:
        last = games.evaluations
        time.sleep(0.3)
    n_played = last
    assert sum(1 for _ in zip(range(200), games)) == 200 and games.evaluations > n_played
    games.close()


def test_numpys_numbers_are_options(model):
    game = tablut.Game("kvasir")
    assert tablut.search(game, model, simulations=8, options={"draw_value": np.float32(0.5)}).simulations == 8
    assert len(list(tablut.self_play(model, games=1, simulations=2, max_plies=6, options={"max_considered": np.int64(4)}))) == 1


def test_self_play_with_a_callable_can_be_left(model):
    games = tablut.self_play(evaluator=uniform, games=50, simulations=4, max_plies=40)
    assert len(games) == 50 and next(games).index == 0 and next(games).index == 1
    assert games.evaluations > 0
    games.close()
    assert list(games) == []
    del games
    with pytest.raises(ValueError, match="unknown field"):
        tablut.self_play(model, games=1, options={"nonsense": 3})


def test_records_are_written_and_read(tmp_path, model):
    records = list(tablut.self_play(model, rules=["kvasir", "tartu"], games=4, simulations=4, max_plies=50))
    path = tmp_path / "own.games"
    tablut.write_games(path, records, evaluations=7)
    assert tablut.read_games(path) == records
    assert pickle.loads(pickle.dumps(records)) == records
    with pytest.raises(FileNotFoundError, match="absent"):
        tablut.read_games(tmp_path / "absent.games")
    path.write_bytes(b"TABLUTGR????")
    with pytest.raises(ValueError, match="own.games"):
        tablut.read_games(path)


def test_training_data_has_the_documents_shapes(model):
    records = list(tablut.self_play(model, rules=["kvasir", "imperial"], games=4, simulations=4, max_plies=50))
    data = tablut.to_arrays(records)
    n, m = len(data["values"]), len(data["moves"])
    expected = {
        "planes": ("uint8", (n, 16, 9, 9)), "features": ("float32", (n, 48)), "moves": ("uint16", (m, 2)),
        "move_ends": ("uint32", (n,)), "policy": ("float32", (m,)), "values": ("float32", (n, 3)), "moves_left": ("float32", (n,)),
    }
    assert {name: (str(array.dtype), array.shape) for name, array in data.items()} == expected
    assert n == sum(int(record.searched.sum()) for record in records) and data["move_ends"][-1] == m
    sums = np.add.reduceat(data["policy"], np.concatenate([[0], data["move_ends"][:-1]]))
    assert np.allclose(sums, 1, atol=1e-3) and np.allclose(data["values"].sum(axis=1), 1, atol=1e-3)
    mixed = tablut.to_arrays(records, value_share=1.0)
    assert not np.array_equal(mixed["values"], data["values"])
    with pytest.raises(ValueError, match="value_share"):
        tablut.to_arrays(records, value_share=2)


def test_a_match_has_scores_with_intervals(model):
    result = tablut.match(["greedy", "random"], games=20, seed=3)
    total = result["matches"][0]["total"]
    assert total["score"]["low"] < total["score"]["mean"] <= total["score"]["high"] and result["rules"] == "kvasir"
    assert [player["name"] for player in result["players"]] == ["greedy", "random"]
    mine = tablut.match([("own", model, 4), ("flat", uniform, 4), "random"], games=4, rules="tartu")
    assert [match["players"] for match in mine["matches"]] == [["own", "flat"], ["own", "random"], ["flat", "random"]]
    for players, message in [
        (["random"], "two players or more"),
        (["random", "random"], "two players have the name"),
        (["random", "gredy"], "unknown player"),
        (["random", "engine:x"], "other programs play in `tablut match`"),
        (["random", ("a b", model, 4)], "the player's name"),
        (["random", ("own", model, "x")], "cannot read limit"),
    ]:
        with pytest.raises(ValueError, match=message):
            tablut.match(players, games=2)
    with pytest.raises(TypeError, match="expected a text, or a tuple"):
        tablut.match(["random", 3], games=2)
    with pytest.raises(ValueError, match="no such book"):
        tablut.match(["random", "greedy"], openings="even", rules=tablut.Rules.from_toml('base = "kvasir"\nname = "mine"'), games=2)


@pytest.mark.parametrize("text", ["random", "greedy", "alphabeta:1", "rollouts:20", "net:shipped@8", "policy:shipped"])
def test_players_play_whole_games(text):
    player = tablut.Player(text, "kvasir", seed=5)
    game = tablut.Game("kvasir", max_plies=30)
    while game.outcome is None:
        game.play(player.choose(game))
    moves = game.history
    player.reset(5)
    again = tablut.Game("kvasir", max_plies=30)
    while again.outcome is None:
        again.play(player.choose(again))
    assert again.history == moves and player.is_reproducible
    with pytest.raises(ValueError, match="under the rules tartu"):
        player.choose(tablut.Game("tartu"))


@pytest.mark.parametrize("shape", ["lines32x1", "lines64x2"])
def test_tensors_make_the_same_net(shape, tmp_path):
    net = tablut.Model.untrained(shape, rules=["kvasir", "brandubh"], seed=3)
    tensors = net.tensors()
    assert tensors["value.out.bias"].tolist() == [0.0, -2.25, 0.0] and tensors["line.first0.weight"].shape == (48, 5, 48)
    again = tablut.Model.from_tensors(shape, tensors, rules=net.rules, card={"about": "a test"})
    assert again.hash == net.hash and again.architecture == shape and again.card["about"] == "a test"
    again.save(tmp_path / "net.tablut")
    loaded = tablut.Model.load(tmp_path / "net.tablut")
    assert [rules.name for rules in loaded.rules] == ["kvasir", "brandubh"] and loaded.card == again.card
    for name, tensor in loaded.tensors().items():
        assert tensor.dtype == np.float32 and np.array_equal(tensor, tensors[name])
    games = random_positions(10)
    assert np.array_equal(loaded.evaluate(games).logits, net.evaluate(games).logits)
    assert tablut.Model.untrained(shape, seed=4).hash != net.hash


def test_wrong_tensors_are_refused():
    tensors = tablut.Model.untrained("lines32x1").tensors()
    with pytest.raises(ValueError, match="`value.out.bias` is missing"):
        tablut.Model.from_tensors("lines32x1", {name: tensor for name, tensor in tensors.items() if name != "value.out.bias"})
    with pytest.raises(ValueError, match=r"dimensions \[2\], expected \[3\]"):
        tablut.Model.from_tensors("lines32x1", {**tensors, "value.out.bias": np.zeros(2)})
    with pytest.raises(ValueError, match="not finite"):
        tablut.Model.from_tensors("lines32x1", {**tensors, "moves_left.bias": np.array([np.nan])})
    with pytest.raises(ValueError, match="big: expected one like lines32x2|net shape `big`"):
        tablut.Model.from_tensors("big", tensors)
    with pytest.raises(ValueError, match="card: unknown field `abuot`"):
        tablut.Model.from_tensors("lines32x1", tensors, card={"abuot": "x"})
    with pytest.raises(OSError, match="absent"):
        tablut.Model.untrained("lines32x1").save("absent/net.tablut")


def test_a_padded_evaluator_sees_few_sizes():
    sizes = set()

    def evaluator(planes, features):
        sizes.add(len(planes))
        return uniform(planes, features)

    games = random_positions(20)
    found = tablut.search(games, evaluator=tablut.padded(evaluator, smallest=8), simulations=20)
    expected = tablut.search(games, evaluator=uniform, simulations=20)
    assert [result.visits.tolist() for result in found] == [result.visits.tolist() for result in expected]
    assert sizes and all(size % 8 == 0 and (size & (size - 1)) == 0 for size in sizes)
    with pytest.raises(ValueError, match="smallest 0"):
        tablut.padded(uniform, smallest=0)


def test_options_may_be_numbers_of_numpy(model):
    game = tablut.Game("kvasir")
    options = {"draw_value": np.float32(0.5), "stop_when_decided": np.bool_(False)}
    plain = {"draw_value": 0.5, "stop_when_decided": False}
    found, expected = (tablut.search(game, model, simulations=32, options=each) for each in (options, plain))
    assert found.visits.tolist() == expected.visits.tolist()
