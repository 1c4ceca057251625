#!/usr/bin/env python3
"""Plays the pairings of `pairings.py` in many processes for a given time.

    python3 experiments/scaling/run.py --binary target/release/tablut --net models/all-rules.tablut \
        --processes 16 --minutes 25 --out runs/scaling

Every pairing gets its share of games at any moment, so that the run can be ended whenever one likes; the same command goes on
where it was. `results.jsonl` in the output folder has a line for each chunk of games; `table.py` reads it.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from pairings import pairings, simulations, wanted

# A chunk is to take about so long, so that little is lost at the end.
CHUNK_SECS = 45
# Simulations a second of one process, as long as nothing is measured.
FIRST_GUESS = 8000
PLIES = 50


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--net", default="models/all-rules.tablut")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--out", type=Path, default=Path("runs/scaling"))
    parser.add_argument("--part", choices=["all", "doublings", "variants"], default="all")
    parser.add_argument("--first-seed", type=int, default=1, help="so that runs in several folders play different games")
    parser.add_argument("--most", type=int, default=1 << 20, help="leave out pairings with more simulations than this")
    return parser.parse_args()


class Pairing:
    """Two searches under a rule set, and what was played of them."""

    def __init__(self, rules, first, second):
        self.rules, self.first, self.second = rules, first, second
        self.games = 0
        self.under_way = 0
        self.secs = 0.0
        self.chunks = 0

    def key(self):
        return (self.rules, self.first, self.second)

    def share(self):
        """Games played and under way for each one wanted."""
        return (self.games + self.under_way) / wanted(self.first, self.second)

    def secs_per_game(self, speed):
        """Measured, or guessed from the simulations a second."""
        if self.games >= 8:
            return self.secs / self.games
        return PLIES * (simulations(self.first) + simulations(self.second)) / 2 / speed

    def chunk(self, speed):
        """Games of the next chunk: an even number."""
        games = int(CHUNK_SECS / max(self.secs_per_game(speed), 1e-3))
        return max(2, min(40, games - games % 2))


def take(options, pairing, chunk):
    """Counts a finished chunk."""
    pairing.games += chunk["games"]
    pairing.secs += chunk["secs"]
    pairing.chunks = max(pairing.chunks, chunk["seed"] - options.first_seed + 1)


def start(options, pairing, games):
    """A process that plays the next chunk of a pairing."""
    pairing.chunks += 1
    pairing.under_way += games
    seed = options.first_seed + pairing.chunks - 1
    players = [f"net:{options.net}@{text}" for text in (pairing.first, pairing.second)]
    command = [options.binary, "match", *players, "--rules", pairing.rules, "--games", str(games), "--seed", str(seed)]
    process = subprocess.Popen([*command, "--threads", "1", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return {"process": process, "pairing": pairing, "games": games, "seed": seed, "since": time.monotonic()}


def chunk_of(job, text):
    """The line that is written for a finished chunk."""
    report = json.loads(text)["matches"][0]
    pairing = job["pairing"]
    return {
        "rules": pairing.rules,
        "first": pairing.first,
        "second": pairing.second,
        "seed": job["seed"],
        "games": report["games"],
        "pentanomial": report["pentanomial"]["counts"],
        "as_attackers": report["as_attackers"]["results"],
        "as_defenders": report["as_defenders"]["results"],
        "endings": report["endings"],
        "secs": round(time.monotonic() - job["since"], 2),
    }


def next_pairing(all_pairings, speed, secs_left):
    """The pairing that is furthest behind among those whose next chunk fits into the time left."""
    fitting = [p for p in all_pairings if 1.3 * p.chunk(speed) * p.secs_per_game(speed) < secs_left]
    return min(fitting, key=lambda p: (p.share(), simulations(p.first)), default=None)


def main():
    options = arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "results.jsonl"
    played = [pairing for pairing in pairings(options.part) if simulations(pairing[1]) <= options.most]
    by_key = {key: Pairing(*key) for key in played}
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            chunk = json.loads(line)
        except ValueError:
            continue  # cut short by a kill
        key = (chunk["rules"], chunk["first"], chunk["second"])
        if key in by_key:
            take(options, by_key[key], chunk)
    end = time.monotonic() + 60 * options.minutes
    work, secs, jobs, done = 0.0, 0.0, [], 0
    with path.open("a") as results:
        while True:
            speed = work / secs if secs > 20 else FIRST_GUESS
            while len(jobs) < options.processes:
                pairing = next_pairing(by_key.values(), speed, end - time.monotonic())
                if pairing is None:
                    break
                jobs.append(start(options, pairing, pairing.chunk(speed)))
            if not jobs:
                break
            time.sleep(0.05)
            if time.monotonic() > end:
                for job in jobs:
                    job["process"].kill()
                    job["process"].wait()
                break
            for job in [job for job in jobs if job["process"].poll() is not None]:
                jobs.remove(job)
                pairing = job["pairing"]
                pairing.under_way -= job["games"]
                if job["process"].returncode != 0:
                    sys.exit(f"a match failed: {pairing.key()}, exit code {job['process'].returncode}")
                chunk = chunk_of(job, job["process"].stdout.read())
                take(options, pairing, chunk)
                secs += chunk["secs"]
                work += PLIES * chunk["games"] * (simulations(pairing.first) + simulations(pairing.second)) / 2
                results.write(json.dumps(chunk) + "\n")
                results.flush()
                done += 1
                if done % 50 == 0:
                    least = min(pairing.share() for pairing in by_key.values())
                    print(f"{done} chunks, {100 * least:.0f} % of the pairing furthest behind", file=sys.stderr)


if __name__ == "__main__":
    main()
