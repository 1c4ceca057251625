#!/usr/bin/env python3
"""Plays the shipped net against programs of the Tablut Challenge, and shows the table.

    python3 experiments/contest/run.py play --out runs/contest --commands commands.toml
    python3 experiments/contest/run.py collect --out runs/contest
    python3 experiments/contest/run.py table
    python3 experiments/contest/run.py explain

`commands.toml` has, for each program of `programs.toml`, the command that starts it: `osarracino = "/path/osarracino {role} -t 3"`. The programs
connect to the ports 5800 and 5801, so each match runs in a network namespace of its own (`unshare --net`, as root), on one core
(`taskset`); one match runs on each core of `--cores`.
"""

import argparse
import json
import queue
import sys
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from program import call, call_once, net_hash  # noqa: E402
from scores import of_pairs, pairs_of  # noqa: E402

HERE = Path(__file__).parent
PROGRAMS = tomllib.loads((HERE / "programs.toml").read_text())
RESULTS = HERE / "results.json"
# Many programs think a little longer than they are told, and a virtual machine for Java starts slowly.
LIMIT = "6s"
# Plies of the even openings.
OPENING = 6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["play", "collect", "table", "explain"])
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--net", default="shipped")
    parser.add_argument("--simulations", type=int, nargs="*", default=[40])
    parser.add_argument("--games", type=int, default=16, help="games against each program, an even number")
    parser.add_argument("--commands", type=Path)
    parser.add_argument("--programs", nargs="*", default=list(PROGRAMS))
    parser.add_argument("--cores", type=int, nargs="*", default=[0, 1])
    parser.add_argument("--out", type=Path, default=Path("runs/contest"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    {"play": play, "collect": collect, "table": table, "explain": explain}[options.step](options)


def play(options):
    """One match on each core at a time."""
    commands = tomllib.loads(options.commands.read_text())
    if missing := [program for program in options.programs if program not in commands]:
        sys.exit(f"{options.commands} has no command for {', '.join(missing)}")
    idle = queue.Queue()
    for core in options.cores:
        idle.put(core)

    def on_idle_core(simulations, program):
        core = idle.get()
        match(options, program, commands[program], simulations, core)
        idle.put(core)

    with ThreadPoolExecutor(len(options.cores)) as pool:
        list(pool.map(on_idle_core, *zip(*product(options.simulations, options.programs))))


def match(options, program, command, simulations, core):
    out = options.out / f"{program}-{simulations}.json"
    players = [f"ours=net:{options.net}@{simulations}", f"{program}=challenge:{command}@{LIMIT}"]
    rest = ["--rules", "ashton", "--games", options.games, "--openings", "even", "--threads", 1, "--save-games", out.with_suffix(".games.jsonl")]
    inside = [str(word) for word in [options.binary, "match", *players, *rest, "--json", "-q"]]
    script = f'ip link set lo up && exec taskset -c {core} "$@"'
    try:
        if call_once(out, ["unshare", "--net", "sh", "-c", script, "sh", *inside]):
            print(out.stem, "done", flush=True)
    except SystemExit as error:
        print(out.stem, error, flush=True)


def collect(options):
    """Sums of the finished matches, with each game that was not won."""
    net, found = net_hash(options.binary, options.net), results()
    found = found if found.get("net") == net else {"net": net, "matches": {}}
    for path in sorted(options.out.glob("*.games.jsonl")):
        name = path.name.removesuffix(".games.jsonl")
        if path.with_name(f"{name}.json").exists():
            found["matches"][name] = summed(path)
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(match)}" for name, match in sorted(found["matches"].items()))
    RESULTS.write_text(f'{{"net": "{net}", "matches": {{\n{lines}\n}}}}\n')


def summed(path):
    """A match: won, drawn and lost games of the net as attackers and as defenders, the number of pairs with 0, ½, 1, 1½ and 2
    points, the mean plies, and the games that were not won or ended by a forfeit."""
    games = [game for game in map(json.loads, path.read_text().splitlines()) if "game" in game]
    ours = {"attackers": Counter(), "defenders": Counter()}
    halves, rest = {}, []
    for game in games:
        side = next(side for side in ours if game[side] == "ours")
        end = "drawn" if game["winner"] is None else "won" if game["winner"] == side else "lost"
        ours[side][end] += 1
        halves[game["game"]] = {"won": 2, "drawn": 1, "lost": 0}[end]
        if end != "won" or game["reason"] == "forfeit":
            rest.append({"side": side, "end": end} | {key: game[key] for key in ("reason", "forfeit", "moves") if key in game})
    sides = {side: [counts[end] for end in ("won", "drawn", "lost")] for side, counts in ours.items()}
    plies = sum(len(game["moves"]) for game in games) / len(games)
    return sides | {"pairs": pairs_of(halves), "plies": round(plies, 1), "rest": rest}


def results():
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def table(options):
    matches = results()["matches"]
    for simulations in sorted({int(name.rpartition("-")[2]) for name in matches}):
        print(f"\n{simulations} simulations\n")
        print("| program | games | as attackers | as defenders | score (95 %) | plies |")
        print("|---|--:|--:|--:|---|--:|")
        total, pairs = Counter(), [0] * 5
        for program in PROGRAMS:
            match = matches.get(f"{program}-{simulations}")
            if not match:
                continue
            pairs = [one + other for one, other in zip(pairs, match["pairs"])]
            for side in ("attackers", "defenders"):
                for end, count in zip(("won", "drawn", "lost"), match[side]):
                    total[side, end] += count
            print(row(program, match["attackers"], match["defenders"], match["pairs"], match["plies"]))
        sides = [[total[side, end] for end in ("won", "drawn", "lost")] for side in ("attackers", "defenders")]
        print(row("all", *sides, pairs, ""))


def row(name, attackers, defenders, pairs, plies):
    _, score, low, high = of_pairs(pairs)
    shown = [" – ".join(map(str, side)) for side in (attackers, defenders)]
    return f"| {name} | {sum(attackers) + sum(defenders)} | {shown[0]} | {shown[1]} | {score:.1%} ({low:.1%}–{high:.1%}) | {plies} |"


def explain(options):
    """Where each game that was not won was lost: the net's own move after which the value of 4,000 simulations fell most, and
    its values before and after. They are the net's own, from -1 (lost) to 1 (won)."""
    print("| program | side | end | plies | value of the opening | costliest move | before | after |")
    print("|---|---|---|--:|--:|---|--:|--:|")
    for name, match in results()["matches"].items():
        for game in match["rest"]:
            if game["end"] != "won":
                side, moves = game["side"], game["moves"]
                with ThreadPoolExecutor(2) as pool:
                    values = list(pool.map(lambda ply: value(options, moves[:ply], side), range(OPENING, len(moves))))
                # Ashton's defenders move first.
                own = [ply for ply in range(OPENING, len(moves) - 1) if ply % 2 == (side == "attackers")]
                ply = max(own, key=lambda ply: values[ply - OPENING] - values[ply + 1 - OPENING])
                before, after = values[ply - OPENING], values[ply + 1 - OPENING]
                shown = f"{ply + 1}. {moves[ply]} | {before:+.2f} | {after:+.2f}"
                print(f"| {name} | {side} | {game['end']} | {len(moves)} | {values[0]:+.2f} | {shown} |", flush=True)


def value(options, moves, side):
    command = [options.binary, "analyze", options.net, *moves, "--rules", "ashton", "--simulations", 4000, "--json", "-q"]
    found = json.loads(call(command))["search"]["value"]
    return found if side == "attackers" else -found


if __name__ == "__main__":
    main()
