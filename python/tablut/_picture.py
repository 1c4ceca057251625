"""The board as an array of colours, for `render`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._tablut import Game

CELL = 40
"""The length of a square's side in pixels."""

_LIGHT, _DARK = (226, 203, 164), (217, 191, 148)
_SPECIAL = {"camps": (190, 160, 115), "corners": (200, 170, 125), "escapes": (196, 206, 168), "throne": (176, 140, 84)}
# Colour and radius, relative to a square, by the piece's code in `Game.board`.
_PIECES = {1: ((59, 42, 36), 0.36), 2: ((251, 244, 230), 0.36), 3: ((246, 200, 80), 0.42)}
_LAST = (47, 109, 98)


def _place(square: str, width: int) -> tuple[int, int]:
    """The row from the top and the column of a square."""
    return width - int(square[1:]), ord(square[0]) - ord("a")


def picture(game: Game) -> NDArray[np.uint8]:
    """The board, u8 `[40 * width, 40 * width, 3]`, row 1 at the bottom. The last move's squares have a frame."""
    rules = game.rules
    rows, columns = np.indices((rules.width, rules.width))
    colours = np.where(((rows + columns) % 2 == 0)[..., None], np.array(_DARK, np.uint8), np.array(_LIGHT, np.uint8))
    for kind, colour in _SPECIAL.items():
        for square in getattr(rules, kind):
            colours[_place(square, rules.width)] = colour
    image = np.repeat(np.repeat(colours, CELL, axis=0), CELL, axis=1)
    y, x = np.indices((CELL, CELL)) + 0.5
    distance = np.hypot(y - CELL / 2, x - CELL / 2) / CELL
    board = game.board()[::-1]
    for row, column in zip(*np.nonzero(board)):
        colour, radius = _PIECES[int(board[row, column])]
        cell = image[row * CELL : (row + 1) * CELL, column * CELL : (column + 1) * CELL]
        cell[distance <= radius] = colour
    if game.history:
        for square in game.history[-1].split("x")[0].split("-"):
            row, column = _place(square, rules.width)
            cell = image[row * CELL : (row + 1) * CELL, column * CELL : (column + 1) * CELL]
            cell[:2], cell[-2:], cell[:, :2], cell[:, -2:] = (_LAST,) * 4
    return image


RENDER_MODES = ["human", "ansi", "rgb_array"]
"""The modes of `render`: print the board, return it as text, return it as an array."""


def check_mode(mode: str | None) -> str | None:
    """The mode, if it is valid. Otherwise raises ValueError."""
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"render_mode {mode!r}: expected None or one of {', '.join(RENDER_MODES)}")
    return mode


def render(game: Game, mode: str | None) -> str | NDArray[np.uint8] | None:
    """The board in a render mode."""
    if mode == "ansi":
        return str(game)
    if mode == "rgb_array":
        return picture(game)
    if mode == "human":
        print(game)
    return None
