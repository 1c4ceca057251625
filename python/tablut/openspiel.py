"""Tablut for OpenSpiel: `import tablut.openspiel` registers the game `python_tablut`.

>>> import pyspiel, tablut.openspiel
>>> game = pyspiel.load_game("python_tablut(rules=imperial)")
>>> state = game.new_initial_state()

Player 0 has the attackers and player 1 the defenders. If the rules draw the side that moves first, the first node is a chance node.
For both players the observation tensor is f32 `[16, width, width]`, the net's input planes (`docs/how-net.md`).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from ._actions import SIDES
from ._tablut import Game, Rules

__all__ = ["TablutGame", "TablutState"]

_MAX_PLIES = 400


def _game_type(chance_mode: Any) -> Any:
    return pyspiel.GameType(
        short_name="python_tablut",
        long_name="Tablut",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=chance_mode,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"rules": "kvasir", "max_plies": _MAX_PLIES},
    )


_DETERMINISTIC = _game_type(pyspiel.GameType.ChanceMode.DETERMINISTIC)
_DRAWN_FIRST_SIDE = _game_type(pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC)


class TablutGame(pyspiel.Game):
    """The game under one rule set.

    Parameters: `rules`, the name of a rule set or the path of a rule file; `max_plies`, the ply at which a game is a draw (default 400).
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        params = dict(params or {})
        self.rules = Rules(params.get("rules", "kvasir"))
        self.max_plies = int(params.get("max_plies", _MAX_PLIES))
        info = pyspiel.GameInfo(
            num_distinct_actions=self.rules.n_actions,
            max_chance_outcomes=2 if self.rules.first is None else 0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.max_plies,
        )
        super().__init__(_DRAWN_FIRST_SIDE if self.rules.first is None else _DETERMINISTIC, info, params)

    def new_initial_state(self, state: Any = None) -> TablutState:
        """A state at the start of a game."""
        if state is not None:
            raise ValueError("python_tablut cannot begin from a state")
        return TablutState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """An observer of states."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return _Observer(self.rules, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class TablutState(pyspiel.State):
    """A state of the game. `tablut` is the game so far, or None before the side that moves first is drawn."""

    def __init__(self, game: TablutGame) -> None:
        super().__init__(game)
        self._rules = game.rules
        self._max_plies = game.max_plies
        first = game.rules.first
        self.tablut = None if first is None else self._begin(first)

    def _begin(self, first: Literal["attackers", "defenders"]) -> Game:
        return Game(self._rules, first=first, max_plies=self._max_plies)

    def current_player(self) -> int:
        """0 for the attackers, 1 for the defenders, or the id of chance or of the end."""
        if self.tablut is None:
            return pyspiel.PlayerId.CHANCE
        if self.tablut.outcome is not None:
            return pyspiel.PlayerId.TERMINAL
        return SIDES.index(self.tablut.side_to_move)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Both sides move first with the same probability."""
        return [(0, 0.5), (1, 0.5)]

    def _legal_actions(self, player: int) -> list[int]:
        """The legal actions in ascending order."""
        if self.tablut is None or player != self.current_player():
            return []
        return sorted(self.tablut.legal_actions().tolist())

    def _apply_action(self, action: int) -> None:
        if self.tablut is None:
            self.tablut = self._begin(SIDES[action])
        else:
            self.tablut.play(int(action))

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE or self.tablut is None:
            return f"{SIDES[action]} first"
        return self.tablut.move_text(int(action))

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.tablut is not None and self.tablut.outcome is not None

    def returns(self) -> list[float]:
        """1 for the winner, −1 for the loser, 0 before the end and for a draw."""
        outcome = None if self.tablut is None else self.tablut.outcome
        if outcome is None or outcome.winner is None:
            return [0.0, 0.0]
        return [1.0, -1.0] if outcome.winner == "attackers" else [-1.0, 1.0]

    def __str__(self) -> str:
        if self.tablut is None:
            return "the side that moves first is drawn"
        return f"{self.tablut}{self.tablut.position}, ply {self.tablut.ply}"


class _Observer:
    """The net's input planes, and the board as text."""

    def __init__(self, rules: Rules, params: Any) -> None:
        if params:
            raise ValueError(f"observation parameters {params}: expected none")
        shape = (16, rules.width, rules.width)
        self.tensor = np.zeros(int(np.prod(shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: TablutState, player: int) -> None:
        del player
        if state.tablut is None:
            self.tensor.fill(0)
        else:
            self.dict["observation"][:] = state.tablut.planes()

    def string_from(self, state: TablutState, player: int) -> str:
        del player
        return str(state)


pyspiel.register_game(_DETERMINISTIC, TablutGame)
