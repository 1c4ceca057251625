//! The workers on other machines, if there were any.

use std::collections::BTreeMap;

use maud::{Markup, html};
use tablut_games::FleetReport;

use super::curves::series;
use super::time::facts_table;
use crate::figures::{bytes, count, counted, duration, percent};
use crate::run_files::RunFiles;
use crate::svg::{Axis, line_chart};

/// A worker over all generations.
#[derive(Default)]
struct Work {
    threads: usize,
    games: usize,
    generations: usize,
    games_per_second: f64,
}

pub fn section(run: &RunFiles) -> Markup {
    let reports: Vec<&FleetReport> = run.lines.iter().filter_map(|line| line.fleet.as_ref()).collect();
    if reports.is_empty() {
        return html! {};
    }
    let mut workers: BTreeMap<&str, Work> = BTreeMap::new();
    for worker in reports.iter().flat_map(|report| &report.workers) {
        let work = workers.entry(&worker.name).or_default();
        work.threads = worker.threads;
        work.games += worker.games;
        work.generations += 1;
        work.games_per_second += worker.games_per_second;
    }
    let games: usize = workers.values().map(|work| work.games).sum();
    let sum = |value: fn(&FleetReport) -> u64| count(reports.iter().map(|report| value(report)).sum::<u64>() as f64);
    let waited: f64 = reports.iter().map(|report| report.waited_seconds).sum();
    let received: u64 = reports.iter().map(|report| report.bytes).sum();
    let lag = reports.iter().map(|report| report.lag).max().unwrap_or(0);
    let facts = [
        ("jobs assigned", sum(|report| report.jobs)),
        ("jobs assigned again, because a worker stopped responding", sum(|report| report.redeliveries)),
        ("games received twice", sum(|report| report.duplicates)),
        ("games and messages rejected", sum(|report| report.refused)),
        ("data received", bytes(received)),
        ("maximum number of results that waited for the trainer", count(lag as f64)),
        ("time that learning waited for games", duration(waited)),
    ];
    let speed = |report: &FleetReport| report.workers.iter().map(|worker| worker.games_per_second).sum::<f64>();
    html! {
        p { (counted(workers.len(), "worker")) " played " (counted(games, "game")) " in " (counted(reports.len(), "generation")) "." }
        div class="charts" {
            (line_chart("Games per second", "all workers together", &[
                series(run, "", "n", false, |line| line.fleet.as_ref().map(speed)),
            ], Axis { from_zero: true, ..Axis::default() }))
            (line_chart("Seconds that learning waited for games", "per generation", &[
                series(run, "", "s2", false, |line| line.fleet.as_ref().map(|report| report.waited_seconds)),
            ], Axis { from_zero: true, ..Axis::default() }))
            div class="chart" { (facts_table(facts)) }
        }
        div class="scroll" { table {
            thead { tr { th class="left" { "worker" } th { "threads" } th { "games" } th { "share" } th { "games per second" } th { "generations" } } }
            tbody { @for (name, work) in &workers { tr {
                th class="left" scope="row" { (name) }
                td { (work.threads) } td { (count(work.games as f64)) } td { (percent(work.games as f64 / games.max(1) as f64)) }
                td { (format!("{:.1}", work.games_per_second / work.generations as f64)) } td { (work.generations) }
            } } }
        } }
    }
}
