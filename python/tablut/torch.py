"""The program's nets in PyTorch, for training on any device.

>>> import tablut, tablut.torch
>>> net = tablut.torch.LineNet("lines32x1")
>>> games = list(tablut.self_play(evaluator=net.evaluate, games=2, simulations=4, max_plies=20))
>>> arrays = tablut.to_arrays(games)
>>> loss = tablut.torch.loss(net, tablut.torch.batch(arrays, range(16)))
>>> loss.backward()
>>> model = net.model()

`docs/how-net.md` describes the net, and `tablut.Model.tensors` lists its tensors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn
from torch.nn import functional

from ._tablut import Model, Rules, symmetry_policy, symmetry_squares

__all__ = ["LineNet", "batch", "loss"]

# The numbers of `crates/tablut-net/src/lines/description.rs`.
_LINE, _TAPS, _PAIR, _ENDS = 48, 5, 8, 16
_BOTH = 2 * _PAIR
_MOST_FROM_EDGE, _MOST_FROM_END, _MOST_AHEAD, _MOST_DISTANCE = 4, 5, 7, 8
_PAIR_SCALE, _TOP = 0.10606602, 127 / 32
_SEEN = [0, 1, 2, 5, 6, 7, 8]
_MOVES_LEFT_UNIT, _MOVES_LEFT_WEIGHT = 32.0, 0.1
_NO_CHOICE = 65535


class LineNet(nn.Module):
    """A net of lines. Its outputs are those of the program's net with the same tensors, up to rounding.

    Args:
        shape: the architecture, such as `"lines32x2"`.
        seed: determines the initial weights, which are those of `Model.untrained`.
    """

    def __init__(self, shape: str = "lines32x2", *, seed: int = 1) -> None:
        super().__init__()
        self.shape = shape
        """The architecture."""
        self._read(Model.untrained(shape, seed=seed))

    @classmethod
    def of(cls, model: Model) -> LineNet:
        """The net of a model, with its weights."""
        net = cls(model.architecture)
        net._read(model)
        return net

    def model(self, *, rules: Rules | str | list[Rules | str] | None = None, card: dict[str, Any] | None = None) -> Model:
        """The net for the program, with the present weights. The arguments are those of `Model.from_tensors`."""
        tensors = {name: self._tensor(name).detach().cpu().numpy() for name in self._names}
        return Model.from_tensors(self.shape, tensors, rules=rules, card=card)

    def forward(self, planes: Tensor, features: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The outputs for planes f32 `[n, 16, width, width]` and features f32 `[n, 48]`.

        Returns policy logits f32 `[n, policy_entries]`, the logits of an attackers' win, a draw and a defenders' win, f32 `[n, 3]`,
        and the plies left, f32 `[n]`.
        """
        n, width = planes.shape[0], planes.shape[-1]
        squares = width * width
        side = planes[:, 3:5, 0, 0]  # [n, 2], the attackers first
        rows = self._lines(planes, features, side)
        columns = self._lines(planes.transpose(2, 3), features, side).transpose(2, 3)  # both [n, C + 4 PAIR + ENDS, width, width]
        c = len(self._tensor("trunk.side")) // 2
        bias = side @ self._tensor("trunk.side").view(2, c) + self._linear(features, "trunk.features")  # [n, C]
        added = self._squares(planes[:, 9:], "trunk.added")
        x = (rows[:, :c] + columns[:, :c] + added + bias[:, :, None, None]).clamp(0, _TOP)  # [n, C, width, width]
        for block in range(int(self.shape.rpartition("x")[2])):
            name = f"trunk.block{block}"
            pooled = self._linear(_pool(x), f"{name}.pool")
            kernel = self._tensor(f"{name}.depthwise.weight").view(3, 3, c).permute(2, 0, 1)[:, None]  # [C, 1, 3, 3]
            h = functional.conv2d(x, kernel, self._tensor(f"{name}.depthwise.bias"), padding=1, groups=c)
            h = (h + pooled[:, :, None, None]).clamp(0, _TOP)
            x = (x + self._squares(h, f"{name}.pointwise")).clamp(0, _TOP)
        policy = self._policy(x, side, rows[:, c:], columns[:, c:])
        v = self._squares(x, "value.conv").clamp(0, _TOP)
        h = self._linear(_pool(v), "value.hidden").relu()
        moves_left = functional.softplus(self._linear(h, "moves_left")) * _MOVES_LEFT_UNIT
        assert policy.shape == (n, (4 * (width - 1) + 1) * squares)
        return policy, self._linear(h, "value.out"), moves_left[:, 0]

    @torch.no_grad()
    def evaluate(
        self, planes: NDArray[np.float32], features: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """The net as `evaluator=` of searches, self-play and matches."""
        device = self._tensor("value.out.bias").device
        policy, wdl, moves_left = self(torch.from_numpy(planes).to(device), torch.from_numpy(features).to(device))
        return policy.cpu().numpy(), wdl.softmax(1).cpu().numpy(), moves_left.cpu().numpy()

    def _read(self, model: Model) -> None:
        tensors = model.tensors()
        self._names = list(tensors)
        for name, array in tensors.items():
            self.register_parameter(name.replace(".", "_"), nn.Parameter(torch.from_numpy(array)))

    def _tensor(self, name: str) -> Tensor:
        return self.get_parameter(name.replace(".", "_"))

    def _bias(self, name: str) -> Tensor | None:
        return self._tensor(f"{name}.bias") if f"{name}.bias" in self._names else None

    def _linear(self, x: Tensor, name: str) -> Tensor:
        """A dense layer, `[n, in]` → `[n, out]`."""
        return functional.linear(x, self._tensor(f"{name}.weight"), self._bias(name))

    def _squares(self, x: Tensor, name: str) -> Tensor:
        """A dense layer on each square, `[n, in, width, width]` → `[n, out, width, width]`."""
        return functional.conv2d(x, self._tensor(f"{name}.weight")[:, :, None, None], self._bias(name))

    def _lines(self, planes: Tensor, features: Tensor, side: Tensor) -> Tensor:
        """What the rows say about their squares, `[n, C + 4 PAIR + ENDS, width, width]`."""
        width = planes.shape[-1]
        places = self._tensor("line.places").view(2, -1, _LINE)[:, _constants(width, planes.device)["places"]]
        places = places.sum(dim=1).view(2, width, width, _LINE)  # the sum over both ends of a line
        start = torch.einsum("ns,sijc->ncij", side, places) + self._linear(features[:, :-1], "line.rules")[:, :, None, None]
        x = self._squares(planes[:, _SEEN], "line.squares") + start  # [n, 48, width, width]
        for pair in range(2):
            h = self._along(self._along(x.relu(), f"line.first{pair}").relu(), f"line.second{pair}")
            x = x + h
        return self._squares(x.relu(), "line.out")

    def _along(self, x: Tensor, name: str) -> Tensor:
        """A convolution of five squares along the rows."""
        kernel = self._tensor(f"{name}.weight").permute(0, 2, 1)[:, :, None]  # [48, 48, 1, 5]
        return functional.conv2d(x, kernel, self._bias(name), padding=(0, _TAPS // 2))

    def _policy(self, x: Tensor, side: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        """The policy table, from the lines' vectors `[n, 4 PAIR, …]` and ends `[n, ENDS, …]`."""
        width = x.shape[-1]
        start, stop, end, distance = (_constants(width, x.device)[kind] for kind in ("from", "to", "end", "distance"))
        pair = self._squares(x, "policy.pair") + self._linear(_pool(x), "policy.pool")[:, :, None, None]
        # A line has vectors for the moves along it, then across it.
        along_rows = pair[:, :_BOTH] + rows[:, :_BOTH] + columns[:, _BOTH : 2 * _BOTH]
        along_columns = pair[:, _BOTH:] + columns[:, :_BOTH] + rows[:, _BOTH : 2 * _BOTH]
        vectors = torch.stack([along_rows, along_columns], dim=2).relu().flatten(2)  # [n, 2 PAIR, 2 squares]
        vectors = vectors + self._tensor("policy.shift")[:, None]
        product = (vectors[:, :_PAIR, start] * vectors[:, _PAIR:, stop]).sum(dim=1) * _PAIR_SCALE  # [n, moves]
        ends = torch.stack([rows[:, 2 * _BOTH :], columns[:, 2 * _BOTH :]], dim=1).flatten(1)  # [n, 2 ENDS squares]
        distances = side @ self._tensor("policy.distance").view(2, _MOST_DISTANCE)
        choice = self._squares(x, "policy.choice").flatten(1)  # [n, squares]
        return torch.cat([product + ends[:, end] + distances[:, distance], choice], dim=1)


def _pool(x: Tensor) -> Tensor:
    """Mean and maximum over the squares: `[n, C, width, width]` → `[n, 2 C]`."""
    return torch.cat([x.mean(dim=(2, 3)), x.amax(dim=(2, 3))], dim=1)


_KNOWN: dict[tuple[int, torch.device], dict[str, Tensor]] = {}


def _constants(width: int, device: torch.device) -> dict[str, Tensor]:
    """The arrays of `_geometry` on a device, made once."""
    key = (width, device)
    if key not in _KNOWN:
        _KNOWN[key] = {name: torch.from_numpy(array).to(device) for name, array in _geometry(width).items()}
    return _KNOWN[key]


def _geometry(width: int) -> dict[str, NDArray[np.int64]]:
    """Indices of a board, i64.

    `places` `[2, squares]`: the vectors of a square in `line.places` for its distance from both ends of its row. For each move of
    the policy table, `[4 (width - 1) squares]`: `from` and `to`, the square, plus the number of squares for moves along columns;
    `end`, the place of its kind of end; `distance`, the squares that it moves minus 1.
    """
    squares = width * width
    row, column = np.divmod(np.arange(squares), width)
    edge = np.minimum(np.minimum(row, width - 1 - row), _MOST_FROM_EDGE)
    ends = [np.minimum(distance, _MOST_FROM_END) for distance in (column, width - 1 - column)]
    places = np.stack([(2 * edge + which) * (_MOST_FROM_END + 1) + distance for which, distance in enumerate(ends)])
    # Directions are north, east, south, west.
    direction, distance, origin = (x.ravel() for x in np.indices((4, width - 1, squares)))
    along_column, forward = direction % 2 == 0, direction < 2
    row, column = np.divmod(origin, width)
    start = np.where(along_column, row, column)
    stop = np.clip(start + np.where(forward, 1, -1) * (distance + 1), 0, width - 1)
    target = np.where(along_column, stop * width + column, row * width + stop)
    # An entry that leaves the board belongs to no move. It reads the edge.
    onward = stop > start
    kind = onward * (_MOST_AHEAD + 1) + np.minimum(np.where(onward, width - 1 - stop, stop), _MOST_AHEAD)
    offset = along_column * squares
    return {
        "places": places,
        "from": origin + offset,
        "to": target + offset,
        "end": (along_column * _ENDS + kind) * squares + origin,
        "distance": np.minimum(distance, _MOST_DISTANCE - 1),
    }


def batch(arrays: Mapping[str, NDArray[Any]], rows: ArrayLike | Iterable[int], *, symmetry: int = 0) -> dict[str, Tensor]:
    """Some positions of `tablut.to_arrays` as tensors for `loss`.

    Args:
        arrays: the arrays of all positions.
        rows: the numbers of the positions.
        symmetry: 0 to 7, the symmetry of the board by which the positions are transformed.

    `move_row` i64 `[m]` is the row of each legal move in the batch, and `entry` and `choice` i64 `[m]` are its entries of the policy
    table. A move without a choice of captures has −1.
    """
    places = np.asarray(rows if isinstance(rows, np.ndarray) else list(rows), np.int64)  # type: ignore[arg-type]
    width, n = arrays["planes"].shape[-1], len(places)
    planes = np.zeros((n, 16, width * width), np.float32)
    planes[:, :, symmetry_squares(width)[symmetry]] = arrays["planes"][places].reshape(n, 16, -1)
    ends = arrays["move_ends"].astype(np.int64)
    counts = np.diff(ends, prepend=0)[places]
    # The place of each move among the moves of all positions.
    firsts = np.repeat(ends[places] - np.cumsum(counts), counts)
    moves = firsts + np.arange(len(firsts))
    images = np.append(symmetry_policy(width)[symmetry].astype(np.int64), -1)
    entry, choice = np.where(arrays["moves"][moves] == _NO_CHOICE, len(images) - 1, arrays["moves"][moves]).astype(np.int64).T
    found = {
        "planes": planes.reshape(n, 16, width, width),
        "features": arrays["features"][places],
        "move_row": np.repeat(np.arange(n), counts),
        "entry": images[entry],
        "choice": images[choice],
        "policy": arrays["policy"][moves],
        "values": arrays["values"][places],
        "moves_left": arrays["moves_left"][places],
    }
    return {name: torch.from_numpy(array) for name, array in found.items()}


def loss(net: LineNet, batch: Mapping[str, Tensor]) -> Tensor:
    """The program's loss of a net on a batch.

    It is the cross-entropy of the legal moves against the search's policy, plus that of the value, plus a tenth of Huber's loss of
    the plies left in units of 32. Each is a mean over the positions. The batch must be on the net's device.
    """
    table, wdl, moves_left = net(batch["planes"], batch["features"])
    n, row, choice = len(table), batch["move_row"], batch["choice"]
    logits = table[row, batch["entry"]] + torch.where(choice >= 0, table[row, choice.clamp(min=0)], 0)  # [m]
    highest = torch.full_like(table[:, 0], -torch.inf).scatter_reduce(0, row, logits.detach(), "amax")
    shifted = logits - highest[row]
    total = torch.zeros_like(table[:, 0]).index_add(0, row, shifted.exp())
    policy_loss = -(batch["policy"] * (shifted - total.log()[row])).sum() / n
    value_loss = functional.cross_entropy(wdl, batch["values"])
    # A position of an unfinished game has no target.
    known = ~batch["moves_left"].isnan()
    distances = (moves_left - torch.where(known, batch["moves_left"], moves_left)) / _MOVES_LEFT_UNIT
    return policy_loss + value_loss + _MOVES_LEFT_WEIGHT * functional.huber_loss(distances, torch.zeros_like(distances))
