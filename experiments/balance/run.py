#!/usr/bin/env python3
"""Plays a net against itself under every rule set, and says how often each side wins.

    python3 experiments/balance/run.py play --net shipped --out runs/balance
    python3 experiments/balance/run.py changes --net shipped --out runs/balance
    python3 experiments/balance/run.py collect --out runs/balance
    python3 experiments/balance/run.py table
    python3 experiments/balance/run.py summary --trees runs/trees.md

The games start in two ways: from the rules' own position with two random plies, and from the even openings that come with
the program. `changes` plays rule sets with the small changes of `changes.toml`. Finished matches are kept, and a match that
was stopped goes on where it was. `collect` keeps the sums of all finished matches in `results.json`, `table` shows them, and `summary` a short table of all rule sets.
"""

import argparse
import json
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from program import RULES, call_once, net_hash  # noqa: E402
from scores import of_pairs, pairs_of  # noqa: E402

# Games at each number of simulations a move, by start. Weaker play from even openings would say little of the rules.
STRENGTHS = {"standard": {16: 400, 64: 200, 256: 100}, "even": {256: 100}}
# Changed rules.
CHANGED = {16: 100, 64: 100}
# Without chance both games of a pair would be the same. With few simulations there is the noise of self-play's root; with
# many (PUCT) the first moves are drawn in proportion to the square of their visits.
CHANCE = "gumbel.noise=true,puct.temperature=0.5,puct.temperature_plies=8"
# Players usually avoid draws a little. Here a draw is a result like any other.
FAIR = "draw_value=0"
CHANGES = Path(__file__).parent / "changes.toml"
RESULTS = Path(__file__).parent / "results.json"
# Random plies before a game from the standard start: two, and four where there are fewer than 500 different openings of two.
OPENING_PLIES = dict.fromkeys(
    ["ludoteka", "masters", "masters-weak-king", "masters-armed-king", "tartu", "brandubh", "brandubh-weak-king"], 4
)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["play", "changes", "collect", "table", "summary"])
    parser.add_argument("--binary", default="target/release/tablut")
    parser.add_argument("--net", default="shipped")
    parser.add_argument("--out", type=Path, default=Path("runs/balance"))
    parser.add_argument("--rules", nargs="*", default=RULES)
    parser.add_argument("--starts", nargs="*", default=list(STRENGTHS), help="`standard`, `even` or both")
    parser.add_argument("--trees", type=Path, help="what `experiments/openings/tree.py` wrote, for `summary`")
    parser.add_argument("--threads", type=int, help="threads of a match; all cores if it is left out")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    {"play": play, "changes": changes, "collect": collect, "table": table, "summary": summary}[options.step](options)


def name_of(rules, simulations, start):
    return f"{rules}-{simulations}-{start}"


def changed_name(base, number):
    return f"{base}-change-{number}"


def play(options):
    """Weak play of all rule sets first, so that there is a whole table early."""
    matches = [(simulations, games, start) for start in options.starts for simulations, games in STRENGTHS[start].items()]
    for simulations, games, start in sorted(matches):
        for rules in options.rules:
            match(options, rules, rules, simulations, start, games)


def all_changes():
    """(base, words, number from 1) for every change of `changes.toml`."""
    for base, changes_of in tomllib.loads(CHANGES.read_text()).items():
        for number, words in enumerate(changes_of, 1):
            yield base, words, number


def rule_file(options, base, words, number):
    """Writes the rule file of a change."""
    sections = {}
    for key, value in tomllib.loads(CHANGES.read_text())[base][words].items():
        section, _, clause = key.rpartition(".")
        sections.setdefault(section, []).append(f"{clause} = {json.dumps(value)}")
    lines = [f'base = "{base}"', *sections.pop("", [])]
    for section, clauses in sections.items():
        lines += ["", f"[{section}]", *clauses]
    path = options.out / f"{changed_name(base, number)}.toml"
    path.write_text(f"# {words}\n" + "\n".join(lines) + "\n")
    return path


def changes(options):
    """Each rule set with one small change, from its random plies."""
    for simulations, games in CHANGED.items():
        for base, words, number in all_changes():
            if base in options.rules:
                match(options, base, rule_file(options, base, words, number), simulations, "standard", games)


def match(options, base, rules, simulations, start, games):
    """Plays the net against itself, unless it has. `rules` is the rule set `base` or a file that changes it."""
    search = f"{simulations},{CHANCE},{FAIR}"
    opening = ["--openings", "even"] if start == "even" else ["--opening-plies", OPENING_PLIES.get(base, 2)]
    players = [f"{name}=net:{options.net}@{search}" for name in ("one", "other")]
    out = options.out / f"{name_of(Path(rules).stem, simulations, start)}.json"
    command = [options.binary, "match", *players, "--rules", rules, "--games", games, *opening]
    if options.threads:
        command += ["--threads", options.threads]
    call_once(out, [*command, "--save-games", out.with_suffix(".games.jsonl"), "--json", "-q"])


