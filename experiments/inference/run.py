#!/usr/bin/env python3
"""Times tablut's CPU engine, OpenVINO and ONNX Runtime on the same nets, interleaved in one run.

The net of each shape has random weights; `tablut bench inference --onnx` writes it as ONNX for the other two. In every
round each runtime gets the same short time, one after the other, so that whatever else the machine does meets them
alike; a ratio is taken within each round, and the median over the rounds is reported.

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


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tablut", default="target/release/tablut", help="the command that has `bench inference`")
    parser.add_argument("--venv", default=str(Path(tempfile.gettempdir()) / "tablut-inference-venv"))
    parser.add_argument("--shapes", default="b2c32,b4c32,b4c64,b6c64,b10c128")
    parser.add_argument("--batches", default="1,8,64,256")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--secs", type=float, default=0.5, help="for each runtime in each round")
    parser.add_argument("--precisions", default="f32", help="OpenVINO's: f32, bf16 or both")
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


class Tablut:
    """Our engine, as a process of its own for each measurement."""

    def __init__(self, command, shape, batch, threads):
        self.command = [*command.split(), "--shape", shape, "--batch", str(batch), "--threads", str(threads), "--json"]

    def evals_per_sec(self, secs):
        out = subprocess.run([*self.command, "--secs", str(secs)], check=True, capture_output=True, text=True).stdout
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
    runtimes = {"tablut": Tablut(command, shape, batch, threads)}
    for precision in args.precisions.split(","):
        runtimes[f"openvino {precision}"] = OpenVino(onnx, batch, threads, precision)
    runtimes["onnxruntime"] = OnnxRuntime(onnx, batch, threads)
    medians = {name: [] for name in runtimes}
    bests = {name: [] for name in runtimes}
    for _ in range(args.rounds):
        for name, runtime in runtimes.items():
            median, best = runtime.evals_per_sec(args.secs)
            medians[name].append(median)
            bests[name].append(best)
    row = {"shape": shape, "batch": batch, "threads": threads, "evals_per_sec": {}, "best": {}, "ratio": {}, "best_ratio": {}}
    for name in runtimes:
        row["evals_per_sec"][name] = round(statistics.median(medians[name]))
        row["best"][name] = round(max(bests[name]))
        if name != "tablut":
            ratios = [ours / theirs for ours, theirs in zip(medians["tablut"], medians[name])]
            row["ratio"][name] = round(statistics.median(ratios), 2)
            row["best_ratio"][name] = round(max(bests["tablut"]) / max(bests[name]), 2)
    return row


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
        "load_before": os.getloadavg()[0],
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
                    ratios = "  ".join(f"{name} {ratio}" for name, ratio in row["ratio"].items())
                    bests = "  ".join(f"{name} {ratio}" for name, ratio in row["best_ratio"].items())
                    print(f"{shape:8} batch {batch:3} threads {threads}  {speeds}  | {ratios} | of bests {bests}", flush=True)
    if args.out:
        Path(args.out).write_text(json.dumps({"machine": machine, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
