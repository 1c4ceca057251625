#!/usr/bin/env python3
"""Are the program's openings even? Searches each opening anew, and lists those beyond the limit and those with a proven result.

    python3 experiments/openings/check.py --simulations 4000 --limit 0.25
"""

import argparse
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from program import call  # noqa: E402

BOOKS = Path(__file__).parents[2] / "crates/tablut-arena/openings"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--net", default="shipped")
    parser.add_argument("--books", type=Path, default=BOOKS)
    parser.add_argument("--simulations", type=int, default=4000)
    parser.add_argument("--limit", type=float, default=0.25)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()

    def look(rules, moves):
        command = [options.binary, "analyze", options.net, *moves.split(), "--rules", rules, "--simulations", options.simulations]
        return json.loads(call([*command, "--json", "-q"]))["search"]

    n_bad = 0
    print("| rules | openings | mean value | beyond 0.1 | beyond the limit | proven |\n|---|--:|--:|--:|--:|--:|")
    for book in sorted(options.books.glob("*.openings")):
        moves = [json.loads(line)["moves"] for line in book.read_text().splitlines()[1:]]
        with ThreadPoolExecutor(options.threads) as pool:
            found = list(pool.map(lambda line: look(book.stem, line), moves))
        sizes = [abs(search["value"]) for search in found]
        bad = [line for line, search, size in zip(moves, found, sizes) if search["proven"] or size > options.limit]
        n_proven = sum(search["proven"] is not None for search in found)
        n_bad += len(bad)
        mean = sum(search["value"] for search in found) / len(found)
        n_wide, n_beyond = (sum(size > limit for size in sizes) for limit in (0.1, options.limit))
        print(f"| {book.stem} | {len(moves)} | {mean:+.3f} | {n_wide} | {n_beyond} | {n_proven} |", flush=True)
        for line in bad:
            print(f"{book.stem}: {line}", file=sys.stderr)
    sys.exit(f"{n_bad} openings are not even" if n_bad else 0)


if __name__ == "__main__":
    main()
