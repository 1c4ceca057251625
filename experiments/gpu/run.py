#!/usr/bin/env python3
"""Times a GPU with tablut and with PyTorch, and self-play with the GPU against the cores alone.

For each net, tablut and PyTorch take turns: in every round each evaluates positions and takes training steps for a while, and
ratios are taken within a round; the median over the rounds is reported. PyTorch compiles its net (torch.compile), evaluates in
fp16 or bf16, and trains in f32, in TF32 and in bf16 (autocast); the fastest counts. tablut evaluates in the precision that the
device has and trains in f32. tablut's steps include drawing the batch, PyTorch's batch lies on the device.

    cargo build --release --features gpu
    cargo build --release -p tablut-lab --example bench --features tablut-learn/gpu
    python3 experiments/gpu/run.py --out runs/gpu.json

PyTorch with CUDA comes from PyPI into a virtual environment outside the repository (--venv), made if missing.
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
    parser.add_argument("--tablut", default="target/release/tablut", help="a program with the feature gpu")
    parser.add_argument("--bench", default="target/release/examples/bench", help="the benchmark of tablut-lab, built for a GPU")
    parser.add_argument("--device", default="gpu:0", help="tablut's name of the device")
    parser.add_argument("--cuda", default="cuda:0", help="PyTorch's name of the same device")
    parser.add_argument("--venv", default=str(Path(tempfile.gettempdir()) / "tablut-gpu-venv"))
    parser.add_argument("--shapes", default="b6c64,b10c128,b20c256")
    parser.add_argument("--batches", default="64,256,1024", help="positions for inference")
    parser.add_argument("--clients", type=int, default=4, help="threads of tablut's that ask for evaluations")
    parser.add_argument("--training-batches", default="256,1024")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--secs", type=float, default=2.0, help="of each in each round")
    parser.add_argument("--games", type=int, default=512, help="of self-play with the device in each round")
    parser.add_argument("--core-games", type=int, default=512, help="of self-play with the cores alone in each round")
    parser.add_argument("--simulations", type=int, default=64)
    parser.add_argument("--compile", default="max-autotune", help="PyTorch's mode of compiling for inference")
    parser.add_argument("--precisions", default="fp16,bf16", help="PyTorch's for inference")
    parser.add_argument("--training-precisions", default="f32,tf32,bf16", help="PyTorch's for training")
    parser.add_argument("--without-pytorch", action="store_true")
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


def net(shape):
    """The net of that shape in PyTorch."""
    import torch
    from torch import nn
    from torch.nn import functional as F

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

    return Net()


def repeated(work, batch, secs):
    """Positions a second of `work` on batches, with the device's work finished at both ends."""
    import torch

    torch.cuda.synchronize()
    start, count = time.perf_counter(), 0
    while count == 0 or time.perf_counter() - start < secs:
        work()
        count += 1
    torch.cuda.synchronize()
    return count * batch / (time.perf_counter() - start)


def pytorch_inference(args, shape, batch):
    """Functions of the seconds that return evaluations a second, by precision."""
    import torch

    # Else the nets of other shapes and batches would count against a limit, over which PyTorch does not compile.
    torch.compiler.reset()
    device, runners = args.cuda, {}
    for name in args.precisions.split(","):
        dtype = {"fp16": torch.float16, "bf16": torch.bfloat16}[name]
        model = torch.compile(net(shape).to(device, dtype, memory_format=torch.channels_last).eval(), mode=args.compile)
        # From pinned memory and back: self-play's positions come from the processor, too.
        planes = (torch.rand(batch, PLANES, SIZE, SIZE) < 0.15).to(dtype).contiguous(memory_format=torch.channels_last)
        planes, features = planes.pin_memory(), torch.rand(batch, FEATURES).to(dtype).pin_memory()
        entries = torch.randint(0, POLICY_PLANES * SIZE * SIZE, (batch, MOVES)).pin_memory()

        def work(model=model, planes=planes, features=features, entries=entries):
            with torch.inference_mode():
                table, outcome, left = model(planes.to(device, non_blocking=True), features.to(device, non_blocking=True))
                logits = table.gather(1, entries.to(device, non_blocking=True))
                return torch.cat([logits, outcome.softmax(1), left], 1).float().cpu()

        for _ in range(5):
            work()
        runners[name] = lambda secs, work=work: repeated(work, batch, secs)
    return runners


def pytorch_training(args, shape, batch):
    """Functions of the seconds that return training samples a second, by precision."""
    import torch
    from torch.nn import functional as F

    torch.compiler.reset()
    device, runners = args.cuda, {}
    for name in args.training_precisions.split(","):
        model = net(shape).to(device, memory_format=torch.channels_last)
        compiled = torch.compile(model)
        average = [parameter.detach().clone() for parameter in model.parameters()]
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.98), weight_decay=0.01, fused=True)
        planes = (torch.rand(batch, PLANES, SIZE, SIZE, device=device) < 0.15).float()
        planes = planes.contiguous(memory_format=torch.channels_last)
        features = torch.rand(batch, FEATURES, device=device)
        entries = torch.randint(0, POLICY_PLANES * SIZE * SIZE, (batch, MOVES), device=device)
        policy = torch.softmax(torch.rand(batch, MOVES, device=device), 1)
        wdl, plies = torch.softmax(torch.rand(batch, 3, device=device), 1), torch.rand(batch, 1, device=device)

        def work(name=name, compiled=compiled, model=model, average=average, optimizer=optimizer, planes=planes,
                 features=features, entries=entries, policy=policy, wdl=wdl, plies=plies):
            torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = name == "tf32"
            with torch.autocast("cuda", torch.bfloat16, enabled=name == "bf16"):
                table, outcome, left = compiled(planes, features)
                loss = F.cross_entropy(table.gather(1, entries), policy) + F.cross_entropy(outcome, wdl)
                loss = loss + 0.1 * F.smooth_l1_loss(left, plies)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=True)
            optimizer.step()
            torch._foreach_lerp_(average, [parameter.detach() for parameter in model.parameters()], 0.01)
            return loss.item()

        for _ in range(5):
            work()
        runners[name] = lambda secs, work=work: repeated(work, batch, secs)
    return runners


