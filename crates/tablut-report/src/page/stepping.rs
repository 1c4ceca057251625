//! A game to step through without a script. Each position has a hidden radio button that shows it. Arrow keys and the
//! labels of the buttons choose another one.

use std::fmt::Write as _;

use maud::{Markup, html};
use tablut_rules::{Move, Outcome, Results, Side};

use crate::live::DisplayedGame;
use crate::run_files::RunFiles;
use crate::svg::board_view;

const MOST_POSITIONS: usize = 121;

#[derive(Copy, Clone, Eq, PartialEq)]
pub enum Steps {
    /// All positions. The first one is shown initially.
    FromFirst,
    /// All positions. The last one is shown initially.
    FromLast,
    None,
}

/// The card of a game, finished or in progress. It is empty if the run has no such rules or a move is illegal. `id` is
/// unique on the page.
pub fn stepped_game(run: &RunFiles, game: &DisplayedGame, id: &str, steps: Steps) -> Markup {
    let Some(rules) = run.rules_of(&game.rules) else { return html! {} };
    let Some(positions) = game.positions(rules) else { return html! {} };
    let moves = &game.moves;
    let (title, mut note) = match game.outcome {
        None => ("in progress".to_owned(), format!("ply {}", moves.len())),
        Some(outcome @ Outcome { winner, reason }) => (
            match winner {
                Some(side) => format!("{side} win"),
                None if Results::of_game(rules, outcome, moves.len()).unfinished > 0 => "unfinished".to_owned(),
                None => "drawn".to_owned(),
            },
            format!("{}, {} plies", reason.to_string().replace('-', " "), moves.len()),
        ),
    };
    if steps != Steps::FromFirst {
        note.insert_str(0, &format!("game {}, ", game.index));
    }
    let n = positions.len();
    // If the game is too long, positions far from the initial one are left out.
    let (first, end) = match steps {
        Steps::FromFirst => (0, n.min(MOST_POSITIONS)),
        Steps::FromLast => (n.saturating_sub(MOST_POSITIONS), n),
        Steps::None => (n - 1, n),
    };
    let last = end - 1;
    let chosen = if steps == Steps::FromFirst { first } else { last };
    let id_of = |ply: usize| format!("{id}p{ply}");
    html! {
        div class="game" role="group" aria-label=(format!("A game under {}, {title}", rules.name())) {
            h4 { (rules.name()) ": " (title) " " small { "(" (note) ")" } }
            (value_graph(&game.values))
            @for (ply, position) in positions.iter().enumerate().take(end).skip(first) {
                @let mv = ply.checked_sub(1).map(|before| moves[before]);
                @let text = caption(moves, &game.values, ply);
                @if steps == Steps::None {
                    (board_view(rules, position, mv, &text))
                    p class="say" { (text) }
                } @else {
                    input type="radio" name=(id) id=(id_of(ply)) checked[ply == chosen] aria-label=(text);
                    div class="frame" {
                        (board_view(rules, position, mv, &text))
                        div class="steps" {
                            (step(&id_of(first), "|◀", "to the start", ply > first))
                            (step(&id_of(ply.saturating_sub(1)), "◀", "back", ply > first))
                            (step(&id_of(ply + 1), "▶", "forward", ply < last))
                            (step(&id_of(last), "▶|", "to the end", ply < last))
                            span class="where" { (ply) " / " (n - 1) }
                        }
                        p class="say" { (text) }
                    }
                }
            }
        }
    }
}

/// The move that led to a position, and the search's value of the position.
fn caption(moves: &[Move], values: &[Option<f32>], ply: usize) -> String {
    let mut text = match ply.checked_sub(1) {
        None => "Start".to_owned(),
        Some(before) => {
            let how = if values[before].is_some() { "" } else { " (not searched in full)" };
            format!("{ply}. {}{how}", moves[before])
        }
    };
    if let Some(Some(value)) = values.get(ply) {
        if value.abs() >= 1.0 {
            let side = if *value > 0.0 { Side::Attackers } else { Side::Defenders };
            let _ = write!(text, " – proven: the {side} win");
        } else {
            let _ = write!(text, " – value {value:+.2}");
        }
    }
    text
}

fn step(target: &str, sign: &str, name: &str, possible: bool) -> Markup {
    html! {
        @if possible { label for=(target) title=(name) { (sign) } } @else { span class="off" aria-hidden="true" { (sign) } }
    }
}

/// The search's values over the game.
fn value_graph(values: &[Option<f32>]) -> Markup {
    let n = values.len().max(2) as f64;
    let mut path = String::new();
    for (ply, value) in values.iter().enumerate().filter_map(|(ply, value)| Some((ply, (*value)?))) {
        let pen = if path.is_empty() { 'M' } else { 'L' };
        let _ = write!(path, "{pen}{:.1} {:.1}", 300.0 * ply as f64 / (n - 1.0), 20.0 - 18.0 * value);
    }
    html! {
        svg class="graph" viewBox="0 0 300 40" preserveAspectRatio="none" role="img" aria-label="The search's value over the game, a win of the attackers at the top" {
            title { "The search's value over the game. Above the line the attackers are ahead." }
            line class="half" x1="0" x2="300" y1="20" y2="20" {}
            path class="line n" vector-effect="non-scaling-stroke" d=(path) {}
        }
    }
}
