//! Two cells of a table: a score, and its interval as a bar.

use maud::{Markup, html};

use crate::evaluation::SideScore;
use crate::figures::percent;
use crate::svg::whiskers;

/// The cells; `title` says whose score it is, `class` colours the bar.
pub(super) fn score_cells(of: &SideScore, title: &str, class: &str) -> Markup {
    html! {
        @if let Some(score) = of.score {
            td { (percent(score.mean)) } td { (whiskers(title, score.low, score.mean, score.high, class)) }
        } @else { td class="blank" { "–" } td {} }
    }
}
