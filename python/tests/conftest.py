"""Fixtures of the tests: the program to compare with, and a uniform evaluator."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
RULES = ["kvasir", "imperial", "ludoteka", "brandubh", "copenhagen"]
ENTRIES = {7: 1225, 9: 2673, 11: 4961}


def _binary() -> Path | None:
    """The program that TABLUT_BINARY names, or else the one that cargo has built."""
    named = os.environ.get("TABLUT_BINARY")
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    for path in [Path(named)] if named else [target / "release" / "tablut"]:
        if path.is_file():
            return path
    return None


class Program:
    """The program `tablut`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def text(self, *arguments: object, **process: object) -> str:
        done = subprocess.run(
            [str(self.path), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **process
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def json(self, *arguments: object) -> dict:
        return json.loads(self.text(*arguments))


@pytest.fixture(scope="session")
def program() -> Program:
    """The program, for tests that compare results. They are skipped if it is not built."""
    path = _binary()
    if path is None:
        pytest.skip("the program is not built: cargo build --release, or name it with TABLUT_BINARY")
    return Program(path)


def uniform(planes: np.ndarray, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An evaluator with equal logits and the value 0."""
    n, _, width, _ = planes.shape
    assert planes.shape == (n, 16, width, width) and planes.dtype == np.float32
    assert features.shape == (n, 48) and features.dtype == np.float32
    return np.zeros((n, ENTRIES[width]), np.float32), np.zeros(n, np.float32)


@pytest.fixture(scope="session")
def model():
    import tablut

    return tablut.Model.shipped()


def random_positions(n: int, seed: int = 1, rules: list[str] | None = None, plies: int = 60):
    """Games after a random number of random plies. The rule sets, by default those of Tablut's board, take turns. No game is over."""
    import tablut

    random = np.random.default_rng(seed)
    names = rules or [name for name in tablut.Rules.names() if tablut.Rules(name).width == 9]
    sets = [tablut.Rules(name) for name in names]
    games = []
    while len(games) < n:
        game = tablut.Game(sets[len(games) % len(sets)])
        for _ in range(random.integers(plies)):
            if game.outcome is not None:
                break
            moves = game.legal_moves()
            game.play(moves[random.integers(len(moves))])
        if game.outcome is None:
            games.append(game)
    return games
