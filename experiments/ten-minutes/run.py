#!/usr/bin/env python3
"""Trains for a given time from the shipped net under one rule set, and plays the result against that net.

    python3 experiments/ten-minutes/run.py ashton target/release/tablut
    python3 experiments/ten-minutes/run.py mine.toml target/release/tablut --time 2m

Nothing else should run, because the time is a result. Finished steps are kept in the folder --out. The match with the shipped
net is from even openings; a rule file gets a book of its own.
"""

import argparse
import json
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from program import call, call_once  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rules", help="a rule set's name, or a rule file")
    parser.add_argument("binary", nargs="?", default="target/release/tablut")
    parser.add_argument("--time", default="10m")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--from-scratch", action="store_true", help="begin with an untrained net")
    parser.add_argument("--out", type=Path, default=Path("runs/ten-minutes"))
    options = parser.parse_args()
    name = Path(options.rules).stem + ("-scratch" if options.from_scratch else "") + f"-{options.time}"
    run = options.out / name
    run.mkdir(parents=True, exist_ok=True)
    seconds = train(options, run)
    wanted = float(options.time[:-1]) * {"s": 1, "m": 60, "h": 3600, "d": 86400}[options.time[-1]]
    print(f"{name}: {seconds:.0f} s of {wanted:.0f} s, {100 * seconds / wanted:.0f} %")
    net, openings = f"net:{run}@128", "even"
    if options.rules.endswith(".toml"):
        openings = run / "openings.jsonl"
        book = ["generate", "openings", "--rules", options.rules, "--judge", "net:shipped@400", "--count", "60", "--band", "0.3"]
        if not openings.exists():
            call([options.binary, *book, "--out", openings])
    match = [options.binary, "match", net, "net:shipped@128", "--rules", options.rules, "--openings", openings]
    call_once(run / "shipped.json", [*match, "--games", options.games, "--json"])
    alphabeta = [options.binary, "match", net, "alphabeta:2", "--rules", options.rules]
    call_once(run / "alphabeta.json", [*alphabeta, "--games", options.games, "--json"])
    for opponent in ["shipped", "alphabeta"]:
        found = json.loads((run / f"{opponent}.json").read_text())["matches"][0]
        score = found["total"]["score"]
        mean, low, high = (100 * score[part] for part in ["mean", "low", "high"])
        print(f"against {found['players'][1]}: {mean:.1f} % ({low:.0f}-{high:.0f}) of {found['games']} games")


def train(options, run):
    """Trains, and returns the wall time of the whole command in seconds."""
    kept = run / "seconds.txt"
    if not kept.exists():
        command = [options.binary, "train", "--rules", options.rules, "--time", options.time, "--run", run, "--plain"]
        began = time.monotonic()
        call(command + (["--from-scratch"] if options.from_scratch else []))
        kept.write_text(f"{time.monotonic() - began:.1f}\n")
    return float(kept.read_text())


if __name__ == "__main__":
    main()
