#!/usr/bin/env python3
"""Plays a net against alpha-beta with ten and with five times its time, under the contest's rules, from even openings.

    python3 experiments/ashton/run.py play --net models/all-rules.tablut --out runs/ashton
    python3 experiments/ashton/run.py client --net models/all-rules.tablut --out runs/ashton
    python3 experiments/ashton/run.py table --out runs/ashton

`client` plays as a client of the contest's referee, over its protocol, against alpha-beta with the same time.

Games have one core each, so nothing else should run. Finished games are kept, and a match that was stopped goes on.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from program import call_once  # noqa: E402
from scores import elo_text  # noqa: E402

# The net's time for each move, the opponent, and the games.
MATCHES = [("100ms", "alphabeta:1000ms", 200), ("500ms", "alphabeta:5000ms", 200), ("200ms", "alphabeta:1000ms", 60)]
# Seconds that the contest's referee gives for each move, and the games. The client stops thinking 1.5 s earlier, but takes at
# least half of the time.
CLIENT = [(1, 20), (5, 10), (60, 2)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["play", "client", "table"])
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--net", default="models/all-rules.tablut")
    parser.add_argument("--threads", type=int, default=2, help="games at the same time: no more than cores")
    parser.add_argument("--out", type=Path, default=Path("runs/ashton"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    {"play": play, "client": client, "table": table}[options.step](options)


def path_of(options, time, opponent):
    return options.out / f"{time}-{opponent.replace(':', '-')}.json"


def play(options):
    for time, opponent, games in MATCHES:
        out = path_of(options, time, opponent)
        match(options, out, f"net:{options.net}@{time}", opponent, games)


def client(options):
    for seconds, games in CLIENT:
        player = f"{options.binary} bridge challenge --side {{role}} --seconds {{seconds}} --host {{host}} --port {{port}} --model {options.net}"
        opponent = f"alphabeta:{seconds}s"
        match(options, path_of(options, f"client-{seconds}s", opponent), f"challenge:{player}@{seconds}s", opponent, games)


def match(options, out, player, opponent, games):
    """A match, kept in `out`."""
    command = [options.binary, "match", player, opponent, "--rules", "ashton", "--openings", "even", "--games", games]
    call_once(out, [*command, "--threads", options.threads, "--save-games", out.with_suffix(".games.jsonl"), "--json", "-q"])


def table(options):
    print("| net | opponent | games | score (95 %) | Elo (95 %) | as attackers | as defenders |")
    print("|---|---|--:|---|---|--:|--:|")
    clients = [(f"client-{seconds}s", f"alphabeta:{seconds}s", games) for seconds, games in CLIENT]
    for time, opponent, _ in MATCHES + clients:
        path = path_of(options, time, opponent)
        if not path.exists():
            continue
        one = json.loads(path.read_text())["matches"][0]
        score = one["total"]["score"]
        mean, low, high = (score[key] for key in ("mean", "low", "high"))
        sides = [one[side]["score"]["mean"] for side in ("as_attackers", "as_defenders")]
        print(
            f"| {time} | `{opponent}` | {one['games']} | {100 * mean:.0f} % ({100 * low:.0f}–{100 * high:.0f}) "
            f"| {elo_text(mean, low, high)} | {100 * sides[0]:.0f} % | {100 * sides[1]:.0f} % |"
        )


if __name__ == "__main__":
    main()
