"""The settings that are tried, and what a run with them costs."""

import json
import os

# Each setting's default comes first. Names with `T_` are constants of the code: `knobs.patch` makes them variables of the
# environment.
SETTINGS = {
    "simulations": ["16 32", "16", "32", "64", "16 64", "32 64", "16 32 128"],
    "schedule.generations": [17, 10, 26, 40],
    "learning.batch_size": [256, 128, 512, 1024],
    "learning.draws_per_position": [1.0, 0.5, 2.0, 4.0],
    "learning.window_positions": [65000, 20000, 35000, 120000, 200000],
    "learning.learning_rate": [0.003, 0.0015, 0.006],
    "learning.warmup_steps": [100, 30, 300],
    "learning.decay_share": [0.3, 0.1, 0.5, 0.8],
    "learning.value_share": [0.0, 0.25, 0.5, 0.75, 1.0],
    "optimizer.weight_decay": [0.1, 0.03, 0.3, 1.0],
    "optimizer.max_gradient_norm": [1.0, 0.3, 10.0],
    "optimizer.average_decay": [0.99, 0.0, 0.95, 0.998],
    "selfplay.opening_plies": [4, 0, 2, 8],
    "selfplay.balanced_openings": [0, 4, 8],
    "selfplay.balance": [0.3, 0.0],
    "selfplay.max_plies": [150, 100, 250],
    "search.max_considered": [16, 8, 32],
    "search.c_scale": [0.1, 0.05, 0.2, 0.4],
    "search.solver": ["deep", "threats"],
    "T_CVISIT": [50, 25, 100],
    "T_MOM": [0.95, 0.9, 0.98],
    "T_ADAM": [1, 0.3, 3],
    "T_ML": [0.1, 0.03, 0.3],
    "T_VALUE": [1, 0.5, 2],
    "T_LIMITDRAW": [0, 1],
    "T_ZERO": ["", "pool", "line.rules,trunk.features", "trunk.added"],
    "T_MIRROR": [0, 1],
}
# The net's shape, and the width and depth of its line network: each needs a program of its own (`knobs-WIDTH-DEPTH`).
SETTINGS["shape"] = ["lines32x2", "lines32x1", "lines32x3", "lines64x2"]
SETTINGS["line"] = ["48-2", "32-2", "64-2", "48-1", "48-3"]
# The factor on the number of games tells what more time is worth.
SETTINGS["games"] = [1.0, 0.7, 1.4]
# The second screening has fewer settings, around what the first one favoured.
NARROW = {
    "simulations": ["16 32", "16", "32"],
    "schedule.generations": [17, 12, 26],
    "learning.batch_size": [256, 128, 64],
    "learning.draws_per_position": [1.0, 2.0, 3.0],
    "learning.window_positions": [65000, 40000, 120000],
    "learning.learning_rate": [0.003, 0.006, 0.012],
    "learning.decay_share": [0.3, 0.6],
    "optimizer.weight_decay": [0.1, 0.3],
    "optimizer.max_gradient_norm": [1.0, 10.0],
    "optimizer.average_decay": [0.99, 0.997],
    "selfplay.opening_plies": [4, 0, 8],
    "selfplay.balanced_openings": [0, 4],
    "selfplay.max_plies": [150, 250],
    "search.max_considered": [16, 8],
    "search.c_scale": [0.1, 0.05],
    "line": ["48-2", "48-1", "32-2"],
    "T_MIRROR": [0, 1],
    "games": [1.0, 0.8, 1.25],
}
if os.environ.get("SCREENING") == "narrow":
    SETTINGS = {name: NARROW.get(name, levels[:1]) for name, levels in SETTINGS.items()}
DEFAULTS = {name: levels[0] for name, levels in SETTINGS.items()}
# The share of the generations from which the second and third number of simulations hold.
STEPS = [0, 0.18, 0.6]
# One core's pace, which converts simulations and samples into the time that they take.
EVALUATIONS_PER_SECOND, SAMPLES_PER_SECOND, EVALUATIONS_PER_SIMULATION = 60_000, 4_800, 0.8
# Factors on the time of an evaluation and of a sample.
FACTORS = {
    "lines32x1": (0.9, 0.93), "lines32x3": (1.1, 1.07), "lines64x2": (1.6, 1.35),
    "32-2": (0.97, 0.65), "64-2": (1.06, 1.5), "48-1": (0.97, 0.7), "48-3": (1.03, 1.35), 128: (1, 1.1), 64: (1, 1.25),
}


def schedule(chosen):
    """The simulations as the config has them, and their mean over the generations."""
    numbers = [int(number) for number in chosen["simulations"].split()]
    generations = chosen["schedule.generations"]
    starts = [round(share * generations) for share in STEPS[: len(numbers)]]
    ends = [*starts[1:], generations]
    mean = sum(number * (end - start) for number, start, end in zip(numbers, starts, ends)) / generations
    return json.dumps([[start, number] for start, number in zip(starts, numbers)]), mean


def seconds_per_position(chosen):
    _, simulations = schedule(chosen)
    playing = simulations * EVALUATIONS_PER_SIMULATION / EVALUATIONS_PER_SECOND
    learning = chosen["learning.draws_per_position"] / SAMPLES_PER_SECOND
    for name in [chosen["shape"], chosen["line"], chosen["learning.batch_size"]]:
        factors = FACTORS.get(name, (1, 1))
        playing, learning = playing * factors[0], learning * factors[1]
    return playing + learning


def games_per_generation(chosen, games):
    """As many as cost what `games` games of each generation cost with the defaults, times the factor `games`."""
    total = games * DEFAULTS["schedule.generations"] * seconds_per_position(DEFAULTS) * chosen["games"]
    return max(1, round(total / seconds_per_position(chosen) / chosen["schedule.generations"]))
