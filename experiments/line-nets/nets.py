"""The nets of the study: residual convolutions as in the product (`b4c32`), and nets of lines.

A line net such as `lines32x2` (32 channels, two blocks) describes each of the 18 rows and columns by itself: one small network sees
the nine squares of a line, how far the line is from the edge, and who is to move. It depends on nothing else, so a program may look its
output up in a table. A square's features are the sum of its row's and its column's. Blocks of cheap convolutions (depthwise 3 × 3,
then 1 × 1) follow.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

PLANES, FEATURES, SIZE = 16, 42, 9
POLICY_PLANES, VALUE_CHANNELS, VALUE_HIDDEN = 33, 32, 64
# Planes that are not functions of one line or of who is to move: the king's escape squares, moves and routes, repetitions, and what legal
# moves do.
EXTRA = [8, 9, 10, 11, 12, 13, 14, 15]
# An entry of the policy: its direction, its distance, where it starts and where it ends (0 if it leaves the board).
DIRECTION = torch.arange(POLICY_PLANES * 81) // 81 // 8
DISTANCE = torch.arange(POLICY_PLANES * 81) // 81 % 8 + 1
FROM = torch.arange(POLICY_PLANES * 81) % 81


def ends():
    row, column = FROM // SIZE, FROM % SIZE
    step = torch.tensor([[1, 0], [0, 1], [-1, 0], [0, -1], [0, 0]])[DIRECTION]
    row, column = row + step[:, 0] * DISTANCE, column + step[:, 1] * DISTANCE
    inside = (row >= 0) & (row < SIZE) & (column >= 0) & (column < SIZE)
    return torch.where(inside, row * SIZE + column, 0)


TO = ends()
ALONG_ROW = DIRECTION % 2 == 1


def started(layer, scale=1.0):
    """The layer with He's initial values times `scale`."""
    nn.init.normal_(layer.weight, std=scale * math.sqrt(2 / layer.weight[0].numel()))
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)
    return layer


def pool(x):
    return torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)


