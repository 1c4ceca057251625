#!/usr/bin/env python3
"""Draws the results by side in `results.json`: the figures `balance-….svg` of the guide.

    python3 experiments/balance/figure.py

Each bar is 100 % of a rule set's games: won by the attackers, drawn, won by the defenders.
"""

import argparse
from html import escape
from pathlib import Path

import run

FIGURES = Path(__file__).parents[2] / "docs/figures"
LEFT, WIDTH, RIGHT = 425, 490, 65
BAR, GAP, ROW_GAP, TOP, BOTTOM = 11, 2, 13, 62, 30
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #222 } .small { font-size: 11px; fill: #666 } .head { font-weight: 600 }
.attackers { fill: #b0413e } .drawn { fill: #b8b8b8 } .defenders { fill: #2f6f9f } .half { stroke: #222; stroke-dasharray: 3 3 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6e6e6 } .small { fill: #a0a0a0 } .attackers { fill: #d0615c } .drawn { fill: #6b6b6b } .defenders { fill: #4f94c8 }
  .half { stroke: #e6e6e6 }
}"""


def main():
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    found = run.results()
    for start, strengths in run.STRENGTHS.items():
        groups = [(rules, bars(found, rules, start, strengths)) for rules in run.RULES]
        title = "From the rules' own start" if start == "standard" else "From even openings"
        draw(FIGURES / f"balance-{start}.svg", title, by_attackers(groups))
    groups, strongest = {}, [max(run.CHANGED)]
    for base, words, number in run.all_changes():
        groups.setdefault(base, [(base, bars(found, base, "standard", strongest))])
        groups[base].append((words, bars(found, run.changed_name(base, number), "standard", strongest)))
    draw(FIGURES / "balance-changes.svg", "With one small change", [row for rows in groups.values() for row in rows])


def bars(found, rules, start, strengths):
    """(simulations, shares of attackers' wins, draws and defenders' wins), weakest play first."""
    matches = {simulations: found.get(run.name_of(rules, simulations, start)) for simulations in strengths}
    return [(simulations, run.shares(match)) for simulations, match in matches.items() if match]


def by_attackers(groups):
    """The rule sets with bars, the attackers' best first."""
    with_bars = [group for group in groups if group[1]]
    return sorted(with_bars, key=lambda group: -(group[1][-1][1][0] + group[1][-1][1][1] / 2))


def draw(path, title, groups):
    groups = [(words, bars) for words, bars in groups if bars]
    if not groups:
        return
    body, y = [], TOP
    for words, rows in groups:
        middle = y + (len(rows) * (BAR + GAP) - GAP) / 2
        head = ' class="head"' if words in run.RULES else ""
        body.append(f'<text x="{LEFT - 10}" y="{middle + 4.5:.1f}" text-anchor="end"{head}>{escape(words)}</text>')
        for simulations, shares in rows:
            x = LEFT
            for name, share in zip(["attackers", "drawn", "defenders"], shares):
                body.append(f'<rect class="{name}" x="{x:.1f}" y="{y}" width="{WIDTH * share:.1f}" height="{BAR}"/>')
                x += WIDTH * share
            body.append(f'<text class="small" x="{LEFT + WIDTH + 8}" y="{y + BAR - 1.5}">{simulations} sim.</text>')
            y += BAR + GAP
        y += ROW_GAP
    half = LEFT + WIDTH / 2
    legend = [f'<text x="{LEFT}" y="20" class="head">{escape(title)}</text>']
    for x, name in zip([0, 170, 260], ["attackers", "drawn", "defenders"]):
        words = name if name == "drawn" else f"won by the {name}"
        legend.append(f'<rect class="{name}" x="{LEFT + x}" y="32" width="11" height="11"/><text x="{LEFT + x + 16}" y="42">{words}</text>')
    legend.append(f'<line class="half" x1="{half}" x2="{half}" y1="{TOP - 8}" y2="{y - ROW_GAP + 6}"/>')
    legend.append(f'<text class="small" x="{half}" y="{y + 8}" text-anchor="middle">50 % of the games</text>')
    size = f'width="{LEFT + WIDTH + RIGHT}" height="{y + BOTTOM}"'
    view = f'viewBox="0 0 {LEFT + WIDTH + RIGHT} {y + BOTTOM}"'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view}>', f"<style>{STYLE}</style>", *body, *legend, "</svg>"]
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
