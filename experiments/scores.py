"""Scores, intervals and Elo differences, for the scripts of the experiments.

A script in a folder of its own finds this file with `sys.path.append(str(Path(__file__).parents[1]))`.
"""

import math

Z = 1.96  # 95 %


def elo(share):
    """The logistic difference at a score, kept within ±1,200."""
    share = min(max(share, 1e-3), 1 - 1e-3)
    return -400 * math.log10(1 / share - 1)


def wilson(share, games):
    """The interval of a share of independent games."""
    centre = (share + Z * Z / (2 * games)) / (1 + Z * Z / games)
    half = Z / (1 + Z * Z / games) * math.sqrt(share * (1 - share) / games + Z * Z / (4 * games * games))
    return centre - half, centre + half


def pairs_of(halves):
    """The number of pairs with 0, ½, 1, 1½ and 2 points, from the half points of each game by its number, from 1."""
    pairs = [0] * 5
    for game in range(1, len(halves), 2):
        pairs[halves[game] + halves[game + 1]] += 1
    return pairs


def of_pairs(counts):
    """Games, score and its interval, from the number of pairs with 0, ½, 1, 1½ and 2 points.

    Games of a pair share their opening. So the interval is Wilson's with the number of games divided by the variance of
    pairs over that of independent games. Two notional pairs with a ratio of one keep a few like pairs from claiming
    certainty.
    """
    n_pairs = sum(counts)
    points = [0, 0.25, 0.5, 0.75, 1]
    mean = sum(n * p for n, p in zip(counts, points)) / n_pairs
    variance = sum(n * (p - mean) ** 2 for n, p in zip(counts, points)) / n_pairs
    single = mean * (1 - mean)
    ratio = 2 * variance / single if single > 0 else 1.0
    effect = (ratio * n_pairs + 2) / (n_pairs + 2)
    return 2 * n_pairs, mean, *wilson(mean, 2 * n_pairs / max(effect, 1e-3))


def elo_text(mean, low, high):
    """The difference at a score, with its interval."""
    return f"{elo(mean):+.0f} ({elo(low):+.0f} to {elo(high):+.0f})"


def match_cells(match):
    """A match's cells of a table: games, score, Elo, and the first player's scores as attackers and as defenders."""
    games, mean, low, high = of_pairs(match["pentanomial"]["counts"])
    sides = " / ".join(f"{100 * match[side]['score']['mean']:.0f}" for side in ["as_attackers", "as_defenders"])
    return f"{games} | {100 * mean:.1f} % ({100 * low:.1f}–{100 * high:.1f}) | {elo_text(mean, low, high)} | {sides}"
