#!/usr/bin/env python3
"""Times tablut's training steps and PyTorch's on the same net, interleaved in one run.

In every round the benchmark of tablut-lab (`cargo build --release -p tablut-lab --example bench`) takes a few steps and then PyTorch does, so that whatever else the machine does
meets both alike; a ratio is taken within each round, and the median over the rounds is reported. Both do the same: f32,
AdamW with decoupled decay, the norm of all gradients clipped, an average of the weights. tablut's time includes drawing
the batch (legal moves, encoding, symmetries); PyTorch's does not: its batch lies ready.

    python3 experiments/training-speed/run.py --tablut target/release/tablut --out experiments/training-speed/results.json

PyTorch comes from PyPI into a virtual environment outside the repository (--venv), made if missing; only its CPU code
is used, in the faster of its two memory layouts.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PACKAGES = ["torch==2.15.0", "numpy"]
PLANES, FEATURES, SIZE, POLICY_PLANES = 16, 42, 9, 33
VALUE_CHANNELS, VALUE_HIDDEN, MOVES = 32, 64, 100


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tablut", default="target/release/examples/bench", help="the benchmark of tablut-lab")
    parser.add_argument("--venv", default=str(Path(tempfile.gettempdir()) / "tablut-training-venv"))
    parser.add_argument("--shapes", default="b4c32,b6c64,b10c128")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=3, help="of each in each round")
    parser.add_argument("--out", help="write the figures to this JSON file")
    return parser.parse_args()


def enter_venv(path):
    """Makes the virtual environment if it is missing, and starts this script again inside it."""
    python = Path(path) / "bin" / "python"
    if Path(sys.prefix).resolve() == Path(path).resolve():
        return
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", path], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    os.execv(python, [str(python), *sys.argv])


def pytorch(shape, batch, threads, layout):
    """A function that takes steps and returns the seconds of each."""
    import torch
    from torch import nn
    from torch.nn import functional as F

    torch.set_num_threads(threads)
    torch.manual_seed(1)
    blocks, c = (int(part) for part in shape[1:].split("c"))

    def pool(x):
        return torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            conv = lambda i, o: nn.Conv2d(i, o, 3, padding=1)
            self.input, self.features = conv(PLANES, c), nn.Linear(FEATURES, c, bias=False)
            self.conv1 = nn.ModuleList(conv(c, c) for _ in range(blocks))
            self.conv2 = nn.ModuleList(conv(c, c) for _ in range(blocks))
            self.pool = nn.ModuleList(nn.Linear(2 * c, c, bias=False) for _ in range(blocks // 2))
            self.policy_conv, self.policy_pool = nn.Conv2d(c, c, 1), nn.Linear(2 * c, c, bias=False)
            self.policy_out = nn.Conv2d(c, POLICY_PLANES, 1)
            self.value_conv = nn.Conv2d(c, VALUE_CHANNELS, 1)
            self.value_hidden = nn.Linear(2 * VALUE_CHANNELS, VALUE_HIDDEN)
            self.value_out, self.moves_left = nn.Linear(VALUE_HIDDEN, 3), nn.Linear(VALUE_HIDDEN, 1)

        def forward(self, planes, features):
            x = F.relu(self.input(planes) + self.features(features)[:, :, None, None])
            for block in range(blocks):
                h = F.relu(self.conv1[block](x))
                y = self.conv2[block](h)
                if block % 2 == 1:
                    y = y + self.pool[block // 2](pool(h))[:, :, None, None]
                x = F.relu(x + y)
            p = F.relu(self.policy_conv(x) + self.policy_pool(pool(x))[:, :, None, None])
            h = F.relu(self.value_hidden(pool(F.relu(self.value_conv(x)))))
            return self.policy_out(p).flatten(1), self.value_out(h), F.softplus(self.moves_left(h))

    net = Net().to(memory_format=layout)
    average = [parameter.detach().clone() for parameter in net.parameters()]
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4, betas=(0.9, 0.98), weight_decay=0.01, foreach=True)
    planes = (torch.rand(batch, PLANES, SIZE, SIZE) < 0.15).float().contiguous(memory_format=layout)
    features = torch.rand(batch, FEATURES)
    entries = torch.randint(0, POLICY_PLANES * SIZE * SIZE, (batch, MOVES))
    policy = torch.softmax(torch.rand(batch, MOVES), 1)
    wdl = torch.softmax(torch.rand(batch, 3), 1)
    plies = torch.rand(batch, 1)

    def step():
        table, outcome, left = net(planes, features)
        policy_loss = F.cross_entropy(table.gather(1, entries), policy)
        loss = policy_loss + F.cross_entropy(outcome, wdl) + 0.1 * F.smooth_l1_loss(left, plies)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0, foreach=True)
        optimizer.step()
        torch._foreach_lerp_(average, [parameter.detach() for parameter in net.parameters()], 0.01)
        return loss.item()

    def steps(count):
        secs = []
        for _ in range(count):
            start = time.perf_counter()
            step()
            secs.append(time.perf_counter() - start)
        return secs

    steps(2)
    return steps


def tablut(args, shape):
    """What tablut says of a few steps."""
    command = [args.tablut, "training", "--json", "--shape", shape, "--batch", str(args.batch)]
    command += ["--threads", str(args.threads), "--steps", str(args.steps)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def measure(args, shape):
    import torch

    layouts = {"contiguous": torch.contiguous_format, "channels last": torch.channels_last}
    runners = {name: pytorch(shape, args.batch, args.threads, layout) for name, layout in layouts.items()}
    fastest = min(runners, key=lambda name: statistics.median(runners[name](2)))
    rounds = []
    for _ in range(args.rounds):
        ours, secs = tablut(args, shape), runners[fastest](args.steps)
        theirs = args.batch / statistics.median(secs)
        line = {"tablut": ours["samples_per_sec"], "pytorch": theirs, "ratio": ours["samples_per_sec"] / theirs}
        line |= {"tablut_best": ours["best_samples_per_sec"], "pytorch_best": args.batch / min(secs)}
        line["tablut_mib"] = ours["memory_mib"][-1]
        rounds.append(line)
    median = {key: statistics.median(line[key] for line in rounds) for key in rounds[0]}
    ratios = [line["ratio"] for line in rounds]
    best = {key: max(line[key] for line in rounds) for key in ("tablut_best", "pytorch_best")}
    result = {"shape": shape, "layout": fastest, **median, **best, "ratio_range": [min(ratios), max(ratios)]}
    return result | {"rounds": rounds}


def main():
    args = arguments()
    enter_venv(args.venv)
    import torch

    processor = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "unknown")
    report = {
        "processor": processor,
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "torch": torch.__version__,
        "batch": args.batch,
        "threads": args.threads,
        "load_before": os.getloadavg()[0],
        "lines": [],
    }
    for shape in args.shapes.split(","):
        line = measure(args, shape)
        report["lines"].append(line)
        low, high = line["ratio_range"]
        print(
            f"{shape:8} tablut {line['tablut']:7.0f} samples/s   PyTorch {line['pytorch']:7.0f} ({line['layout']})"
            f"   ratio {line['ratio']:.2f} ({low:.2f} to {high:.2f})   best steps {line['tablut_best']:.0f} and"
            f" {line['pytorch_best']:.0f}   {line['tablut_mib']:.0f} MiB",
            flush=True,
        )
        if args.out:
            Path(args.out).write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
