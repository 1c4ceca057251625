//! The answer of a report: does the run learn, why one can say so, and what looks wrong.

use maud::{Markup, html};

use crate::run_files::RunFiles;
use crate::words::{headline, warnings};

/// The answer, its reasons, and what looks wrong.
pub(super) fn verdict(run: &RunFiles) -> Markup {
    let headline = headline(run);
    let class = match headline.learns {
        Some(true) => "verdict yes",
        Some(false) => "verdict no",
        None => "verdict",
    };
    let warnings = warnings(run);
    html! {
        div class=(class) {
            p class="answer" { (headline.answer) }
            ul { @for sentence in &headline.sentences { li { (sentence) } } }
        }
        @for warning in &warnings {
            div class="warning" role="note" {
                p { b { (warning.kind.title()) } ": " (warning.found) "." }
                p { (warning.kind.meaning()) }
                p class="soft" { "What to do: " (warning.kind.advice()) }
            }
        }
        @if warnings.is_empty() && run.lines.len() >= 3 { p class="soft" { "Nothing in the metrics looks wrong." } }
        @for note in &run.notes { p class="soft" { "Note: " (note) "." } }
    }
}
