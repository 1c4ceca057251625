#!/usr/bin/env python3
"""Trains nets on stored games until nothing more is gained, and measures their losses on games that were held out.

    python3 experiments/line-nets/train.py --data kvasir.npz --nets b4c32 lines32x2 --seeds 1 2 3 --out runs/line-nets

A net that is already in the output folder is skipped. Needs PyTorch and safetensors.
"""

import argparse
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
PLIES = 32.0


class Games:
    """The positions of a file, in random symmetries."""

    def __init__(self, path):
        data = np.load(path)
        self.arrays = {name: data[name] for name in data.files}
        held = self.arrays["held"]
        self.training, self.held = np.flatnonzero(~held), np.flatnonzero(held)
        # For each symmetry, the square that each square's content comes from, and the entry that each entry becomes.
        board = np.arange(81).reshape(9, 9)
        self.squares, self.entries = np.zeros((8, 81), np.int64), np.zeros((8, len(nets.FROM) + 1), np.int64)
        begin, end = nets.FROM.numpy(), nets.TO.numpy()
        for symmetry in range(8):
            turned = board[::-1] if symmetry & 1 else board
            turned = turned[:, ::-1] if symmetry & 2 else turned
            turned = turned.T if symmetry & 4 else turned
            self.squares[symmetry] = turned.reshape(-1)
            place = np.argsort(turned.reshape(-1))
            rows, columns = place[end] // 9 - place[begin] // 9, place[end] % 9 - place[begin] % 9
            direction = np.where(rows > 0, 0, np.where(columns > 0, 1, np.where(rows < 0, 2, 3)))
            plane = direction * 8 + np.maximum(np.abs(rows), np.abs(columns)) - 1
            self.entries[symmetry] = np.append(np.maximum(plane, 0) * 81 + place[begin], -1)

    def batch(self, rows, symmetries):
        of = lambda name: self.arrays[name][rows]
        planes = np.unpackbits(of("planes"), axis=1, count=16 * 81).reshape(-1, 16, 81)
        planes = np.take_along_axis(planes, self.squares[symmetries][:, None], 2).reshape(-1, 16, 9, 9)
        # The entry -1 is the last of the table.
        entries = of("entries").astype(np.int64)
        entries = entries[:, : (entries >= 0).sum(1).max()]
        moved = self.entries[symmetries[:, None], entries]
        arrays = dict(planes=planes.astype(np.float32), features=of("features"), entries=moved, values=of("values").astype(np.float32))
        arrays |= dict(policy=of("policy")[:, : entries.shape[1]].astype(np.float32), left=of("left").astype(np.float32) / PLIES)
        arrays["side"] = planes[:, 4, 0, 0].astype(np.int64)
        return {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in arrays.items()}


def losses(net, batch):
    """Of each position: the cross-entropy of the policy and of the outcome, and the distance of the plies left."""
    logits, outcome, left = net(batch)
    policy = F.log_softmax(logits.masked_fill(batch["entries"] < 0, -1e9), 1)
    policy_loss = -(batch["policy"] * policy.clamp(min=-100)).sum(1)
    chances = F.log_softmax(outcome, 1)
    value_loss = -(batch["values"] * chances).sum(1)
    return policy_loss, value_loss, F.smooth_l1_loss(left, batch["left"], reduction="none"), policy, chances


def orthogonal(gradient):
    x = gradient / (gradient.norm() + 1e-20)
    turned = x.size(0) > x.size(1)
    x = x.T if turned else x
    a, b, c = COEFFICIENTS
    for _ in range(ITERATIONS):
        gram = x @ x.T
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.T if turned else x


class Muon:
    """Muon for matrices and kernels, AdamW for all else, as in the product."""

    def __init__(self, net, decay):
        self.decay = decay
        matrix = lambda name, p: name.endswith("weight") and p.size(0) >= 8 and p[0].numel() >= 8 and not (p.dim() == 4 and p.size(1) == 1)
        named = list(net.named_parameters())
        self.matrices = [(p, torch.zeros_like(p)) for name, p in named if matrix(name, p)]
        others = [p for name, p in named if not matrix(name, p)]
        self.others = torch.optim.AdamW(others, lr=1, betas=(0.9, 0.98), weight_decay=0.0, foreach=True)

    @torch.no_grad()
    def step(self, rate):
        for group in self.others.param_groups:
            group["lr"] = rate
        self.others.step()
        for parameter, momentum in self.matrices:
            momentum.mul_(MOMENTUM).add_(parameter.grad)
            direction = parameter.grad.add(momentum, alpha=MOMENTUM).flatten(1)
            update = orthogonal(direction).view_as(parameter)
            size = UPDATE * math.sqrt(max(direction.shape))
            parameter.mul_(1 - rate * self.decay).add_(update, alpha=-rate * size)


