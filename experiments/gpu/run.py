#!/usr/bin/env python3
"""Times training steps of nets of lines on a GPU against this machine's cores, and counts the launches of a step.

Device and cores take turns: in every round each takes steps for a while, and the ratio is taken within a round; the median over
the rounds is reported. A step includes drawing its batch from the replay window on the cores. Launches are counted in a run of its
own with cubecl's log of executed kernels: the difference between runs of different numbers of steps.

    cargo build --release -p tablut-lab --example bench --features tablut-learn/gpu
    python3 experiments/gpu/run.py --out runs/gpu.json
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import tempfile
from pathlib import Path


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bench", default="target/release/examples/bench", help="the benchmark of tablut-lab, built for a GPU")
    parser.add_argument("--device", default="gpu:0", help="tablut's name of the device")
    parser.add_argument("--shapes", default="lines32x2,lines64x2,lines128x4")
    parser.add_argument("--batches", default="256,1024,4096")
    parser.add_argument("--steps", type=int, default=20, help="of each in each round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--launch-batch", type=int, default=8, help="samples of the steps whose launches are counted")
    parser.add_argument("--out", help="write the figures to this JSON file")
    return parser.parse_args()


def printed(args, device, shape, batch, steps, folder=None):
    """The figures of the benchmark with one combination."""
    threads = os.cpu_count() if device == "cpu" else 1
    command = [str(Path(args.bench).resolve()), "training", "--shape", shape, "--batch", str(batch), "--steps", str(steps)]
    command += ["--threads", str(threads), "--device", device, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    if done.returncode != 0:
        raise RuntimeError(f"exit code {done.returncode}: {' '.join(command)}\n{done.stderr.strip()}")
    return json.loads(done.stdout)


def launches(args, shape):
    """Kernels that one step launches. cubecl reads its settings from the working folder."""

    def lines(steps):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "launches.log"
            settings = f'[profiling]\nlogger = {{ level = "minimal", file = "{log}" }}\n'
            (Path(folder) / "cubecl.toml").write_text(settings)
            printed(args, args.device, shape, args.launch_batch, steps, folder)
            return len(log.read_text().splitlines())

    return (lines(7) - lines(2)) / 5


def training(args, shape, batch):
    """Samples a second of the device and of the cores, in turns."""
    rounds = []
    for _ in range(args.rounds):
        turns = [("device", args.device), ("cores", "cpu")]
        rounds.append({key: printed(args, name, shape, batch, args.steps)["samples_per_sec"] for key, name in turns})
    ratios = [line["device"] / line["cores"] for line in rounds]
    result = {key: statistics.median(line[key] for line in rounds) for key in rounds[0]}
    return result | {"ratio": statistics.median(ratios), "ratio_range": [min(ratios), max(ratios)], "rounds": rounds}


def machine(args):
    processor = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "unknown")
    device = printed(args, args.device, "lines32x1", 8, 1)["by"]
    return {"processor": processor, "cores": os.cpu_count(), "system": platform.platform(), "device": device, "lines": []}


def main():
    args = arguments()
    report = machine(args) | {"load_before": os.getloadavg()[0]}

    def add(shape, batch, measure):
        """A failure is a result as well."""
        try:
            line = measure()
            shown = ", ".join(f"{key} {value:.1f}" for key, value in line.items() if isinstance(value, float))
            print(f"{shape:10} batch {batch:5}: {shown}", flush=True)
        except RuntimeError as failure:
            line = {"failure": str(failure)}
            print(f"{shape} batch {batch} failed: {failure}", flush=True)
        report["lines"].append({"shape": shape, "batch": batch, **line})
        if args.out:
            Path(args.out).write_text(json.dumps(report, indent=1) + "\n")

    for shape in args.shapes.split(","):
        add(shape, args.launch_batch, lambda: {"launches": launches(args, shape)})
        for batch in map(int, args.batches.split(",")):
            add(shape, batch, lambda: training(args, shape, batch))


if __name__ == "__main__":
    main()
