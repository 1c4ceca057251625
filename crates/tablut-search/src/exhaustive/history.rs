//! Decides whether a game's history can matter within a number of plies.
//!
//! Three rules end a game by its history: the repetition of a position, the limit on plies without a capture, and the
//! limit on plies. The two limits count plies, so it is easy to compute when they are out of reach. A repetition is out
//! of reach if no position can have occurred often enough:
//!
//! - A cycle from a position back to itself takes at least four plies: each side moves a piece away and back again.
//! - Each piece that stands elsewhere needs a move, and the sides take turns. So the difference between two positions
//!   is a lower bound on the plies between them.
//! - A captured piece never returns, so no position from before the last capture occurs again.
//!
//! If all three are out of reach, legal moves and results depend only on the position. Otherwise two facts often answer
//! the question too:
//!
//! - A side that wins without the history may come closer to its win with every ply ([`win_holds`]). Then no position
//!   after the current one occurs twice, so the win stands if no earlier position is one occurrence from its limit.
//! - A draw by repetition or by a limit helps no side to win ([`may_help`]).

use tablut_rules::{GRID_SQUARES, Game, Position, RepetitionResult, Side};

const CYCLE_PLIES: u32 = 4;

/// An upper bound on the distance between two positions in which every piece needs a move.
const MOST_PLIES: u32 = 4 * GRID_SQUARES as u32;

/// Whether a repetition or a limit could end the game within `plies`. `positions` are all positions of the game, with
/// the current one last. The answer is never false if one could, but it may be true although none can.
pub(super) fn may_end_game(game: &Game, positions: &[Position], plies: u32) -> bool {
    may_reach_limit(game, plies) || may_repeat(game, positions, plies)
}

/// Whether a win within `plies` that follows from the position alone is also one with the history. The answer may be
/// false although it is.
pub(super) fn win_holds(game: &Game, positions: &[Position], plies: u32) -> bool {
    let repetition = &game.rules().set().repetition;
    let counted = counted(game, positions);
    let is_harmless =
        |earlier: &Position| earlier == game.position() || occurrences(earlier, counted) + 1 < repetition.occurrences;
    !may_reach_limit(game, plies) && (repetition.result == RepetitionResult::Ignored || counted.iter().all(is_harmless))
}

/// Whether the history could give `side` a win that does not follow from the position.
pub(super) fn may_help(side: Side, game: &Game) -> bool {
    match game.rules().set().repetition.result {
        RepetitionResult::Ignored | RepetitionResult::Draw => false,
        RepetitionResult::DefendersLose => side == Side::Attackers,
        _ => true,
    }
}

fn may_reach_limit(game: &Game, plies: u32) -> bool {
    let no_captures = game.rules().set().no_capture_plies;
    no_captures.is_some_and(|limit| game.plies_since_capture() + plies >= limit)
        || game.max_plies().is_some_and(|limit| game.ply() + plies >= limit)
}

/// The positions that count for repetition and may occur again.
fn counted<'a>(game: &Game, positions: &'a [Position]) -> &'a [Position] {
    let since_capture = positions.len().saturating_sub(game.plies_since_capture() as usize + 1);
    let since_counted = since_capture.max(usize::from(!game.rules().set().repetition.start_counts));
    positions.get(since_counted..).unwrap_or_default()
}

fn occurrences(position: &Position, counted: &[Position]) -> u32 {
    counted.iter().filter(|other| *other == position).count() as u32
}

fn may_repeat(game: &Game, positions: &[Position], plies: u32) -> bool {
    let repetition = &game.rules().set().repetition;
    if repetition.result == RepetitionResult::Ignored {
        return false;
    }
    // A position that has not occurred yet occurs in one ply at the earliest, and repeats later.
    if CYCLE_PLIES * (repetition.occurrences - 1) < plies {
        return true;
    }
    let Some(present) = positions.last() else { return true };
    let counted = counted(game, positions);
    counted.iter().any(|earlier| {
        let missing = repetition.occurrences.saturating_sub(occurrences(earlier, counted)).max(1);
        plies_between(present, earlier) + CYCLE_PLIES * (missing - 1) <= plies
    })
}

