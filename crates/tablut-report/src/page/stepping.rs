//! A game to step through without a script: each position is shown when its radio button is chosen, so that arrow keys and the
//! buttons' labels move through the game.

use std::fmt::Write as _;

use maud::{Markup, html};
use tablut_rules::{Move, Position, Rules, Side};

use crate::svg::board_view;

/// A longer game is shown in this many positions.
const MOST_POSITIONS: usize = 121;

/// A game, finished or under way.
pub struct SteppedGame<'a> {
    /// What its elements are called; no other game of the page has it.
    pub id: String,
    /// The rules.
    pub rules: &'a Rules,
    /// How it ended, or how it stands.
    pub title: String,
    /// More of that.
    pub note: String,
    /// Before the first move, and after each.
    pub positions: Vec<Position>,
    /// The moves.
    pub moves: Vec<Move>,
    /// What the search said of the position before each move; none where its search is no training target.
    pub values: Vec<Option<f32>>,
    /// Whether its last position is shown at first, and not its first one.
    pub at_end: bool,
}

impl SteppedGame<'_> {
    /// The game's card.
    pub fn markup(&self) -> Markup {
        let n = self.positions.len();
        // Of a game that is too long the end that is shown first is kept.
        let (first, end) = if self.at_end { (n.saturating_sub(MOST_POSITIONS), n) } else { (0, n.min(MOST_POSITIONS)) };
        let last = end - 1;
        let chosen = if self.at_end { last } else { first };
        let id = |ply: usize| format!("{}p{ply}", self.id);
        html! {
            div class="game" role="group" aria-label=(format!("A game under {}, {}", self.rules.name(), self.title)) {
                h4 { (self.rules.name()) ": " (self.title) " " small { "(" (self.note) ")" } }
                (value_graph(&self.values))
                @for (ply, position) in self.positions.iter().enumerate().take(end).skip(first) {
                    @let mv = ply.checked_sub(1).map(|before| self.moves[before]);
                    @let said = self.said(ply);
                    input type="radio" name=(self.id) id=(id(ply)) checked[ply == chosen] aria-label=(said);
                    div class="frame" {
                        (board_view(self.rules, position, mv, &said))
                        div class="steps" {
                            (step(&id(first), "|◀", "to the start", ply > first))
                            (step(&id(ply.saturating_sub(1)), "◀", "back", ply > first))
                            (step(&id(ply + 1), "▶", "forward", ply < last))
                            (step(&id(last), "▶|", "to the end", ply < last))
                            span class="where" { (ply) " / " (n - 1) }
                        }
                        p class="say" { (said) }
                    }
                }
            }
        }
    }

    /// What has just been played, and what the search says of the position.
    fn said(&self, ply: usize) -> String {
        let mut text = match ply.checked_sub(1) {
            None => "Start".to_owned(),
            Some(before) => {
                let how = if self.values[before].is_some() { "" } else { " (not searched in full)" };
                format!("{ply}. {}{how}", self.moves[before])
            }
        };
        if let Some(Some(value)) = self.values.get(ply) {
            if value.abs() >= 1.0 {
                let side = if *value > 0.0 { Side::Attackers } else { Side::Defenders };
                let _ = write!(text, " – proven: the {side} win");
            } else {
                let _ = write!(text, " – value {value:+.2}");
            }
        }
        text
    }
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
        svg class="graph" viewBox="0 0 300 40" preserveAspectRatio="none" role="img" aria-label="The search's value over the game, the attackers' win on top" {
            title { "The search's value over the game: above the line the attackers are ahead" }
            line class="half" x1="0" x2="300" y1="20" y2="20" {}
            path class="line n" vector-effect="non-scaling-stroke" d=(path) {}
        }
    }
}
