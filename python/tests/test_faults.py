"""Faults: exceptions in callables, Ctrl-C, threads, fork, wrong arrays. A fault must not hang the tests."""

import _thread
import multiprocessing
import os
import signal
import threading
import time

import numpy as np
import pytest

import tablut
from conftest import random_positions, uniform


class Own(Exception):
    """An exception of a user's callable."""


def raising(after):
    """An evaluator that raises after some calls."""
    calls = []

    def evaluator(planes, features):
        calls.append(len(planes))
        if len(calls) > after:
            raise Own(f"call {len(calls)}")
        return uniform(planes, features)

    return evaluator


@pytest.mark.parametrize("after", [0, 3])
def test_an_exception_in_a_callable_comes_out_as_it_is(after):
    with pytest.raises(Own, match=f"call {after + 1}"):
        tablut.search(random_positions(40), evaluator=raising(after), simulations=50, threads=2)
    with pytest.raises(Own):
        list(tablut.self_play(evaluator=raising(after), games=20, simulations=8, threads=2))
    with pytest.raises(Own):
        tablut.match([("own", raising(after), 8), "random"], games=8, threads=2)
    # The package still works.
    assert tablut.search(tablut.Game(), evaluator=uniform, simulations=5).simulations == 5


def test_an_iterator_whose_callable_raised_has_ended():
    games = tablut.self_play(evaluator=raising(2), games=20, simulations=8)
    with pytest.raises(Own):
        list(games)
    assert list(games) == []


N = 2673
WRONG = [
    (lambda n: None, TypeError, "returned NoneType: expected a tuple"),
    (lambda n: np.zeros((n, N)), TypeError, "returned ndarray"),
    (lambda n: (np.zeros((n, N)),), TypeError, "a tuple of 1"),
    (lambda n: (np.zeros((n, N - 1), np.float32), np.zeros(n)), ValueError, r"policy has the shape \(1, 2672\): expected \(1, 2673\)"),
    (lambda n: (np.zeros((n + 1, N)), np.zeros(n)), ValueError, r"policy has the shape \(2, 2673\)"),
    (lambda n: (np.zeros(N), np.zeros(n)), ValueError, r"policy has the shape \(2673,\)"),
    (lambda n: (np.zeros((n, N)), np.zeros((n, 2))), ValueError, r"value has the shape \(1, 2\): expected \(1,\) or \(1, 1\) or \(1, 3\)"),
    (lambda n: (np.zeros((n, N), np.int64), np.zeros(n)), TypeError, "policy has the dtype int64: expected float32"),
    (lambda n: (np.zeros((n, N), complex), np.zeros(n)), TypeError, "dtype complex128"),
    (lambda n: (np.zeros((n, N), object), np.zeros(n)), TypeError, "dtype object"),
    (lambda n: (np.full((n, N), np.nan), np.zeros(n)), ValueError, "NaN for a legal move"),
    (lambda n: (np.zeros((n, N)), np.full(n, 1.5)), ValueError, "value.0. is 1.5"),
    (lambda n: (np.zeros((n, N)), np.full(n, np.nan)), ValueError, "value.0. is NaN"),
    (lambda n: (np.zeros((n, N)), np.full((n, 3), 0.5)), ValueError, "which sum to 1"),
    (lambda n: (np.zeros((n, N)), np.zeros(n), np.full(n, -1.0)), ValueError, "moves_left.0. is -1"),
    (lambda n: ("policy", "value"), (TypeError, ValueError), "policy"),
]


@pytest.mark.parametrize("answer, kind, message", WRONG)
def test_wrong_answers_of_a_callable_are_named(answer, kind, message):
    with pytest.raises(kind, match=message):
        tablut.search(tablut.Game(), evaluator=lambda planes, features: answer(len(planes)), simulations=5)


def test_what_is_no_evaluator_is_named(model):
    with pytest.raises(TypeError, match="evaluator: found int"):
        tablut.search(tablut.Game(), evaluator=3)
    with pytest.raises(ValueError, match="one of the two"):
        tablut.search(tablut.Game(), model, evaluator=uniform)
    with pytest.raises(TypeError):
        tablut.search("kvasir", model)
    with pytest.raises(TypeError):
        model.evaluate(tablut.Game())


def test_stop_iteration_in_a_callable_does_not_end_self_play():
    def evaluator(planes, features):
        return next(iter([]))

    with pytest.raises(RuntimeError, match="StopIteration") as caught:
        list(tablut.self_play(evaluator=evaluator, games=2, simulations=4))
    assert isinstance(caught.value.__cause__, StopIteration)


