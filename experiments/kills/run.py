#!/usr/bin/env python3
"""Kills training runs and matches at random instants, and compares what is left with runs that were never killed.

    cargo build --release
    experiments/kills/run.py [--runs 200] [--matches 50] [--seed 1] [--program target/release/tablut]

Each killed run goes on with the same command until it ends. Then its folder must hold the same files as that of the run that
was never killed, and the same bytes, but for the wall times in metrics.jsonl and log.txt, where the same lines are expected.
"""

import argparse
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# What the lines of the metrics say of time and of the machine.
TIMES = ("seconds", "mean_batch", "batch_fill", "net_share", "samples_per_second", "machine")


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(inner) for key, inner in value.items() if key not in TIMES}
    return value


def contents(path):
    """The bytes of a file, or of metrics what does not depend on the clock."""
    if path.name == "metrics.jsonl":
        lines = [without_times(json.loads(line)) for line in path.read_text().splitlines()]
        # Where games were found on disk they were not timed, and their evaluations are those of the file.
        return json.dumps(lines, sort_keys=True)
    if path.name == "log.txt":
        return ""
    return path.read_bytes()


def differences(whole, killed):
    """What differs between two folders, a line each."""
    files = [{str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()} for folder in (whole, killed)]
    faults = [f"{name} is missing" for name in files[0].keys() - files[1].keys()]
    faults += [f"{name} is too many" for name in files[1].keys() - files[0].keys()]
    for name in files[0].keys() & files[1].keys():
        if contents(files[0][name]) != contents(files[1][name]):
            faults.append(f"{name} differs")
    return sorted(faults)


def whole(command):
    """Runs a command to its end and gives the seconds that it took."""
    start = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    return time.monotonic() - start


def killed(command, seconds, rng):
    """Runs a command again and again, each time for a random while, until it ends by itself; gives the number of kills."""
    kills = 0
    while True:
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            # Often before anything is done, and sometimes after several generations.
            _, error = process.communicate(timeout=rng.expovariate(6 / seconds))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            _, error = process.communicate()
        if process.returncode == -signal.SIGKILL:
            kills += 1
        elif process.returncode == 0:
            return kills
        else:
            sys.exit(f"after {kills} kills {' '.join(command)} ended with {process.returncode}:\n{error}")


def campaign(what, n_kills, command_for, compare, folder, rng):
    reference = folder / f"{what}-whole"
    seconds = whole(command_for(reference))
    kills, repeats, faults = 0, 0, []
    while kills < n_kills:
        subject = folder / f"{what}-{repeats}"
        kills += killed(command_for(subject), seconds, rng)
        repeats += 1
        found = compare(reference, subject)
        faults += [f"{what} {repeats}: {fault}" for fault in found]
        print(f"{what}: {kills} kills in {repeats} repeats, {len(faults)} differences", file=sys.stderr, flush=True)
    return {"what": what, "kills": kills, "repeats": repeats, "seconds_unkilled": round(seconds, 2), "differences": faults}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200, help="kills of training runs")
    parser.add_argument("--matches", type=int, default=50, help="kills of matches")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default=str(ROOT / "target/release/tablut"))
    args = parser.parse_args()
    rng = random.Random(args.seed)
    # Beside the program, so that files are written to a disk and not to memory.
    with tempfile.TemporaryDirectory(prefix="kills-", dir=pathlib.Path(args.program).resolve().parent) as folder:
        folder = pathlib.Path(folder)
        train = lambda run: [args.program, "train", str(HERE / "tiny.toml"), "--run", str(run)]

        def play(games):
            games.mkdir(exist_ok=True)
            players = ["greedy", "alphabeta:2", "net:models/quickstart.tablut@16"]
            options = ["--games", "60", "--save-games", str(games / "match.jsonl"), "--seed", "3"]
            return [args.program, "match", *players, *options]

        results = [
            campaign("training run", args.runs, train, differences, folder, rng),
            campaign("match", args.matches, play, differences, folder, rng),
        ]
    for result in results:
        print(json.dumps(result))
    sys.exit(any(result["differences"] for result in results))


if __name__ == "__main__":
    main()
