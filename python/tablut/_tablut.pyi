"""Types of the compiled module. In shapes, `n` is the number of positions, `m` the number of their legal moves, `k` the number of legal
moves of one position, and `p` the number of plies of a game."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, final, overload, type_check_only

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Evaluations",
    "Game",
    "IllegalMoveError",
    "Model",
    "Outcome",
    "Player",
    "Proof",
    "Record",
    "Rules",
    "SearchResult",
    "SelfPlay",
    "VectorGames",
    "__version__",
    "encode",
    "match",
    "read_games",
    "read_run",
    "run_files",
    "run_program",
    "run_report",
    "search",
    "self_play",
    "serve_page",
    "symmetry_policy",
    "symmetry_squares",
    "to_arrays",
    "train_run",
    "write_games",
]

__version__: str

_Path: TypeAlias = str | PathLike[str]
_Side: TypeAlias = Literal["attackers", "defenders"]
_Rules: TypeAlias = Rules | _Path
_Player: TypeAlias = "str | tuple[str, Model | Evaluator, str | int]"
_Chances: TypeAlias = tuple[float, float, float]

@type_check_only
class Evaluator(Protocol):
    """A callable that evaluates positions, such as a net of PyTorch or JAX.

    It receives `planes` f32 `[n, 16, width, width]` and `features` f32 `[n, 48]`. It returns a tuple of policy logits f32
    `[n, rules.policy_entries]`, a value, and optionally the plies left f32 `[n]`. The value is f32 `[n]` from −1 (the defenders win) to 1 (the
    attackers win), or f32 `[n, 3]` with the probabilities of an attackers' win, a draw and a defenders' win. The softmax of the policy is over
    the legal moves only.
    """

    def __call__(
        self, planes: NDArray[np.float32], features: NDArray[np.float32], /
    ) -> tuple[ArrayLike, ArrayLike] | tuple[ArrayLike, ArrayLike, ArrayLike] | list[Any]: ...

class IllegalMoveError(ValueError):
    """A move that is not legal in the position, or a move in a game that is over."""

@final
class Rules:
    """A rule set."""

    def __new__(cls, name_or_path: _Path) -> Rules: ...
    @classmethod
    def from_toml(cls, text: str) -> Rules: ...
    @staticmethod
    def names() -> list[str]: ...
    @property
    def name(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def first(self) -> _Side | None: ...
    @property
    def max_plies(self) -> int | None: ...
    @property
    def width(self) -> int: ...
    @property
    def policy_entries(self) -> int: ...
    @property
    def n_actions(self) -> int: ...
    @property
    def throne(self) -> list[str]: ...
    @property
    def corners(self) -> list[str]: ...
    @property
    def camps(self) -> list[str]: ...
    @property
    def escapes(self) -> list[str]: ...
    def to_toml(self) -> str: ...
    def explain(self) -> str: ...
    def perft(self, depth: int, position: str | None = None, *, first: _Side | None = None) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __copy__(self) -> Rules: ...
    def __deepcopy__(self, _memo: dict[int, Any], /) -> Rules: ...

@final
class Outcome:
    """How a game ended."""

    @property
    def winner(self) -> _Side | None: ...
    @property
    def reason(self) -> str: ...

@final
class Game:
    """A game: a position with its history. Use it in one thread at a time."""

    def __new__(
        cls,
        rules: _Rules | None = None,
        position: str | None = None,
        *,
        first: _Side | None = None,
        moves: Sequence[str] | None = None,
        max_plies: int | None = None,
    ) -> Game: ...
    @property
    def rules(self) -> Rules: ...
    @property
    def position(self) -> str: ...
    @property
    def start(self) -> str: ...
    @property
    def side_to_move(self) -> _Side: ...
    @property
    def ply(self) -> int: ...
    @property
    def history(self) -> list[str]: ...
    @property
    def outcome(self) -> Outcome | None: ...
    @property
    def routes(self) -> int: ...
    @property
    def occurrences(self) -> int: ...
    @property
    def plies_since_capture(self) -> int: ...
    @property
    def max_plies(self) -> int | None: ...
    def legal_moves(self) -> list[str]: ...
    def legal_actions(self) -> NDArray[np.int64]: ...
    def action_mask(self) -> NDArray[np.int8]: ...
    def action(self, mv: str | int) -> int: ...
    def move_text(self, action: str | int) -> str: ...
    def play(self, mv: str | int) -> list[str]: ...
    def undo(self) -> str: ...
    def copy(self) -> Game: ...
    def transformed(self, symmetry: int) -> Game: ...
    def board(self) -> NDArray[np.int8]: ...
    def planes(self, symmetry: int = 0) -> NDArray[np.float32]: ...
    def features(self) -> NDArray[np.float32]: ...
    def policy_index(self, symmetry: int = 0) -> NDArray[np.uint16]: ...
    def text(self, *, ascii: bool = False, colour: bool = False) -> str: ...
    def svg(self) -> str: ...
    def _repr_svg_(self) -> str: ...
    def __copy__(self) -> Game: ...
    def __deepcopy__(self, _memo: dict[int, Any], /) -> Game: ...

@final
class Model:
    """A net with information about it."""

    @staticmethod
    def load(path: _Path) -> Model: ...
    @staticmethod
    def shipped() -> Model: ...
    @staticmethod
    def untrained(shape: str, *, rules: _Rules | Sequence[_Rules] | None = None, seed: int = 1) -> Model: ...
    @staticmethod
    def from_tensors(
        shape: str,
        tensors: Mapping[str, ArrayLike],
        *,
        rules: _Rules | Sequence[_Rules] | None = None,
        card: Mapping[str, Any] | None = None,
    ) -> Model: ...
    def save(self, path: _Path) -> None: ...
    def tensors(self) -> dict[str, NDArray[np.float32]]: ...
    def gradients(self, records: Sequence[Record], *, value_share: float = 0.0) -> dict[str, Any]: ...
    @property
    def hash(self) -> str: ...
    @property
    def architecture(self) -> str: ...
    @property
    def rules(self) -> list[Rules]: ...
    @property
    def training(self) -> dict[str, Any]: ...
    @property
    def card(self) -> dict[str, Any] | None: ...
    def evaluate(self, games: Sequence[Game], *, threads: int | None = None) -> Evaluations: ...
    def __copy__(self) -> Model: ...
    def __deepcopy__(self, _memo: dict[int, Any], /) -> Model: ...

@final
class Evaluations:
    """A net's evaluations of `n` positions with `m` legal moves in total."""

    @property
    def logits(self) -> NDArray[np.float32]: ...
    @property
    def move_ends(self) -> NDArray[np.uint32]: ...
    @property
    def wdl(self) -> NDArray[np.float32]: ...
    @property
    def moves_left(self) -> NDArray[np.float32]: ...
    @property
    def values(self) -> NDArray[np.float32]: ...
    def policy(self, place: int) -> NDArray[np.float32]: ...
    def __len__(self) -> int: ...