class Long:
    """A sequence that states a length."""

    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, place):
        raise IndexError(place)


def test_large_numbers_are_errors_and_do_not_end_python(model):
    from tablut.vector import VectorEnv

    for n in (10**12, 2**62):
        assert tablut.Game("kvasir", moves=Long(n)).ply == 0
        assert len(model.evaluate(Long(n))) == 0 and tablut.search(Long(n)) == []
        assert len(tablut.encode(Long(n))["planes"]) == 0 and len(tablut.to_arrays(Long(n))["planes"]) == 0
        for call in [
            lambda n=n: tablut.Game("kvasir", moves=range(n)),
            lambda n=n: model.evaluate(range(n)),
            lambda n=n: tablut.search(range(n)),
            lambda n=n: tablut.encode(range(n)),
            lambda n=n: tablut.to_arrays(range(n)),
            lambda n=n: tablut.write_games("absent.games", range(n)),
            lambda n=n: tablut.match(range(n)),
        ]:
            with pytest.raises(TypeError):
                call()
        with pytest.raises(ValueError, match="expected at most 1000000"):
            tablut.match(["random", "greedy"], games=n)
        with pytest.raises(ValueError, match="expected 1 to 100000"):
            VectorEnv(n)


def test_a_wrong_seed_is_named():
    for seed in (-1, 2**64, 0.5, "one"):
        for call in [
            lambda seed=seed: tablut.search(tablut.Game(), simulations=1, seed=seed),
            lambda seed=seed: tablut.self_play(games=1, seed=seed),
            lambda seed=seed: tablut.match(["random", "greedy"], games=2, seed=seed),
            lambda seed=seed: tablut.Player("random", "kvasir", seed=seed),
        ]:
            with pytest.raises(ValueError, match=f"seed {seed}: expected a whole number"):
                call()
    assert tablut.search(tablut.Game(), simulations=2, seed=np.int64(3)).simulations == 2


def interrupt_soon(seconds=0.3):
    """Presses Ctrl-C after some seconds."""
    # A shell that starts this in the background lets it ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT)).start()


def slow(planes, features):
    time.sleep(0.001)
    return uniform(planes, features)


def endless(kind):
    """Starts work that would take hours."""
    game = tablut.Game("kvasir")
    if kind == "search":
        tablut.search(game, simulations=100_000_000, options={"max_nodes": 50_000_000})
    elif kind == "callable":
        tablut.search(game, evaluator=slow, time="1h")
    elif kind == "many":
        tablut.search(random_positions(64), simulations=1_000_000, threads=2)
    elif kind == "self-play":
        list(tablut.self_play(games=100_000, simulations=800))
    elif kind == "match":
        tablut.match(["net:shipped@800", "net:shipped@801"], games=10_000)
    elif kind == "player":
        tablut.Player("net:shipped@1000000", "kvasir").choose(game)
    elif kind == "perft":
        game.rules.perft(9)
    elif kind == "evaluate":
        model, games = tablut.Model.shipped(), random_positions(1000)
        while True:
            model.evaluate(games)


@pytest.mark.parametrize("kind", ["search", "callable", "many", "self-play", "match", "player", "perft", "evaluate"])
def test_ctrl_c_ends_what_takes_long(kind):
    interrupt_soon()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        endless(kind)
    assert time.monotonic() - begun < 20
    assert tablut.search(tablut.Game(), simulations=5).simulations == 5


def test_ctrl_c_inside_a_callable_comes_out():
    def evaluator(planes, features):
        _thread.interrupt_main()
        time.sleep(0.05)
        return uniform(planes, features)

    with pytest.raises(KeyboardInterrupt):
        tablut.search(tablut.Game(), evaluator=evaluator, simulations=100)


def test_python_goes_on_while_a_search_runs(model):
    """The search releases Python's lock, so another thread can count meanwhile."""
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    try:
        for work in [
            lambda: tablut.search(tablut.Game(), model, time="200ms"),
            lambda: model.evaluate(random_positions(50) * 60),
            lambda: tablut.Rules("kvasir").perft(5),
        ]:
            before = counted[0]
            work()
            assert counted[0] > before + 3
    finally:
        stop.set()
        counter.join()


