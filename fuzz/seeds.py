#!/usr/bin/env python3
"""Writes valid inputs to fuzz/corpus/, so that the fuzzer passes the parsers' first checks from the start.

The inputs come from the repository's files: rule sets, playthroughs, puzzles and configs.
"""
import json
import pathlib
import re
import struct

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = ROOT / "fuzz" / "corpus"
RULES = ROOT / "crates" / "tablut-rules"
START = "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3"


def write(target, seeds):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds):
        (folder / f"seed-{number:03}").write_bytes(seed if isinstance(seed, bytes) else seed.encode())


def playthroughs():
    """Yields the rule set, the first side, and pairs of a move and the position after it."""
    for path in sorted((RULES / "tests" / "playthroughs").glob("*.txt")):
        head, *lines = path.read_text().splitlines()
        rules, first = re.match(r"(\S+), (\w+) first", head).groups()
        plies = [re.match(r"\s*\d+\. (\S+)\s+(\S+ [ad])", line) for line in lines]
        yield rules, first, [ply.groups() for ply in plies if ply]


def rules_lines():
    yield from ("atkf:y", "esc:e surf:n atkf:y ka:n ks:m cen: cor: cenhe: cenh: corh:", "name:Tablut esc:e ks:c cor: cens: cenh: linc:y",
                "atkf:n starti:/4K4/9/9/9/9/9/9/9/t8/", "esc:c ka:y ks:s", "esc:e ks:w surf:y spd:tT:1 dfor:t")


def challenge_frames(games):
    names = {"t": "BLACK", "T": "WHITE", "K": "KING"}
    for _, _, plies in games:
        for move, position in plies[:6]:
            rows, side = position.split()
            cells = [[c for word in row for c in (["EMPTY"] * int(word) if word.isdigit() else [names[word]])] for row in rows.split("/")]
            state = {"board": cells[::-1], "turn": "BLACK" if side == "a" else "WHITE"}
            source, target = move.split("-")
            action = {"from": source, "to": target[:2], "turn": "WHITE" if side == "a" else "BLACK"}
            texts = [json.dumps(value, separators=(",", ":")).encode() for value in (state, action, "player")]
            yield b"".join(struct.pack(">i", len(text)) + text for text in texts)
            yield texts[0]
            break


def main():
    games = list(playthroughs())
    rule_files = sorted((RULES / "rulesets").glob("*.toml"))
    write("rule_file", [path.read_text() for path in rule_files])
    positions = [position for _, _, plies in games for _, position in plies]
    write("position", positions[::5])
    write("moves", [" ".join(move for move, _ in plies) for _, _, plies in games])
    write("rules_line", rules_lines())
    tags = "[variant: {}]\n[result: 0]\ndim:9 atkf:{} start:/{}/\n\n"
    numbered = lambda moves: "".join(f"{n // 2 + 1}. {' '.join(moves[n:n + 2])}\n" for n in range(0, len(moves), 2))
    write("record", [tags.format(rules, "y" if first == "attackers" else "n", START) + numbered([move for move, _ in plies])
                     for rules, first, plies in games] +
          ["Tablut, kvasir rules\nPosition: " + START + " a\n{start}\n\n1. d1-d3 {one} (1. e2-f2 e3-f3) e3-d3\n\nThe attackers win: no reason.\n",
           "[result:1]\n[termination:White resigns]\n1. d1-d3 e3-d3\n[a|b]\n\n1b.1.1a. ..... e3-f3\n[c]\n\n1b.1.2a. a4-b4\n\n2. D1D2 c5 c6 ---"])
    write("kernels", [bytes((seed * 7 + n * seed) % 240 for n in range(64)) for seed in range(1, 60)])
    openings = [{"first": first, "moves": " ".join(move for move, _ in plies[:2]), "value": 0.0} for _, first, plies in games
                if first == "attackers"]
    write("book", ["\n".join(map(json.dumps, openings)), json.dumps(openings[0])])
    puzzles = (ROOT / "crates" / "tablut-play" / "puzzles" / "imperial.jsonl").read_text().splitlines()
    write("puzzles", puzzles[1:40] + ["\n".join(puzzles[1:10]), "\n".join(puzzles)])
    lines = [" ".join(move for move, _ in plies[:8]) for _, _, plies in games]
    write("engine_lines", ["uci\nisready\n" + "".join(f"position startpos {first} moves {moves}\ngo movetime 1\n" for moves, (_, first, _) in zip(lines, games)),
                           f"ucinewgame\nposition board {START} a moves d1-d3\ngo nodes 4\nstop\nsetoption name Threads value 1\nquit"])
    moved = "".join(f"opponent-move {move} /{position.split()[0]}/\nplay defenders\n" for move, position in games[0][2][:4])
    write("opentafl_lines", [f"rules dim:9 {clauses} start:/{START}/\nside attackers\nclock 1000* 1000* 1 100 100\nposition /{START}/\nplay attackers\n{moved}"
                             f"move /{START}/\nanalyze 5 1\nerror 2\nfinish 0\n" for clauses in rules_lines()])
    write("challenge", challenge_frames(games))
    write("player", ["random", "greedy", "alphabeta:2", "alphabeta:1000ms", "net:models/quickstart.tablut@128,puct=0.7,fpu=0.5",
                     "a=net:x.tablut@1s,threads=2", "opentafl:sh -c 'a b'@1s", "challenge:5800@1s"])
    # A text, an override and the text's length, in the encoding from which the fuzzer's library reads them.
    configs = [path.read_bytes() for folder in ("configs", "experiments") for path in sorted((ROOT / folder).rglob("*.toml"))]
    write("config", [text + b"\x01learning.batch_size=64" + struct.pack(">H", len(text)) for text in configs])


main()
