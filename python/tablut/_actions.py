"""The sides, and the handling of illegal actions, in environments."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ._tablut import Game

SIDES: list[Literal["attackers", "defenders"]] = ["attackers", "defenders"]

ILLEGAL_ACTIONS = ("terminate", "replace")


def check_illegal_actions(choice: str) -> str:
    """The choice, if it is valid. Otherwise raises ValueError."""
    if choice not in ILLEGAL_ACTIONS:
        raise ValueError(f"illegal_actions {choice!r}: expected \"terminate\" or \"replace\"")
    return choice


def whole(action: Any) -> int:
    """An action as an int. Raises TypeError if it is not a whole number."""
    if isinstance(action, (bool, np.bool_)) or not isinstance(action, (int, np.integer, np.ndarray)):
        raise TypeError(f"action {action!r}: expected a whole number")
    if isinstance(action, np.ndarray) and (action.ndim or action.dtype.kind not in "iu"):
        raise TypeError(f"action {action!r}: expected a whole number")
    return int(action)


def replaced(game: Game, action: int) -> int:
    """The action itself if it is legal, otherwise the legal action at index `action` modulo their number."""
    legal = game.legal_actions()
    if action in legal:
        return action
    return int(legal[action % len(legal)])
