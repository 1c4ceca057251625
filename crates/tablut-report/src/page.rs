//! The report: one HTML page without scripts that works offline, on phones and in dark mode.

mod comparison;
mod curves;
mod games;
mod now;
mod ratings;
mod sides;
mod stepping;
mod strength;
mod time;
mod workers;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use tablut_rules::Rules;

use self::strength::verdict;
use crate::figures::{count, counted};
use crate::run_files::RunFiles;

const STYLE: &str = include_str!("page/style.css");

/// The pages of the guide that explain a report, by their path in the repository.
const DOCUMENTS: [(&str, &str); 2] = [("docs/metrics.md", "each number"), ("docs/troubleshooting.md", "each warning")];

/// The path of [`live_page`] on a server.
pub const LIVE_PATH: &str = "/run";
/// The path of [`snapshot_page`] on a server.
pub const SNAPSHOT_PATH: &str = "/run/snapshot";

/// What a page shows besides the report of finished generations.
#[derive(Copy, Clone, Eq, PartialEq)]
enum Mode {
    /// Nothing. The page is a file.
    Report,
    /// The current state. The page reloads after this number of seconds.
    Live(u32),
    /// The current state. The page does not reload.
    Snapshot,
}

/// The report of one run, or a comparison of several.
pub fn report_page(runs: &[RunFiles]) -> String {
    page(runs, Mode::Report)
}

/// The report of a run in progress. The page reloads after `seconds`, so it shows only the last position of each game
/// and links to [`SNAPSHOT_PATH`].
pub fn live_page(run: &RunFiles, seconds: u32) -> String {
    page(std::slice::from_ref(run), Mode::Live(seconds))
}

/// The report of a run in progress at this moment, with games to step through. It links to [`LIVE_PATH`].
pub fn snapshot_page(run: &RunFiles) -> String {
    page(std::slice::from_ref(run), Mode::Snapshot)
}

fn page(runs: &[RunFiles], mode: Mode) -> String {
    let title = runs.iter().map(|run| run.name.as_str()).collect::<Vec<_>>().join(", ");
    let mut rules: Vec<&Rules> = Vec::new();
    for found in runs.iter().flat_map(|run| &run.rules) {
        if !rules.iter().any(|known| known.name() == found.name()) {
            rules.push(found);
        }
    }
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                @if let Mode::Live(seconds) = mode { meta http-equiv="refresh" content=(seconds); }
                title { (title) " – tablut" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (crate::svg::board_symbols(&rules))
                @if let [run] = runs {
                    (one(run, mode))
                } @else {
                    header {
                        h1 { "Comparison of runs" }
                        p class="soft" { (title) }
                    }
                    main { (comparison::section(runs)) }
                }
                footer {
                    p {
                        "tablut made this page from the files of the run" @if runs.len() > 1 { "s" } ". In its repository "
                        @for (at, (path, topic)) in DOCUMENTS.iter().enumerate() {
                            @if at > 0 { ", and " }
                            code { (path) } " explains " (topic)
                        }
                        "."
                    }
                }
            }
        }
    };
    markup.into_string()
}

fn one(run: &RunFiles, mode: Mode) -> Markup {
    let steps = !matches!(mode, Mode::Live(_));
    let now = if mode == Mode::Report {
        html! {}
    } else {
        now::section(run, steps)
    };
    let sections: [(&str, &str, Markup); 10] = [
        ("strength", "The final match", strength::section(run)),
        ("ratings", "Ratings during training", ratings::section(run)),
        ("curves", "Curves", curves::section(run)),
        ("sides", "Results by rule set and side", sides::section(run)),
        ("values", "Calibration of values", sides::calibration_section(run)),
        ("openings", "Openings", games::openings(run)),
        ("games", "Sample games", games::samples_section(run, steps)),
        ("time", "Time, memory and disk", time::section(run)),
        ("workers", "Workers", workers::section(run)),
        ("config", "Config", config_section(run)),
    ];
    let shown = || sections.iter().filter(|(_, _, markup)| !markup.0.is_empty());
    html! {
        header {
            h1 { (run.name) }
            p class="soft" { (subtitle(run)) }
            @match mode {
                Mode::Report => {},
                Mode::Live(seconds) => { p class="soft" {
                    "This page reloads every " (seconds) " seconds. To step through games, open "
                    a href=(SNAPSHOT_PATH) { "a snapshot" } ", which does not reload."
                } },
                Mode::Snapshot => { p class="soft" {
                    "This is a snapshot. " a href=(LIVE_PATH) { "The live page" } " reloads automatically."
                } },
            }
        }
        main {
            (verdict(run))
            @if mode != Mode::Report { section id="now" aria-labelledby="now-h" { h2 id="now-h" { "Current state" } (now) } }
            @for (id, name, markup) in shown() {
                details class="part" { summary { h2 { (name) } } section id=(id) aria-label=(name) { (markup) } }
            }
        }
    }
}

fn config_section(run: &RunFiles) -> Markup {
    if run.config_text.is_empty() {
        return html! {};
    }
    html! {
        p { "A run is a function of its config, rules, start and seed, to the bit, on any processor with AVX2, AVX-512 or NEON. The run's folder has all of them. This trains the same nets again:" }
        pre { "tablut train " (run.folder.display()) " --run runs/again" }
        pre { (run.config_text) }
    }
}

/// The net's shape, the rule sets, and the number of generations and games.
fn subtitle(run: &RunFiles) -> String {
    let mut parts = Vec::new();
    if let Some(shape) = run.config.get("shape") {
        parts.push(format!("a net of shape {}", shape.trim_matches('"')));
    }
    let names = run.rule_names();
    match names.len() {
        0 => {}
        1..=4 => parts.push(format!("rules: {}", names.join(", "))),
        n => parts.push(format!("{n} rule sets")),
    }
    let games: usize = run.lines.iter().map(|line| line.selfplay.games).sum();
    parts.push(format!("{}, {} self-play games", counted(run.lines.len(), "generation"), count(games as f64)));
    parts.join("; ")
}
