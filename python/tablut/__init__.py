"""Tablut: rules, nets, search and self-play.

>>> import tablut
>>> game = tablut.Game("kvasir")
>>> game.play("d1-d3")
[]
>>> result = tablut.search(game, simulations=100)
>>> result.chosen in game.legal_moves()
True

`tablut.pettingzoo`, `tablut.gymnasium` and `tablut.openspiel` are environments for these packages, and `tablut.vector` steps
many games at once. `tablut.torch` has the nets in PyTorch. The guide is `docs/python.md`.
"""

from ._tablut import (
    Evaluations,
    Game,
    IllegalMoveError,
    Model,
    Outcome,
    Player,
    Proof,
    Record,
    Rules,
    SearchResult,
    SelfPlay,
    __version__,
    encode,
    match,
    read_games,
    search,
    self_play,
    symmetry_policy,
    symmetry_squares,
    to_arrays,
    write_games,
)
from ._padded import padded
from ._program import serve, train
from .run import Page, Run

__all__ = [
    "Evaluations",
    "Game",
    "IllegalMoveError",
    "Model",
    "Outcome",
    "Page",
    "Player",
    "Proof",
    "Record",
    "Rules",
    "Run",
    "SearchResult",
    "SelfPlay",
    "__version__",
    "encode",
    "match",
    "padded",
    "read_games",
    "search",
    "self_play",
    "serve",
    "symmetry_policy",
    "symmetry_squares",
    "to_arrays",
    "train",
    "write_games",
]