@torch.no_grad()
def measure(net, games, most=8000):
    net.eval()
    rows = np.sort(np.random.default_rng(5).permutation(games.held)[:most])
    sums = np.zeros(5)
    for at in range(0, len(rows), 500):
        batch = games.batch(rows[at : at + 500], np.zeros(len(rows[at : at + 500]), np.int64))
        policy_loss, value_loss, left, policy, _ = losses(net, batch)
        floor = -(batch["policy"] * batch["policy"].clamp(min=1e-9).log()).sum(1)
        best = (policy.argmax(1) == batch["policy"].argmax(1)).float()
        sums += np.array([float(part.sum()) for part in (policy_loss, policy_loss - floor, value_loss, left, best)])
    net.train()
    names = ["policy", "policy_above_floor", "value", "left", "first_choice"]
    return dict(zip(names, (sums / len(rows)).tolist()))


def train(args, games, name, seed, out):
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    net = nets.net(name)
    steps = args.samples // args.batch
    optimizer = Muon(net, args.decay)
    average = [p.detach().clone() for p in net.parameters()]
    begun, history, recent = time.process_time(), [], []
    order = np.empty(0, np.int64)
    for step in range(steps):
        if len(order) < args.batch:
            order = np.concatenate([order, random.permutation(games.training)])
        rows, order = order[: args.batch], order[args.batch :]
        policy_loss, value_loss, left, *_ = losses(net, games.batch(rows, random.integers(0, 8, len(rows))))
        loss = policy_loss.mean() + value_loss.mean() + 0.1 * left.mean()
        for parameter in net.parameters():
            parameter.grad = None
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0, foreach=True)
        # Up for 100 steps, then along a cosine to a fiftieth.
        rate = args.rate * min(1, (step + 1) / 100) * (0.02 + 0.98 * (1 + math.cos(math.pi * step / steps)) / 2)
        optimizer.step(rate)
        torch._foreach_lerp_(average, [p.detach() for p in net.parameters()], min(1.0, max(0.005, 1 / (step + 1))))
        recent.append((float(policy_loss.mean()), float(value_loss.mean())))
        if (step + 1) % args.every == 0:
            secs = time.process_time() - begun
            line = dict(samples=(step + 1) * args.batch, seconds=round(secs, 1), online=np.mean(recent, 0).round(4).tolist())
            history.append(line)
            recent = []
            print(name, seed, json.dumps(line), getattr(net, "distinct", ""), flush=True)
        if args.stop and step + 1 == args.stop:
            return
    with torch.no_grad():
        for parameter, mean in zip(net.parameters(), average):
            parameter.copy_(mean)
    result = dict(net=name, seed=seed, data=args.data.stem, samples=steps * args.batch, seconds=time.process_time() - begun)
    result |= dict(parameters=sum(p.numel() for p in net.parameters()), held_out=measure(net, games), history=history)
    save_file({key: tensor.contiguous() for key, tensor in net.state_dict().items()}, out.with_suffix(".safetensors"))
    out.with_suffix(".json").write_text(json.dumps(result) + "\n")
    print(name, seed, json.dumps(result["held_out"]), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--nets", nargs="+", required=True)
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    parser.add_argument("--samples", type=int, default=1_536_000)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--rate", type=float, default=0.003)
    parser.add_argument("--decay", type=float, default=0.1)
    parser.add_argument("--every", type=int, default=500, help="steps between two lines of progress")
    parser.add_argument("--stop", type=int, help="stop after so many steps and write nothing")
    parser.add_argument("--out", type=Path, default=Path("runs/line-nets"))
    args = parser.parse_args()
    torch.set_num_threads(1)
    args.out.mkdir(parents=True, exist_ok=True)
    games = Games(args.data)
    for seed in args.seeds:
        for name in args.nets:
            out = args.out / f"{args.data.stem}-{name}-{seed}"
            if not out.with_suffix(".json").exists():
                train(args, games, name, seed, out)


if __name__ == "__main__":
    main()
