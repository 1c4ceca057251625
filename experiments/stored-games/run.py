#!/usr/bin/env python3
"""Trains nets on the stored games of a finished run, so that variants of net, optimiser and targets see the same games.

    run.py learn --source RUN --first 100 --generations 8 --variants variants.json --out DIR
    run.py match --variants variants.json --out DIR [--against muon] [--rules kvasir masters] [--games 120]
    run.py table --variants variants.json --out DIR

A run that finds a generation's games in its folder does not play them. So the script makes a folder with the games of
`RUN`, and `tablut train` only learns. All nets have the same games, and differ by less than nets that played their own.
`variants.json` maps a name to what differs from the source's config: a list of `key=value`. Every run has one thread.
All steps can be stopped and called again. What is done is kept.
"""

import argparse
import json
import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from program import call, call_once  # noqa: E402
from scores import elo_text  # noqa: E402

# One thread of learning: nets are compared by core-seconds.
ENVIRONMENT = {**os.environ, "RAYON_NUM_THREADS": "1"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["learn", "match", "table"])
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--source", type=Path, default=Path("runs/all-rules"), help="the run whose games are learnt from")
    parser.add_argument("--first", type=int, default=100, help="its first generation")
    parser.add_argument("--generations", type=int, default=8)
    parser.add_argument("--variants", type=Path, default=Path("experiments/stored-games/variants.json"))
    parser.add_argument("--out", type=Path, default=Path("runs/stored-games"))
    parser.add_argument("--names", nargs="*", help="only these variants")
    parser.add_argument("--against", default="muon", help="the variant that the others play")
    parser.add_argument("--rules", nargs="*", default=["kvasir", "masters"])
    parser.add_argument("--games", type=int, default=120, help="games under each rule set")
    parser.add_argument("--openings", help="`even` or a book; four random plies otherwise")
    parser.add_argument("--play", default="128", help="simulations a move, or a time such as 100ms")
    options = parser.parse_args()
    variants = json.loads(options.variants.read_text())
    options.out.mkdir(parents=True, exist_ok=True)
    names = options.names or list(variants)
    {"learn": learn, "match": play, "table": table}[options.step](options, names, variants)


def learn(options, names, variants):
    for name in names:
        folder = options.out / name
        if (folder / "evaluation.json").exists():
            continue
        (folder / "games").mkdir(parents=True, exist_ok=True)
        for generation in range(options.generations):
            game_file = folder / "games" / f"gen-{generation:05}.games"
            if not game_file.exists():
                os.link(options.source / "games" / f"gen-{options.first + generation:05}.games", game_file)
        sets = [f"schedule.generations={options.generations}", "evaluation.games=0", "evaluation.rating_share=0"]
        # Games with equal searches and with unequal ones are learnt from alike; nothing is played.
        sets += ["machine.workers=1", "selfplay.balance=0", "learning.held_out_share=0.05", *variants[name]]
        command = [options.binary, "train", str(options.source / "config.toml"), "--run", str(folder)]
        call(command + [part for assignment in sets for part in ("--set", assignment)], env=ENVIRONMENT)
        print(f"learnt {name}", flush=True)


def net(options, name):
    return f"net:{options.out / name}/checkpoints/gen-{options.generations - 1:05}.safetensors@{options.play}"


def play(options, names, _):
    for name in names:
        for rules in options.rules:
            out = options.out / f"match-{name}-{options.against}-{options.play}-{rules}.json"
            if name == options.against:
                continue
            players = [net(options, name), net(options, options.against)]
            command = [options.binary, "match", *players, "--games", str(options.games), "--rules", rules]
            command += ["--openings", options.openings] if options.openings else []
            command += ["--threads", "1", "--save-games", out.with_suffix(".games.jsonl"), "--json", "-q"]
            if call_once(out, command, env=ENVIRONMENT):
                print(f"played {name} under {rules}", flush=True)


def table(options, names, variants):
    heads = "".join(f" {rules} |" for rules in options.rules)
    print(f"| variant | settings | seconds | policy | value |{heads}\n|---|---|--:|--:|--:|{'---|' * len(options.rules)}")
    for name in names:
        path = options.out / name / "metrics.jsonl"
        if not path.exists():
            continue
        lines = [json.loads(line)["learning"] for line in path.read_text().splitlines()]
        held_out = [line["held_out"] for line in lines[-3:]]
        mean = lambda key: sum(h[key] * h["positions"] for h in held_out) / sum(h["positions"] for h in held_out)
        cells = []
        for rules in options.rules:
            match = options.out / f"match-{name}-{options.against}-{options.play}-{rules}.json"
            if match.exists():
                score = json.loads(match.read_text())["matches"][0]["total"]["score"]
                cells.append(elo_text(*(score[key] for key in ("mean", "low", "high"))))
            else:
                cells.append("")
        seconds = sum(line["seconds"] for line in lines)
        excess = mean("policy") - mean("policy_floor")
        print(
            f"| {name} | `{' '.join(variants[name]) or '-'}` | {seconds:.0f} | {excess:.3f} | {mean('value'):.3f} "
            f"| {' | '.join(cells)} |"
        )


if __name__ == "__main__":
    main()
