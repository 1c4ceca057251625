"""Games and analyses of `tablut bridge opentafl` under OpenTafl's own host of engines, against random moves; a table of what came of them.

    cargo build --release && sh experiments/opentafl/build.sh OpenTafl out
    python3 experiments/opentafl/host_games.py out --model models/all-rules.tablut

The exit code is 1 if a game ended otherwise than on the board, or the engine sent an error or an illegal move. Conversations in which a
board did not follow by our rules are kept under OUT/conversations.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINES = ["OpenTafl's Tablut", "OpenTafl's Sea Battle", "piecepack", "masters-edge"]
ENDS = ["attackers", "defenders", "draw", "unfinished", "the random player has no move"]
MAX_PLIES = 300
# What OpenTafl, or Host, says of an engine that did wrong.
FAULTS = re.compile(r"< error|> error|# move refused|# half a line|# the engine still ran|# a move instead", re.MULTILINE)
NOT_FOLLOWED = "this board does not follow"


def all_lines(oracle, tablut):
    """The rule sets that can be written as a line, and those games of OpenTafl's that are played here, by name."""
    answers = subprocess.run([oracle], input="variant 0\nvariant 1\n", check=True, capture_output=True, text=True).stdout
    battle, tablut_line = (line.removeprefix("ok ") for line in answers.splitlines())
    lines = {"OpenTafl's Sea Battle": battle, "OpenTafl's Tablut": tablut_line}
    for rules in json.loads(subprocess.run([tablut, "rules", "--json"], check=True, capture_output=True, text=True).stdout):
        written = subprocess.run([tablut, "rules", rules["name"], "--opentafl"], capture_output=True, text=True)
        if written.returncode == 0:
            lines[rules["name"]] = written.stdout.splitlines()[0]
    return lines


def conversation(host, args):
    """What came of it, its plies, the longest thought in seconds, faults, and the whole conversation."""
    done = subprocess.run([host, *args], cwd=ROOT, capture_output=True, text=True, timeout=900)
    result = re.search(r"^result (.*)$", done.stdout, re.MULTILINE)
    result = result.group(1) if result else "nothing"
    plies = len(re.findall(r"^move ", done.stdout, re.MULTILINE))
    asked, longest = None, 0.0
    for seconds, text in re.findall(r"^ *(\d+\.\d+) (.*)$", done.stderr, re.MULTILINE):
        if text.startswith(("> play", "> analyze")):
            asked = float(seconds)
        elif text.startswith(("< move", "< analysis")) and asked is not None:
            longest, asked = max(longest, float(seconds) - asked), None
    faults = FAULTS.findall(done.stderr)
    if done.returncode != 0:
        faults.append(f"exit code {done.returncode}")
    return result, plies, longest, faults, done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path, help="what build.sh has written to")
    parser.add_argument("--tablut", type=Path, default=ROOT / "target/release/tablut")
    parser.add_argument("--model", type=Path, default=ROOT / "models/all-rules.tablut")
    parser.add_argument("--rules", action="append", help=f"rule set, may be given often; or all (default: {', '.join(LINES)})")
    parser.add_argument("--games", type=int, default=12, help="games for each line and side")
    parser.add_argument("--clock", default="5+2x3", help="of every other game")
    args = parser.parse_args()
    out = args.out.resolve()
    host = str(out / "host")
    engine = [str(args.tablut.resolve()), "bridge", "opentafl", "--model", str(args.model.resolve())]
    lines = all_lines(str(out / "oracle"), engine[0])
    names = list(lines) if args.rules == ["all"] else args.rules or LINES
    clocks = list(dict.fromkeys(["none", args.clock]))
    kept = out / "conversations"
    kept.mkdir(exist_ok=True)
    wrong = []

    print("| line | engine | clock | games | engine won | lost | drawn | unfinished | plies | longest thought, s | board did not follow |")
    print("|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name in names:
        for side in ["attackers", "defenders"]:
            for start, clock in enumerate(clocks):
                results, plies, longest, not_followed = [], 0, 0.0, 0
                for seed in range(start + 1, args.games + 1, len(clocks)):
                    game = ["game", side, lines[name], clock, str(seed), str(MAX_PLIES), *engine]
                    result, n_plies, thought, faults, text = conversation(host, game)
                    results.append(result)
                    plies, longest = plies + n_plies, max(longest, thought)
                    where = f"{name}, {side}, clock {clock}, seed {seed}"
                    if result not in ENDS or faults:
                        wrong.append(f"{where}: {result} {faults}")
                    if NOT_FOLLOWED in text:
                        not_followed += 1
                        (kept / re.sub(r"\W+", "-", where)).write_text(text)
                won = results.count(side)
                drawn, unfinished = results.count("draw"), sum(results.count(end) for end in ENDS[3:])
                lost = len(results) - won - drawn - unfinished
                row = [name, side, clock, len(results), won, lost, drawn, unfinished, f"{plies / max(len(results), 1):.1f}"]
                print("|", " | ".join(map(str, [*row, f"{longest:.2f}", not_followed])), "|", flush=True)
        result, _, longest, faults, _ = conversation(host, ["analyze", lines[name], "3", "2", *engine])
        print(f"| {name} | analysis of 2 s | | | {result} | | | | | {longest:.2f} | |", flush=True)
        if result != "analysis" or faults:
            wrong.append(f"{name}, analysis: {result} {faults}")
    print("\n".join(["", f"{len(wrong)} conversations went wrong", *wrong]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
