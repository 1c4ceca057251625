"""Training, and the page, in this process."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ._tablut import Model, Rules, serve_page, train_run
from .run import Run

_Path = str | os.PathLike[str]
_OnGeneration = Callable[[dict[str, Any]], object]


def train(
    config: _Path | Mapping[str, Any] | None = None,
    *,
    run: _Path | None = None,
    resume: _Path | None = None,
    rules: str | None = None,
    time: str | None = None,
    changes: Mapping[str, Any] | None = None,
    on_generation: _OnGeneration | None = None,
) -> Run:
    """Trains a net as `tablut train` does, with the same folder and the same bits, and returns the run.

    If the run's folder exists, the run continues. Ctrl-C, or an exception in `on_generation`, stops the run after finished work, which
    the next call with the same folder continues.

    Args:
        config: a config file, the folder of a run for its config, or a dict of the config's keys.
        run: the run's folder. The default is that of `tablut train`. A dict as config needs it.
        resume: the folder of a run that continues with its config, instead of `config`.
        rules: with `time`, and instead of `config`, a rule set. The program chooses the settings.
        time: how long the run takes, such as `"10m"`.
        changes: changes of the config by dotted key, such as `{"learning.batch_size": 128}`.
        on_generation: is called after each generation with its metrics (`docs/metrics.md`), as a line of `metrics.jsonl` has them. By
            default a progress bar is shown if tqdm is installed, or else a line for each generation.
    """
    if on_generation is None:
        on_generation = _progress()

    def report(generations: int, metrics: dict[str, Any]) -> None:
        on_generation({"generations": generations, **metrics})

    words: list[_Path] = []
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(config, Mapping):
            if run is None:
                raise ValueError("a dict as config needs the run's folder, run=")
            file = Path(folder, "config.toml")
            # A JSON value is a TOML value.
            file.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in _dotted(config)))
            words.append(file)
        elif config is not None:
            words.append(config)
        for name, value in [("--run", run), ("--resume", resume), ("--rules", rules), ("--time", time)]:
            words += [] if value is None else [name, value]
        for key, value in (changes or {}).items():
            words += ["--set", f"{key}={json.dumps(value)}"]
        return Run(train_run([os.fspath(word) for word in words], report))


def _dotted(config: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The values of a config with their dotted keys."""
    for key, value in config.items():
        if isinstance(value, Mapping):
            yield from _dotted(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _progress() -> _OnGeneration:
    """Shows the progress of a run."""
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        return lambda metrics: print(f"generation {metrics['generation'] + 1} of {metrics['generations']}: {_losses(metrics)}", file=sys.stderr)
    bar = tqdm(unit="generation")

    def show(metrics: dict[str, Any]) -> None:
        bar.total, bar.n = metrics["generations"], metrics["generation"] + 1
        bar.set_postfix_str(_losses(metrics))
        if bar.n == bar.total:
            bar.close()

    return show


def _losses(metrics: dict[str, Any]) -> str:
    loss = metrics["learning"]["loss"]
    return f"policy loss {loss['policy']:.3f}, value loss {loss['value']:.3f}"


def serve(
    player: Model | Callable[..., Any] | None = None,
    *,
    port: int | None = None,
    on_ready: Callable[[str], object] = print,
) -> None:
    """Serves the page for games against a net, or a callable as for `search`, until Ctrl-C.

    Args:
        player: by default the net that comes with the package.
        port: by default 8527, or a free one if that is in use.
        on_ready: is called with the page's link.
    """
    evaluator = None if player is None or isinstance(player, Model) else player
    if evaluator is not None and not callable(evaluator):
        raise TypeError(f"player: found {type(player).__name__}, expected a Model or a callable of planes and features")
    with tempfile.TemporaryDirectory() as folder:
        file = Path("shipped") if player is None else Path(folder, "python.tablut")
        if isinstance(player, Model):
            player.save(file)
        elif player is not None:
            # The page asks the callable instead of this net.
            Model.untrained("lines32x1", rules=[Rules(name) for name in Rules.names()]).save(file)
        serve_page(file, evaluator, port, on_ready)
