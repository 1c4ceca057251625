//! The first screen: the verdict, the scores that it is based on, the strength over the run, and what to do next. Also the
//! whole evaluation with its ladder.

use maud::{Markup, html};
use tablut_arena::{LadderPlayer, MatchReport, SideResult};

use super::ratings::{self, score_cells};
use crate::figures::{counted, elo_text, percent, signed};
use crate::rated::progress;
use crate::run_files::RunFiles;
use crate::svg::whiskers;
use crate::words::{against_start, headline, measured, warnings};

/// The verdict with its scores, the curve of strength, and the warnings.
pub(super) fn verdict(run: &RunFiles) -> Markup {
    let headline = headline(run);
    let class = match headline.stronger {
        Some(true) => "verdict yes",
        Some(false) => "verdict no",
        None => "verdict",
    };
    let warnings = warnings(run);
    let measured = measured(run);
    let start = measured.as_ref().and_then(|found| against_start(run, found));
    let others = measured.iter().flat_map(|found| &found.report.matches);
    let others = others.filter(|other| start.is_none_or(|start| start != *other));
    html! {
        div class=(class) {
            p class="answer" { (headline.answer) }
            p { b { "Next: " } (code_words(&headline.next)) }
        }
        div class="first" {
            @if let Some(found) = &measured {
                div class="chart" {
                    b { "Scores of the newest net" }
                    p class="soft" {
                        (found.report.simulations) " simulations a move, 95 % intervals. The last columns are the scores as attackers and as defenders."
                        @if found.while_training.is_some() { " From games during training." }
                    }
                    div class="scroll" { table {
                        thead { tr { th { "opponent" } th class="left" { "score" } th class="wide" {} th class="wide" { "games" } th { "att." } th { "def." } } }
                        tbody { @for found in start.into_iter().chain(others) { (short_row(found)) } }
                    } }
                }
            }
            (ratings::chart("Strength during training", &progress(&run.lines, None, None)))
        }
        details { summary { "More about this run" } ul { @for sentence in &headline.sentences { li { (sentence) } } } }
        @if !warnings.is_empty() {
            details {
                summary { (counted(warnings.len(), "warning")) ": " (warnings.iter().map(|warning| warning.kind.title()).collect::<Vec<_>>().join("; ")) }
                @for warning in &warnings {
                    div class="warning" role="note" {
                        p { b { (warning.kind.title()) } ": " (warning.found) "." }
                        p { (warning.kind.meaning()) }
                        p class="soft" { "What to do: " (warning.kind.advice()) }
                    }
                }
            }
        }
        @for note in &run.notes { p class="soft" { "Note: " (note) "." } }
    }
}

/// A text whose words between backquotes are code.
fn code_words(text: &str) -> Markup {
    html! { @for (at, part) in text.split('`').enumerate() { @if at % 2 == 1 { code { (part) } } @else { (part) } } }
}

/// An opponent with the score against it, in all games and with each side.
fn short_row(found: &MatchReport) -> Markup {
    let side = |side: &SideResult| side.score.map_or("–".to_owned(), |score| percent(score.mean));
    let opponent = match found.opponent() {
        "untrained" => "its untrained start",
        "start" => "its start",
        "shipped" => "the shipped net",
        other => other,
    };
    html! {
        tr {
            th class="left" scope="row" { (opponent) }
            @if let Some(score) = found.total.score {
                td class="left" { (percent(score.mean)) " " span class="soft" { (format!("({:.0}–{:.0})", 100.0 * score.low, 100.0 * score.high)) } }
                td class="wide" { (whiskers(&format!("score against {opponent}"), score.low, score.mean, score.high, "n")) }
            }
            td class="wide" { (found.games) } td { (side(&found.as_attackers)) } td { (side(&found.as_defenders)) }
        }
    }
}

