#!/usr/bin/env python3
"""Kills commands at random times, and compares the files that they leave with those of commands that were never killed.

    cargo build --release
    experiments/kills/run.py [--runs 200] [--matches 50] [--servers 100] [--files 60] [--seed 1] [--program target/release/tablut]

Each killed command is started again until it ends. Then its folder must hold the same files as that of the command that was
never killed, and the same bytes, except for the wall times in metrics.jsonl and for log.txt. A killed page server must
have saved every move that it acknowledged, and the next start must remove every temporary file.
"""

import argparse
import json
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reply-time"))
from measure import Page  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# The start of a game under kvasir's rules, to be reviewed.
GAME = "i4-g4 c5-c1 e2-d2 e7-g7 a6-a7 f5-f7 a4-b4 c1-c7 f1-f6 e3-g3 f6-f3 c7-c6 a5-a3 g7-g6 e1-h1 d5-d6\n"
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


def killed(command, mean, rng):
    """Runs a command again and again, each time for `mean` seconds on average, until it ends by itself; gives the number of
    kills."""
    kills = 0
    while True:
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            _, error = process.communicate(timeout=rng.expovariate(1 / mean))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            _, error = process.communicate()
        if process.returncode == -signal.SIGKILL:
            kills += 1
        elif process.returncode == 0:
            return kills
        else:
            sys.exit(f"after {kills} kills {' '.join(command)} ended with {process.returncode}:\n{error}")


def campaign(what, n_kills, command_for, folder, rng, resumes):
    """`resumes` says whether a command goes on where it was killed. The others begin again, so they are killed later."""
    reference = folder / f"{what}-whole"
    seconds = whole(command_for(reference))
    kills, repeats, faults = 0, 0, []
    while kills < n_kills:
        subject = folder / f"{what}-{repeats}"
        kills += killed(command_for(subject), seconds / 6 if resumes else seconds, rng)
        repeats += 1
        found = differences(reference, subject)
        faults += [f"{what} {repeats}: {fault}" for fault in found]
        print(f"{what}: {kills} kills in {repeats} repeats, {len(faults)} differences", file=sys.stderr, flush=True)
    return {"what": what, "kills": kills, "repeats": repeats, "seconds_unkilled": round(seconds, 2), "differences": faults}


def play_until_killed(program, folder, after, rng):
    """Starts a server, plays a game by hand, kills the server after some seconds, and gives the moves that it acknowledged."""
    command = [program, "serve", "--port", "0", "--folder", str(folder)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    page = Page(server.stdout.readline().strip().removeprefix("http://").strip("/"))
    killer = threading.Timer(after, server.kill)
    killer.start()
    acknowledged = []
    try:
        person = {"kind": "person"}
        page.ask("new", rules={"name": "kvasir"}, players={"attackers": person, "defenders": person})
        state = page.state(lambda state: state["ply"] == 0)
        while state["moves"]:
            move = rng.choice(state["moves"])["text"]
            page.ask("play", move=move)
            state = page.state(lambda state: state["ply"] == len(acknowledged) + 1)
            acknowledged.append(move)
    except (OSError, ValueError, struct.error):
        pass  # The connection ended with the server.
    killer.join()
    server.wait()
    return acknowledged


def servers(program, n_kills, folder, rng):
    faults = []
    for kill in range(n_kills):
        before = set(folder.glob("*.json"))
        moves = play_until_killed(program, folder, rng.uniform(0.02, 0.6), rng)
        saved = sorted(set(folder.glob("*.json")) - before)
        if moves and len(saved) != 1:
            faults.append(f"kill {kill}: {len(saved)} games saved, expected one")
        for path in saved:
            found = json.loads(path.read_text())["moves"]
            # The last move may be saved and not yet acknowledged.
            if found[: len(moves)] != moves or len(found) > len(moves) + 1:
                faults.append(f"kill {kill}: {path.name} has {len(found)} moves, {len(moves)} were acknowledged")
        if kill % 20 == 19:
            print(f"page server: {kill + 1} kills, {len(faults)} differences", file=sys.stderr, flush=True)
    # One more start, ended in order, removes what the last kill left.
    server = subprocess.Popen([program, "serve", "--port", "0", "--folder", str(folder)], stdout=subprocess.PIPE, text=True)
    server.stdout.readline()
    server.terminate()
    server.wait()
    faults += [f"{path.name} is too many" for path in folder.iterdir() if path.name.startswith(".part-")]
    return {"what": "page server", "kills": n_kills, "differences": faults}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200, help="kills of training runs")
    parser.add_argument("--matches", type=int, default=50, help="kills of matches")
    parser.add_argument("--servers", type=int, default=100, help="kills of the page's server")
    parser.add_argument("--files", type=int, default=60, help="kills of each command that writes one or a few files")
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

        def writes(words, out):
            """A command with its output in a folder of its own."""

            def command(target):
                target.mkdir(exist_ok=True)
                return [args.program, *words, "--force", "--out", str(target / out)]

            return command

        game = folder / "game.txt"
        game.write_text(GAME)
        net = "models/quickstart.tablut"
        files = {
            "puzzles": writes(["generate", "puzzles", net, "--rules", "kvasir", "--count", "8", "--games", "8", "--simulations", "4"], "."),
            "review": writes(["analyze", "--game", str(game), net, "--simulations", "50"], "review.json"),
            "openings": writes(["generate", "openings", "--count", "60", "--judge", "alphabeta:2"], "book.json"),
        }
        results = [
            campaign("training run", args.runs, train, folder, rng, True),
            campaign("match", args.matches, play, folder, rng, True),
        ]
        results += [campaign(what, args.files, command, folder, rng, False) for what, command in files.items()]
        games = folder / "games"
        games.mkdir()
        results.append(servers(args.program, args.servers, games, rng))
    for result in results:
        print(json.dumps(result))
    sys.exit(any(result["differences"] for result in results))


if __name__ == "__main__":
    main()
