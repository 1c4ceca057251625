//! Replays a list of moves and records the state after each.

use std::fmt;

use serde::Serialize;

use crate::board::Square;
use crate::game::Game;
use crate::move_text::ReadMoveError;
use crate::moves::{Move, MoveList};
use crate::outcome::Outcome;
use crate::position::Position;
use crate::rules::{IllegalMove, MoveFault};
use crate::side::Side;

/// A replayed game. `tablut replay --json` prints it.
#[derive(Clone, Debug, Serialize)]
pub struct Replay {
    /// The rule set's name.
    pub rules: String,
    /// The side that moved first.
    pub first: Side,
    /// The moves in the project's own notation.
    pub moves: Vec<Move>,
    /// How the game ended, or `None` if it is not over.
    pub outcome: Option<Outcome>,
    /// The side that resigned at the end, or `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resigned: Option<Side>,
    /// The state after each move.
    pub trace: Vec<TraceStep>,
}

/// The state of a game after a move.
#[derive(Clone, Debug, Serialize)]
pub struct TraceStep {
    /// The position.
    pub position: Position,
    /// Number of legal moves. It is 0 when the game is over.
    pub legal: usize,
    /// The squares that the move captured, sorted by name.
    pub captured: Vec<Square>,
    /// Escape routes (clause C11), 0 to 4. It is 0 when the game is over.
    pub routes: u32,
}

/// The list of moves cannot be replayed.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("ply {ply}: {reason}")]
pub struct TraceError {
    /// The first ply that fails, counted from 1.
    pub ply: usize,
    /// Why it cannot be played.
    pub reason: ReadMoveError,
}

impl Replay {
    /// Plays moves from the game's current position. The moves may be in any form of [`crate::MoveText`].
    ///
    /// # Errors
    /// At the first text that is not a legal move.
    pub fn run<'a>(mut game: Game, texts: impl IntoIterator<Item = &'a str>) -> Result<Replay, TraceError> {
        let first = game.position().side_to_move();
        let mut trace = Vec::new();
        let mut legal = MoveList::new();
        for (index, text) in texts.into_iter().enumerate() {
            let captured = play_text(&mut game, text).map_err(|reason| TraceError { ply: index + 1, reason })?;
            game.legal_moves(&mut legal);
            trace.push(TraceStep { position: *game.position(), legal: legal.len(), captured, routes: game.routes() });
        }
        Ok(Replay {
            rules: game.rules().name().to_owned(),
            first,
            moves: game.moves().collect(),
            outcome: game.outcome(),
            resigned: None,
            trace,
        })
    }
}

impl fmt::Display for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, {} first", self.rules, self.first)?;
        for (index, (mv, step)) in self.moves.iter().zip(&self.trace).enumerate() {
            write!(f, "{:>4}. {:<9} {}", index + 1, mv.to_string(), step.position)?;
            write!(f, "  {} moves", step.legal)?;
            if !step.captured.is_empty() {
                f.write_str(", captured")?;
                step.captured.iter().try_for_each(|square| write!(f, " {square}"))?;
            }
            match step.routes {
                0 => {}
                1 => f.write_str(", raichi")?,
                _ => f.write_str(", tuichi")?,
            }
            writeln!(f)?;
        }
        match (self.outcome, self.resigned) {
            (Some(outcome), _) => writeln!(f, "{outcome}"),
            (None, Some(side)) => writeln!(f, "{} win: the {side} resigned", side.opponent()),
            (None, None) => writeln!(f, "the game is not over"),
        }
    }
}

/// Plays a move from its text and returns the captured squares, sorted by name.
fn play_text(game: &mut Game, text: &str) -> Result<Vec<Square>, ReadMoveError> {
    if game.outcome().is_some() {
        let text: crate::MoveText = text.parse().map_err(ReadMoveError::Text)?;
        let mv = Move::new(text.from, text.to);
        return Err(IllegalMove { mv, fault: MoveFault::GameOver }.into());
    }
    let mv = game.rules().read_move(game.position(), text)?;
    let mut captured: Vec<Square> = game.play(mv)?.captured.iter().collect();
    captured.sort_by_key(|square| (square.column(), square.row()));
    Ok(captured)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::rules::Rules;

    fn game(name: &str, position: &str) -> Game {
        let rules = Arc::new(Rules::named(name).expect("a built-in rule set"));
        let opening = rules.opening(None, Some(position)).expect("a position");
        Game::from_position(rules, opening).expect("a game")
    }

    #[test]
    fn the_trace_tells_the_state_after_each_move() {
        let start = "9/9/9/9/9/3Tt1T2/3K5/3t5/4T4 d";
        let replay = Replay::run(game("kvasir", start), ["d3-e3", "d2-d1", "e3-i3"]).expect("legal moves");
        let captured: Vec<String> = replay.trace.iter().map(|t| format!("{:?}", t.captured)).collect();
        assert_eq!(captured, ["[e4]", "[]", "[]"]);
        let routes: Vec<u32> = replay.trace.iter().map(|t| t.routes).collect();
        assert_eq!(routes, [3, 3, 0]);
        assert_eq!(replay.trace[2].legal, 0);
        assert_eq!(replay.outcome.map(|o| o.to_string()).as_deref(), Some("defenders win by king-escaped"));
    }

    #[test]
    fn an_illegal_move_is_named_with_its_ply_and_reason() {
        let error = |moves: &[&str]| {
            let game = game("kvasir", "9/9/9/9/4K4/9/9/9/t8 a");
            Replay::run(game, moves.iter().copied()).expect_err("a fault").to_string()
        };
        assert_eq!(error(&["a1-a2", "e5-e5"]).split(':').next(), Some("ply 2"));
        assert_eq!(
            error(&["a1-a2", "a2-a3"]),
            "ply 2: a2-a3 is illegal: it is the defenders' turn, and the piece is an attacker"
        );
        assert_eq!(error(&["a1-a2", "e5-e9", "a2-a3"]), "ply 3: a2-a3 is illegal: the game is over");
    }
}
