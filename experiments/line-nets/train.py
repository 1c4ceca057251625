#!/usr/bin/env python3
"""Trains nets on stored games until nothing more is gained, and measures their losses on games that were held out.

    python3 experiments/line-nets/train.py --data kvasir.npz --nets b4c32 lines32x2 --seeds 1 2 3 --out runs/line-nets

A net that is already in the output folder is skipped. Needs PyTorch and safetensors. With `--device cuda` all nets are trained side by side
as one graph of a GPU's work.
"""

import argparse
import contextlib
import json
import math
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

import nets
from safetensors.torch import save_file

MOMENTUM, COEFFICIENTS, ITERATIONS, UPDATE = 0.95, (3.4445, -4.7750, 2.0315), 5, 0.2
BETAS = 0.9, 0.98
PLIES = 32.0
# Steps before a GPU's graph is recorded: libraries choose their kernels in them.
EAGER = 3


class Games:
    """The positions of a file, in random symmetries."""

    def __init__(self, path, device):
        data = np.load(path)
        self.device = device
        held = data["held"]
        self.training, self.held = np.flatnonzero(~held), np.flatnonzero(held)
        self.arrays = {name: torch.from_numpy(data[name]).to(device) for name in data.files if name != "held"}
        # For each symmetry, the square that each square's content comes from, and the entry that each entry becomes.
        board = np.arange(81).reshape(9, 9)
        squares, entries = np.zeros((8, 81), np.int64), np.zeros((8, len(nets.FROM) + 1), np.int64)
        begin, end = nets.FROM.numpy(), nets.TO.numpy()
        for symmetry in range(8):
            turned = board[::-1] if symmetry & 1 else board
            turned = turned[:, ::-1] if symmetry & 2 else turned
            turned = turned.T if symmetry & 4 else turned
            squares[symmetry] = turned.reshape(-1)
            place = np.argsort(turned.reshape(-1))
            rows, columns = place[end] // 9 - place[begin] // 9, place[end] % 9 - place[begin] % 9
            direction = np.where(rows > 0, 0, np.where(columns > 0, 1, np.where(rows < 0, 2, 3)))
            plane = direction * 8 + np.maximum(np.abs(rows), np.abs(columns)) - 1
            # The last stands for no entry, -1.
            entries[symmetry] = np.append(np.maximum(plane, 0) * 81 + place[begin], -1)
        self.squares, self.entries = torch.from_numpy(squares).to(device), torch.from_numpy(entries).to(device)
        self.shifts = torch.tensor([7, 6, 5, 4, 3, 2, 1, 0], dtype=torch.uint8, device=device)

    def batch(self, rows, symmetries):
        of = {name: array[rows] for name, array in self.arrays.items()}
        bits = of["planes"][:, :, None] >> self.shifts & 1
        squares = self.squares[symmetries][:, None].expand(-1, 16, -1)
        planes = bits.flatten(1)[:, : 16 * 81].view(-1, 16, 81).gather(2, squares).view(-1, 16, 9, 9)
        entries = of["entries"].long()
        if self.device.type == "cpu":
            entries = entries[:, : int((entries >= 0).sum(1).max())]
        moved = self.entries[symmetries[:, None], torch.where(entries < 0, len(nets.FROM), entries)]
        batch = dict(planes=planes.float(), features=of["features"], entries=moved, side=planes[:, 4, 0, 0].long())
        return batch | dict(policy=of["policy"][:, : entries.shape[1]].float(), values=of["values"], left=of["left"] / PLIES)


class Lanes:
    """Work that a GPU does side by side: `with lanes(at):` begins lane `at`, and `join` waits for all. On a processor there are none."""

    def __init__(self, count, device):
        self.streams = [torch.cuda.Stream() for _ in range(count)] if device.type == "cuda" else []

    def __call__(self, at):
        if not self.streams:
            return contextlib.nullcontext()
        stream = self.streams[at % len(self.streams)]
        stream.wait_stream(torch.cuda.current_stream())
        return torch.cuda.stream(stream)

    def join(self):
        for stream in self.streams:
            torch.cuda.current_stream().wait_stream(stream)


def losses(net, batch):
    """Of each position: the cross-entropy of the policy and of the outcome, and the distance of the plies left."""
    logits, outcome, left = net(batch)
    policy = F.log_softmax(logits.masked_fill(batch["entries"] < 0, -1e9), 1)
    policy_loss = -(batch["policy"] * policy.clamp(min=-100)).sum(1)
    chances = F.log_softmax(outcome, 1)
    value_loss = -(batch["values"] * chances).sum(1)
    return policy_loss, value_loss, F.smooth_l1_loss(left, batch["left"], reduction="none"), policy, chances