def collect(options):
    """Writes the sums of the finished matches to `results.json`, with the hash of the net. What is there of other matches of
    this net stays."""
    net, sums = net_hash(options.binary, options.net), results()
    sums = sums if sums.pop("net", None) == net else {}
    for path in sorted(options.out.glob("*.games.jsonl")):
        match_of = path.with_name(path.name.replace(".games.jsonl", ".json"))
        if match_of.exists():
            sums[match_of.stem] = summed(path)
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(sums[name])}" for name in sorted(sums))
    RESULTS.write_text(f'{{\n  "net": "{net}",\n{lines}\n}}\n')


def summed(path):
    """A match: its games won by the attackers, drawn and won by the defenders, their mean plies, and the number of pairs in
    which the attackers have 0, ½, 1, 1½ and 2 points. The games of a pair share their opening."""
    games = [game for game in map(json.loads, path.read_text().splitlines()) if "game" in game]
    ends = Counter(game["winner"] for game in games)
    halves = {game["game"]: {"attackers": 2, None: 1, "defenders": 0}[game["winner"]] for game in games}
    plies = sum(len(game["moves"]) for game in games) / len(games)
    return {"ends": [ends["attackers"], ends[None], ends["defenders"]], "plies": round(plies, 1), "pairs": pairs_of(halves)}


def results():
    """The sums of all matches, by the match's name."""
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def table(options):
    """Results by rule set, start and strength."""
    found = results()
    for start, strengths in STRENGTHS.items():
        print(f"\nFrom {'the standard start' if start == 'standard' else 'even openings'}: "
              "games won by attackers – drawn – won by defenders, in %, and the attackers' points (95 %)\n")
        print("| rules | " + " | ".join(f"{simulations} simulations" for simulations in strengths) + " | plies |")
        print("|---" + "|--:" * (len(strengths) + 1) + "|")
        for rules in options.rules:
            matches = [found.get(name_of(rules, simulations, start)) for simulations in strengths]
            plies = f"{matches[-1]['plies']:.0f}" if matches[-1] else "–"
            print(f"| {rules} | " + " | ".join(map(cell, matches)) + f" | {plies} |")
    print("\nWith one small change, from the standard start:\n")
    print("| rules | change | " + " | ".join(f"{simulations} simulations" for simulations in CHANGED) + " |")
    print("|---|---" + "|--:" * len(CHANGED) + "|")
    for base, words, number in all_changes():
        if number == 1:
            matches = [found.get(name_of(base, simulations, "standard")) for simulations in CHANGED]
            print(f"| **{base}** | none | " + " | ".join(map(cell, matches)) + " |")
        matches = [found.get(name_of(changed_name(base, number), simulations, "standard")) for simulations in CHANGED]
        print(f"| | {words} | " + " | ".join(map(cell, matches)) + " |")


def summary(options):
    """The attackers' points at each strength from the standard start, fairest rule set first, with draws, lengths and the first
    moves of `tree.py`."""
    found, first = results(), openings(options.trees)
    strengths = list(STRENGTHS["standard"])
    rows = []
    for rules in RULES:
        matches = [found[name_of(rules, simulations, "standard")] for simulations in strengths]
        points = [of_pairs(match["pairs"])[1] for match in matches]
        cells = [f"{100 * share:.0f}" for share in points] + [f"{100 * shares(matches[-1])[1]:.0f}", f"{matches[-1]['plies']:.0f}", first[rules]]
        rows.append((abs(points[-1] - 0.5), f"| `{rules}` | {' | '.join(cells)} |"))
    print("| rules | " + " | ".join(map(str, strengths)) + " | drawn | plies | first moves |")
    print("|---" + "|--:" * (len(strengths) + 2) + "|---|")
    print("\n".join(row for _, row in sorted(rows)))


def openings(trees):
    """The first two moves of the most visited line, by rule set."""
    found = {}
    for part in trees.read_text().split("\n## ")[1:]:
        moves = re.findall(r"^ *- (\S+)", part, re.MULTILINE)
        found[part.split("\n")[0]] = " ".join(moves[:2])
    return found


def cell(match):
    """One match of the table."""
    if not match:
        return "–"
    attackers, drawn, defenders = shares(match)
    _, points, low, high = of_pairs(match["pairs"])
    return (
        f"{100 * attackers:.0f} – {100 * drawn:.0f} – {100 * defenders:.0f}; "
        f"{100 * points:.0f} ({100 * low:.0f}–{100 * high:.0f})"
    )


def shares(match):
    """The shares of a match's games that the attackers won, that were drawn, and that the defenders won."""
    return [n / sum(match["ends"]) for n in match["ends"]]


if __name__ == "__main__":
    main()
