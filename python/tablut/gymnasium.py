"""Tablut for Gymnasium: one agent against a named player.

>>> import gymnasium, tablut.gymnasium
>>> env = gymnasium.make("tablut/Tablut-v0", rules="kvasir", opponent="greedy", side="defenders")
>>> observation, info = env.reset(seed=1)
>>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))

An observation is a dict of the net's inputs (`docs/how-net.md`): `planes` f32 `[16, width, width]` and `features` f32 `[48]`.
`info["action_mask"]` i8 `[n_actions]` has a 1 for every legal action. The reward is 1 for a win, −1 for a loss and 0 otherwise.
"""

from __future__ import annotations

from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ._actions import SIDES, check_illegal_actions, replaced, whole
from ._picture import RENDER_MODES, check_mode, render
from ._tablut import Game, Player, Rules

__all__ = ["TablutEnv"]

Observation = dict[str, Any]

_MAX_STARTS = 1000


class TablutEnv(gymnasium.Env[Observation, np.int64]):
    """One side of a game. It can be copied and pickled. The opponent of a copy begins with an empty search tree and its seed.

    Args:
        rules: a rule set, its name, or the path of a rule file.
        opponent: the other side's player, as for `tablut.Player`: `random`, `greedy`, `alphabeta:2`, `rollouts:100`, `net:shipped@64`,
            `net:FILE@64`, or a tuple of a name, a `Model` or a callable, and a limit per move.
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
        opponent: str | tuple[str, Any, Any] = "random",
        side: Literal["attackers", "defenders"] | None = None,
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
        shape = (16, self.rules.width, self.rules.width)
        planes, features = spaces.Box(0, 1, shape, np.float32), spaces.Box(-1, 1, (48,), np.float32)
        self.observation_space = spaces.Dict({"planes": planes, "features": features})
        self.action_space = spaces.Discrete(self.rules.n_actions)
        self._game = Game(self.rules)
        self._is_over = False
        self.side = side or "attackers"
        """The agent's side in this game."""

    @property
    def game(self) -> Game:
        """A copy of the game."""
        return self._game.copy()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins a game. If the opponent moves first, its move has been played.

        Raises RuntimeError if the opponent's first move ends every game.
        """
        super().reset(seed=seed)
        for _ in range(_MAX_STARTS):
            self.side = self._side_asked or SIDES[int(self.np_random.integers(2))]
            first = self.rules.first or SIDES[int(self.np_random.integers(2))]
            self._opponent.reset(int(self.np_random.integers(2**63)))
            self._game = Game(self.rules, first=first)
            self._answer()
            if self._game.outcome is None:
                self._is_over = False
                return self._observe()
        raise RuntimeError(f"the opponent's first move has ended {_MAX_STARTS} games in a row")

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Plays an action and the opponent's reply."""
        if self._is_over:
            raise gymnasium.error.ResetNeeded("the game is over: call reset")
        number = whole(action)
        if not self.action_space.contains(number):
            raise ValueError(f"action {number}: expected 0 to {self.rules.n_actions - 1}")
        if self.illegal_actions == "replace":
            number = replaced(self._game, number)
        elif number not in self._game.legal_actions():
            self._is_over = True
            observation, info = self._observe()
            return observation, -1.0, True, False, {**info, "illegal_action": number}
        self._game.play(number)
        self._answer()
        outcome = self._game.outcome
        reward = 0.0
        if outcome is not None and outcome.winner is not None:
            reward = 1.0 if outcome.winner == self.side else -1.0
        truncated = outcome is None and self.max_plies is not None and self._game.ply >= self.max_plies
        self._is_over = outcome is not None or truncated
        observation, info = self._observe()
        if outcome is not None:
            info["outcome"] = str(outcome)
        if self.render_mode == "human":
            self.render()
        return observation, reward, outcome is not None, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Whether each action is legal, bool `[n_actions]`, under the name that MaskablePPO expects."""
        return self._game.action_mask().astype(np.bool_)

    def render(self) -> Any:
        """The board in the environment's render mode."""
        return render(self._game, self.render_mode)

    def _answer(self) -> None:
        """Plays the opponent's move if the opponent is to move."""
        if self._game.outcome is None and self._game.side_to_move != self.side:
            self._game.play(self._opponent.choose(self._game))

    def _observe(self) -> tuple[Observation, dict[str, Any]]:
        observation = {"planes": self._game.planes(), "features": self._game.features()}
        return observation, {"action_mask": self._game.action_mask(), "side": self.side}


gymnasium.register(id="tablut/Tablut-v0", entry_point="tablut.gymnasium:TablutEnv")