def orthogonal(gradients):
    x = gradients / (gradients.norm(dim=(1, 2), keepdim=True) + 1e-20)
    a, b, c = COEFFICIENTS
    for _ in range(ITERATIONS):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x


class Muon:
    """Muon for matrices and kernels, AdamW for all else, as in the product. Matrices of one shape, of all nets, are one array."""

    def __init__(self, nets, decay):
        self.decay = decay
        matrix = lambda name, p: name.endswith("weight") and p.size(0) >= 8 and p[0].numel() >= 8 and not (p.dim() == 4 and p.size(1) == 1)
        named = [named for net in nets for named in net.named_parameters()]
        self.parameters = [p.detach() for _, p in named]
        shapes = {}
        for at, (name, p) in enumerate(named):
            if matrix(name, p):
                shapes.setdefault(self.wide(p.detach()).shape, []).append(at)
        self.matrices = [(at, torch.zeros(len(at), *shape, device=p.device)) for shape, at in shapes.items()]
        self.others = [at for at, (name, p) in enumerate(named) if not matrix(name, p)]
        self.moments = [torch.zeros(sum(self.parameters[at].numel() for at in self.others), device=p.device) for _ in BETAS]

    @staticmethod
    def wide(parameter):
        """As a matrix that has no more rows than columns."""
        x = parameter.flatten(1)
        return x.T if x.size(0) > x.size(1) else x

    def step(self, gradients, rate, number, lanes):
        """Step `number`, from 1. It and the rate are tensors."""
        for lane, (members, momentum) in enumerate(self.matrices):
            with lanes(lane):
                gradient = torch.stack([self.wide(gradients[at]) for at in members])
                momentum.mul_(MOMENTUM).add_(gradient)
                updates = orthogonal(gradient.add(momentum, alpha=MOMENTUM)) * (rate * UPDATE * math.sqrt(momentum.size(2)))
                parameters = [self.parameters[at] for at in members]
                updates = [update if p.flatten(1).shape == update.shape else update.T for update, p in zip(updates, parameters)]
                torch._foreach_mul_(parameters, 1 - rate * self.decay)
                torch._foreach_sub_(parameters, [update.reshape(p.shape) for update, p in zip(updates, parameters)])
        gradient = torch.cat([gradients[at].flatten() for at in self.others])
        first, second = (moment.lerp_(value, 1 - beta) for moment, value, beta in zip(self.moments, (gradient, gradient**2), BETAS))
        first, second = (moment / (1 - beta**number).float() for moment, beta in zip((first, second), BETAS))
        parameters = [self.parameters[at] for at in self.others]
        updates = (rate * first / (second.sqrt() + 1e-8)).split([p.numel() for p in parameters])
        torch._foreach_sub_(parameters, [update.view_as(p) for update, p in zip(updates, parameters)])
        lanes.join()


@torch.no_grad()
def measure(net, games, most=8000):
    rows = np.sort(np.random.default_rng(5).permutation(games.held)[:most])
    sums = np.zeros(5)
    for part in torch.from_numpy(rows).to(games.device).split(500):
        batch = games.batch(part, torch.zeros_like(part))
        policy_loss, value_loss, left, policy, _ = losses(net, batch)
        floor = -(batch["policy"] * batch["policy"].clamp(min=1e-9).log()).sum(1)
        best = (policy.argmax(1) == batch["policy"].argmax(1)).float()
        sums += np.array([float(part.sum()) for part in (policy_loss, policy_loss - floor, value_loss, left, best)])
    names = ["policy", "policy_above_floor", "value", "left", "first_choice"]
    return dict(zip(names, (sums / len(rows)).tolist()))


def schedule(games, seed, steps, batch):
    """The rows and symmetries of all steps."""
    random = np.random.default_rng(seed)
    order, rows, symmetries = np.empty(0, np.int64), [], []
    for _ in range(steps):
        if len(order) < batch:
            order = np.concatenate([order, random.permutation(games.training)])
        rows.append(order[:batch])
        order = order[batch:]
        symmetries.append(random.integers(0, 8, batch))
    return [torch.from_numpy(np.stack(part)).to(games.device) for part in (rows, symmetries)]


