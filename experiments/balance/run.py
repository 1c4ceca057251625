#!/usr/bin/env python3
"""Plays a net against itself under every rule set, and says how often each side wins.

    python3 experiments/balance/run.py play --net models/all-rules.tablut --out runs/balance
    python3 experiments/balance/run.py changes --net models/all-rules.tablut --out runs/balance
    python3 experiments/balance/run.py table --out runs/balance

The games start in two ways: from the rules' own position with two random plies, and from the even openings that come with
the program. `changes` plays rule sets with the small changes of `changes.toml`. Finished matches are kept, and a match that
was stopped goes on where it was.
"""

import argparse
import json
import sys
import tomllib
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from program import RULES, call_once  # noqa: E402
from scores import of_pairs  # noqa: E402

# Games at each number of simulations a move, by start. Weaker play from even openings would say little of the rules.
STRENGTHS = {"standard": {16: 1000, 128: 1000, 512: 1000}, "even": {512: 200}}
# Changed rules.
CHANGED = {16: 200, 128: 400}
# Without chance both games of a pair would be the same. With few simulations there is the noise of self-play's root; with
# many (PUCT) the first moves are drawn in proportion to the square of their visits.
CHANCE = "gumbel.gumbel_scale=1,puct.temperature=0.5,puct.temperature_plies=8"
CHANGES = Path(__file__).parent / "changes.toml"
# Random plies before a game from the standard start: two, and four where there are fewer than 500 different openings of two.
OPENING_PLIES = {"ludoteka": 4, "masters": 4, "masters-weak-king": 4, "masters-armed-king": 4, "tartu": 4}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["play", "changes", "table"])
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--net", default="models/all-rules.tablut")
    parser.add_argument("--out", type=Path, default=Path("runs/balance"))
    parser.add_argument("--rules", nargs="*", default=RULES)
    parser.add_argument("--precision", default="f32", help="f32, or bf16 where the machine has it")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    {"play": play, "changes": changes, "table": table}[options.step](options)


def path_of(options, rules, simulations, start):
    return options.out / f"{rules}-{simulations}-{start}.json"


def play(options):
    """Weak play of all rule sets first, so that there is a whole table early."""
    matches = [(simulations, games, start) for start, all in STRENGTHS.items() for simulations, games in all.items()]
    for simulations, games, start in sorted(matches):
        for rules in options.rules:
            match(options, rules, rules, simulations, start, games)


def changed_rules(options):
    """(base, words, file) for every change of `changes.toml`, whose rule file is written here."""
    for base, changes_of in tomllib.loads(CHANGES.read_text()).items():
        for number, (words, clauses) in enumerate(changes_of.items(), 1):
            sections = {}
            for key, value in clauses.items():
                section, _, clause = key.rpartition(".")
                sections.setdefault(section, []).append(f"{clause} = {json.dumps(value)}")
            lines = [f'base = "{base}"', *sections.pop("", [])]
            for section, clauses in sections.items():
                lines += ["", f"[{section}]", *clauses]
            path = options.out / f"{base}-change-{number}.toml"
            path.write_text(f"# {words}\n" + "\n".join(lines) + "\n")
            yield base, words, path


def changes(options):
    """Each rule set with one small change, from two random plies."""
    for simulations, games in CHANGED.items():
        for base, _, file in changed_rules(options):
            if base in options.rules:
                match(options, base, file, simulations, "standard", games)


def match(options, base, rules, simulations, start, games):
    """Plays the net against itself, unless it has. `rules` is the rule set `base` or a file that changes it."""
    search = f"{simulations},precision={options.precision},{CHANCE}"
    opening = ["--openings", "even"] if start == "even" else ["--opening-plies", OPENING_PLIES.get(base, 2)]
    players = [f"{name}=net:{options.net}@{search}" for name in ("one", "other")]
    out = path_of(options, Path(rules).stem, simulations, start)
    command = [options.binary, "match", *players, "--rules", rules, "--games", games, *opening]
    call_once(out, [*command, "--save-games", games_of(out), "--json", "-q"])


def games_of(path):
    """The file with the games of a match."""
    return path.with_suffix(".games.jsonl")


def table(options):
    """Results by rule set, start and strength."""
    for start, strengths in STRENGTHS.items():
        print(f"\nFrom {'the standard start' if start == 'standard' else 'even openings'}: "
              "games won by attackers – drawn – won by defenders, in %, and the attackers' points (95 %)\n")
        print("| rules | " + " | ".join(f"{simulations} simulations" for simulations in strengths) + " |")
        print("|---" * (len(strengths) + 1) + "|")
        for rules in options.rules:
            cells = [cell(path_of(options, rules, simulations, start)) for simulations in strengths]
            print(f"| {rules} | " + " | ".join(cells) + " |")
    print("\nWith one small change, from the standard start:\n")
    print("| rules | change | " + " | ".join(f"{simulations} simulations" for simulations in CHANGED) + " |")
    print("|---" * (len(CHANGED) + 2) + "|")
    for base, words, file in changed_rules(options):
        cells = [cell(path_of(options, file.stem, simulations, "standard")) for simulations in CHANGED]
        print(f"| {base} | {words} | " + " | ".join(cells) + " |")


def cell(path):
    """One match of the table."""
    if not path.exists():
        return "–"
    attackers, drawn, defenders = shares(path)
    _, points, low, high = of_pairs(pairs(path))
    return (
        f"{100 * attackers:.0f} – {100 * drawn:.0f} – {100 * defenders:.0f}; "
        f"{100 * points:.0f} ({100 * low:.0f}–{100 * high:.0f})"
    )


def shares(path):
    """The shares of a match's games that the attackers won, that were drawn, and that the defenders won."""
    ends = Counter(winners(path).values())
    games = sum(ends.values())
    return ends["attackers"] / games, ends[None] / games, ends["defenders"] / games


def pairs(path):
    """The number of pairs in which the attackers have 0, ½, 1, 1½ and 2 points: games of a pair share their opening."""
    won = winners(path)
    halves = {"attackers": 2, None: 1, "defenders": 0}
    counts = [0] * 5
    for game in range(0, len(won), 2):
        counts[halves[won[game]] + halves[won[game + 1]]] += 1
    return counts


def winners(path):
    """Who won each game of a match, by the game's number."""
    games = map(json.loads, games_of(path).read_text().splitlines())
    return {game["game"]: game["winner"] for game in games if "game" in game}


if __name__ == "__main__":
    main()
