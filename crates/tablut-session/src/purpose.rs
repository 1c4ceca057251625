//! What a move is good for, and what a player should see in a position, by the rules alone and in words.

use crate::report::GameEnding;
use crate::words;
use tablut_rules::{Bitboard, Game, Move, MoveList, Position, Rules, Side};

/// At most two purposes of a legal move: "captures the defender on e3 and closes an escape route". Empty for a quiet
/// move.
pub fn purpose(game: &Game, mv: Move) -> String {
    let (rules, before) = (game.rules(), game.position());
    let (side, opponent) = (before.side_to_move(), before.side_to_move().opponent());
    let applied = rules.apply(before, mv);
    let after = &applied.position;
    let mut found = Vec::new();
    if let Some(winner) = applied.winner {
        let mut end = game.clone();
        end.play_trusted(mv);
        let ending = end.outcome().map(|end| GameEnding { winner: Some(winner), reason: end.reason.name() });
        return ending.map_or(String::new(), |ending| format!("wins: {}", words::reason(ending)));
    }
    if !applied.captured.is_empty() {
        found.push(format!("captures {}", pieces(before, applied.captured)));
    }
    let routes = [before, after].map(|position| rules.routes(position));
    match side {
        Side::Attackers if routes[1] < routes[0] => found.push("closes the king's way out".to_owned()),
        Side::Defenders if routes[1] > routes[0] => found.push("opens a way out for the king".to_owned()),
        Side::Defenders if rules.wins_at_once(before, opponent) && !rules.wins_at_once(after, opponent) => {
            found.push("saves the king".to_owned());
        }
        Side::Attackers if rules.wins_at_once(after, side) => found.push("threatens to capture the king".to_owned()),
        _ => {}
    }
    let in_danger = threatened(rules, before);
    let still = threatened(rules, &after.with_side_to_move(side));
    if in_danger.contains(mv.from) && !still.contains(mv.to) {
        found.push("moves out of danger".to_owned());
    }
    let saved = in_danger - still - Bitboard::of(mv.from);
    if !saved.is_empty() {
        found.push(format!("protects {}", pieces(before, saved)));
    }
    let threats = threatened(rules, after) - threatened(rules, &before.with_side_to_move(opponent));
    if !threats.is_empty() {
        found.push(format!("threatens {}", pieces(after, threats)));
    }
    found.truncate(2);
    found.join(" and ")
}

/// The pieces of the side to move that the opponent could capture if it were its turn.
pub fn threatened(rules: &Rules, position: &Position) -> Bitboard {
    let turned = position.with_side_to_move(position.side_to_move().opponent());
    let mut moves = MoveList::new();
    rules.legal_moves(&turned, &mut moves);
    let captured = moves.iter().map(|mv| rules.apply(&turned, *mv).captured);
    captured.fold(Bitboard::EMPTY, |all, captured| all | captured)
}

/// What a beginner should see before a move: a win, a piece in danger, or a capture. `None` if there is none of them.
pub fn advice(rules: &Rules, position: &Position) -> Option<String> {
    let side = position.side_to_move();
    let own = threatened(rules, position);
    let others = threatened(rules, &position.with_side_to_move(side.opponent()));
    let king = position.king_board();
    if rules.wins_at_once(position, side) {
        return Some(match side {
            Side::Attackers => "You can capture the king.".to_owned(),
            Side::Defenders => "Your king can escape.".to_owned(),
        });
    }
    // The notes name the danger to the king.
    let (own, others) = (own - king, others - king);
    if !others.is_empty() {
        return Some(format!("You can capture {}.", pieces(position, others)));
    }
    (!own.is_empty()).then(|| format!("Take care of {}.", pieces(position, own)))
}

fn pieces(position: &Position, squares: Bitboard) -> String {
    let name = |square| position.piece_at(square).map(|piece| format!("the {piece} on {square}"));
    squares.iter().filter_map(name).collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn words(position: &str, mv: &str) -> String {
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        let game = Game::from_position(rules, position.parse().unwrap()).unwrap();
        purpose(&game, mv.parse().unwrap())
    }

    #[test]
    fn a_move_is_explained_by_what_it_does() {
        assert_eq!(words("9/9/9/9/2K5t/9/9/9/6t1t d", "c5-c9"), "wins: the king has escaped");
        assert_eq!(words("9/9/9/4K4/9/9/tT7/9/2t5t a", "c1-c3"), "captures the defender on b3");
        assert_eq!(words("4t4/9/9/t1K5t/9/9/9/9/2t5t a", "e9-c9"), "closes the king's way out");
        assert_eq!(
            words("9/9/2t6/t1tK4t/9/2t6/9/9/3t5 d", "d6-d5"),
            "opens a way out for the king and moves out of danger"
        );
        assert_eq!(words("t8/9/9/9/4K4/9/9/9/8t a", "a9-a8"), "");
    }

    #[test]
    fn a_beginner_is_told_what_there_is_to_see() {
        let rules = Rules::named("kvasir").unwrap();
        let told = |position: &str| advice(&rules, &position.parse().unwrap());
        assert_eq!(told("9/9/9/9/2K5t/9/9/9/6t1t d").as_deref(), Some("Your king can escape."));
        assert_eq!(told("9/9/9/4K4/9/9/tT7/9/2t5t a").as_deref(), Some("You can capture the defender on b3."));
        assert_eq!(told("9/9/9/4K4/9/9/tT7/9/2t5t d").as_deref(), Some("Your king can escape."));
        assert_eq!(told("4t4/9/9/t3K3t/9/9/tT7/9/2t1t4 d").as_deref(), Some("Take care of the defender on b3."));
    }
}
