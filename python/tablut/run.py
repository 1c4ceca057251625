"""Reads the folder of a run of `tablut train`."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from pathlib import Path
from typing import Any

from ._tablut import Model, Record, read_games, read_run


class Run:
    """A run's folder. It is read when the object is created, also while the run continues.

    `metrics` is a dict of columns of equal length, for `pandas.DataFrame(run.metrics)`, with a row for each generation and rule
    set. `docs/metrics.md` explains the columns. Numbers are int or float. Cells without a value are None.
    """

    folder: Path
    """The folder."""
    metrics: dict[str, list[Any]]
    """The metrics by column."""
    config: dict[str, str]
    """The config by dotted key. Values are TOML texts."""
    config_text: str
    """The config as TOML."""
    evaluation: dict[str, Any] | None
    """The result of the final match, or None if there is none."""
    notes: list[str]
    """Notes about files that could not be read."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        found = read_run(self.folder)
        self.metrics = _columns(found["metrics"])
        self.config = found["config"]
        self.config_text = found["config_text"]
        self.notes = found["notes"]
        measured = self.folder / "evaluation.json"
        self.evaluation = json.loads(measured.read_text(encoding="utf-8")) if measured.exists() else None

    def generations(self) -> list[int]:
        """The generations whose nets are in the folder, in order."""
        return _numbered(self.folder / "checkpoints", r"gen-(\d+)\.safetensors")

    def model(self, generation: int | None = None) -> Model:
        """The net of a generation, by default the newest one."""
        if generation is None:
            generations = self.generations()
            if not generations:
                raise FileNotFoundError(f"{self.folder}: the run has no net yet")
            generation = generations[-1]
        return Model.load(_file(self.folder / "checkpoints", "gen-", generation, ".safetensors"))

    def games(self, generation: int | None = None) -> list[Record]:
        """The games of a generation, by default those of all generations, oldest first."""
        folder = self.folder / "games"
        generations = _numbered(folder, r"gen-(\d+)\.games") if generation is None else [generation]
        return [record for number in generations for record in read_games(_file(folder, "gen-", number, ".games"))]

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r})"


def _numbered(folder: Path, pattern: str) -> list[int]:
    """The sorted numbers in the names of the files that match a pattern."""
    names = os.listdir(folder) if folder.is_dir() else []
    return sorted(int(found.group(1)) for found in (re.fullmatch(pattern, name) for name in names) if found)


def _file(folder: Path, before: str, number: int, after: str) -> Path:
    """The file with this number. The number in its name may have leading zeros."""
    names = os.listdir(folder) if folder.is_dir() else []
    for name in names:
        found = re.fullmatch(re.escape(before) + r"(\d+)" + re.escape(after), name)
        if found and int(found.group(1)) == number:
            return folder / name
    raise FileNotFoundError(f"{folder}: there is no file of generation {number}")


def _columns(table: str) -> dict[str, list[Any]]:
    """The columns of a table of comma-separated values."""
    rows = list(csv.reader(io.StringIO(table)))
    if not rows:
        return {}
    names, cells = rows[0], rows[1:]
    return {name: [_value(row[place]) for row in cells] for place, name in enumerate(names)}


def _value(cell: str) -> Any:
    if cell == "":
        return None
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            pass
    return cell
