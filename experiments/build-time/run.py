#!/usr/bin/env python3
"""Times cold builds of commits, one after the other, with all sources already downloaded.

    python3 experiments/build-time/run.py --out experiments/build-time/results.json COMMIT…

Each build has a folder of its own, which is removed afterwards. `--keep DIR` keeps cargo's page of timings of each.
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

BUILDS = {
    "tablut": ["build", "--release", "-p", "tablut"],
    "tablut-play": ["build", "--release", "-p", "tablut-play"],
}


def timed(tree, target, arguments):
    """Seconds of wall clock and of processor time that a build takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    environment = os.environ | {"CARGO_TARGET_DIR": str(target)}
    subprocess.run(["cargo", *arguments, "--locked", "--offline", "--timings", "--quiet"], cwd=tree, env=environment, check=True)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall_secs": round(wall, 1), "processor_secs": round(processor, 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commits", nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--keep", type=Path)
    args = parser.parse_args()
    results = []
    for commit in args.commits:
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder) / "tree"
            subprocess.run(["git", "worktree", "add", "--quiet", "--detach", tree, commit], check=True)
            try:
                name = subprocess.check_output(["git", "rev-parse", "--short=9", "HEAD"], cwd=tree, text=True).strip()
                subprocess.run(["cargo", "fetch", "--locked", "--quiet"], cwd=tree, check=True)
                for build, arguments in BUILDS.items():
                    target = Path(folder) / build
                    result = {"commit": name, "build": build, "cores": os.cpu_count(), **timed(tree, target, arguments)}
                    print(json.dumps(result), flush=True)
                    results.append(result)
                    if args.keep:
                        args.keep.mkdir(parents=True, exist_ok=True)
                        shutil.copy(target / "cargo-timings" / "cargo-timing.html", args.keep / f"{name}-{build}.html")
                    shutil.rmtree(target)
            finally:
                subprocess.run(["git", "worktree", "remove", "--force", tree], check=True)
    args.out.write_text("".join(json.dumps(result) + "\n" for result in results))


main()