/// A lower bound, at least one, on the plies from one position to another with the same pieces.
fn plies_between(from: &Position, to: &Position) -> u32 {
    let mover = from.side_to_move();
    let displaced = |side: Side| (from.pieces(side) - to.pieces(side)).len() as u32;
    let king_moved = from.king() != to.king();
    // The king and a soldier may have swapped squares. The set of the defenders' squares does not show this.
    let needed = |side| displaced(side).max(u32::from(side == Side::Defenders && king_moved));
    let enough = |side, moves| moves >= needed(side) && !(moves == 1 && needed(side) == 0);
    let same_side = mover == to.side_to_move();
    (1..=MOST_PLIES)
        .find(|plies: &u32| {
            plies.is_multiple_of(2) == same_side
                && enough(mover, plies.div_ceil(2))
                && enough(mover.opponent(), plies / 2)
        })
        .unwrap_or(MOST_PLIES)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tablut_rules::{RuleSet, Rules};

    use super::*;

    fn game(rules: &str, start: &str) -> Game {
        let rules = Arc::new(Rules::named(rules).expect("a built-in rule set"));
        Game::from_position(rules, start.parse().expect("a position")).expect("a king")
    }

    /// Plays the moves and returns the largest number of plies within which the history cannot matter.
    fn safe_plies(mut game: Game, moves: &str) -> u32 {
        let mut positions = vec![*game.position()];
        for mv in moves.split_whitespace() {
            game.play(mv.parse().expect("a move")).expect("a legal move");
            positions.push(*game.position());
        }
        (0..100).take_while(|plies| !may_end_game(&game, &positions, *plies)).last().expect("no ply, no end")
    }

    #[test]
    fn how_long_the_history_cannot_matter() {
        let start = "7t1/9/9/3T5/4K4/9/9/9/1t7 a";
        #[rustfmt::skip]
        let table = [
            ("kvasir",  "",                                          7), // the start again after 4 plies and 8
            ("kvasir",  "b1-b2",                                     6), // the same, a ply later
            ("kvasir",  "b1-b2 d6-d7 b2-b1",                         4), // the start after 1 ply and 5
            ("kvasir",  "b1-b2 d6-d7 b2-b1 d7-d6",                   3), // the second time: once more after 4
            ("kvasir",  "b1-b2 d6-d7 b2-b3 d7-d8 b3-b4 d8-d9",       5), // undoing the last two plies: 2 + 4
            ("ashton",  "",                                          4), // any position again after 4 more plies
            ("ashton",  "b1-b2",                                     3), // a position that counts
            ("ashton",  "b1-b2 d6-d7 b2-b1",                         1), // back to the first one in 2
            ("tartu",   "b1-b2 d6-d7 b2-b1",                         4),
        ];
        for (rules, moves, plies) in table {
            assert_eq!(safe_plies(game(rules, start), moves), plies, "{rules} {moves}");
        }
    }

    #[test]
    fn limits_come_into_reach() {
        let start = "7t1/9/9/3T5/4K4/9/9/9/1t7 a";
        assert_eq!(safe_plies(game("kvasir", start).with_max_plies(5), "b1-b2 d6-d7"), 2);
        let mut set = RuleSet::named("masters").expect("built in");
        set.no_capture_plies = Some(6);
        let rules = Arc::new(Rules::new(set).expect("a rule set"));
        let game = Game::from_position(rules, start.parse().expect("a position")).expect("a king");
        assert_eq!(safe_plies(game, "b1-b2"), 4);
    }

    #[test]
    fn plies_between_positions() {
        let at = |text: &str| text.parse::<Position>().expect("a position");
        #[rustfmt::skip]
        let table = [
            ("t8/9/9/9/4K4/9/9/9/T8 a", "t8/9/9/9/4K4/9/9/9/T8 a", 4), // itself
            ("t8/9/9/9/4K4/9/9/9/T8 a", "1t7/9/9/9/4K4/9/9/9/T8 d", 1), // one move
            ("t8/9/9/9/4K4/9/9/9/T8 a", "1t7/9/9/9/4K4/9/9/9/1T7 a", 2),
            ("t8/9/9/9/4K4/9/9/9/T8 a", "1t7/9/9/9/4K4/9/9/9/T8 a", 4), // the defenders must go and come back
            ("t8/9/9/9/4K4/9/9/9/T8 a", "t8/9/9/9/5K3/9/9/9/1T7 a", 4), // two moves of the defenders
            ("t8/9/9/9/4K4/9/9/9/T8 a", "t8/9/9/9/4T4/9/9/9/K8 d", 3), // places exchanged, which the bound does not see
        ];
        for (from, to, plies) in table {
            assert_eq!(plies_between(&at(from), &at(to)), plies, "{from} → {to}");
        }
    }
}
