#!/usr/bin/env python3
"""What strong play opens with: a tree of the first moves under each rule set, with their values.

    python3 experiments/openings/tree.py --net shipped --out runs/trees.md

Every position of the tree is searched. Its moves are put together with their mirror images and turned images where the
position is its own image, and the ones with most visits are followed.
"""

import argparse
import json
import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from program import RULES, call, net_hash  # noqa: E402

# How many moves are followed at each ply, and the least share of the visits that a move must have.
WIDTHS = [4, 3, 2, 1]
LEAST = 0.05
# What a finished game is worth, by its winner.
VALUES = {"attackers": 1.0, None: 0.0, "defenders": -1.0}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--net", default="shipped")
    parser.add_argument("--simulations", type=int, default=20000)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rules", nargs="*", default=RULES)
    options = parser.parse_args()
    text = f"""# What strong play opens with

The net with the hash {net_hash(options.binary, options.net)}, {options.simulations:,} simulations for each position. Behind each move stand the attackers' expected points
in per cent (a draw counts half) and the share of the search's visits that the move and its mirror images had. Below a
move are the replies with most visits.

```sh
python3 experiments/openings/tree.py --net {options.net} --simulations {options.simulations} --out {options.out}
```
"""
    for rules in options.rules:
        print(rules, flush=True)
        lines = []
        value, side = follow(options, rules, [], WIDTHS, lines)
        text += f"\n## {rules}\n\nThe {side} move first. The start is worth {points(value)} % of the points to the attackers.\n\n"
        text += "".join(f"{line}\n" for line in lines)
    options.out.write_text(text)


def ending(proven):
    """A proven result in words."""
    return f"won by the {proven['winner']} within {proven['plies']} plies" if proven["winner"] else "a proven draw"


def points(value):
    return round(50 * (1 + value))


def follow(options, rules, moves, widths, out):
    """Adds the tree below the position after `moves`; returns its value to the attackers and the side to move."""
    command = [options.binary, "analyze", options.net, *moves, "--rules", rules, "--simulations", options.simulations]
    found = json.loads(call([*command, "--lines", 200, "--json", "-q"]))
    search = found["search"]
    if found["outcome"]:
        return VALUES[found["outcome"]["winner"]], found["side_to_move"]
    if widths:
        size, board = pieces(found["position"])
        own = [image for image in symmetries(size) if {(image(*square), piece) for square, piece in board} == board]
        kinds = {}
        for line in search["lines"]:
            kinds.setdefault(min(turned(line["moves"][0], image) for image in own), []).append(line)
        visits = sum(line["visits"] for line in search["lines"])
        ranked = sorted(kinds.values(), key=lambda kind: -sum(line["visits"] for line in kind))
        for kind in ranked[: widths[0]]:
            share = sum(line["visits"] for line in kind) / visits
            if share < LEAST and kind is not ranked[0]:
                break
            # The image that the search liked most stands for all.
            best = max(kind, key=lambda line: line["visits"])
            move = best["moves"][0]
            number = len(out)
            out.append("")
            value, _ = follow(options, rules, [*moves, move], widths[1:], out) if len(widths) > 1 else (best["chances"]["attackers"] - best["chances"]["defenders"], None)
            proven = f", {ending(best['proven'])}" if best["proven"] else ""
            out[number] = f"{'  ' * len(moves)}- {move} ({points(value)} %, {100 * share:.0f} % of the visits{proven})"
    return search["value"], found["side_to_move"]


def symmetries(size):
    """Square (column, row) -> square, from 0: the eight images of the board."""
    last = size - 1
    return [
        lambda c, r: (c, r), lambda c, r: (last - c, r), lambda c, r: (c, last - r), lambda c, r: (last - c, last - r),
        lambda c, r: (r, c), lambda c, r: (last - r, c), lambda c, r: (r, last - c), lambda c, r: (last - r, last - c),
    ]


def pieces(position):
    """The board's size, and the set of (square, piece) of a position in text, rows from the last to the first."""
    board, rows = set(), position.split()[0].split("/")
    for row, text in enumerate(rows):
        column = 0
        for sign in re.findall(r"\d+|\D", text):
            if sign.isdigit():
                column += int(sign)
            else:
                board.add(((column, len(rows) - 1 - row), sign))
                column += 1
    return len(rows), board


def turned(move, image):
    """The image of a move in text."""
    squares = [image(ord(text[0]) - ord("a"), int(text[1:]) - 1) for text in move.split("-")]
    return "-".join(f"{chr(ord('a') + column)}{row + 1}" for column, row in squares)


if __name__ == "__main__":
    main()
