//! The comparison of several runs: their results, the differences of their configs, their curves in shared charts, and
//! a short report of each.

use std::collections::BTreeSet;

use maud::{Markup, html};
use tablut_games::GenerationMetrics;

use super::curves::series;
use super::strength::verdict;
use super::{curves, sides, strength, time};
use crate::figures::{count, duration, percent};
use crate::metrics::mean;
use crate::run_files::RunFiles;
use crate::svg::{Axis, Series, line_chart};
use crate::words::headline;

/// Classes of the runs' colours.
const CLASSES: [&str; 6] = ["s0", "s1", "s2", "s3", "s4", "s5"];

pub fn section(runs: &[RunFiles]) -> Markup {
    html! {
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

fn standings(runs: &[RunFiles]) -> Markup {
    let number = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.3}"));
    html! {
        div class="scroll" { table {
            thead { tr { th { "run" } th { "generations" } th { "time" } th { "evaluations" } th { "attackers win" } th { "policy loss above its minimum" } th { "value loss" } th { "net's value error" } th class="left" { "strength" } } }
            tbody { @for run in runs {
                @let recent = run.recent();
                tr {
                    th class="left" scope="row" { (run.name) }
                    td { (run.lines.len()) }
                    td { (duration(run.lines.iter().map(GenerationMetrics::seconds).sum())) }
                    td { (count(run.lines.iter().map(|line| line.selfplay.evaluations as f64).sum())) }
                    td { (mean(recent, |line| Some(line.results().shares()[0])).map_or("–".to_owned(), percent)) }
                    td { (number(mean(recent, |line| line.learning.policy_gap()))) }
                    td { (number(mean(recent, |line| line.learning.loss_part(|loss| loss.value)))) }
                    td { (number(mean(recent, |line| Some(line.value_errors()?[0])))) }
                    td class="wrap" { (headline(run).answer) }
                }
            } }
        } }
        p class="soft" { "Compare losses only between runs with similar games: sharper targets and fewer even games lower them without a stronger net. To compare strength, play a match between the nets with " code { "tablut match" } "." }
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
    let from_zero = Axis { shares: false, from_zero: true };
    html! {
        div class="charts" {
            (line_chart("Attackers win", "share of self-play", &of(&|line| Some(line.results().shares()[0])), Axis { shares: true, from_zero: true }))
            (line_chart("Policy loss", "in nats", &of(&|line| line.learning.loss_part(|loss| loss.policy)), Axis::default()))
            (line_chart("Policy loss above its minimum", "in nats", &of(&|line| line.learning.policy_gap()), Axis::default()))
            (line_chart("Value loss", "in nats", &of(&|line| line.learning.loss_part(|loss| loss.value)), Axis::default()))
            (line_chart("The net's value error", "mean squared difference from the result", &of(&|line| Some(line.value_errors()?[0])), from_zero))
            (line_chart("Length of games", "mean plies", &of(&|line| Some(line.selfplay.mean_plies)), from_zero))
            (line_chart("Seconds per generation", "", &of(&|line| Some(line.seconds())), from_zero))
        }
    }
}