@final
class Proof:
    """A proven result."""

    @property
    def winner(self) -> _Side | None: ...
    @property
    def plies(self) -> int: ...
    @property
    def from_history(self) -> bool: ...

@type_check_only
class Line(TypedDict):
    """A move with the line that the search expects."""

    moves: list[str]
    visits: int
    prior: float
    q: float
    chances: _Chances
    proven: Proof | None

@type_check_only
class Branch(TypedDict):
    """A visited move with the part of the tree below it."""

    move: str
    visits: int
    prior: float
    q: float
    proven: Proof | None
    replies: list[Branch]

@final
class SearchResult:
    """The result of a search."""

    @property
    def chosen(self) -> str: ...
    @property
    def value(self) -> float: ...
    @property
    def chances(self) -> _Chances: ...
    @property
    def raw_value(self) -> float: ...
    @property
    def simulations(self) -> int: ...
    @property
    def evaluations(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def proven(self) -> Proof | None: ...
    @property
    def stop(self) -> Literal["simulations", "proven", "decided", "memory", "time", "ended"]: ...
    @property
    def moves(self) -> list[str]: ...
    @property
    def visits(self) -> NDArray[np.uint32]: ...
    @property
    def priors(self) -> NDArray[np.float32]: ...
    @property
    def q(self) -> NDArray[np.float32]: ...
    @property
    def policy(self) -> NDArray[np.float32]: ...
    @property
    def proofs(self) -> list[Proof | None]: ...
    @property
    def pv(self) -> list[str]: ...
    def lines(self, n: int = 5) -> list[Line]: ...
    def tree(self, depth: int = 2) -> list[Branch]: ...
    def _repr_svg_(self) -> str: ...
    def __copy__(self) -> SearchResult: ...
    def __deepcopy__(self, _memo: dict[int, Any], /) -> SearchResult: ...

@final
class Record:
    """A finished game of self-play, with the search's results for its positions."""

    @property
    def index(self) -> int: ...
    @property
    def rules(self) -> Rules: ...
    @property
    def start(self) -> str: ...
    @property
    def moves(self) -> list[str]: ...
    @property
    def outcome(self) -> Outcome: ...
    @property
    def unfinished(self) -> bool: ...
    @property
    def max_plies(self) -> int: ...
    @property
    def searched(self) -> NDArray[np.bool_]: ...
    @property
    def simulations(self) -> NDArray[np.uint32]: ...
    @property
    def chances(self) -> NDArray[np.float32]: ...
    def policy(self, ply: int) -> NDArray[np.float32] | None: ...
    def game(self, plies: int | None = None) -> Game: ...
    def __len__(self) -> int: ...

@final
class SelfPlay(Iterator[Record]):
    """Games of self-play. Iterating yields a record for each game, in order."""

    @property
    def evaluations(self) -> int: ...
    def close(self) -> None: ...
    def __iter__(self) -> SelfPlay: ...
    def __next__(self) -> Record: ...
    def __len__(self) -> int: ...

@final
class Player:
    """A player for one side of a game."""

    def __new__(cls, player: _Player, rules: _Rules, *, seed: int = 1) -> Player: ...
    @property
    def name(self) -> str: ...
    @property
    def is_reproducible(self) -> bool: ...
    def choose(self, game: Game) -> str: ...
    def reset(self, seed: int) -> None: ...

@final
class VectorGames:
    """Many games under one rule set. Users should use `tablut.vector.VectorEnv`."""

    def __new__(
        cls, rules: _Rules, n: int, *, seed: int = 0, max_plies: int | None = None, threads: int = 1
    ) -> VectorGames: ...
    @property
    def rules(self) -> Rules: ...
    def reset(self, seed: int) -> None: ...
    def game(self, place: int) -> Game: ...
    def random_actions(self) -> NDArray[np.int64]: ...
    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], list[tuple[int, Game]]]: ...
    def observe(self, planes: bool, board: bool, action_mask: bool) -> dict[str, NDArray[Any]]: ...
    def legal_actions(self) -> tuple[NDArray[np.int64], NDArray[np.uint32]]: ...
    def __len__(self) -> int: ...

