//! What the run does at this moment, with games to watch.

use maud::{Markup, html};

use super::stepping::stepped_game;
use crate::figures::{count, duration, percent};
use crate::live::Live;
use crate::run_files::RunFiles;
use crate::svg::bar;

/// A run that has said nothing for this long has probably been stopped.
const SILENCE_SECS: u64 = 120;

pub fn section(run: &RunFiles) -> Markup {
    let Some(live) = &run.live else {
        return html! { p { (nothing_heard(run)) } };
    };
    let age = live.age().as_secs();
    html! {
        p {
            "Generation " (live.generation) @if let Some(wanted) = run.generations_wanted() { " of " (wanted) }
            ": " b { (live.phase) } @if live.paused { ", paused" }
            @if live.total > 0 {
                ", " (count(live.done as f64)) " of " (count(live.total as f64)) (unit(live)) " after " (duration(live.seconds))
            }
            ". "
            span class="soft" { @if age > SILENCE_SECS { "Nothing was heard since " (duration(age as f64)) ": the run may have been stopped." } @else { "As of " (duration(age as f64)) " ago." } }
        }
        @if !live.workers.is_empty() { p { (live.workers) } }
        @if live.total > 0 {
            @let share = live.done as f64 / live.total as f64;
            (bar(&live.phase, &[("done", "n", share)], 1.0))
        }
        @if live.results.iter().sum::<usize>() > 0 {
            @let games = live.results.iter().sum::<usize>() as f64;
            @let [attackers, drawn, defenders] = live.results.map(|n| n as f64 / games);
            p class="soft" {
                "This generation's games so far: attackers " (percent(attackers)) ", draws " (percent(drawn)) ", defenders " (percent(defenders))
                @if live.evaluations > 0 { "; " (count(live.evaluations as f64)) " evaluations by the net" }
                "."
            }
        }
        @if !live.under_way.is_empty() || !live.finished.is_empty() {
            p class="soft" { "Games under way, and those that have just ended. Each shows its last position; step back with the buttons or the arrow keys." }
            div class="games" {
                @for (at, game) in live.under_way.iter().enumerate() { (stepped_game(run, game, &format!("w{at}"), true)) }
                @for (at, game) in live.finished.iter().enumerate() { (stepped_game(run, game, &format!("f{at}"), true)) }
            }
        }
    }
}

fn unit(live: &Live) -> &'static str {
    match live.phase.as_str() {
        "self-play" | "rating" => " games",
        "learning" => " steps",
        _ => "",
    }
}

fn nothing_heard(run: &RunFiles) -> &'static str {
    let wanted = run.generations_wanted().unwrap_or(u64::MAX);
    if run.lines.last().is_some_and(|line| line.generation + 1 >= wanted) {
        "The run is done."
    } else {
        "The run is not under way, or has just begun."
    }
}
