//! The ratings from a run's rating games.

use maud::{Markup, html};
use tablut_arena::{MatchReport, SideResult};
use tablut_ratings::Rating;

use crate::figures::{percent, signed};
use crate::rated::{RatedProgress, is_rated, latest, progress, scores, strongest_apart};
use crate::run_files::RunFiles;
use crate::svg::{Axis, Series, line_chart, whiskers};

pub fn section(run: &RunFiles) -> Markup {
    if !is_rated(&run.lines) {
        return html! {};
    }
    let whole = progress(&run.lines, None, None);
    let by_rules = scores(&run.lines, true);
    let last = latest(&run.lines);
    let (first, end) = (last.first().map_or(0, |line| line.generation), last.last().map_or(0, |line| line.generation));
    let names = by_rules.rule_sets();
    let (strongest, others) = strongest_apart(&by_rules, &whole);
    html! {
        p class="soft" {
            "During training the newest net plays pairs of games with " (by_rules.simulations)
            " simulations a move against fixed opponents and against earlier nets of the run. Elo is relative to "
            (whole.anchor) ". Intervals are 95 %. An unfinished game is half a point."
        }
        (table_of(&whole))
        h3 { "By rule set and side, generations " (first) " to " (end) }
        (table_of_scores(&strongest))
        @if !others.is_empty() {
            details { summary { "Against the weaker opponents" } (table_of_scores(&others)) }
        }
        @let charts: Vec<(&str, RatedProgress)> = names.iter().map(|name| (*name, progress(&run.lines, Some(name), None))).collect();
        @if names.len() > 1 && charts.iter().any(|(_, found)| found.stretches.len() > 1) {
            details { summary { "Strength under each rule set" } div class="charts" {
                @for (name, found) in &charts { (chart(name, found)) }
            } }
        }
    }
}

fn table_of_scores(matches: &[&MatchReport]) -> Markup {
    html! {
        div class="scroll" { table {
            thead { tr {
                th { "rules" } th class="left" { "opponent" } th { "games" } th { "unfinished" } th class="left" colspan="2" { "score" }
                th class="left" colspan="2" { "as attackers" } th class="left" colspan="2" { "as defenders" }
            } }
            tbody { @for found in matches { (row(found)) } }
        } }
    }
}

fn row(found: &MatchReport) -> Markup {
    let score = |of: &SideResult, what: &str, class: &str| {
        score_cells(of, &format!("{what} against {} under {}", found.opponent(), found.rules), class)
    };
    html! {
        tr {
            th class="left" scope="row" { (found.rules) } td class="left" { code { (found.opponent()) } } td { (found.games) } td { (found.unfinished) }
            (score(&found.total, "score", "n")) (score(&found.as_attackers, "as attackers", "a")) (score(&found.as_defenders, "as defenders", "d"))
        }
    }
}

/// The rating over the generations with its interval, and the fixed opponents as horizontal lines.
pub(super) fn chart(title: &str, found: &RatedProgress) -> Markup {
    if found.stretches.len() < 2 {
        return html! {};
    }
    let middle = |generations: (u64, u64)| (generations.0 + generations.1) as f64 / 2.0;
    let line = |name: &str, class: &str, dashed: bool, value: &dyn Fn(&Rating) -> f64| {
        Series::new(name, class, dashed, found.stretches.iter().map(|s| (middle(s.generations), value(&s.rating))))
    };
    let mut series = vec![
        line("the net", "n", false, &|rating| rating.elo),
        line("lower end", "n", true, &|rating| rating.low),
        line("upper end", "n", true, &|rating| rating.high),
    ];
    let classes = ["g", "s3", "s2", "s5", "s4"];
    for ((name, rating), class) in found.frozen.iter().filter(|(name, _)| *name != found.anchor).zip(classes) {
        series.push(line(name, class, true, &|_| rating.elo));
    }
    line_chart(title, "in Elo, by generation", &series, Axis::default())
}

/// A table of the same numbers.
fn table_of(found: &RatedProgress) -> Markup {
    html! {
        div class="chart" { b { "In numbers" } div class="scroll" { table {
            thead { tr { th { "player" } th { "Elo" } th { "95 %" } th { "games" } } }
            tbody {
                @for stretch in found.stretches.iter().rev() {
                    tr {
                        th class="left" scope="row" { "generations " (stretch.generations.0) "–" (stretch.generations.1) }
                        td { (signed(stretch.rating.elo)) }
                        td { (signed(stretch.rating.low)) " to " (signed(stretch.rating.high)) }
                        td { (stretch.games) }
                    }
                }
                @for (name, rating) in &found.frozen {
                    tr {
                        th class="left" scope="row" { code { (name) } }
                        td { (signed(rating.elo)) }
                        td { @if *name == found.anchor { "the anchor" } @else { (signed(rating.low)) " to " (signed(rating.high)) } }
                        td {}
                    }
                }
            }
        } } }
    }
}

/// Two cells of a table: a score, and its interval as a bar. `title` names the score, and `class` colours the bar.
pub(super) fn score_cells(of: &SideResult, title: &str, class: &str) -> Markup {
    html! {
        @if let Some(score) = of.score {
            td { (percent(score.mean)) } td { (whiskers(title, score.low, score.mean, score.high, class)) }
        } @else { td class="blank" { "–" } td {} }
    }
}
