#!/usr/bin/env python3
"""What watching costs a run: the same short run alone and watched, in turns.

Watched means: `train --serve` with TensorBoard's event files, a browser's worth of requests for the page every five seconds, and a
whole `tablut report` every ten. Each round does both, in changing order; the ratio of the rounds' times is what counts, because a
machine is never the same twice. All runs must end with the same bits.

    experiments/watching/run.py BINARY [ROUNDS] [GENERATIONS]

writes a line for each round to results.jsonl beside this file, and prints the summary.
"""

import hashlib
import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
CONFIG = HERE.parent.parent / "configs" / "quickstart.toml"


def bits(run):
    """A hash of the run's games and models; its states hold the same numbers again."""
    digest = hashlib.sha256()
    for path in sorted([*run.glob("games/*.games"), *run.glob("checkpoints/gen-?????.safetensors")]):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def train(binary, folder, generations, watched):
    """Wall time of the training, processor time of everything, and the run's bits."""
    run = folder / "run"
    overrides = [f"schedule.generations={generations}", "evaluation.games=0"]
    overrides += [f"machine.tensorboard={str(watched).lower()}"]
    command = [binary, "train", str(CONFIG), "--run", str(run), "--plain"]
    command += [text for override in overrides for text in ("--set", override)]
    if watched:
        command.append("--serve=127.0.0.1:0")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    link, ended, counts = [], threading.Event(), {"pages": 0, "reports": 0}

    def hear():
        for line in process.stderr:
            found = re.search(r"http://\S+", line)
            if found and not link:
                link.append(found.group())

    def look():
        while not ended.wait(5):
            if link:
                with urllib.request.urlopen(link[0]) as answer:
                    answer.read()
                counts["pages"] += 1

    def report():
        while not ended.wait(10):
            out = folder / "report.html"
            subprocess.run([binary, "report", str(run), "--out", str(out)], check=True, stdout=subprocess.DEVNULL)
            counts["reports"] += 1

    threads = [threading.Thread(target=hear)]
    if watched:
        threads += [threading.Thread(target=look), threading.Thread(target=report)]
    for thread in threads:
        thread.start()
    code = process.wait()
    seconds = time.perf_counter() - start
    ended.set()
    for thread in threads:
        thread.join()
    if code != 0:
        sys.exit(f"{' '.join(command)} ended with code {code}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = sum(getattr(after, key) - getattr(before, key) for key in ("ru_utime", "ru_stime"))
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    measuring = sum(line["machine"]["measuring_seconds"] for line in lines)
    return {"seconds": seconds, "processor": processor, "measuring": measuring, "bits": bits(run), **counts}


def interval(ratios):
    """The geometric mean of the ratios, with its 95 % interval by Student's t."""
    logs = [math.log(ratio) for ratio in ratios]
    mean = sum(logs) / len(logs)
    if len(logs) < 2:
        return math.exp(mean), float("nan"), float("nan")
    deviation = math.sqrt(sum((x - mean) ** 2 for x in logs) / (len(logs) - 1))
    student = {2: 12.7, 3: 4.3, 4: 3.18, 5: 2.78, 6: 2.57, 7: 2.45, 8: 2.36, 9: 2.31, 10: 2.26}.get(len(logs), 2.1)
    half = student * deviation / math.sqrt(len(logs))
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)


def main():
    binary = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    generations = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    results = []
    for number in range(rounds):
        found = {}
        for watched in ((False, True), (True, False))[number % 2]:
            with tempfile.TemporaryDirectory() as folder:
                found["watched" if watched else "alone"] = train(binary, Path(folder), generations, watched)
        results.append(found)
        print(f"round {number}: alone {found['alone']['seconds']:.1f} s, watched {found['watched']['seconds']:.1f} s", flush=True)
    lines = [json.dumps({"round": number, **found}) + "\n" for number, found in enumerate(results)]
    (HERE / "results.jsonl").write_text("".join(lines))
    for key, name in (("seconds", "wall time"), ("processor", "processor time, all processes together")):
        mean, low, high = interval([found["watched"][key] / found["alone"][key] for found in results])
        print(f"{name}: watched takes {100 * (mean - 1):+.2f} % (95 % interval {100 * (low - 1):+.2f} to {100 * (high - 1):+.2f})")
    alone = [found["alone"] for found in results]
    share = sum(one["measuring"] for one in alone) / sum(one["seconds"] for one in alone)
    print(f"the metrics' own measurements, which every run makes: {100 * share:.2f} % of its time")
    same = len({found[kind]["bits"] for found in results for kind in found}) == 1
    print("bits: " + ("all runs are the same" if same else "RUNS DIFFER"))
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
