//! The report: one HTML page without scripts, readable offline, on a phone, and in the dark.

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
use crate::figures::count;
use crate::run_files::RunFiles;

const STYLE: &str = include_str!("page/style.css");

/// Where the pages that explain a report are in the source tree.
const DOCUMENTS: [(&str, &str); 2] = [
    ("docs/metrics.md", "what each number means"),
    ("docs/troubleshooting.md", "what to do when something looks wrong"),
];

/// The report of one run, or of several beside each other.
pub fn report_page(runs: &[RunFiles]) -> String {
    page(runs, None)
}

/// The report of a run that may be under way; the page loads itself again after `seconds`.
pub fn live_page(run: &RunFiles, seconds: u32) -> String {
    page(std::slice::from_ref(run), Some(seconds))
}

fn page(runs: &[RunFiles], again: Option<u32>) -> String {
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
                @if let Some(seconds) = again { meta http-equiv="refresh" content=(seconds); }
                title { (title) " – tablut" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (crate::svg::board_symbols(&rules))
                @if let [run] = runs {
                    (one(run, again))
                } @else {
                    header {
                        h1 { "Runs compared" }
                        p class="soft" { (title) }
                    }
                    main { (comparison::section(runs)) }
                }
                footer {
                    p {
                        "Made by tablut from the files of the run" @if runs.len() > 1 { "s" } ". In the program's source, "
                        @for (at, (path, says)) in DOCUMENTS.iter().enumerate() {
                            @if at > 0 { ", and " }
                            code { (path) } " says " (says)
                        }
                        "."
                    }
                }
            }
        }
    };
    markup.into_string()
}

fn one(run: &RunFiles, again: Option<u32>) -> Markup {
    let now = again.map(|_| now::section(run)).unwrap_or_default();
    let sections: [(&str, &str, Markup); 11] = [
        ("now", "What it does now", now),
        ("strength", "How strong is it?", strength::section(run)),
        ("ratings", "How strong it has grown", ratings::section(run)),
        ("curves", "How it went", curves::section(run)),
        ("sides", "By rule set and side", sides::section(run)),
        ("values", "Are its values right?", sides::calibration_section(run)),
        ("openings", "What it opens with", games::openings(run)),
        ("games", "Games to look at", games::samples_section(run)),
        ("time", "Where the time went", time::section(run)),
        ("workers", "Who played", workers::section(run)),
        ("config", "The config, and how to do it again", config_section(run)),
    ];
    let shown = || sections.iter().filter(|(_, _, markup)| !markup.0.is_empty());
    html! {
        header {
            h1 { (run.name) }
            p class="soft" { (subtitle(run)) @if again.is_some() { ". This page shows the run as it is now and loads itself again." } }
            nav aria-label="Sections" { @for (id, name, _) in shown() { a href=(format!("#{id}")) { (name) } } }
        }
        main {
            (verdict(run))
            @for (id, name, markup) in shown() {
                section id=(id) aria-labelledby=(format!("{id}-h")) { h2 id=(format!("{id}-h")) { (name) } (markup) }
            }
        }
    }
}

/// The config, and the commands that do the run again.
fn config_section(run: &RunFiles) -> Markup {
    if run.config_text.is_empty() {
        return html! {};
    }
    html! {
        p { "A run is a function of its config and seed, to the bit, on any processor with AVX2, AVX-512 or NEON. Save the config below as " code { "again.toml" } " and call:" }
        pre { "tablut train again.toml --run runs/again" }
        p { "Rule files that the config names must be there as well; the run keeps the rules themselves in " code { "rules.toml" } "." }
        details { summary { "config.toml" } pre { (run.config_text) } }
    }
}

/// What was trained, on what, how far.
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
    parts.push(format!("{} generations, {} games of self-play", run.lines.len(), count(games as f64)));
    parts.join("; ")
}
