"""The program inside the package: its commands, a training run, and the page."""

import json
import os
import signal
import subprocess
import sys
import threading
import urllib.request

import numpy as np
import pytest

import tablut
from conftest import uniform

CONFIG = {
    "rules": ["kvasir"],
    "shape": "lines32x1",
    "seed": 7,
    "schedule": {"generations": 3, "games": 8, "simulations": [[0, 4]]},
    "selfplay": {"max_plies": 40},
    "evaluation": {"games": 2, "against": ["random"], "rating_share": 0.0},
}
TOML = (
    'rules = ["kvasir"]\nshape = "lines32x1"\nseed = 7\n[schedule]\ngenerations = 3\ngames = 8\nsimulations = [[0, 4]]\n'
    '[selfplay]\nmax_plies = 40\n[evaluation]\ngames = 2\nagainst = ["random"]\nrating_share = 0.0\n'
)


def test_a_run_in_this_process_is_that_of_the_command_line(program, tmp_path):
    config = tmp_path / "config.toml"
    config.write_text(TOML)
    program.text("train", config, "--run", tmp_path / "expected", "--quiet", "--plain")
    expected = tablut.Run(tmp_path / "expected")
    seen = []
    run = tablut.train(CONFIG, run=tmp_path / "run", on_generation=seen.append)
    assert [metrics["generation"] for metrics in seen] == [0, 1, 2] and seen[0]["generations"] == 3
    assert run.model().hash == expected.model().hash and run.games() == expected.games()
    for found, match in zip(run.evaluation["matches"], expected.evaluation["matches"]):
        assert found["total"] == match["total"] and found["games"] == 2
    files = lambda folder: sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))  # noqa: E731
    assert files(tmp_path / "run") == files(tmp_path / "expected")
    pandas = pytest.importorskip("pandas")
    frame = run.frame()
    assert isinstance(frame, pandas.DataFrame) and frame["generation"].tolist() == [0, 1, 2]
    assert "<iframe srcdoc=" in run.report()._repr_html_() and "<html" in run.report().html


def test_a_run_stops_and_goes_on_with_the_same_bits(tmp_path):
    expected = tablut.train(CONFIG, run=tmp_path / "expected", on_generation=lambda metrics: None).model().hash

    def stop(metrics):
        raise ZeroDivisionError("enough")

    def interrupt(metrics):
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(ZeroDivisionError, match="enough"):
        tablut.train(CONFIG, run=tmp_path / "run", on_generation=stop)
    with pytest.raises(KeyboardInterrupt):
        tablut.train(CONFIG, run=tmp_path / "run", on_generation=interrupt)
    tablut.train(CONFIG, run=tmp_path / "run", on_generation=lambda metrics: None)
    assert tablut.train(resume=tmp_path / "run", on_generation=stop).model().hash == expected


def test_mistakes_in_a_run_are_named(tmp_path):
    with pytest.raises(RuntimeError, match="absent.toml"):
        tablut.train("absent.toml", run=tmp_path / "run")
    with pytest.raises(ValueError, match="run="):
        tablut.train(CONFIG)
    with pytest.raises(ValueError, match="required|not provided"):
        tablut.train()
    with pytest.raises(RuntimeError, match="learning.batch_size"):
        tablut.train(CONFIG, run=tmp_path / "run", changes={"learning.batch_size": 0})


@pytest.mark.parametrize("command", [[sys.executable, "-m", "tablut"], [os.path.join(os.path.dirname(sys.executable), "tablut")]])
def test_the_package_has_the_program(command):
    done = subprocess.run([*command, "perft", "--depth", "2"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.split()[-1] == str(tablut.Rules("kvasir").perft(2)), done.stderr
    wrong = subprocess.run([*command, "perft", "--depth", "x"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "--depth" in wrong.stderr
    found = json.loads(subprocess.run([*command, "analyze", "--json", "--simulations", "16"], capture_output=True, text=True).stdout)
    assert found["search"]["best"] == tablut.search(tablut.Game(), simulations=16).chosen


@pytest.mark.parametrize("player", [uniform, None], ids=["callable", "shipped"])
def test_the_page_is_served_until_ctrl_c(player, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    pages = []

    def visit(link):
        def read():
            with urllib.request.urlopen(link, timeout=20) as page:
                pages.append(page.read().decode())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=read).start()

    with pytest.raises(KeyboardInterrupt):
        tablut.serve(player, port=0, on_ready=visit)
    assert "<html" in pages[0]
    with pytest.raises(TypeError, match="found int"):
        tablut.serve(3)


@pytest.mark.parametrize("kind", ["callable", "model"])
def test_own_players_play_everywhere(kind, model):
    import gymnasium
    import tablut.gymnasium  # noqa: F401

    own = ("own", uniform if kind == "callable" else model, 8)
    game = tablut.Game("kvasir")
    player = tablut.Player(own, "kvasir", seed=3)
    assert player.name == "own" and player.choose(game) in game.legal_moves()
    if kind == "model":
        assert player.choose(game) == tablut.Player("net:shipped@8", "kvasir", seed=3).choose(game)
    env = gymnasium.make("tablut/Tablut-v0", rules="kvasir", opponent=own, side="attackers")
    _, info = env.reset(seed=1)
    env.step(np.flatnonzero(info["action_mask"])[0])
    assert env.unwrapped.game.ply >= 2
    played = tablut.match([own, "random"], games=2, max_plies=30)
    assert played["matches"][0]["games"] == 2
    with pytest.raises(TypeError, match="expected a text, or a tuple"):
        tablut.Player(3, "kvasir")


def test_an_evaluators_exception_passes_through_a_player():
    def wrong(planes, features):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        tablut.Player(("wrong", wrong, 4), "kvasir").choose(tablut.Game("kvasir"))


def test_a_search_shows_its_move_on_a_board():
    result = tablut.search(tablut.Game("kvasir"), evaluator=uniform, simulations=4)
    picture, plain = result._repr_svg_(), tablut.Game("kvasir")._repr_svg_()
    assert picture.startswith("<svg") and picture.count("stroke=\"#2f6d62\"") == 2 and plain.count("stroke=\"#2f6d62\"") == 0
