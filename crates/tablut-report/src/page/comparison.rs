//! The comparison of several runs: their results, the differences of their configs, their curves in shared charts, and
//! a short report of each.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use tablut_games::GenerationMetrics;

use super::curves::series;
use super::strength::verdict;
use super::{curves, sides, strength, time};
use crate::figures::{count, duration, elo_interval, percent, short};
use crate::metrics::{Spent, mean, spent};
use crate::rated;
use crate::run_files::RunFiles;
use crate::svg::{Axis, GENERATION, Series, line_chart};
use crate::words::headline;

/// Classes of the runs' colours.
const CLASSES: [&str; 6] = ["s0", "s1", "s2", "s3", "s4", "s5"];

const EVALUATIONS: &str = "million evaluations";
const CORE_HOURS: &str = "core-hours";
const HOURS: &str = "hours";

pub fn section(runs: &[RunFiles]) -> Markup {
    html! {
        h2 { "Strength" }
        (strength_charts(runs))
        h2 { "Results" }
        (standings(runs))
        h2 { "Differences of the configs" }
        (differences(runs))
        h2 { "Curves" }
        (charts(runs))
        @for run in runs {
            h2 { (run.name) }
            (verdict(run))
            details { summary { "Strength" } (strength::section(run)) }
            details { summary { "Curves" } (curves::section(run)) }
            details { summary { "Results by rule set and side" } (sides::section(run)) (sides::calibration_section(run)) }
            details { summary { "Time, memory and disk" } (time::section(run)) }
        }
    }
}

/// The opponent whose rating is 0 for all runs: the one that all have played and that tells most about the first run that
/// it can. `None` if there is none.
fn common_anchor(runs: &[RunFiles]) -> Option<&str> {
    let telling = |run: &RunFiles, name: &str| {
        rated::progress(&run.lines, None, None).frozen.iter().any(|(frozen, _)| frozen == name)
    };
    let mut candidates = runs.iter().filter_map(|run| rated::most_telling(&run.lines, None));
    candidates.find(|name| runs.iter().all(|run| run.lines.is_empty() || telling(run, name)))
}

/// The values of a horizontal axis at the end of each generation.
fn across(lines: &[GenerationMetrics], axis: &str) -> Vec<f64> {
    let value = |(line, spent): (&GenerationMetrics, Spent)| match axis {
        EVALUATIONS => spent.evaluations as f64 / 1e6,
        HOURS => spent.hours,
        CORE_HOURS => spent.core_hours,
        _ => line.generation as f64,
    };
    lines.iter().zip(spent(lines)).map(value).collect()
}

/// The ratings of all runs over generations, evaluations, core-hours and hours. Runs that differ only in their seed have
/// their mean in addition.
fn strength_charts(runs: &[RunFiles]) -> Markup {
    let Some(anchor) = common_anchor(runs) else {
        return html! { p { "The runs have no rating games against the same opponent." } };
    };
    let points = |run: &RunFiles, axis: &str| -> Vec<(f64, f64)> {
        let ratings = rated::by_generation(&run.lines, None, Some(anchor));
        let places = run.lines.iter().map(|line| line.generation).zip(across(&run.lines, axis));
        let rating = |generation| ratings.iter().find(|found| found.0 == generation).map(|found| found.1.elo);
        places.filter_map(|(generation, x)| Some((x, rating(generation)?))).collect()
    };
    let chart = |axis: &'static str| {
        let one = |(at, run): (usize, &RunFiles)| {
            Series::new(&run.name, CLASSES[at % CLASSES.len()], at % 2 == 1, points(run, axis).into_iter())
        };
        let mean = |(at, group): (usize, &Vec<&RunFiles>)| {
            let all: Vec<_> = group.iter().map(|run| points(run, axis)).collect();
            let shortest = all.iter().map(Vec::len).min().unwrap_or(0);
            let n = all.len() as f64;
            let at_place = |place: usize| {
                let sum = |part: fn((f64, f64)) -> f64| all.iter().map(|points| part(points[place])).sum::<f64>() / n;
                (sum(|point| point.0), sum(|point| point.1))
            };
            let name = format!("mean of {}", group.iter().map(|run| run.name.as_str()).collect::<Vec<_>>().join(", "));
            Series::new(&name, ["n", "g"][at % 2], false, (0..shortest).map(at_place))
        };
        let groups = seeds_of_one_config(runs);
        let series: Vec<Series> = runs.iter().enumerate().map(one).chain(groups.iter().enumerate().map(mean)).collect();
        line_chart(
            &format!("By {axis}"),
            &format!("Elo above {anchor}"),
            &series,
            Axis { across: axis, ..Axis::default() },
        )
    };
    html! {
        div class="charts" { @for axis in [GENERATION, EVALUATIONS, CORE_HOURS, HOURS] { (chart(axis)) } }
    }
}

