"""Tablut for Gymnasium: one agent against a named player.

>>> import gymnasium, tablut.gymnasium
>>> env = gymnasium.make("tablut/Tablut-v0", rules="kvasir", opponent="greedy", side="defenders")
>>> observation, info = env.reset(seed=1)
>>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))

An observation is f32 `[16, 9, 9]`, the net's input planes (`docs/how-net.md`). `info["action_mask"]` i8 `[n_actions]` has a 1 for
every legal action. The reward is 1 for a win, −1 for a loss and 0 otherwise.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ._actions import check_illegal_actions, replaced, whole
from ._picture import RENDER_MODES, check_mode, render
from ._tablut import Game, Player, Rules

__all__ = ["TablutEnv"]

Observation = NDArray[np.float32]


class TablutEnv(gymnasium.Env[Observation, np.int64]):
    """One side of a game.

    Args:
        rules: a rule set, its name, or the path of a rule file.
        opponent: the other side's player: `random`, `greedy`, `alphabeta:2`, `rollouts:100`, `net:shipped@64`, `net:FILE@64`.
        side: `"attackers"` or `"defenders"`. With None the side is drawn for each game.
        max_plies: the ply at which the game is truncated. With None there is no limit.
        illegal_actions: `"terminate"` ends the game with a reward of −1. `"replace"` plays the legal action at index `action` modulo the
            number of legal actions instead, for algorithms without masks.
        render_mode: `"human"`, `"ansi"`, `"rgb_array"` or None.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 2}

    def __init__(
        self,
        rules: Rules | str = "kvasir",
        opponent: str = "random",
        side: str | None = None,
        max_plies: int | None = None,
        illegal_actions: str = "terminate",
        render_mode: str | None = None,
    ) -> None:
        self.rules = rules if isinstance(rules, Rules) else Rules(rules)
        if side not in (None, "attackers", "defenders"):
            raise ValueError(f"side {side!r}: expected \"attackers\", \"defenders\" or None")
        self._opponent = Player(opponent, self.rules)
        self._side_asked = side
        self.max_plies = max_plies
        self.illegal_actions = check_illegal_actions(illegal_actions)
        self.render_mode = check_mode(render_mode)
        self.observation_space = spaces.Box(0, 1, (16, 9, 9), np.float32)
        self.action_space = spaces.Discrete(self.rules.n_actions)
        self._game = Game(self.rules)
        self.side = side or "attackers"
        """The agent's side in this game."""

    @property
    def game(self) -> Game:
        """A copy of the game."""
        return self._game.copy()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins a game. If the opponent moves first, its move has been played."""
        super().reset(seed=seed)
        sides = ["attackers", "defenders"]
        while True:
            self.side = self._side_asked or sides[int(self.np_random.integers(2))]
            first = self.rules.first or sides[int(self.np_random.integers(2))]
            self._opponent.reset(int(self.np_random.integers(2**63)))
            self._game = Game(self.rules, first=first)
            self._answer()
            if self._game.outcome is None:
                return self._observe()

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Plays an action and the opponent's reply."""
        if self._game.outcome is not None:
            raise gymnasium.error.ResetNeeded("the game is over: call reset")
        number = whole(action)
        if not self.action_space.contains(number):
            raise ValueError(f"action {number}: expected 0 to {self.rules.n_actions - 1}")
        if self.illegal_actions == "replace":
            number = replaced(self._game, number)
        elif number not in self._game.legal_actions():
            observation, info = self._observe()
            return observation, -1.0, True, False, {**info, "illegal_action": number}
        self._game.play(number)
        self._answer()
        outcome = self._game.outcome
        reward = 0.0
        if outcome is not None and outcome.winner is not None:
            reward = 1.0 if outcome.winner == self.side else -1.0
        truncated = outcome is None and self.max_plies is not None and self._game.ply >= self.max_plies
        observation, info = self._observe()
        if outcome is not None:
            info["outcome"] = str(outcome)
        if self.render_mode == "human":
            self.render()
        return observation, reward, outcome is not None, truncated, info

    def render(self) -> Any:
        """The board in the environment's render mode."""
        return render(self._game, self.render_mode)

    def _answer(self) -> None:
        """Plays the opponent's move if the opponent is to move."""
        if self._game.outcome is None and self._game.side_to_move != self.side:
            self._game.play(self._opponent.choose(self._game))

    def _observe(self) -> tuple[Observation, dict[str, Any]]:
        return self._game.planes(), {"action_mask": self._game.action_mask(), "side": self.side}


gymnasium.register(id="tablut/Tablut-v0", entry_point="tablut.gymnasium:TablutEnv")