def printed(*command):
    """The JSON object that a command prints."""
    done = subprocess.run([*command, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"exit code {done.returncode}: {' '.join(command)}\n{done.stderr.strip()}")
    return json.loads(done.stdout)


def interleaved(args, ours, theirs):
    """Medians over rounds in which `ours` and the fastest of `theirs` take turns."""
    chosen = max(theirs, key=lambda name: theirs[name](args.secs)) if theirs else None
    rounds = [{"tablut": ours()} | ({"pytorch": theirs[chosen](args.secs)} if chosen else {}) for _ in range(args.rounds)]
    result = {key: statistics.median(line[key] for line in rounds) for key in rounds[0]}
    if chosen:
        ratios = [line["tablut"] / line["pytorch"] for line in rounds]
        result |= {"precision": chosen, "ratio": statistics.median(ratios), "ratio_range": [min(ratios), max(ratios)]}
    return result | {"rounds": rounds}


def inference(args, shape, batch):
    def ours():
        # The clients' batches are joined on the device: together they are as large as PyTorch's.
        each, clients = str(max(1, batch // args.clients)), str(args.clients)
        command = ["bench", "inference", "--shape", shape, "--batch", each, "--threads", clients, "--secs", str(args.secs)]
        return printed(args.tablut, *command, "--device", args.device)["evals_per_sec"]

    return interleaved(args, ours, {} if args.without_pytorch else pytorch_inference(args, shape, batch))


def training(args, shape, batch):
    def ours():
        command = ["training", "--shape", shape, "--batch", str(batch), "--steps", "20", "--threads", "1"]
        return printed(args.bench, *command, "--device", args.device)["samples_per_sec"]

    return interleaved(args, ours, {} if args.without_pytorch else pytorch_training(args, shape, batch))


def selfplay(args, shape):
    """The device's positions a second and the cores', from rounds in turns."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "config.toml"
        config.write_text(f'rules = ["kvasir"]\nshape = "{shape}"\n[schedule]\nsimulations = [[0, {args.simulations}]]\n')
        command = [args.tablut, "bench", "selfplay", str(config), "--untrained", "--rounds", "1"]
        turns = [["--device", "cpu", "--games", str(args.core_games)], ["--device", args.device, "--games", str(args.games)]]
        rounds = [[printed(*command, *turn) for turn in turns] for _ in range(args.rounds)]
    cores, device = (sum(each[place]["positions_per_sec"] for each in rounds) for place in (0, 1))
    return {"gain": device / cores, "rounds": rounds}


def say(what, shape, batch, line):
    if "gain" in line:
        print(f"{what} {shape:8} the device makes {line['gain']:.2f} times the positions of the cores", flush=True)
        return
    pytorch = ""
    if "pytorch" in line:
        low, high = line["ratio_range"]
        pytorch = f"   PyTorch {line['pytorch']:9.0f} ({line['precision']})   ratio {line['ratio']:.2f} ({low:.2f} to {high:.2f})"
    print(f"{what:9} {shape:8} batch {batch:5} tablut {line['tablut']:9.0f}/s{pytorch}", flush=True)


def machine(args):
    processor = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "unknown")
    report = {"processor": processor, "cores": os.cpu_count(), "system": platform.platform()}
    command = ["bench", "inference", "--shape", "b1c16", "--secs", "0", "--device", args.device]
    report["device"] = printed(args.tablut, *command)["device"]
    if not args.without_pytorch:
        import torch

        report |= {"torch": torch.__version__, "cuda": torch.version.cuda, "gpu": torch.cuda.get_device_name(args.cuda)}
    return report | {"load_before": os.getloadavg()[0], "lines": []}


def main():
    args = arguments()
    if not args.without_pytorch:
        enter_venv(args.venv)
    report = machine(args)

    def add(what, shape, batch, measure):
        """A failure is a result as well."""
        try:
            line = measure()
            say(what, shape, batch, line)
        except RuntimeError as failure:
            line = {"failure": str(failure)}
            print(f"{what} {shape} batch {batch} failed: {failure}", flush=True)
        report["lines"].append({"what": what, "shape": shape, "batch": batch, **line})
        if args.out:
            Path(args.out).write_text(json.dumps(report, indent=1) + "\n")

    for shape in args.shapes.split(","):
        for what, batches, measure in [("inference", args.batches, inference), ("training", args.training_batches, training)]:
            for batch in map(int, batches.split(",")):
                add(what, shape, batch, lambda: measure(args, shape, batch))
        add("self-play", shape, None, lambda: selfplay(args, shape))


if __name__ == "__main__":
    main()
