"""What is played: pairings of searches of one net, and how many games of each are wanted."""

import json
from pathlib import Path

RULES = ["kvasir", "masters", "ashton"]

# Options of a net's search as players' texts have them; the default search is named by its simulations alone.
ALWAYS = ["gumbel.interior=puct", "moves_left.max_effect=0", "repeats=evaluated", "repeats=drawn-in-game"]
PUCT = [
    "puct.policy_temperature=1",
    "puct.policy_temperature=1.4",
    "puct.policy_temperature=2.4",
    "puct,fpu=0",
    "puct=0.9",
    "puct=1.8",
]
VARIANTS = {
    16: ["puct"],
    32: ["puct"],
    64: ["puct", *ALWAYS],
    128: ["puct"],
    256: ["gumbel", "puct,fpu=0", *ALWAYS[1:]],
    512: ["gumbel"],
    1024: ["gumbel", "gumbel,gumbel.interior=puct", *PUCT],
    4096: ["gumbel", *PUCT[:3]],
}
# Simulations that are doubled.
DOUBLED = [64, 128, 256, 512, 1024, 2048, 4096, 8192]


def player(simulations, options=""):
    """The search's part of a player's text, such as 64,puct."""
    return f"{simulations},{options}" if options else f"{simulations}"


def simulations(text):
    """The simulations of a search's text."""
    return int(text.split(",")[0])


def name(pairing):
    """A file's name for a pairing, without its ending."""
    return "-".join(pairing).replace(",", "+").replace("=", "_")


def wanted(first, second):
    """Games of a pairing that the whole experiment is planned for: fewer where a game takes longer."""
    largest = max(simulations(first), simulations(second))
    games = {16: 400, 32: 400, 64: 400, 128: 400, 256: 400, 512: 300, 1024: 200, 2048: 160, 4096: 80, 8192: 80, 16384: 60}
    return games[largest]


def doublings():
    """The default search with twice its simulations against itself."""
    return [(rules, player(2 * n), player(n)) for n in DOUBLED for rules in RULES]


def variants():
    """The default search against others with the same simulations."""
    budgets = VARIANTS.items()
    return [(rules, player(n), player(n, text)) for n, texts in budgets for text in texts for rules in RULES]


def pairings(which):
    """The pairings of a part: `doublings`, `variants` or `all`."""
    parts = {"doublings": doublings, "variants": variants, "all": lambda: doublings() + variants()}
    return parts[which]()


# The pairings that are played: pairs with 0, ½, 1, 1½ and 2 points of the first player, by the pairing's name.
RESULTS = Path(__file__).parent / "results.json"


def kept():
    """What `results.json` says."""
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