/// The groups of at least two runs whose configs differ only in the seed and the machine.
fn seeds_of_one_config(runs: &[RunFiles]) -> Vec<Vec<&RunFiles>> {
    let mut groups: Vec<(BTreeMap<&String, &String>, Vec<&RunFiles>)> = Vec::new();
    for run in runs {
        let rest = |(key, _): &(&String, &String)| *key != "seed" && !key.starts_with("machine.");
        let config: BTreeMap<_, _> = run.config.iter().filter(rest).collect();
        match groups.iter_mut().find(|known| known.0 == config) {
            Some(known) => known.1.push(run),
            None => groups.push((config, vec![run])),
        }
    }
    groups.into_iter().map(|group| group.1).filter(|group| group.len() > 1).collect()
}

fn standings(runs: &[RunFiles]) -> Markup {
    let number = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.3}"));
    let anchor = common_anchor(runs);
    html! {
        div class="scroll" { table {
            thead { tr { th { "run" } th { "Elo (95 %)" } th { "generations" } th { "time" } th { "core-hours" } th { "evaluations" } th { "attackers win" } th { "policy loss above its minimum" } th { "value loss" } th { "net's value error" } th class="left" { "verdict" } } }
            tbody { @for run in runs {
                @let recent = run.recent();
                tr {
                    th class="left" scope="row" { (run.name) }
                    td { (rated::by_generation(&run.lines, None, anchor).last().map_or("–".to_owned(), |found| elo_interval(found.1))) }
                    td { (run.lines.len()) }
                    td { (duration(run.lines.iter().map(GenerationMetrics::seconds).sum())) }
                    td { (spent(&run.lines).last().map_or("–".to_owned(), |spent| short(spent.core_hours))) }
                    td { (count(run.lines.iter().map(|line| line.selfplay.evaluations as f64).sum())) }
                    td { (mean(recent, |line| Some(line.results().shares()[0])).map_or("–".to_owned(), percent)) }
                    td { (number(mean(recent, |line| line.learning.policy_gap()))) }
                    td { (number(mean(recent, |line| line.learning.loss_part(|loss| loss.value)))) }
                    td { (number(mean(recent, |line| Some(line.value_errors()?[0])))) }
                    td class="wrap" { (headline(run).answer) }
                }
            } }
        } }
        p class="soft" {
            @if let Some(anchor) = anchor { "Elo is that of the last generations, above " (anchor) ". " }
            "Ratings from games against the same opponents compare runs roughly; a match between the nets with " code { "tablut match" } " is exact. "
            "Compare losses only between runs with similar games: sharper targets and fewer even games lower them without a stronger net."
        }
    }
}

fn differences(runs: &[RunFiles]) -> Markup {
    let keys: BTreeSet<&String> = runs.iter().flat_map(|run| run.config.keys()).collect();
    let value = |run: &RunFiles, key: &str| run.config.get(key).cloned();
    let differing: Vec<&String> =
        keys.into_iter().filter(|key| runs.iter().any(|run| value(run, key) != value(&runs[0], key))).collect();
    let without = runs.iter().filter(|run| run.config.is_empty()).map(|run| run.name.as_str()).collect::<Vec<_>>();
    html! {
        @if differing.is_empty() { p { "The configs are equal." } } @else {
            div class="scroll" { table {
                thead { tr { th { "key" } @for run in runs { th class="left" { (run.name) } } } }
                tbody { @for key in differing { tr {
                    th class="left" scope="row" { code { (key) } }
                    @for run in runs { td class="wrap" { @if let Some(value) = value(run, key) { code { (value) } } @else { "–" } } }
                } } }
            } }
        }
        @if !without.is_empty() { p class="soft" { "These runs have no config.toml: " (without.join(", ")) "." } }
    }
}

fn charts(runs: &[RunFiles]) -> Markup {
    let of = |value: &dyn Fn(&GenerationMetrics) -> Option<f64>| -> Vec<Series> {
        let one =
            |(at, run): (usize, &RunFiles)| series(run, &run.name, CLASSES[at % CLASSES.len()], at % 2 == 1, value);
        runs.iter().enumerate().map(one).collect()
    };
    let from_zero = Axis { from_zero: true, ..Axis::default() };
    html! {
        div class="charts" {
            (line_chart("Attackers win", "share of self-play", &of(&|line| Some(line.results().shares()[0])), Axis { shares: true, from_zero: true, ..Axis::default() }))
            (line_chart("Policy loss", "in nats", &of(&|line| line.learning.loss_part(|loss| loss.policy)), Axis::default()))
            (line_chart("Policy loss above its minimum", "in nats", &of(&|line| line.learning.policy_gap()), Axis::default()))
            (line_chart("Value loss", "in nats", &of(&|line| line.learning.loss_part(|loss| loss.value)), Axis::default()))
            (line_chart("The net's value error", "mean squared difference from the result", &of(&|line| Some(line.value_errors()?[0])), from_zero))
            (line_chart("Length of games", "mean plies", &of(&|line| Some(line.selfplay.mean_plies)), from_zero))
            (line_chart("Seconds per generation", "", &of(&|line| Some(line.seconds())), from_zero))
        }
    }
}