def test_threads_share_a_model_and_callables(model):
    games = random_positions(8)
    expected = [(result.chosen, result.visits.tolist()) for result in tablut.search(games, model, simulations=30)]
    failures = []

    def work():
        try:
            for _ in range(3):
                found = tablut.search(games, model, simulations=30)
                assert [(result.chosen, result.visits.tolist()) for result in found] == expected
                assert len(model.evaluate(games)) == 8
                tablut.search(games, evaluator=uniform, simulations=10)
        except BaseException as error:  # noqa: BLE001 - it is shown by the test
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def test_a_callable_may_call_this_package(model):
    def evaluator(planes, features):
        found = tablut.search(tablut.Game(), model, simulations=4)
        return np.zeros((len(planes), N), np.float32), np.full(len(planes), found.value, np.float32)

    assert tablut.search(tablut.Game(), evaluator=evaluator, simulations=4).simulations == 4


def in_child(results):
    """Work in a process that was forked."""
    model = tablut.Model.shipped()
    games = random_positions(40)
    records = list(tablut.self_play(model, games=2, simulations=4, max_plies=30, threads=2))
    results.put(
        (
            model.evaluate(games, threads=2).wdl.tobytes(),
            tablut.search(games[0], model, simulations=40).chosen,
            len(tablut.to_arrays(records)["values"]),
            tablut.match(["greedy", "random"], games=4)["matches"][0]["games"],
            tablut.search(games[:2], evaluator=uniform, simulations=10)[0].simulations,
        )
    )


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_works_like_its_parent(model):
    games = random_positions(40)
    here = model.evaluate(games, threads=2).wdl.tobytes()
    chosen = tablut.search(games[0], model, simulations=40).chosen
    records = list(tablut.self_play(model, games=2, simulations=4, max_plies=30, threads=2))
    n = len(tablut.to_arrays(records)["values"])
    fork = multiprocessing.get_context("fork")
    results = fork.SimpleQueue()
    children = [fork.Process(target=in_child, args=(results,)) for _ in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join(60)
        assert child.exitcode == 0, "the forked process hangs or has failed"
    for _ in children:
        assert results.get() == (here, chosen, n, 4, 10)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_process_forks_while_other_threads_evaluate(model):
    games = random_positions(100)
    here = model.evaluate(games, threads=2).wdl.tobytes()
    at_work = [threading.Thread(target=lambda: [model.evaluate(games, threads=2) for _ in range(60)]) for _ in range(2)]
    for thread in at_work:
        thread.start()
    fork = multiprocessing.get_context("fork")
    for _ in range(10):
        child = fork.Process(target=lambda: os._exit(model.evaluate(games, threads=2).wdl.tobytes() != here))
        child.start()
        child.join(60)
        assert child.exitcode == 0, "the forked process hangs or has other results"
    for thread in at_work:
        thread.join()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_running_games_belong_to_the_process_that_began_them(model):
    games = tablut.self_play(model, games=4, simulations=4, max_plies=30)
    next(games)
    fork = multiprocessing.get_context("fork")
    results = fork.SimpleQueue()

    def child():
        try:
            next(games)
        except RuntimeError as error:
            results.put(str(error))

    process = fork.Process(target=child)
    process.start()
    process.join(60)
    assert process.exitcode == 0 and "another process" in results.get()
    assert len(list(games)) == 3


def test_processes_that_are_spawned_get_games_by_pickle():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        games = random_positions(3)
        assert pool.map(position, games) == [game.position for game in games]


def position(game):
    """The position of a game, in another process."""
    return game.position


def test_wrong_arrays_for_the_vector_environment_are_named():
    from tablut.vector import VectorEnv

    env = VectorEnv(4)
    env.reset(seed=1)
    before = env.observe()["planes"]
    for actions, kind, message in [
        (np.zeros(3, int), ValueError, r"actions of the shape \[3\]: expected \[4\]"),
        (np.zeros((4, 1), int), ValueError, "actions of the shape"),
        (np.zeros(4), TypeError, "dtype float64: expected whole numbers"),
        (["d1-d3"] * 4, TypeError, "dtype <U5"),
        (np.full(4, -1), tablut.IllegalMoveError, "game 0: action -1 is no move"),
        (np.full(4, 2592), tablut.IllegalMoveError, "expected 0 to 2591"),
        (np.zeros(4, np.uint8), tablut.IllegalMoveError, "game 0: a1-a2 is illegal: no piece stands on a1"),
    ]:
        with pytest.raises(kind, match=message):
            env.step(actions)
    assert np.array_equal(env.observe()["planes"], before)
    for arguments in [{"num_envs": 0}, {"threads": 0}, {"max_plies": 0}, {"observations": "all"}]:
        with pytest.raises(ValueError):
            VectorEnv(**{"num_envs": 4, **arguments})
