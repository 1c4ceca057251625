"""How busy a match keeps the cores: processor time over wall time and cores (`busy`), which needs a quiet machine; and the time
that its threads ran or waited for a core (`ready`), which does not: what is missing there was spent waiting for each other.

    cargo build --release && python3 experiments/match-cores/run.py
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import tempfile
import time
from pathlib import Path


def thread_seconds(pid):
    """Seconds that each thread of a process has run or waited for a core."""
    seconds = {}
    for thread in Path(f"/proc/{pid}/task").glob("*"):
        try:
            running, waiting, _ = (thread / "schedstat").read_text().split()
        except (OSError, ValueError):
            continue
        seconds[thread.name] = (int(running) + int(waiting)) / 1e9
    return seconds


def measure(binary, model, games, simulations, threads, folder):
    # Two files, so that two nets are loaded and asked.
    nets = [folder / "first.tablut", folder / "second.tablut"]
    for net in nets:
        shutil.copy(model, net)
    players = [f"net:{net}@{simulations}" for net in nets]
    command = [binary, "match", *players, "--games", str(games), "--threads", str(threads), "--json"]
    command += ["--save-games", folder / f"games-{threads}.jsonl"]
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output)
        ready = {}
        while process.poll() is None:
            ready.update(thread_seconds(process.pid))
            time.sleep(0.02)
        output.seek(0)
        result = output.read()
    if process.returncode != 0:
        raise SystemExit(f"the match failed with code {process.returncode}")
    wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    match = json.loads(result)["matches"][0]
    return {
        "games": match["games"],
        "plies": round(match["mean_plies"], 1),
        "threads": threads,
        "wall_seconds": round(wall, 2),
        "processor_seconds": round(cpu, 2),
        "busy": round(cpu / (wall * threads), 4),
        "ready": round(sum(ready.values()) / (wall * threads), 4),
        "games_per_second": round(match["games"] / wall, 1),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--model", default="models/quickstart.tablut", type=Path)
    parser.add_argument("--games", default=1000, type=int)
    parser.add_argument("--simulations", default=32, type=int)
    parser.add_argument("--threads", default=len(os.sched_getaffinity(0)), type=int)
    parser.add_argument("--rounds", default=3, type=int)
    arguments = parser.parse_args()
    print(f"load before: {os.getloadavg()[0]:.2f}")
    for _ in range(arguments.rounds):
        with tempfile.TemporaryDirectory() as folder:
            row = measure(
                arguments.binary, arguments.model, arguments.games, arguments.simulations, arguments.threads, Path(folder)
            )
        print(json.dumps(row))


if __name__ == "__main__":
    main()