def encode(games: Sequence[Game], symmetry: int = 0) -> dict[str, NDArray[Any]]:
    """The games as arrays for a net."""

def symmetry_squares(width: int = 9) -> NDArray[np.uint8]:
    """The image of each square under each symmetry, `[8, width * width]`."""

def symmetry_policy(width: int = 9) -> NDArray[np.uint16]:
    """The image of each policy entry under each symmetry, `[8, policy_entries]`."""

@overload
def search(
    games: Game,
    model: Model | None = None,
    *,
    evaluator: Evaluator | None = None,
    simulations: int | None = None,
    time: str | None = None,
    purpose: Literal["analysis", "play"] = "analysis",
    options: Mapping[str, object] | None = None,
    seed: int = 0,
    threads: int | None = None,
    batch: int = 64,
) -> SearchResult:
    """Searches a game."""

@overload
def search(
    games: Sequence[Game],
    model: Model | None = None,
    *,
    evaluator: Evaluator | None = None,
    simulations: int | None = None,
    time: str | None = None,
    purpose: Literal["analysis", "play"] = "analysis",
    options: Mapping[str, object] | None = None,
    seed: int = 0,
    threads: int | None = None,
    batch: int = 64,
) -> list[SearchResult]:
    """Searches each game of a list."""

def self_play(
    model: Model | None = None,
    *,
    evaluator: Evaluator | None = None,
    rules: _Rules | Sequence[_Rules] | None = None,
    games: int,
    simulations: int = 32,
    opening_plies: int = 4,
    max_plies: int = 150,
    options: Mapping[str, object] | None = None,
    seed: int = 1,
    generation: int = 0,
    threads: int | None = None,
    batch: int = 64,
) -> SelfPlay:
    """Plays games against itself."""

def match(
    players: Sequence[_Player],
    *,
    rules: _Rules | None = None,
    games: int = 200,
    opening_plies: int = 4,
    openings: str | None = None,
    max_plies: int = 400,
    seed: int = 1,
    sequential_test: str | None = None,
    threads: int | None = None,
    batch: int = 16,
) -> dict[str, Any]:
    """Plays a match between every two of the players."""

def read_games(path: _Path) -> list[Record]:
    """Reads a file of game records."""

def write_games(path: _Path, records: Sequence[Record], *, evaluations: int = 0) -> None:
    """Writes game records to a file."""

def to_arrays(records: Sequence[Record], *, value_share: float = 0.0) -> dict[str, NDArray[Any]]:
    """The training data of game records."""

def read_run(folder: _Path) -> dict[str, Any]:
    """The contents of a run's folder. Users should use `Run`."""

def run_report(folder: _Path) -> str:
    """A page about a run. Users should use `Run`."""

def run_program(arguments: Sequence[str], restart: Sequence[str]) -> int:
    """Runs the program. Users should run `python -m tablut`."""

def train_run(arguments: Sequence[str], on_generation: Callable[[int, dict[str, Any]], object]) -> Path:
    """Trains. Users should use `train`."""

def serve_page(model: _Path, evaluator: Evaluator | None, port: int | None, ready: Callable[[str], object]) -> None:
    """Serves the page. Users should use `serve`."""

def run_files(folder: _Path) -> tuple[dict[int, Path], dict[int, Path]]:
    """The files of a run's nets and those of its games, each by generation. Users should use `Run`."""
