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
# Planes that are not functions of one line or of who is to move are the last: the king's escape squares, moves and routes, repetitions, and
# (not in cheap nets) two of what legal moves do.
EXTRA, CHEAP = slice(8, 16), slice(8, 14)
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
    def __init__(self, blocks, channels, layout):
        super().__init__()
        self.layout = layout
        scale = 0.3 / math.sqrt(blocks)
        self.input = started(nn.Conv2d(PLANES, channels, 3, padding=1))
        self.features = started(nn.Linear(FEATURES, channels, bias=False))
        self.blocks = nn.ModuleList(Block(channels, block % 2 == 1, scale) for block in range(blocks))
        self.policy_conv = started(nn.Conv2d(channels, channels, 1))
        self.policy_pool = started(nn.Linear(2 * channels, channels, bias=False), scale)
        self.policy_out = started(nn.Conv2d(channels, POLICY_PLANES, 1), 0.1)
        self.value = Value(channels)
        self.to(memory_format=layout)

    def forward(self, batch):
        planes = batch["planes"].contiguous(memory_format=self.layout)
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


def chosen(table, index):
    """Rows of a small table, as a product, whose gradient takes less time on a GPU than that of an index."""
    return (index[..., None] == torch.arange(len(table), device=index.device)).to(table.dtype) @ table


# For each tap of a convolution along a line, where it leads from each square of the line to each square.
TAPS = torch.stack([torch.eye(SIZE + 4)[tap : tap + SIZE, 2 : 2 + SIZE] for tap in range(5)]).flatten(1)


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
        self.register_buffer("taps", TAPS, persistent=False)

    def dense(self, conv, x):
        """The convolution as one product of all squares of a line: `x` is `[n, 9 · channels]`. A GPU takes less time for it."""
        weight = (conv.weight @ self.taps).view(*conv.weight.shape[:2], SIZE, SIZE)
        return x @ weight.permute(3, 1, 2, 0).reshape(x.shape[1], x.shape[1]) + conv.bias.repeat(SIZE)

    def forward(self, squares, kind):
        x = chosen(self.square, squares) + chosen(self.place.flatten(0, 1).flatten(1), kind).view(len(kind), SIZE, -1)
        if x.is_cuda:
            x = x.flatten(1)
            for conv1, conv2 in zip(self.conv1, self.conv2):
                x = x + self.dense(conv2, F.relu(self.dense(conv1, F.relu(x))))
            return self.out(F.relu(x).view(len(kind), SIZE, -1))
        x = x.transpose(1, 2)
        for conv1, conv2 in zip(self.conv1, self.conv2):
            x = x + conv2(F.relu(conv1(F.relu(x))))
        return self.out(F.relu(x).transpose(1, 2))


