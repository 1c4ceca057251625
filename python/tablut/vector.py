"""Many games at once as one environment of Gymnasium. Rust steps the games, and Python's other threads run meanwhile.

>>> from tablut.vector import VectorEnv
>>> env = VectorEnv(256, rules="kvasir", observations="planes")
>>> observation, info = env.reset(seed=1)
>>> observation, rewards, terminated, truncated, info = env.step(env.random_actions())
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium import vector as gymnasium_vector
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from ._tablut import Game, Rules, VectorGames

__all__ = ["VectorEnv"]

OBSERVATIONS = ("planes", "board", "none")

Arrays = dict[str, NDArray[Any]]


class VectorEnv(gymnasium_vector.VectorEnv[Arrays, ArrayLike, NDArray[Any]]):
    """`num_envs` games under one rule set, in each of which the agent moves for both sides. A game that ends is replaced by a new one in
    the same step. It can be copied and pickled.

    An observation is a dict of arrays:

    - `side` i64 `[n]`: 0 if the attackers are to move, 1 if the defenders are.
    - `action_mask` i8 `[n, n_actions]`: 1 for every legal action. Missing with `masks=False`.
    - With `observations="planes"`, `planes` f32 `[n, 16, width, width]` and `features` f32 `[n, 48]`: the net's inputs.
    - With `observations="board"`, `board` i8 `[n, width, width]`: 0 no piece, 1 an attacker, 2 a defender, 3 the king. It takes a third
      of the time of `"planes"`.

    Args:
        num_envs: the number of games, at most 100,000.
        rules: a rule set, its name, or the path of a rule file.
        observations: `"planes"`, `"board"` or `"none"`.
        masks: whether observations have an action mask.
        max_plies: the ply at which a game is truncated. With None there is no limit.
        threads: threads that step the games. More than one is faster only with some thousand games.
    """

    metadata = {"autoreset_mode": gymnasium_vector.AutoresetMode.SAME_STEP}

    def __init__(
        self,
        num_envs: int,
        rules: Rules | str = "kvasir",
        *,
        observations: str = "planes",
        masks: bool = True,
        max_plies: int | None = None,
        threads: int = 1,
    ) -> None:
        if observations not in OBSERVATIONS:
            raise ValueError(f"observations {observations!r}: expected one of {', '.join(OBSERVATIONS)}")
        self._games = VectorGames(rules, num_envs, max_plies=max_plies, threads=threads)
        self._observations = observations
        self._masks = masks
        self.num_envs = num_envs
        rules, width = self.rules, self.rules.width
        parts: dict[str, spaces.Space[Any]] = {"side": spaces.Discrete(2)}
        if observations == "planes":
            parts["planes"] = spaces.Box(0, 1, (16, width, width), np.float32)
            parts["features"] = spaces.Box(-1, 1, (48,), np.float32)
        elif observations == "board":
            parts["board"] = spaces.Box(0, 3, (width, width), np.int8)
        if masks:
            parts["action_mask"] = spaces.Box(0, 1, (rules.n_actions,), np.int8)
        self.single_observation_space = spaces.Dict(parts)
        self.single_action_space = spaces.Discrete(rules.n_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def __len__(self) -> int:
        return self.num_envs

    @property
    def rules(self) -> Rules:
        """The rules."""
        return self._games.rules

    @property
    def n_actions(self) -> int:
        """The number of actions."""
        return self._games.rules.n_actions

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Arrays, dict[str, Any]]:
        """Begins all games again. `seed` determines all further random numbers: those of `random_actions`, and the side that moves first
        if the rules draw it. Without it other games follow."""
        super().reset(seed=seed)
        self._games.reset(int(self.np_random.integers(2**63)))
        return self.observe(), {}

    def step(
        self, actions: ArrayLike
    ) -> tuple[Arrays, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Plays an action in each game.

        Returns five values: the new observation; the rewards of the sides that have moved, f32 `[n]`, 1 for a win, −1 for a loss and
        otherwise 0; whether each game ended by the rules, bool `[n]`; whether it was truncated, bool `[n]`; and a dict. If a game ended,
        the observation shows the start of the next one, and `final_obs` in the dict has its last observation. If an action is illegal,
        raises `IllegalMoveError` with its game, and no game changes.
        """
        rewards, terminated, truncated, ended = self._games.step(actions)
        info: dict[str, Any] = {}
        if ended:
            info["final_obs"] = np.full(self.num_envs, None)
            info["_final_obs"] = terminated | truncated
            for place, game in ended:
                info["final_obs"][place] = self._final(game)
        return self.observe(), rewards, terminated, truncated, info

    def observe(self) -> Arrays:
        """The observation of the current positions."""
        return self._games.observe(self._observations == "planes", self._observations == "board", self._masks)

    def _final(self, game: Game) -> Arrays:
        """The observation of a game that has ended."""
        found: Arrays = {"side": np.array(game.side_to_move == "defenders", np.int64)}
        if self._observations == "planes":
            found["planes"], found["features"] = game.planes(), game.features()
        elif self._observations == "board":
            found["board"] = game.board()
        if self._masks:
            found["action_mask"] = game.action_mask()
        return found

    def action_masks(self) -> NDArray[np.bool_]:
        """Whether each action of each game is legal, bool `[n, n_actions]`."""
        return self._games.observe(False, False, True)["action_mask"].astype(np.bool_)

    def random_actions(self) -> NDArray[np.int64]:
        """A random legal action of each game, i64 `[n]`, uniformly distributed."""
        return self._games.random_actions()

    def legal_actions(self) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """The legal actions of all games in order, i64 `[m]`, and the end of each game's actions in this array, u32 `[n]`."""
        return self._games.legal_actions()

    def game(self, place: int) -> Game:
        """A copy of one of the games."""
        return self._games.game(place)
