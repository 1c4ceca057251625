#!/usr/bin/env python3
"""What `schedule.lag = 1` gains in time and costs in strength.

    ./lag.py TABLUT_BINARY [--seeds 3] [--generations 12] [--games 200] [--match 400]

A learner and a worker have a core each, as two machines would: with a lag of 0 they take turns, with 1 they work at the same time.
For every seed both runs are trained over a broker, one after the other, and their last nets play a match. Needs two cores that
nothing else uses for the times; the strength does not depend on that.
"""

import argparse
import json
import pathlib
import signal
import subprocess
import tempfile
import time

from far import ROOT, free_port

HERE = pathlib.Path(__file__).resolve().parent
QUIET = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def pinned(core, *words):
    return ["taskset", "-c", str(core), *map(str, words)]


def train(tablut, folder, seed, lag, options):
    port = free_port()
    url = f"nats://127.0.0.1:{port}"
    run = folder / f"seed-{seed}-lag-{lag}"
    settings = [f"seed={seed}", f"schedule.lag={lag}", f"schedule.generations={options.generations}",
                f"schedule.games={options.games}", "evaluation.games=0"]
    broker = subprocess.Popen(["nats-server", "-a", "127.0.0.1", "-p", str(port), "-js", "-sd", folder / f"broker-{port}"], **QUIET)
    worker = subprocess.Popen(pinned(0, tablut, "worker", "--threads", 1, "--nats", url), **QUIET)
    start = time.monotonic()
    try:
        subprocess.run(pinned(1, tablut, "train", ROOT / "configs/quickstart.toml", "--run", run, "--nats", url,
                              *(word for key in settings for word in ("--set", key))), check=True, **QUIET)
    finally:
        seconds = time.monotonic() - start
        worker.send_signal(signal.SIGINT)
        worker.wait()
        broker.terminate()
        broker.wait()
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    result = {"seed": seed, "lag": lag, "seconds": seconds, "learning": sum(line["learning"]["seconds"] for line in lines),
              "waited": sum(line["fleet"]["waited_seconds"] for line in lines)}
    return result, sorted((run / "checkpoints").glob("gen-*.state.safetensors"), key=lambda path: int(path.name.split("-")[1].split(".")[0]))[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tablut")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--generations", type=int, default=12)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--match", type=int, default=400)
    options = parser.parse_args()
    results = {"runs": [], "matches": []}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for seed in range(1, options.seeds + 1):
            nets = {}
            for lag in (0, 1) if seed % 2 else (1, 0):
                result, state = train(options.tablut, folder, seed, lag, options)
                nets[lag] = state.with_name(state.name.replace(".state", ""))
                results["runs"].append(result)
                print(json.dumps(result), flush=True)
            said = subprocess.run(
                [options.tablut, "match", f"lag=net:{nets[1]}@64", f"none=net:{nets[0]}@64", "--games", str(options.match), "--json"],
                check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
            results["matches"].append({"seed": seed, **json.loads(said)["matches"][0]})
            print(json.dumps(results["matches"][-1]), flush=True)
            (HERE / "lag.json").write_text(json.dumps(results, indent=1) + "\n")
    for key in ("seconds", "waited", "learning"):
        none, lag = (sum(run[key] for run in results["runs"] if run["lag"] == side) / options.seeds for side in (0, 1))
        print(f"{key} of a run: without lag {none:.0f}, with {lag:.0f}")


if __name__ == "__main__":
    main()
