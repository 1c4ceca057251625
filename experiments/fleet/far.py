#!/usr/bin/env python3
"""What a distance costs: a worker beside the broker and one behind 50 ms each way and 1 % loss, in turns.

    sudo ./far.py TABLUT_BINARY [--rounds 3] [--seconds 60]

The machine may be busy with other things: what is compared is the share of the time in which the players had work (running
or ready to run, from /proc/PID/task/*/schedstat), and the CPU time of a game. Both together are the throughput of a
machine of its own.
"""

import argparse
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def schedstat(pid, threads):
    """Seconds that the `threads` busiest threads of a process ran, and waited to run."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        run, wait, _ = map(int, (task / "schedstat").read_text().split())
        found.append((run, wait))
    found.sort(reverse=True)
    return sum(run for run, _ in found[:threads]) / 1e9, sum(wait for _, wait in found[:threads]) / 1e9


def measure(tablut, far, seconds, threads):
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        broker = subprocess.Popen(
            ["nats-server", "-a", "0.0.0.0", "-p", str(port), "-js", "-sd", folder],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        settings = ["schedule.lag=1", "schedule.generations=1000", "evaluation.games=0"]
        trainer = subprocess.Popen(
            [tablut, "train", ROOT / "configs/quickstart.toml", "--run", f"{folder}/run", "--nats", f"nats://127.0.0.1:{port}"]
            + [word for key in settings for word in ("--set", key)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        host = "10.99.0.1" if far else "127.0.0.1"
        command = [tablut, "worker", "--threads", str(threads), "--nats", f"nats://{host}:{port}"]
        if far:
            command = ["ip", "netns", "exec", "tablut-far"] + command
        worker = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            # From the moment on that the players are at work: the probe and the first net are behind.
            while schedstat(worker.pid, threads)[0] < 5 * threads:
                for process in (broker, trainer, worker):
                    assert process.poll() is None, f"ended early: {process.args}"
                time.sleep(0.2)
            before, start = schedstat(worker.pid, threads), time.monotonic()
            time.sleep(seconds)
            after, wall = schedstat(worker.pid, threads), time.monotonic() - start
            run, wait = after[0] - before[0], after[1] - before[1]
            total = after[0]
            worker.send_signal(signal.SIGINT)
            said = worker.communicate()[1]
        finally:
            for process in (worker, trainer, broker):
                process.kill()
                process.wait()
        games = int(re.search(r"Stopped after (\d+) games", said)[1])
        return {"far": far, "busy_share": (run + wait) / (wall * threads), "games": games, "cpu_seconds_per_game": total / games}


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tablut")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    link = subprocess.Popen([sys.executable, HERE / "far_link.py"], stdout=subprocess.PIPE, text=True)
    assert link.stdout.readline() == "up\n"
    results = []
    try:
        for round_ in range(options.rounds):
            for far in (False, True) if round_ % 2 == 0 else (True, False):
                result = measure(options.tablut, far, options.seconds, options.threads)
                print(json.dumps(result), flush=True)
                results.append(result)
    finally:
        link.terminate()
        print(link.communicate()[0].strip(), file=sys.stderr)
    (HERE / "far.json").write_text(json.dumps(results, indent=1) + "\n")
    for key in ("busy_share", "cpu_seconds_per_game"):
        near, far = ([r[key] for r in results if r["far"] == side] for side in (False, True))
        near, far = sum(near) / len(near), sum(far) / len(far)
        print(f"{key}: near {near:.4f}, far {far:.4f}, far/near {far / near:.3f}")


if __name__ == "__main__":
    main()
