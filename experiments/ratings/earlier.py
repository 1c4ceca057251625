#!/usr/bin/env python3
"""Matches of the nets of lines of commit 47e35559 against the residual nets that it could still load, with a build of that commit.

usage: earlier.py BINARY OUT
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from program import call_once

GAMES = 100
LIMITS = ["64", "50ms"]
EARLIER = [f"all-rules-{n}" for n in range(1, 6)] + [f"quickstart-{n}" for n in range(1, 4)]

binary, out = Path(sys.argv[1]), Path(sys.argv[2])
out.mkdir(parents=True, exist_ok=True)
for limit in LIMITS:
    for net in ["all-rules", "quickstart"]:
        for earlier in EARLIER:
            # A quickstart's net knows kvasir's rules alone.
            known = ["kvasir"] if "quickstart" in net + earlier else ["kvasir", "masters", "ashton"]
            for rules in known:
                players = [f"net:models/{net}.tablut@{limit}", f"net:models/earlier/{earlier}.tablut@{limit}"]
                options = ["--rules", rules, "--games", GAMES, "--openings", "even", "--threads", 1, "--quiet", "--json"]
                file = out / f"{net}-{earlier}-{rules}-{limit}.json"
                call_once(file, [binary, "match", *players, *options])
