"""Many games at once, with arrays for actions and observations. Rust steps the games, and Python's other threads run meanwhile.

>>> from tablut.vector import VectorEnv
>>> env = VectorEnv(256, rules="kvasir", observations="planes")
>>> observation = env.reset(seed=1)
>>> observation, rewards, terminated, truncated = env.step(env.random_actions())
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._tablut import Game, Rules, VectorGames

__all__ = ["VectorEnv"]

OBSERVATIONS = ("planes", "board", "none")


class VectorEnv:
    """`n` games under one rule set. A game that ends is replaced by a new one in the same step.

    An observation is a dict of arrays:

    - `side` i8 `[n]`: 0 if the attackers are to move, 1 if the defenders are.
    - `action_mask` i8 `[n, n_actions]`: 1 for every legal action. Missing with `masks=False`.
    - With `observations="planes"`, `planes` f32 `[n, 16, 9, 9]` and `features` f32 `[n, 42]`: the net's inputs.
    - With `observations="board"`, `board` i8 `[n, 9, 9]`: 0 no piece, 1 an attacker, 2 a defender, 3 the king. It takes a third of
      the time of `"planes"`.

    Args:
        n: the number of games.
        rules: a rule set, its name, or the path of a rule file.
        observations: `"planes"`, `"board"` or `"none"`.
        masks: whether observations have an action mask.
        max_plies: the ply at which a game is truncated. With None there is no limit.
        seed: the seed of `random_actions`, and of the side that moves first if the rules draw it.
        threads: threads that step the games. More than one is faster only with some thousand games.
    """

    def __init__(
        self,
        n: int,
        rules: Rules | str = "kvasir",
        *,
        observations: str = "planes",
        masks: bool = True,
        max_plies: int | None = None,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        if observations not in OBSERVATIONS:
            raise ValueError(f"observations {observations!r}: expected one of {', '.join(OBSERVATIONS)}")
        self._games = VectorGames(rules, n, seed=seed, max_plies=max_plies, threads=threads)
        self._observations = observations
        self._masks = masks

    def __len__(self) -> int:
        return len(self._games)

    @property
    def rules(self) -> Rules:
        """The rules."""
        return self._games.rules

    @property
    def n_actions(self) -> int:
        """The number of actions."""
        return self._games.rules.n_actions

    def reset(self, seed: int = 0) -> dict[str, NDArray[Any]]:
        """Begins all games again and returns the observation."""
        self._games.reset(seed)
        return self.observe()

    def step(
        self, actions: ArrayLike
    ) -> tuple[dict[str, NDArray[Any]], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_]]:
        """Plays an action in each game.

        Returns four values: the new observation; the rewards of attackers and defenders, f32 `[n, 2]`, 1 for a win, −1 for a loss and
        otherwise 0; whether each game ended by the rules, bool `[n]`; and whether it was truncated, bool `[n]`. If a game ended, the
        observation shows the start of the next one. If an action is illegal, raises `IllegalMoveError` with its game, and no game
        changes.
        """
        rewards, terminated, truncated = self._games.step(actions)
        return self.observe(), rewards, terminated, truncated

    def observe(self) -> dict[str, NDArray[Any]]:
        """The observation of the current positions."""
        return self._games.observe(self._observations == "planes", self._observations == "board", self._masks)

    def random_actions(self) -> NDArray[np.int64]:
        """A random legal action of each game, i64 `[n]`, uniformly distributed."""
        return self._games.random_actions()

    def legal_actions(self) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """The legal actions of all games in order, i64 `[m]`, and the end of each game's actions in this array, u32 `[n]`."""
        return self._games.legal_actions()

    def game(self, place: int) -> Game:
        """A copy of one of the games."""
        return self._games.game(place)
