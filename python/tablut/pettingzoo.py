"""Tablut for PettingZoo: two agents, `attackers` and `defenders`, who move in turn.

>>> import tablut.pettingzoo
>>> env = tablut.pettingzoo.env(rules="kvasir")
>>> env.reset(seed=1)
>>> for agent in env.agent_iter():
...     observation, reward, termination, truncation, info = env.last()
...     over = termination or truncation
...     env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))

An observation is a dict. `observation` f32 `[16, width, width]` and `features` f32 `[48]` are the net's inputs (`docs/how-net.md`), which
are the same for both agents. `action_mask` i8 `[n_actions]` has a 1 for every legal action of the agent. Rewards are 1 for a win, −1 for a
loss and 0 for a draw. `tablut.Game.legal_actions` explains the actions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from ._actions import SIDES, check_illegal_actions, replaced, whole
from ._picture import RENDER_MODES, check_mode, render
from ._tablut import Game, Rules

__all__ = ["env", "raw_env"]


def env(**arguments: Any) -> AECEnv:
    """The environment with PettingZoo's checks. The arguments are those of `raw_env`."""
    made: AECEnv = raw_env(**arguments)
    if made.illegal_actions == "terminate":
        made = wrappers.TerminateIllegalWrapper(made, illegal_reward=-1)
    made = wrappers.AssertOutOfBoundsWrapper(made)
    return wrappers.OrderEnforcingWrapper(made)


class raw_env(AECEnv):  # noqa: N801 - PettingZoo's name
    """The environment without checks.

    Args:
        rules: a rule set, its name, or the path of a rule file.
        max_cycles: the number of moves of each agent after which the game is truncated. With None there is no limit.
        illegal_actions: `"terminate"` ends the game with a reward of −1 for an illegal action. `"replace"` plays the legal action at index
            `action` modulo the number of legal actions instead, for algorithms without masks.
        render_mode: `"human"`, `"ansi"`, `"rgb_array"` or None.
    """

    metadata = {
        "render_modes": RENDER_MODES,
        "name": "tablut_v0",
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        rules: Rules | str = "kvasir",
        max_cycles: int | None = None,
        illegal_actions: str = "terminate",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.rules = rules if isinstance(rules, Rules) else Rules(rules)
        self.max_cycles = max_cycles
        self.illegal_actions = check_illegal_actions(illegal_actions)
        self.render_mode = check_mode(render_mode)
        self.possible_agents: list[str] = [*SIDES]
        n_actions, width = self.rules.n_actions, self.rules.width
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, (16, width, width), np.float32),
                    "features": spaces.Box(-1, 1, (48,), np.float32),
                    "action_mask": spaces.Box(0, 1, (n_actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(n_actions) for agent in self.possible_agents}
        self._random = np.random.default_rng()
        self._game = Game(self.rules)
        self.agents = self.possible_agents[:]
        self.rewards: dict[str, float] = {}
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self.infos: dict[str, dict[str, Any]] = {}

    @property
    def game(self) -> Game:
        """A copy of the game."""
        return self._game.copy()

    def observation_space(self, agent: str) -> spaces.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game. If the rules draw the side that moves first, it is drawn with `seed`."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        first = self.rules.first or SIDES[int(self._random.integers(2))]
        self._game = Game(self.rules, first=first)
        # The agents are in the order in which they move.
        self.agents = [first] + [agent for agent in self.possible_agents if agent != first]
        self.agent_selection: str = first
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, Any]:
        """The observation of an agent. Only the agent to move has legal actions."""
        if agent == self.agent_selection:
            mask = self._game.action_mask()
        else:
            mask = np.zeros(self.rules.n_actions, np.int8)
        return {"observation": self._game.planes(), "features": self._game.features(), "action_mask": mask}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        number = whole(action)
        if self.illegal_actions == "replace":
            number = replaced(self._game, number)
        self._game.play(number)
        self._cumulative_rewards[agent] = 0.0
        outcome = self._game.outcome
        if outcome is not None:
            self.terminations = dict.fromkeys(self.agents, True)
            for side in self.agents:
                self.rewards[side] = 0.0 if outcome.winner is None else 1.0 if outcome.winner == side else -1.0
                self.infos[side] = {"outcome": str(outcome)}
        elif self.max_cycles is not None and self._game.ply >= 2 * self.max_cycles:
            self.truncations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[1 - self.agents.index(agent)]
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """The board in the environment's render mode."""
        return render(self._game, self.render_mode)

    def close(self) -> None:
        """Does nothing."""
