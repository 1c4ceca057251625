#!/usr/bin/env python3
"""Workers as processes against threads: the same games by `tablut train` alone and by a broker, a trainer and workers.

    ./processes.py TABLUT_BINARY [--rounds 5] [--games 60]

Rounds take turns. Compared are the wall time of self-play (from the run's metrics) and the CPU time of everything together:
trainer, workers and broker. On a machine that others use, the CPU time is what counts.
"""

import argparse
import json
import pathlib
import resource
import signal
import subprocess
import tempfile

from far import ROOT, free_port

HERE = pathlib.Path(__file__).resolve().parent


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(tablut, games, workers, threads):
    """One generation; `workers` = 0 for threads alone."""
    with tempfile.TemporaryDirectory() as folder:
        before = cpu()
        settings = [f"schedule.games={games}", "schedule.generations=1", "evaluation.games=0", f"machine.workers={threads}",
                    "learning.draws_per_position=0.01"]
        command = [tablut, "train", ROOT / "configs/quickstart.toml", "--run", f"{folder}/run"]
        command += [word for key in settings for word in ("--set", key)]
        others = []
        if workers:
            port = free_port()
            quiet = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            others.append(subprocess.Popen(["nats-server", "-a", "127.0.0.1", "-p", str(port), "-js", "-sd", folder], **quiet))
            each = ["--threads", str(threads // workers), "--nats", f"nats://127.0.0.1:{port}"]
            others += [subprocess.Popen([tablut, "worker", *each], **quiet) for _ in range(workers)]
            command += ["--nats", f"nats://127.0.0.1:{port}"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for process in reversed(others):
            process.send_signal(signal.SIGINT)
            process.wait()
        line = json.loads(pathlib.Path(f"{folder}/run/metrics.jsonl").read_text().splitlines()[0])
        return {"workers": workers, "threads": threads, "games": games, "selfplay_seconds": line["selfplay"]["seconds"],
                "cpu_seconds": cpu() - before, "evaluations": line["selfplay"]["evaluations"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tablut")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", type=int, default=60)
    options = parser.parse_args()
    kinds = [(0, 2), (1, 2), (2, 2)]
    results = []
    for round_ in range(options.rounds):
        for workers, threads in kinds[round_ % 3:] + kinds[:round_ % 3]:
            results.append(measure(options.tablut, options.games, workers, threads))
            print(json.dumps(results[-1]), flush=True)
    (HERE / "processes.json").write_text(json.dumps(results, indent=1) + "\n")
    mean = lambda key, workers: sum(r[key] for r in results if r["workers"] == workers) / options.rounds
    for workers in (1, 2):
        for key in ("cpu_seconds", "selfplay_seconds"):
            print(f"{workers} worker process(es), {key}: threads {mean(key, 0):.2f}, processes {mean(key, workers):.2f}, "
                  f"threads/processes {mean(key, 0) / mean(key, workers):.3f}")


if __name__ == "__main__":
    main()
