#!/usr/bin/env python3
"""Workers as processes against threads: games a second of `tablut train` alone, and of a broker, a trainer and workers.

    ./processes.py TABLUT_BINARY [--rounds 4] [--games 60] [--generations 4]

Rounds take turns. All runs have `schedule.lag = 1` and hardly learn. The games a second are those from the end of the first generation
to the end of the last; the CPU time is that of everything together: trainer, workers and broker, from start to end, by game. Two
cores play. On a machine that others use, only the CPU time counts.
"""

import argparse
import json
import pathlib
import resource
import signal
import statistics
import subprocess
import tempfile
import time

from far import ROOT, free_port

HERE = pathlib.Path(__file__).resolve().parent


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def measure(tablut, options, workers, threads):
    """`workers` = 0 for threads of the trainer."""
    with tempfile.TemporaryDirectory() as folder:
        before = cpu()
        settings = ["schedule.lag=1", f"schedule.games={options.games}", f"schedule.generations={options.generations}",
                    "evaluation.games=0", f"machine.workers={threads}", "learning.draws_per_position=0.01"]
        command = [tablut, "train", ROOT / "configs/quickstart.toml", "--run", f"{folder}/run"]
        command += [word for key in settings for word in ("--set", key)]
        quiet = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        others = []
        if workers:
            url = f"nats://127.0.0.1:{free_port()}"
            others.append(subprocess.Popen(["nats-server", "-a", "127.0.0.1", "-p", url.rsplit(":")[-1], "-js", "-sd", folder], **quiet))
            each = ["--threads", str(threads // workers), "--nats", url]
            others += [subprocess.Popen([tablut, "worker", *each], **quiet) for _ in range(workers)]
            command += ["--nats", url]
        trainer = subprocess.Popen(command, **quiet)
        metrics, times = pathlib.Path(f"{folder}/run/metrics.jsonl"), []
        try:
            while trainer.poll() is None or len(times) < options.generations:
                times += [time.monotonic()] * (lines(metrics) - len(times))
                for process in others:
                    assert process.poll() is None, f"ended early: {process.args}"
                assert trainer.poll() in (None, 0), "the trainer has failed"
                time.sleep(0.02)
        finally:
            trainer.kill()
            trainer.wait()
            for process in reversed(others):
                process.send_signal(signal.SIGINT)
                process.wait()
        games = options.games * (options.generations - 1)
        return {"workers": workers, "threads": threads, "games_per_second": games / (times[-1] - times[0]),
                "cpu_seconds_per_game": (cpu() - before) / (options.games * options.generations)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tablut")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--generations", type=int, default=4)
    options = parser.parse_args()
    kinds = [(0, 2), (1, 2), (2, 2)]
    results = []
    for round_ in range(options.rounds):
        for workers, threads in kinds[round_ % 3:] + kinds[:round_ % 3]:
            results.append(measure(options.tablut, options, workers, threads))
            print(json.dumps(results[-1]), flush=True)
    (HERE / "processes.json").write_text(json.dumps(results, indent=1) + "\n")
    median = lambda key, workers: statistics.median(r[key] for r in results if r["workers"] == workers)
    for workers in (1, 2):
        speed, alone = median("games_per_second", workers), median("games_per_second", 0)
        work, alone_work = median("cpu_seconds_per_game", workers), median("cpu_seconds_per_game", 0)
        print(f"{workers} process(es): {speed:.2f} games/s, threads {alone:.2f}, ratio {speed / alone:.3f}; "
              f"CPU {work:.3f} s/game, threads {alone_work:.3f}, threads/processes {alone_work / work:.3f}")


if __name__ == "__main__":
    main()
