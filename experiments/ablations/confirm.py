"""Whole runs of two programs with their own defaults, seed by seed, and matches between their nets at equal time a move.

Each run has the config of the quickstart without the measuring. Its processor time is measured.
"""

import argparse
import json
import resource
import shutil
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from program import call, checkpoints
from scores import elo_text, of_pairs


def train(program, out, name, rules, seed):
    """The newest net of a run, which is made once."""
    net, note = out / f"{name}-{rules}-{seed}.tablut", out / f"{name}-{rules}-{seed}.json"
    if note.exists():
        return net
    config, run = net.with_suffix(".toml"), net.with_suffix("")
    config.write_text(f'rules = ["{rules}"]\nshape = "lines32x2"\nseed = {seed}\n')
    shutil.rmtree(run, ignore_errors=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    sets = ["evaluation.games=0", "evaluation.rating_share=0", "machine.workers=1"]
    call([program, "train", config, "--run", run, "--plain", "-q", *(word for key in sets for word in ["--set", key])])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    generations = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    counts = {
        key: sum(generation["selfplay"][key] for generation in generations) for key in ["evaluations", "positions"]
    }
    shutil.copy(checkpoints(run)[-1], net)
    shutil.rmtree(run)
    config.unlink()
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    note.write_text(json.dumps({**counts, "processor_seconds": round(spent, 1)}))
    return net


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", type=Path, required=True)
    parser.add_argument("--new", type=Path, required=True, help="also plays the matches")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rules", nargs="+", default=["kvasir", "masters"])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--time", default="20ms")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for seed in options.seeds:
        for rules in options.rules:
            names = {"new": options.new, "old": options.old}
            nets = [train(program, options.out, name, rules, seed) for name, program in names.items()]
            file = options.out / f"match-{rules}-{seed}.json"
            if not file.exists():
                players = [f"net:{net}@{options.time}" for net in nets]
                words = ["--rules", rules, "--openings", "even", "--games", options.games, "--threads", 1, "--json", "-q"]
                file.write_text(call([options.new, "match", *players, *words]))
            match = json.loads(file.read_text())["matches"][0]
            times = [json.loads(net.with_suffix(".json").read_text())["processor_seconds"] for net in nets]
            score = elo_text(*of_pairs(match["pentanomial"]["counts"])[1:])
            print(f"{rules} {seed}: {score}, {times[0]} and {times[1]} s of processor time", flush=True)


if __name__ == "__main__":
    main()
