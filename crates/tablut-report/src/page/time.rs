//! Where the time went, and what the machine gave.

use maud::{Markup, html};

use super::curves::series;
use crate::figures::{bytes, count, duration, percent};
use crate::metrics::{MetricsLine, mean};
use crate::run_files::RunFiles;
use crate::svg::{Axis, bar, line_chart};

pub fn section(run: &RunFiles) -> Markup {
    let sum = |value: &dyn Fn(&MetricsLine) -> f64| run.lines.iter().map(value).sum::<f64>();
    let total = sum(&MetricsLine::seconds);
    if total <= 0.0 {
        return html! {};
    }
    let net = sum(&|line| line.selfplay.seconds * line.selfplay.net_share);
    let selfplay = sum(&|line| line.selfplay.seconds);
    let (learning, watching) = (sum(&|line| line.learning.seconds), sum(&|line| line.machine.watching_seconds));
    let mut parts = vec![
        ("self-play: the net", "n", net),
        ("self-play: search, rules and solver", "w", selfplay - net),
        ("learning", "s2", learning),
    ];
    let rating = sum(&MetricsLine::rating_seconds);
    if rating > 0.0 {
        parts.push(("rating games", "s4", rating));
    }
    if watching > 0.0 {
        parts.push(("measuring", "g", watching));
    }
    let speed = |line: &MetricsLine| {
        (line.selfplay.seconds > 0.0).then(|| line.selfplay.evaluations as f64 / line.selfplay.seconds)
    };
    let samples =
        |line: &MetricsLine| (line.learning.samples_per_second > 0.0).then_some(line.learning.samples_per_second);
    let fill = |line: &MetricsLine| (line.selfplay.batch_fill > 0.0).then_some(line.selfplay.batch_fill);
    let recent = run.recent();
    let last = recent.last();
    let facts = [
        ("evaluations by the net", mean(recent, speed).map(|speed| format!("{} a second", count(speed)))),
        ("positions learnt from", mean(recent, samples).map(|speed| format!("{} a second", count(speed)))),
        (
            "batches of self-play",
            mean(recent, |line| (line.selfplay.mean_batch > 0.0).then_some(line.selfplay.mean_batch))
                .map(|size| format!("{size:.0} positions on average")),
        ),
        (
            "how full these are",
            mean(recent, fill).map(|fill| format!("{fill:.2} positions for each game that a worker plays")),
        ),
        ("memory", last.filter(|line| line.machine.memory_bytes > 0).map(|line| bytes(line.machine.memory_bytes))),
        ("the run's files", last.filter(|line| line.machine.run_bytes > 0).map(|line| bytes(line.machine.run_bytes))),
        (
            "free on the disk",
            last.filter(|line| line.machine.free_bytes > 0).map(|line| bytes(line.machine.free_bytes)),
        ),
        ("left to do", crate::words::seconds_left(run).map(|left| format!("about {}", duration(left)))),
    ];
    html! {
        p { (duration(total)) " in all, without the final measurement." }
        (bar("Where the time went", &parts, total))
        p class="legend" { @for (name, class, seconds) in &parts {
            span class=(format!("key {class}")) { i class="swatch" {} (name) " " b { (percent(seconds / total)) } " (" (duration(*seconds)) ")" }
        } }
        div class="charts" {
            (line_chart("Evaluations a second", "by the net, in self-play", &[series(run, "", "n", false, speed)], Axis { shares: false, from_zero: true }))
            (line_chart("Seconds a generation", "", &[
                series(run, "self-play", "n", false, |line| Some(line.selfplay.seconds)),
                series(run, "learning", "s2", true, |line| Some(line.learning.seconds)),
            ], Axis { shares: false, from_zero: true }))
            div class="chart" {
                b { "The last generations" }
                div class="scroll" { table { tbody { @for (name, value) in facts {
                    @if let Some(value) = value { tr { th class="left" scope="row" { (name) } td class="left" { (value) } } }
                } } } }
            }
        }
    }
}
