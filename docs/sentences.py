#!/usr/bin/env python3
"""Prints sentences chosen at random from the guide, comments, help texts and messages, to check that they are plain.

    python3 docs/sentences.py [--seed 1] [--count 20]
"""

import argparse
import pathlib
import random
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]


def sentences(text):
    """The sentences of a paragraph that have at least four words."""
    parts = re.split(r"(?<=[.!?])\s+(?=[A-Z`\"])", re.sub(r"\s+", " ", text).strip())
    return [part for part in parts if len(part.split()) >= 4]


def guide():
    for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]:
        prose = re.sub(r"```.*?```", "", path.read_text(), flags=re.S)
        for paragraph in re.split(r"\n\s*\n|\n(?=- )", prose):
            if not paragraph.startswith(("#", "|", "<", "!")):
                yield from ((path, sentence) for sentence in sentences(paragraph))


def code():
    for path in sorted(ROOT.glob("crates/*/src/**/*.rs")):
        comment = []
        for line in path.read_text().splitlines():
            found = re.match(r"\s*//[/!]?\s?(.*)", line)
            if found and found[1] and not found[1].startswith(("#", "|", "```")):
                comment.append(found[1])
                continue
            yield from ((path, sentence) for sentence in sentences(" ".join(comment)))
            comment = []
            for message in re.findall(r'(?:error|bail!|note|context|format!)\(\s*"([^"]{25,})"', line):
                yield path, message


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    kinds = [list(guide()), list(code())]
    for number in range(args.count):
        path, sentence = rng.choice(kinds[number % 2])
        print(f"{path.relative_to(ROOT)}: {sentence}")


if __name__ == "__main__":
    main()