pub fn section(run: &RunFiles) -> Markup {
    let Some(evaluation) = &run.evaluation else {
        return html! {
            p { "There is no final match. A run plays it at the end if " code { "evaluation.games" } " is above 0. "
                code { "tablut evaluate" } " evaluates any checkpoint. Losses do not show how strong a net is." }
        };
    };
    html! {
        p class="soft" {
            "The net played with " (evaluation.simulations) " simulations a move, each opening with both sides. "
            "Bars are 95 % intervals. The line in the middle is a score of 50 %. Elo is the difference to the opponent, positive if the net is stronger. An unfinished game is half a point."
        }
        @for rules in evaluation.rule_sets() {
            @if evaluation.rule_sets().len() > 1 { h3 { (rules) } }
            div class="scroll" { table {
                thead { tr { th { "opponent" } th { "games" } th { "unfinished" } th class="left" colspan="2" { "score" } th { "Elo (95 %)" } th class="left" colspan="2" { "as attackers" } th class="left" colspan="2" { "as defenders" } } }
                tbody { @for found in evaluation.matches_of(rules) { (row(found)) } }
            } }
            @let ladder = evaluation.ladder(rules);
            @if ladder.len() > 1 { (ladder_chart(rules, &ladder, &evaluation.matches_of(rules).collect::<Vec<_>>())) }
        }
    }
}

fn row(found: &MatchReport) -> Markup {
    let score = |of: &SideResult, what: &str, class: &str| {
        score_cells(of, &format!("{what} against {}", found.opponent()), class)
    };
    html! {
        tr {
            th class="left" scope="row" { code { (found.opponent()) } }
            td { (found.games) } td { (found.unfinished) }
            (score(&found.total, "score", "n"))
            td { (elo_text(&found.elo)) }
            (score(&found.as_attackers, "as attackers", "a"))
            (score(&found.as_defenders, "as defenders", "d"))
        }
    }
}

/// The players by rating, with their intervals. `matches` are those of the net, also against opponents that are not on the
/// ladder.
fn ladder_chart(rules: &str, ladder: &[LadderPlayer], matches: &[&MatchReport]) -> Markup {
    const WIDTH: f64 = 360.0;
    const ROW: f64 = 34.0;
    let net = matches.first().map_or("", |report| &report.players[0]);
    let low = ladder.iter().map(|rung| rung.rating.low).fold(0.0, f64::min);
    let high = ladder.iter().map(|rung| rung.rating.high).fold(1.0, f64::max);
    let x = |elo: f64| 10.0 + (WIDTH - 20.0) * (elo - low) / (high - low);
    let height = ROW * ladder.len() as f64 + 6.0;
    let anchor = ladder.iter().find(|rung| rung.anchor).map_or("", |rung| rung.name.as_str());
    let is_net = |rung: &LadderPlayer| rung.name == net;
    let name = |rung: &LadderPlayer| if is_net(rung) { "this net" } else { &rung.name }.to_owned();
    let spoken =
        ladder.iter().map(|rung| format!("{} {}", name(rung), signed(rung.rating.elo))).collect::<Vec<_>>().join(", ");
    html! {
        figure class="chart" style="max-width:560px" {
            figcaption { b { "Ladder" } " " span class="soft" { "Ratings in Elo, " (anchor) " at 0." @if matches.len() >= ladder.len() { " Opponents that won or lost every game are left out, because such a match gives no Elo difference." } } }
            svg viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-label=(format!("Ladder under {rules}: {spoken}")) {
                title { "Ladder under " (rules) ": " (spoken) }
                @for (at, rung) in ladder.iter().enumerate() {
                    @let y = ROW * at as f64 + 24.0;
                    @let class = if is_net(rung) { "n" } else { "g" };
                    text class="tick" x="10" y=(y - 9.0) style=(if is_net(rung) { "font-weight:700;fill:var(--ink)" } else { "" }) { (name(rung)) }
                    text class="tick end" x=(WIDTH - 10.0) y=(y - 9.0) {
                        (signed(rung.rating.elo))
                        @if !rung.anchor { " (" (signed(rung.rating.low)) " to " (signed(rung.rating.high)) ")" }
                    }
                    line class="grid" x1="10" x2=(WIDTH - 10.0) y1=(y) y2=(y) {}
                    line class=(format!("line {class}")) x1=(format!("{:.1}", x(rung.rating.low))) x2=(format!("{:.1}", x(rung.rating.high))) y1=(y) y2=(y) {}
                    circle class=(format!("dot {class}")) cx=(format!("{:.1}", x(rung.rating.elo))) cy=(y) r="4.5" {}
                }
            }
        }
    }
}