def train(args, games, wanted):
    """Trains the nets `wanted`, each a name and a seed, side by side."""
    device, steps = games.device, args.samples // args.batch
    trained = []
    for name, seed in wanted:
        torch.manual_seed(seed)
        trained.append(nets.net(name, device))
    parameters = [list(net.parameters()) for net in trained]
    everything = [p.detach() for each in parameters for p in each]
    optimizer = Muon(trained, args.decay)
    average = [p.clone() for p in everything]
    schedules = {seed: schedule(games, seed, steps, args.batch) for _, seed in wanted}
    # Up for 100 steps, then along a cosine to a fiftieth.
    rates = [min(1, (step + 1) / 100) * (0.02 + 0.98 * (1 + math.cos(math.pi * step / steps)) / 2) for step in range(steps)]
    rates = args.rate * torch.tensor(rates, device=device)
    weights = torch.tensor([min(1.0, max(0.005, 1 / (step + 1))) for step in range(steps)], device=device)
    done, recent = torch.zeros(1, dtype=torch.long, device=device), torch.zeros(len(trained), 2, device=device)
    lanes = Lanes(len(trained), device)

    def step():
        batches = {seed: games.batch(*(part[done][0] for part in both)) for seed, both in schedules.items()}
        gradients = [None] * len(trained)
        for at, (_, seed) in enumerate(wanted):
            with lanes(at):
                policy_loss, value_loss, left, *_ = losses(trained[at], batches[seed])
                parts = torch.stack([policy_loss.mean(), value_loss.mean()])
                gradients[at] = torch.autograd.grad(parts.sum() + 0.1 * left.mean(), parameters[at])
                norm = torch.nn.utils.get_total_norm(gradients[at], foreach=True)
                torch._foreach_mul_(gradients[at], (1 / (norm + 1e-6)).clamp(max=1.0))
                recent[at] += parts.detach()
        lanes.join()
        optimizer.step([gradient for each in gradients for gradient in each], rates[done][0], (done + 1).double(), lanes)
        torch._foreach_add_(average, torch._foreach_mul(torch._foreach_sub(everything, average), weights[done][0]))
        done.add_(1)

    clock = time.process_time if device.type == "cpu" else time.time
    begun, graph, histories = clock(), None, [[] for _ in wanted]
    for at in range(steps):
        if device.type == "cuda" and at == EAGER:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                step()
        graph.replay() if graph else step()
        if (at + 1) % args.every == 0:
            means, secs = (recent / args.every).tolist(), clock() - begun
            recent.zero_()
            for (name, seed), mean, history in zip(wanted, means, histories):
                line = dict(samples=(at + 1) * args.batch, seconds=round(secs, 1), online=[round(value, 4) for value in mean])
                history.append(line)
                print(name, seed, json.dumps(line), flush=True)
        if args.stop and at + 1 == args.stop:
            return
    secs = clock() - begun
    for parameter, mean in zip(everything, average):
        parameter.copy_(mean)
    for (name, seed), net, history in zip(wanted, trained, histories):
        result = dict(net=name, seed=seed, data=args.data.stem, samples=steps * args.batch, seconds=secs, beside=len(wanted))
        result |= dict(parameters=sum(p.numel() for p in net.parameters()), held_out=measure(net, games), history=history)
        out = args.out / f"{args.data.stem}-{name}-{seed}"
        save_file({key: tensor.contiguous() for key, tensor in net.state_dict().items()}, out.with_suffix(".safetensors"))
        out.with_suffix(".json").write_text(json.dumps(result) + "\n")
        print(name, seed, json.dumps(result["held_out"]), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--nets", nargs="+", required=True)
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    parser.add_argument("--device", type=torch.device, default="cpu", help="cpu or cuda")
    parser.add_argument("--samples", type=int, default=1_536_000)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--rate", type=float, default=0.003)
    parser.add_argument("--decay", type=float, default=0.1)
    parser.add_argument("--every", type=int, default=500, help="steps between two lines of progress")
    parser.add_argument("--stop", type=int, help="stop after so many steps and write nothing")
    parser.add_argument("--out", type=Path, default=Path("runs/line-nets"))
    args = parser.parse_args()
    torch.set_num_threads(1)
    # Full precision, and the fastest kernels.
    torch.backends.cudnn.allow_tf32, torch.backends.cudnn.benchmark = False, True
    args.out.mkdir(parents=True, exist_ok=True)
    games = Games(args.data, args.device)
    wanted = [(name, seed) for seed in args.seeds for name in args.nets]
    wanted = [(name, seed) for name, seed in wanted if not (args.out / f"{args.data.stem}-{name}-{seed}.json").exists()]
    for each in [wanted] if args.device.type == "cuda" else [[one] for one in wanted]:
        train(args, games, each)


if __name__ == "__main__":
    main()