class Value(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = started(nn.Conv2d(channels, VALUE_CHANNELS, 1))
        self.hidden = started(nn.Linear(2 * VALUE_CHANNELS, VALUE_HIDDEN))
        self.out, self.left = started(nn.Linear(VALUE_HIDDEN, 3), 0.1), started(nn.Linear(VALUE_HIDDEN, 1), 0.1)

    def forward(self, x):
        h = F.relu(self.hidden(pool(F.relu(self.conv(x)))))
        return self.out(h), F.softplus(self.left(h)).squeeze(1)


class Block(nn.Module):
    def __init__(self, channels, pooled, scale):
        super().__init__()
        self.conv1 = started(nn.Conv2d(channels, channels, 3, padding=1))
        self.conv2 = started(nn.Conv2d(channels, channels, 3, padding=1), scale)
        self.pool = started(nn.Linear(2 * channels, channels, bias=False), scale) if pooled else None

    def forward(self, x):
        h = F.relu(self.conv1(x))
        y = self.conv2(h)
        if self.pool is not None:
            y = y + self.pool(pool(h))[:, :, None, None]
        return F.relu(x + y)


class Residual(nn.Module):
    def __init__(self, blocks, channels):
        super().__init__()
        scale = 0.3 / math.sqrt(blocks)
        self.input = started(nn.Conv2d(PLANES, channels, 3, padding=1))
        self.features = started(nn.Linear(FEATURES, channels, bias=False))
        self.blocks = nn.ModuleList(Block(channels, block % 2 == 1, scale) for block in range(blocks))
        self.policy_conv = started(nn.Conv2d(channels, channels, 1))
        self.policy_pool = started(nn.Linear(2 * channels, channels, bias=False), scale)
        self.policy_out = started(nn.Conv2d(channels, POLICY_PLANES, 1), 0.1)
        self.value = Value(channels)
        self.to(memory_format=torch.channels_last)

    def forward(self, batch):
        planes = batch["planes"].contiguous(memory_format=torch.channels_last)
        x = F.relu(self.input(planes) + self.features(batch["features"])[:, :, None, None])
        for block in self.blocks:
            x = block(x)
        p = F.relu(self.policy_conv(x) + self.policy_pool(pool(x))[:, :, None, None])
        logits = self.policy_out(p).flatten(1).gather(1, batch["entries"].clamp(min=0))
        return logits, *self.value(x)


class Separable(nn.Module):
    """A residual block: depthwise 3 × 3 with a pooled bias, then 1 × 1."""

    def __init__(self, channels, scale):
        super().__init__()
        self.depthwise = started(nn.Conv2d(channels, channels, 3, padding=1, groups=channels))
        self.pool = started(nn.Linear(2 * channels, channels, bias=False), 0.3)
        self.pointwise = started(nn.Conv2d(channels, channels, 1), scale)

    def forward(self, x):
        h = F.relu(self.depthwise(x) + self.pool(pool(x))[:, :, None, None])
        return F.relu(x + self.pointwise(h))


class Line(nn.Module):
    """What a line says about its nine squares: `[n, 9, outputs]` from squares `[n, 9]`, distance to the edge and side to move `[n]`."""

    def __init__(self, outputs, width=48, depth=2):
        super().__init__()
        self.square = nn.Parameter(torch.randn(4, width))
        self.place = nn.Parameter(torch.randn(2, 5, SIZE, width) * 0.5)
        conv = lambda scale: started(nn.Conv1d(width, width, 5, padding=2), scale)
        self.conv1 = nn.ModuleList(conv(1.0) for _ in range(depth))
        self.conv2 = nn.ModuleList(conv(0.4) for _ in range(depth))
        self.out = started(nn.Linear(width, outputs), 0.7)

    def forward(self, squares, distance, side):
        x = (self.square[squares] + self.place[side, distance]).transpose(1, 2)
        for conv1, conv2 in zip(self.conv1, self.conv2):
            x = x + conv2(F.relu(conv1(F.relu(x))))
        return self.out(F.relu(x).transpose(1, 2))


class Lines(nn.Module):
    # A move's logit has a product of so many numbers of its two squares.
    PAIR = 8

    def __init__(self, channels, blocks, extra=EXTRA):
        super().__init__()
        d = self.PAIR
        self.channels, self.extra_planes = channels, extra
        # For the trunk; for moves along the line (from, to) and across it (from, to); for each end of a move along the line.
        self.parts = [channels, 2 * d, 2 * d, 8]
        self.line = Line(sum(self.parts))
        self.side = nn.Parameter(torch.zeros(2, channels))
        self.features = started(nn.Linear(FEATURES, channels, bias=False), 0.3)
        self.extra = started(nn.Conv2d(len(extra), channels, 1, bias=False), 0.3)
        self.blocks = nn.ModuleList(Separable(channels, 0.3 / math.sqrt(blocks)) for _ in range(blocks))
        # From and to of moves along rows, then of moves along columns.
        self.pair = started(nn.Conv2d(channels, 4 * d, 1), 0.5)
        self.pair_pool = started(nn.Linear(2 * channels, 4 * d, bias=False), 0.3)
        self.linear = started(nn.Linear(2 * d, 1, bias=False), 0.1)
        self.far = nn.Parameter(torch.zeros(2, 8))
        self.value = Value(channels)
        self.distinct = 0

    def tables(self, batch):
        """The outputs of the line network, for rows and for columns, both as `[n, row, column, outputs]`."""
        planes = batch["planes"]
        board = (planes[:, 0] + 2 * planes[:, 1] + 3 * planes[:, 2]).long()
        weights, edge = 4 ** torch.arange(SIZE), torch.tensor([min(at, 8 - at) for at in range(SIZE)])
        ids = torch.cat([(board * weights).sum(2), (board.transpose(1, 2) * weights).sum(2)], 1)
        ids = ids + (edge.repeat(2) + 5 * batch["side"][:, None]) * 4**SIZE
        distinct, place = torch.unique(ids, return_inverse=True)
        self.distinct = len(distinct)
        kind = distinct // 4**SIZE
        squares = (distinct[:, None] >> (2 * torch.arange(SIZE))) & 3
        table = self.line(squares, kind % 5, kind // 5)
        rows, columns = F.embedding(place, table.flatten(1)).view(len(board), 18, SIZE, -1).split(SIZE, 1)
        return [(row, column.transpose(1, 2)) for row, column in zip(rows.split(self.parts, 3), columns.split(self.parts, 3))]

    def forward(self, batch):
        n, d = len(batch["planes"]), self.PAIR
        trunk, along, across, ends = self.tables(batch)
        bias = self.side[batch["side"]] + self.features(batch["features"])
        x = (trunk[0] + trunk[1] + bias[:, None, None]).permute(0, 3, 1, 2)
        x = F.relu(x + self.extra(batch["planes"][:, self.extra_planes]))
        for block in self.blocks:
            x = block(x)
        pair = (self.pair(x) + self.pair_pool(pool(x))[:, :, None, None]).permute(0, 2, 3, 1)
        on_rows = F.relu(pair[..., : 2 * d] + along[0] + across[1])
        on_columns = F.relu(pair[..., 2 * d :] + along[1] + across[0])
        both = torch.cat([on_rows.reshape(n, 81, -1), on_columns.reshape(n, 81, -1)], 1)
        entries = batch["entries"].clamp(min=0)
        begin, end, turned = FROM[entries], TO[entries], torch.where(ALONG_ROW[entries], 0, 81)
        expand = lambda at: at[..., None].expand(-1, -1, d)
        first = both[..., :d].gather(1, expand(begin + turned))
        second = both[..., d:].gather(1, expand(end + turned))
        logits = (first * second).sum(2) * (0.3 / math.sqrt(d)) + self.linear(torch.cat([first, second], 2)).squeeze(2)
        logits = logits + self.far.flatten()[DISTANCE[entries] - 1 + 8 * batch["side"][:, None]]
        # Each line has eight numbers for each start, one for each other square.
        ends = torch.cat([ends[0].reshape(n, 81, 8), ends[1].reshape(n, 81, 8)], 1).flatten(1)
        row = ALONG_ROW[entries]
        start, stop = torch.where(row, begin % SIZE, begin // SIZE), torch.where(row, end % SIZE, end // SIZE)
        logits = logits + ends.gather(1, (begin + turned) * 8 + (stop - (stop > start).long()).clamp(0, 7))
        return logits, *self.value(x)


def net(name):
    """`b4c32`; `lines32x2`; `lines32x2-cheap` without the planes that apply every legal move."""
    if name.startswith("b"):
        blocks, channels = name[1:].split("c")
        return Residual(int(blocks), int(channels))
    shape, _, kind = name.removeprefix("lines").partition("-")
    channels, blocks = shape.split("x")
    return Lines(int(channels), int(blocks), EXTRA[:6] if kind == "cheap" else EXTRA)
