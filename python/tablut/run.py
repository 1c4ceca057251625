"""Reads the folder of a run of `tablut train`."""

from __future__ import annotations

import csv
import io
import os
from html import escape
from pathlib import Path
from typing import Any

from ._tablut import Model, Record, read_games, read_run, run_files, run_report


class Page:
    """An HTML page, which notebooks display."""

    html: str
    """The text of the page."""

    def __init__(self, html: str) -> None:
        self.html = html

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(self.html)}" style="width: 100%; height: 640px; border: 0"></iframe>'


class Run:
    """A run's folder. It is read when the object is created, also while the run continues.

    `metrics` is a dict of columns of equal length, which `frame()` gives as a table of pandas, with a row for each generation and rule
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
        self.evaluation = found["evaluation"]

    def frame(self) -> Any:
        """The metrics as a `pandas.DataFrame`. Pandas must be installed."""
        import pandas

        return pandas.DataFrame(self.metrics)

    def report(self) -> Page:
        """The page that `tablut report` writes, for notebooks."""
        return Page(run_report(self.folder))

    def generations(self) -> list[int]:
        """The generations whose nets are in the folder, in order."""
        models, _ = run_files(self.folder)
        return list(models)

    def model(self, generation: int | None = None) -> Model:
        """The net of a generation, by default the newest one."""
        models, _ = run_files(self.folder)
        if not models:
            raise FileNotFoundError(f"{self.folder}: the run has no net yet")
        return Model.load(self._of(models, max(models) if generation is None else generation))

    def games(self, generation: int | None = None) -> list[Record]:
        """The games of a generation, by default those of all generations, oldest first."""
        _, files = run_files(self.folder)
        generations = list(files) if generation is None else [generation]
        return [record for number in generations for record in read_games(self._of(files, number))]

    def _of(self, files: dict[int, Path], generation: int) -> Path:
        if generation not in files:
            raise FileNotFoundError(f"{self.folder}: there is no file of generation {generation}")
        return files[generation]

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r})"


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
