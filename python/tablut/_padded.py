"""Batches of few sizes, for frameworks that compile a function for each size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

_Outputs = tuple[NDArray[Any], ...]


def padded(evaluator: Callable[..., Any], *, smallest: int = 32) -> Callable[[NDArray[np.float32], NDArray[np.float32]], _Outputs]:
    """An evaluator that calls another one only with batches of `smallest` positions, twice as many, four times as many, and so on.

    The rows after the last position are zeros, and their outputs are dropped. JAX compiles a function for every size of a batch.
    """
    if smallest < 1:
        raise ValueError(f"smallest {smallest}: expected 1 or more")

    def evaluate(planes: NDArray[np.float32], features: NDArray[np.float32]) -> _Outputs:
        n, size = len(planes), smallest
        while size < n:
            size *= 2
        inputs = [np.concatenate([x, np.zeros((size - n, *x.shape[1:]), x.dtype)]) for x in (planes, features)]
        return tuple(np.asarray(output)[:n] for output in evaluator(*inputs))

    return evaluate
