#!/usr/bin/env python3
"""Times tablut's CPU engine, OpenVINO and ONNX Runtime on the same nets, interleaved in one run.

The net of each shape has random weights; `tablut bench inference --onnx` writes it as ONNX for the other two. In every
round each runtime gets the same short time, one after the other, so that whatever else the machine does meets them
alike; a ratio is taken within each round, and the median over the rounds is reported. A round in which other programs
took more than a fifth of the processors needed is repeated, up to --patience times in all; what could not be measured in quiet
is marked.

    python3 experiments/inference/run.py --tablut target/release/tablut --out experiments/inference/results.json

OpenVINO and ONNX Runtime come from PyPI into a virtual environment outside the repository (--venv), made if missing.
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

PACKAGES = ["openvino==2026.4.1", "onnxruntime==1.31.1", "numpy"]
PLANES, FEATURES, SIZE = 16, 42, 9
# Share of the processors that others may take of those that a round needs, if it is to count.
QUIET = 0.2


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tablut", default="target/release/tablut", help="the command that has `bench inference`")
    parser.add_argument("--venv", default=str(Path(tempfile.gettempdir()) / "tablut-inference-venv"))
    parser.add_argument("--shapes", default="b2c32,b4c32,b4c64,b6c64,b10c128")
    parser.add_argument("--batches", default="1,8,64,256")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--secs", type=float, default=0.5, help="for each runtime in each round")
    parser.add_argument("--patience", type=int, default=20, help="rounds to try for each line at most")
    parser.add_argument("--precisions", default="f32", help="of tablut and OpenVINO: f32 or f32,bf16")
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


def processor_secs():
    """Processor time used so far by everybody, and by this program and its children, in seconds."""
    ticks = os.sysconf("SC_CLK_TCK")
    fields = [int(x) for x in Path("/proc/stat").read_text().split("\n")[0].split()[1:]]
    busy = (sum(fields[:8]) - fields[3] - fields[4]) / ticks
    own = os.times()
    return busy, own.user + own.system + own.children_user + own.children_system


class Disturbance:
    """The share of `threads` processors that other programs took while a block ran, if they used the rest first."""

    def __init__(self, threads):
        self.threads = threads

    def __enter__(self):
        self.start, (self.busy, self.own) = time.perf_counter(), processor_secs()
        return self

    def __exit__(self, *_):
        busy, own = processor_secs()
        others = ((busy - self.busy) - (own - self.own)) / (time.perf_counter() - self.start)
        self.share = max(0.0, (others - (os.cpu_count() - self.threads)) / self.threads)


class Tablut:
    """Our engine, as a process of its own for each measurement."""

    def __init__(self, command, shape, batch, threads, precision):
        # What this machine has of bf16.
        precision = "fastest" if precision == "bf16" else precision
        options = {"shape": shape, "batch": batch, "threads": threads, "precision": precision}
        self.command = [*command.split(), *(word for key, value in options.items() for word in (f"--{key}", str(value)))]

    def evals_per_sec(self, secs):
        out = subprocess.run([*self.command, "--secs", str(secs), "--json"], check=True, capture_output=True, text=True).stdout
        timing = json.loads(out)
        return timing["evals_per_sec"], timing["best_evals_per_sec"]


class InProcess:
    """A runtime called from here; `call` evaluates one batch."""

    def __init__(self, batch):
        import numpy

        random = numpy.random.default_rng(1)
        self.batch = batch
        self.inputs = {
            "planes": (random.random((batch, PLANES, SIZE, SIZE)) < 0.2).astype(numpy.float32),
            "features": random.random((batch, FEATURES)).astype(numpy.float32),
        }

    def evals_per_sec(self, secs):
        start = time.perf_counter()
        while time.perf_counter() - start < secs / 10:
            self.call()
        times = []
        start = time.perf_counter()
        while not times or time.perf_counter() - start < secs:
            before = time.perf_counter()
            self.call()
            times.append(time.perf_counter() - before)
        return self.batch / statistics.median(times), self.batch / min(times)


class OpenVino(InProcess):
    def __init__(self, onnx, batch, threads, precision):
        super().__init__(batch)
        import openvino

        core = openvino.Core()
        model = core.read_model(onnx)
        # Static shapes let OpenVINO choose its fastest kernels.
        model.reshape({"planes": [batch, PLANES, SIZE, SIZE], "features": [batch, FEATURES]})
        config = {
            "INFERENCE_PRECISION_HINT": precision,
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1,
            "PERFORMANCE_HINT": "LATENCY",
        }
        compiled = core.compile_model(model, "CPU", config)
        self.request = compiled.create_infer_request()
        for name, value in self.inputs.items():
            self.request.set_tensor(name, openvino.Tensor(value))

    def call(self):
        self.request.infer()


class OnnxRuntime(InProcess):
    def __init__(self, onnx, batch, threads):
        super().__init__(batch)
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        self.session = onnxruntime.InferenceSession(onnx, options, providers=["CPUExecutionProvider"])

    def call(self):
        self.session.run(None, self.inputs)


def measure(args, command, onnx, shape, batch, threads):
    runtimes = {}
    for precision in args.precisions.split(","):
        runtimes[f"tablut {precision}"] = Tablut(command, shape, batch, threads, precision)
        runtimes[f"openvino {precision}"] = OpenVino(onnx, batch, threads, precision)
    runtimes["onnxruntime"] = OnnxRuntime(onnx, batch, threads)
    rounds = []
    for _ in range(max(args.patience, args.rounds)):
        with Disturbance(threads) as disturbance:
            speeds = {name: runtime.evals_per_sec(args.secs) for name, runtime in runtimes.items()}
        rounds.append((disturbance.share, speeds))
        if sum(share < QUIET for share, _ in rounds) == args.rounds:
            break
    # The quiet rounds; where there are too few, the quietest.
    rounds = sorted(rounds, key=lambda round: round[0])[: args.rounds]
    median = {name: round(statistics.median(speeds[name][0] for _, speeds in rounds)) for name in runtimes}
    best = {name: round(max(speeds[name][1] for _, speeds in rounds)) for name in runtimes}
    ratio = {
        f"{ours} / {theirs}": round(statistics.median(s[ours][0] / s[theirs][0] for _, s in rounds), 2)
        for ours in runtimes
        for theirs in runtimes
        if ours.startswith("tablut") and not theirs.startswith("tablut")
    }
    return {
        "shape": shape,
        "batch": batch,
        "threads": threads,
        "evals_per_sec": median,
        "best": best,
        "ratio": ratio,
        "quiet": rounds[-1][0] < QUIET,
        "others": round(rounds[-1][0], 2),
    }


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return f"{line.split(':', 1)[1].strip()}, {os.cpu_count()} processors"
    return platform.processor()


def main():
    args = arguments()
    enter_venv(args.venv)
    import onnxruntime
    import openvino

    command = f"{args.tablut} bench inference" if Path(args.tablut).name == "tablut" else args.tablut
    machine = {
        "processor": processor(),
        "openvino": openvino.__version__,
        "onnxruntime": onnxruntime.__version__,
        "rounds": args.rounds,
        "secs": args.secs,
    }
    print(json.dumps(machine))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for shape in args.shapes.split(","):
            onnx = str(Path(folder) / f"{shape}.onnx")
            write = [*command.split(), "--shape", shape, "--batch", "1", "--secs", "0", "--onnx", onnx]
            subprocess.run(write, check=True, capture_output=True)
            for threads in map(int, args.threads.split(",")):
                for batch in map(int, args.batches.split(",")):
                    row = measure(args, command, onnx, shape, batch, threads)
                    rows.append(row)
                    speeds = "  ".join(f"{name} {speed}" for name, speed in row["evals_per_sec"].items())
                    ratios = "  ".join(f"{pair} {ratio}" for pair, ratio in row["ratio"].items())
                    note = "" if row["quiet"] else f"  (others took {row['others']:.0%})"
                    print(f"{shape:8} batch {batch:3} threads {threads}  {speeds}  | {ratios}{note}", flush=True)
    if args.out:
        Path(args.out).write_text(json.dumps({"machine": machine, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
