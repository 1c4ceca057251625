//! The current state of a run, with games in progress.

use maud::{Markup, html};

use super::stepping::{Steps, stepped_game};
use crate::figures::{count, duration};
use crate::live::Live;
use crate::run_files::RunFiles;
use crate::svg::bar;

/// A run whose state is older than this has probably been stopped.
const SILENCE_SECS: u64 = 120;

/// The current state. Without `steps` only the last position of each game is shown.
pub fn section(run: &RunFiles, steps: bool) -> Markup {
    let Some(live) = &run.live else {
        return html! { p { (no_state(run)) } };
    };
    let shown_from = if steps { Steps::FromLast } else { Steps::None };
    let age = live.age().as_secs();
    html! {
        p {
            "Generation " (live.generation) @if let Some(wanted) = run.generations_wanted() { " of " (wanted) }
            ": " b { (live.phase) } @if live.paused { ", paused" }
            @if live.total > 0 {
                ", " (count(live.done as f64)) " of " (count(live.total as f64)) (unit(live)) " after " (duration(live.seconds))
            }
            ". "
            span class="soft" {
                "The last update was " (duration(age as f64)) " ago."
                @if age > SILENCE_SECS { " The run may have been stopped." }
            }
        }
        @if !live.workers.is_empty() { p { (live.workers) } }
        @if live.total > 0 {
            @let share = live.done as f64 / live.total as f64;
            (bar(&live.phase, &[("done", "n", share)], 1.0))
        }
        @if live.results.games() > 0 {
            p class="soft" {
                "Played games of this generation: " (live.results) "."
                @if live.evaluations > 0 { " The net has evaluated " (count(live.evaluations as f64)) " positions." }
            }
        }
        @if !live.under_way.is_empty() || !live.finished.is_empty() {
            p class="soft" {
                "These games are in progress or have just ended. Each board shows the last position."
                @if steps { " Step back with the buttons or the arrow keys." }
            }
            div class="games" {
                @for (at, game) in live.under_way.iter().enumerate() { (stepped_game(run, game, &format!("w{at}"), shown_from)) }
                @for (at, game) in live.finished.iter().enumerate() { (stepped_game(run, game, &format!("f{at}"), shown_from)) }
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

fn no_state(run: &RunFiles) -> &'static str {
    let wanted = run.generations_wanted().unwrap_or(u64::MAX);
    if run.lines.last().is_some_and(|line| line.generation + 1 >= wanted) {
        "The run has finished."
    } else {
        "The run is stopped or has just started."
    }
}
