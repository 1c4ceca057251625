"""What is played: pairings of searches of one net, and how many games of each are wanted."""

import json
from pathlib import Path

RULES = ["kvasir", "masters", "ashton"]

# Options of a net's search as players' texts have them; the default search is named by its simulations alone.
ALWAYS = ["moves_left.max_effect=0", "repeats=evaluated", "repeats=drawn-in-game"]
TEMPERATURES = ["puct.policy_temperature=1", "puct.policy_temperature=1.4", "puct.policy_temperature=2.4"]
VARIANTS = {
    16: ["puct"],
    32: ["puct"],
    64: ["gumbel", "gumbel,gumbel.interior=puct", *ALWAYS],
    128: ["gumbel"],
    256: ["gumbel", *ALWAYS[:2]],
    512: ["gumbel"],
    1024: ["gumbel", "gumbel,gumbel.interior=puct", *TEMPERATURES],
    4096: ["gumbel", *TEMPERATURES[2:]],
}
# Simulations that are doubled, and milliseconds.
DOUBLED = [64, 128, 256, 512, 1024, 2048, 4096, 8192]
DOUBLED_TIMES = [25, 50, 100, 200]


def player(simulations, options=""):
    """The search's part of a net's text, such as 64,puct."""
    return f"{simulations},{options}" if options else f"{simulations}"


def name(pairing):
    """A file's name for a pairing, without its ending."""
    return "-".join(pairing).replace(",", "+").replace("=", "_").replace(":", "_")


def effort(text):
    """The simulations of a search's text, or its milliseconds."""
    digits = text.split(",")[0].removeprefix("alphabeta:").removesuffix("ms")
    return int(digits)


def wanted(first, second):
    """Games of a pairing that the whole experiment is planned for: fewer where a game takes longer."""
    if first.endswith("ms"):
        return 80
    games = {512: 300, 1024: 200, 2048: 160, 4096: 80, 8192: 80, 16384: 60}
    of_variants = {512: 300, 1024: 100, 4096: 40}
    return (of_variants if effort(first) == effort(second) else games).get(max(effort(first), effort(second)), 400)


def doublings():
    """The default search with twice its simulations against itself."""
    return [(rules, player(2 * n), player(n)) for n in DOUBLED for rules in RULES]


def variants():
    """The default search against others with the same simulations."""
    budgets = VARIANTS.items()
    return [(rules, player(n), player(n, text)) for n, texts in budgets for text in texts for rules in RULES]


def clock():
    """Alpha-beta with twice its time against itself, and so the net."""
    kinds = ["alphabeta:", ""]
    return [(rules, f"{of}{2 * ms}ms", f"{of}{ms}ms") for ms in DOUBLED_TIMES for rules in RULES for of in kinds]


def pairings(which):
    """The pairings of a part: `doublings`, `variants`, `clock` or `all`."""
    parts = {"doublings": doublings, "variants": variants, "clock": clock}
    return parts[which]() if which in parts else [pairing for part in parts.values() for pairing in part()]


# The pairings that are played: pairs with 0, ½, 1, 1½ and 2 points of the first player, by the pairing's name.
RESULTS = Path(__file__).parent / "results.json"


def kept():
    """What `results.json` says."""
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
