#!/usr/bin/env python3
"""Plays the pairings of `pairings.py`, one process for each core, the cheapest first.

    python3 experiments/scaling/run.py --out runs/scaling
    python3 experiments/scaling/run.py --out runs/scaling --part doublings --most 4096

Finished games are kept, so a run may be stopped at any time: the same command goes on where it was. Pairings of
`results.json` are played only with `--again`. `table.py` makes the tables from whole pairings. The part `clock` has a
clock: nothing else should run.
"""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pairings import effort, kept, name, pairings, wanted

sys.path.append(str(Path(__file__).parents[1]))
from program import call_once  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--net", default="models/all-rules.tablut")
    parser.add_argument("--openings", default="even", help="`even`, or a number of random plies")
    parser.add_argument("--precision", default="f32", help="f32, or fastest: bf16 where the machine is faster in it")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("runs/scaling"))
    parser.add_argument("--part", choices=["all", "doublings", "variants", "clock"], default="all")
    parser.add_argument("--again", action="store_true", help="play the pairings of results.json too")
    parser.add_argument("--most", type=int, default=1 << 20, help="leave out pairings with more simulations or milliseconds")
    parser.add_argument("--only", nargs="+", default=[""], help="play only pairings whose name has one of these parts")
    return parser.parse_args()


def play(options, pairing):
    """One match, in JSON; nothing if it is there already."""
    rules, first, second = pairing
    out = options.out / f"{name(pairing)}.json"
    net = lambda text: f"net:{options.net}@{text},precision={options.precision}"
    players = [text if text.startswith("alphabeta") else net(text) for text in (first, second)]
    opening = ["--opening-plies", options.openings] if options.openings.isdigit() else ["--openings", options.openings]
    command = [options.binary, "match", *players, "--rules", rules, "--games", wanted(first, second), *opening]
    command += ["--threads", 1, "--save-games", out.with_suffix(".games.jsonl"), "--json", "-q"]
    if call_once(out, command):
        print(f"{rules}: {first} against {second}", file=sys.stderr, flush=True)


def main():
    options = arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    done = {} if options.again else kept()
    wanted_pairings = [pairing for pairing in pairings(options.part) if effort(pairing[1]) <= options.most]
    wanted_pairings = [pairing for pairing in wanted_pairings if name(pairing) not in done]
    wanted_pairings = [pairing for pairing in wanted_pairings if any(part in name(pairing) for part in options.only)]
    wanted_pairings.sort(key=lambda pairing: wanted(*pairing[1:]) * sum(map(effort, pairing[1:])))
    with ThreadPoolExecutor(options.processes) as pool:
        for _ in pool.map(lambda pairing: play(options, pairing), wanted_pairings):
            pass


if __name__ == "__main__":
    main()
