//! The time, memory and disk space of a run.

use maud::{Markup, html};
use tablut_games::GenerationMetrics;

use super::curves::series;
use crate::figures::{bytes, count, duration, percent};
use crate::metrics::{evaluation_speed, mean};
use crate::run_files::RunFiles;
use crate::svg::{Axis, bar, line_chart};

pub fn section(run: &RunFiles) -> Markup {
    let total = run.lines.iter().map(GenerationMetrics::seconds).sum::<f64>();
    if total <= 0.0 {
        return html! {};
    }
    let parts = parts(run);
    html! {
        p { "The run took " (duration(total)) ", without the evaluation at its end." }
        (bar("Where the time went", &parts, total))
        p class="legend" { @for (name, class, seconds) in &parts {
            span class=(format!("key {class}")) { i class="swatch" {} (name) " " b { (percent(seconds / total)) } " (" (duration(*seconds)) ")" }
        } }
        div class="charts" {
            (line_chart("Evaluations a second", "positions that the net evaluates in self-play", &[series(run, "", "n", false, evaluation_speed)], Axis { from_zero: true, ..Axis::default() }))
            (line_chart("Seconds per generation", "", &[
                series(run, "self-play", "n", false, |line| Some(line.selfplay.seconds)),
                series(run, "learning", "s2", true, |line| Some(line.learning.seconds)),
            ], Axis { from_zero: true, ..Axis::default() }))
            div class="chart" { b { "The last generations" } (facts_table(facts(run))) }
        }
    }
}

pub(super) fn facts_table(facts: impl IntoIterator<Item = (&'static str, String)>) -> Markup {
    html! {
        div class="scroll" { table class="facts" { tbody { @for (name, value) in facts {
            tr { th class="left" scope="row" { (name) } td class="left" { (value) } }
        } } } }
    }
}

/// The parts of a run's time: name, CSS class and seconds.
fn parts(run: &RunFiles) -> Vec<(&'static str, &'static str, f64)> {
    let sum = |value: &dyn Fn(&GenerationMetrics) -> f64| run.lines.iter().map(value).sum::<f64>();
    let net = sum(&|line| line.selfplay.seconds * line.selfplay.net_share);
    let mut parts = vec![
        ("self-play: the net", "n", net),
        ("self-play: search, rules and solver", "w", sum(&|line| line.selfplay.seconds) - net),
        ("learning", "s2", sum(&|line| line.learning.seconds)),
    ];
    let (rating, measuring) = (sum(&GenerationMetrics::rating_seconds), sum(&|line| line.machine.measuring_seconds));
    parts.extend((rating > 0.0).then_some(("rating games", "s4", rating)));
    parts.extend((measuring > 0.0).then_some(("measuring", "g", measuring)));
    parts
}

/// Speeds, memory and disk space in the last generations, as far as they are known.
fn facts(run: &RunFiles) -> impl Iterator<Item = (&'static str, String)> {
    let samples =
        |line: &GenerationMetrics| (line.learning.samples_per_second > 0.0).then_some(line.learning.samples_per_second);
    let batch = |line: &GenerationMetrics| (line.selfplay.mean_batch > 0.0).then_some(line.selfplay.mean_batch);
    let fill = |line: &GenerationMetrics| (line.selfplay.batch_fill > 0.0).then_some(line.selfplay.batch_fill);
    let recent = run.recent();
    let per_second = |speed: Option<f64>| speed.map(|speed| format!("{} per second", count(speed)));
    let known = |value: fn(&GenerationMetrics) -> u64| recent.last().map(value).filter(|&n| n > 0).map(bytes);
    [
        ("evaluations by the net", per_second(mean(recent, evaluation_speed))),
        ("positions in learning", per_second(mean(recent, samples))),
        ("mean batch in self-play", mean(recent, batch).map(|size| format!("{size:.0} positions"))),
        ("share of games in a batch", mean(recent, fill).map(|fill| format!("{} of a thread's games", percent(fill)))),
        ("memory", known(|line| line.machine.memory_bytes)),
        ("size of the run's files", known(|line| line.machine.run_bytes)),
        ("free disk space", known(|line| line.machine.free_bytes)),
        ("remaining time", crate::words::seconds_left(run).map(|left| format!("about {}", duration(left)))),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
}