class Lines(nn.Module):
    # A move's logit has a product of so many numbers of its two squares.
    PAIR = 8

    def __init__(self, channels, blocks, extra):
        super().__init__()
        d = self.PAIR
        self.channels, self.extra_planes = channels, extra
        # For the trunk; for moves along the line (from, to) and across it (from, to); for each end of a move along the line.
        self.parts = [channels, 2 * d, 2 * d, 8]
        self.line = Line(sum(self.parts))
        self.side = nn.Parameter(torch.zeros(2, channels))
        self.features = started(nn.Linear(FEATURES, channels, bias=False), 0.3)
        self.extra = started(nn.Conv2d(extra.stop - extra.start, channels, 1, bias=False), 0.3)
        self.blocks = nn.ModuleList(Separable(channels, 0.3 / math.sqrt(blocks)) for _ in range(blocks))
        # From and to of moves along rows, then of moves along columns.
        self.pair = started(nn.Conv2d(channels, 4 * d, 1), 0.5)
        self.pair_pool = started(nn.Linear(2 * channels, 4 * d, bias=False), 0.3)
        self.linear = started(nn.Linear(2 * d, 1, bias=False), 0.1)
        self.far = nn.Parameter(torch.zeros(2, 8))
        self.value = Value(channels)
        edge = torch.tensor([min(at, 8 - at) for at in range(SIZE)] * 2)
        for name, table in dict(entry_from=FROM, entry_to=TO, along_row=ALONG_ROW, distance=DISTANCE, edge=edge).items():
            self.register_buffer(name, table, persistent=False)

    def tables(self, batch):
        """The outputs of the line network, for rows and for columns, both as `[n, row, column, outputs]`."""
        planes = batch["planes"]
        board = (planes[:, 0] + 2 * planes[:, 1] + 3 * planes[:, 2]).long()
        n, powers = len(board), 2 * torch.arange(SIZE, device=board.device)
        lines, kinds = torch.cat([board, board.transpose(1, 2)], 1), self.edge + 5 * batch["side"][:, None]
        ids = (lines << powers).sum(2) + (kinds << 18)
        described = lambda distinct: self.line((distinct[:, None] >> powers) & 3, distinct >> 18).flatten(1)
        if board.is_cuda and torch.is_grad_enabled():
            # The number of distinct lines stays on the GPU. There are 7 to a position of a batch of 256. Too many would give no numbers.
            most = 10 * n
            ordered, order = ids.flatten().sort()
            rank = F.pad(ordered[1:] != ordered[:-1], (1, 0)).cumsum(0)
            place = torch.empty_like(order).scatter_(0, order, rank).clamp(max=most - 1)
            distinct = ids.new_zeros(most).scatter_(0, rank.clamp(max=most - 1), ordered)
            table = described(distinct).index_select(0, place) * torch.where(rank[-1] < most, 1.0, math.nan)
        else:
            distinct, place = torch.unique(ids, return_inverse=True)
            table = F.embedding(place, described(distinct))
        rows, columns = table.view(n, 18, SIZE, -1).split(SIZE, 1)
        return [(row, column.transpose(1, 2)) for row, column in zip(rows.split(self.parts, 3), columns.split(self.parts, 3))]

    def forward(self, batch):
        n, d = len(batch["planes"]), self.PAIR
        trunk, along, across, ends = self.tables(batch)
        bias = chosen(self.side, batch["side"]) + self.features(batch["features"])
        x = (trunk[0] + trunk[1] + bias[:, None, None]).permute(0, 3, 1, 2)
        if x.is_cuda:
            x = x.contiguous()
        x = F.relu(x + self.extra(batch["planes"][:, self.extra_planes]))
        for block in self.blocks:
            x = block(x)
        pair = (self.pair(x) + self.pair_pool(pool(x))[:, :, None, None]).permute(0, 2, 3, 1)
        on_rows = F.relu(pair[..., : 2 * d] + along[0] + across[1])
        on_columns = F.relu(pair[..., 2 * d :] + along[1] + across[0])
        both = torch.cat([on_rows.reshape(n, 81, -1), on_columns.reshape(n, 81, -1)], 1)
        entries = batch["entries"].clamp(min=0)
        row = self.along_row[entries]
        begin, end, turned = self.entry_from[entries], self.entry_to[entries], torch.where(row, 0, 81)
        expand = lambda at: at[..., None].expand(-1, -1, d)
        first = both[..., :d].gather(1, expand(begin + turned))
        second = both[..., d:].gather(1, expand(end + turned))
        logits = (first * second).sum(2) * (0.3 / math.sqrt(d)) + self.linear(torch.cat([first, second], 2)).squeeze(2)
        far = self.distance[entries] - 1 + 8 * batch["side"][:, None]
        logits = logits + chosen(self.far.view(-1, 1), far).squeeze(-1)
        # Each line has eight numbers for each start, one for each other square.
        ends = torch.cat([ends[0].reshape(n, 81, 8), ends[1].reshape(n, 81, 8)], 1).flatten(1)
        start, stop = torch.where(row, begin % SIZE, begin // SIZE), torch.where(row, end % SIZE, end // SIZE)
        logits = logits + ends.gather(1, (begin + turned) * 8 + (stop - (stop > start).long()).clamp(0, 7))
        return logits, *self.value(x)


def net(name, device=torch.device("cpu")):
    """`b4c32`; `lines32x2`; `lines32x2-cheap` without the planes that apply every legal move."""
    if name.startswith("b"):
        blocks, channels = name[1:].split("c")
        layout = torch.channels_last if device.type == "cpu" else torch.contiguous_format
        return Residual(int(blocks), int(channels), layout).to(device)
    shape, _, kind = name.removeprefix("lines").partition("-")
    channels, blocks = shape.split("x")
    return Lines(int(channels), int(blocks), CHEAP if kind == "cheap" else EXTRA).to(device)
