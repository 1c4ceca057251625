"""Won positions without progress, and how many plies a net needs to win them.

`find` plays matches of the shipped net against alpha-beta and writes the openings of positions that the net values above
0.9 for its side for twenty plies. It needs the Python package. `play` plays them on and counts the plies to the win.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from program import call

RULES = ["ashton", "masters", "kvasir", "copenhagen"]
WON, PLIES = 0.9, 20


def games(path):
    return [game for game in map(json.loads, path.read_text().splitlines()) if "moves" in game]


def side_of_net(game):
    return "attackers" if game["attackers"].startswith("net") else "defenders"


def match(options, rules, out, net, *words):
    out.unlink(missing_ok=True)
    players = [f"net:{net}", options.opponent]
    call([options.binary, "match", *players, "--rules", rules, "-q", "--save-games", out, *words])
    return games(out)


def find(options):
    import tablut

    model = tablut.Model.shipped()
    for rules in RULES:
        words = ["--games", options.games, "--openings", "even"]
        found = []
        for played in match(options, rules, options.out / f"{rules}.games", "shipped@100", *words):
            game, positions = tablut.Game(rules), []
            for move in played["moves"]:
                game.play(move)
                positions.append(game.copy())
            sign = 1 if side_of_net(played) == "attackers" else -1
            wdl = model.evaluate([position for position in positions if position.outcome is None]).wdl
            n_won = 0
            for ply, (attackers, _, defenders) in enumerate(wdl):
                n_won = n_won + 1 if sign * (attackers - defenders) > WON else 0
                if n_won == PLIES:
                    found.append({"side": side_of_net(played), "moves": played["moves"][: ply + 1]})
        (options.out / f"{rules}.json").write_text(json.dumps(found))
        print(f"{rules}: {len(found)} positions")


def play(options):
    every, n_lost = [], 0
    for rules in RULES:
        positions = json.loads((options.out / f"{rules}.json").read_text())
        openings = options.out / f"{rules}.openings"
        openings.write_text("".join(" ".join(position["moves"]) + "\n" for position in positions))
        words = ["--games", 2 * len(positions), "--openings", openings]
        sides = {tuple(position["moves"]): position["side"] for position in positions}
        plies, lost = [], 0
        for game in match(options, rules, options.out / f"{rules}-on.games", options.net, *words):
            opening = next(opening for opening in sides if tuple(game["moves"][: len(opening)]) == opening)
            if side_of_net(game) != sides[opening]:
                continue
            if game.get("winner") == sides[opening]:
                plies.append(len(game["moves"]) - len(opening))
            else:
                lost += 1
                print(f"  not won ({game['reason']}): {' '.join(game['moves'])}")
        every, n_lost = every + plies, n_lost + lost
        print(summary(rules, plies, lost))
    print(summary("all", every, n_lost))


def summary(name, plies, lost):
    soon = sum(n <= 40 for n in plies)
    return f"{name}: {len(plies)} won, {lost} not won; {soon} within 40 plies, mean {sum(plies) / max(len(plies), 1):.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["find", "play"])
    parser.add_argument("--binary", type=Path, default=Path("target/release/tablut"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--opponent", default="alphabeta:3")
    parser.add_argument("--games", type=int, default=60, help="games of each rule set in `find`")
    parser.add_argument("--net", default="shipped@400", help="the net of `play`, with its simulations and options")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    {"find": find, "play": play}[options.what](options)


if __name__ == "__main__":
    main()
