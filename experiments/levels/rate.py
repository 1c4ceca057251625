#!/usr/bin/env python3
"""Ratings of the levels for either side, from the matches of the example `levels`.

    cargo run --release -p tablut-lab --example levels > matches.jsonl
    experiments/levels/rate.py matches.jsonl > results.jsonl

A player has two ratings, as the attackers and as the defenders. The attackers' expected score is Elo's curve of their rating less the
defenders' and what the attackers' side is worth; a draw is half a win. alphabeta:4 has 2250 with either side, as in experiments/baselines. All
are fitted together by maximum likelihood with a weak prior (standard deviation 2000 Elo around the anchor); the intervals are those of the
curvature at the best fit. Standard library alone.
"""

import json
import math
import sys

LEVELS = ["newcomer", "beginner", "casual", "club", "strong", "expert", "full", "adaptive"]
ANCHOR, ANCHOR_ELO, PRIOR_SD = "alphabeta:4", 2250.0, 2000.0
SCALE = math.log(10) / 400


def solve(matrix, vectors):
    """Gauss-Jordan with pivots: the solutions of matrix x = v for each v."""
    n = len(matrix)
    rows = [list(row) + [v[i] for v in vectors] for i, row in enumerate(matrix)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(n):
            if k != i:
                rows[k] = [x - rows[k][i] * y for x, y in zip(rows[k], rows[i])]
    return [[rows[i][n + j] for i in range(n)] for j in range(len(vectors))]


def main():
    games = []  # (attackers, defenders, the attackers' points, games)
    for line in open(sys.argv[1]):
        report = json.loads(line)
        if "net" in report:
            print(line, end="")
            continue
        first, second = report["players"]
        with_attackers, with_defenders = report["as_attackers"]["results"], report["as_defenders"]["results"]
        points = with_attackers["wins"] + with_attackers["draws"] / 2
        games.append((first, second, points, sum(with_attackers.values())))
        points = with_defenders["losses"] + with_defenders["draws"] / 2
        games.append((second, first, points, sum(with_defenders.values())))
    players = sorted({name for game in games for name in game[:2]} - {ANCHOR})
    names = [(name, side) for name in players for side in "AD"]
    at = {name: index for index, name in enumerate(names)}
    n = len(names) + 1  # the last one is what the attackers' side is worth
    x = [0.0] * n
    for _ in range(200):
        gradient = [-value / PRIOR_SD**2 for value in x]
        hessian = [[(i == j) / PRIOR_SD**2 for j in range(n)] for i in range(n)]
        for attackers, defenders, points, count in games:
            terms = [(n - 1, 1.0)]
            terms += [(at[attackers, "A"], 1.0)] if (attackers, "A") in at else []
            terms += [(at[defenders, "D"], -1.0)] if (defenders, "D") in at else []
            expected = 1 / (1 + math.exp(-SCALE * sum(sign * x[i] for i, sign in terms)))
            for i, sign in terms:
                gradient[i] += sign * SCALE * (points - count * expected)
                for j, other in terms:
                    hessian[i][j] += sign * other * SCALE**2 * count * expected * (1 - expected)
        step = solve(hessian, [gradient])[0]
        longest = max(map(abs, step))
        x = [value + min(1.0, 200 / longest if longest else 1.0) * change for value, change in zip(x, step)]
        if longest < 1e-6:
            break
    inverse = solve(hessian, [[float(i == j) for i in range(n)] for j in range(n)])

    def rating(name, side):
        i = at[name, side]
        half = 1.96 * math.sqrt(inverse[i][i])
        place = 0 if side == "A" else 1
        elo = ANCHOR_ELO + x[i]
        rounded = {"elo": round(elo), "low": round(elo - half), "high": round(elo + half)}
        return rounded | {"games": int(sum(game[3] for game in games if game[place] == name))}

    for name in LEVELS:
        if name in players:
            ratings = {"attackers": rating(name, "A"), "defenders": rating(name, "D")}
            print(json.dumps({"level": name, "rules": "kvasir"} | ratings))
    for name in players:
        if name not in LEVELS:
            print(f"{name}: attackers {rating(name, 'A')}, defenders {rating(name, 'D')}", file=sys.stderr)
    worth = 1.96 * math.sqrt(inverse[n - 1][n - 1])
    print(f"the attackers' side is worth {x[n - 1]:+.0f} ± {worth:.0f}", file=sys.stderr)


main()
