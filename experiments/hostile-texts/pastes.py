#!/usr/bin/env python3
"""How fast the page answers while fifty others paste texts that were made to take long.

    cargo build --release -p tablut-play
    experiments/hostile-texts/pastes.py [--program target/release/tablut-play] [--windows 50] [--seconds 20]

One window plays a game and measures the time from sending a request to hearing that it is done. The other windows paste
texts of 200 kB all the time, and half of them leave without waiting for the answer. Fails if an answer takes 300 ms.
"""

import argparse
import itertools
import json
import multiprocessing
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reply-time"))
from measure import Page  # noqa: E402

BYTES = 200_000
MOST_SECONDS = 0.3
# The start of a text, and the part that is repeated.
TEXTS = [("", "[a:b]\r"), ("1. d1-d3 e3-d3\n", "1."), ("[a:b]", "{x}"), ("1. d1-d3\n", "(e2-f2) "), ("1. d1-d3\n" + "1a.1." * 20_000 + "1a. ", "e3-f3 "), ("", "rules=kvasir&"), ("", "d1-d3 ")]


def frame(start, part):
    """A request with a long text. A mask of zeros leaves it as it is."""
    text = start + part * ((BYTES - len(start)) // len(part))
    data = json.dumps({"id": 1, "do": "import", "text": text}).encode()
    return bytes([129, 255]) + struct.pack("!Q", len(data)) + bytes(4) + data


FRAMES = [frame(start, part) for start, part in TEXTS]


def paste(authority, leaves):
    frames = itertools.cycle(FRAMES)
    while True:
        try:
            page = Page(authority)
            for data in itertools.islice(frames, 5):
                page.stream.sendall(data)
                while not leaves and page.event()["event"] not in ("done", "refused"):
                    pass
            page.stream.close()
        except (OSError, TypeError, ValueError, struct.error):
            pass  # The server closes connections above its maximum.


def paste_all(authority, windows):
    """Pastes in all windows, in a process of its own, so that it does not slow the measurement down."""
    threads = [threading.Thread(target=paste, args=(authority, n % 2 == 1), daemon=True) for n in range(windows)]
    for thread in threads:
        thread.start()
    threads[0].join()


def answers(page, seconds):
    """The seconds that each answer took."""
    found, end = [], time.perf_counter() + seconds
    moves = itertools.cycle(["d1-d3", None])
    mv = None
    # The last request takes the move back, so that the next series can make it again.
    while time.perf_counter() < end or mv:
        began = time.perf_counter()
        mv = next(moves)
        page.ask("play", move=mv) if mv else page.ask("back")
        while (event := page.event())["event"] != "done":
            if event["event"] == "refused":
                raise SystemExit(event["error"])
        found.append(time.perf_counter() - began)
        time.sleep(0.1)
    return sorted(found)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--program", default="target/release/tablut-play")
    options.add_argument("--windows", type=int, default=50)
    options.add_argument("--seconds", type=float, default=20)
    options = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen([options.program, "serve", "--port", "0", "--folder", folder], stdout=subprocess.PIPE, text=True)
        try:
            authority = server.stdout.readline().strip().removeprefix("http://").strip("/")
            page = Page(authority)
            page.ask("new", rules={"name": "kvasir"})
            page.state(lambda state: state["ply"] == 0)
            while page.event()["event"] != "done":
                pass
            quiet = answers(page, options.seconds / 4)
            pasters = multiprocessing.Process(target=paste_all, args=(authority, options.windows), daemon=True)
            pasters.start()
            busy = answers(page, options.seconds)
            pasters.kill()
        finally:
            server.kill()
    for name, found in [("alone", quiet), (f"beside {options.windows} that paste", busy)]:
        millis = [1000 * value for value in (statistics.median(found), found[int(0.9 * (len(found) - 1))], found[-1])]
        print(json.dumps({"answers": name, "n": len(found), "median_ms": round(millis[0], 1), "p90_ms": round(millis[1], 1), "longest_ms": round(millis[2], 1)}))
    if busy[-1] >= MOST_SECONDS:
        raise SystemExit(f"an answer took {busy[-1]:.2f} s, expected less than {MOST_SECONDS} s")


if __name__ == "__main__":
    main()
