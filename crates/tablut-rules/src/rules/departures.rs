//! The legal moves as sets of from squares by direction and distance.

use std::ops::ControlFlow;

use crate::bitboard::Bitboard;
use crate::board::{Direction, GRID, MAX_DISTANCE};
use crate::moves::MoveList;
use crate::position::Position;
use crate::rules::{Rules, Walk};
use crate::side::{Piece, Side};

impl Rules {
    /// The from squares of the legal moves. Item `[direction][distance - 1]` holds the squares of the pieces that can
    /// move this distance in this direction ([`Direction::index`]). A move with a choice of captures (clause IC5)
    /// counts once. The function is faster than [`Rules::legal_moves`], because it moves all soldiers of a side in
    /// parallel.
    pub fn departures(&self, position: &Position) -> [[Bitboard; MAX_DISTANCE]; 4] {
        let mut departures = [[Bitboard::EMPTY; MAX_DISTANCE]; 4];
        if self.decided(position).is_some() {
            return departures;
        }
        let occupied = position.occupied();
        match position.side_to_move() {
            Side::Attackers => {
                add_soldiers(&self.walks[Piece::Attacker.index()], position.attackers(), occupied, &mut departures);
            }
            Side::Defenders => {
                add_soldiers(&self.walks[Piece::Defender.index()], position.defenders(), occupied, &mut departures);
                let Some(king) = position.king() else { return departures };
                for (line, by_distance) in self.targets(Piece::King, king, occupied).iter().zip(&mut departures) {
                    for to in *line {
                        if let Some((_, distance)) = king.line_to(to) {
                            by_distance[distance - 1].insert(king);
                        }
                    }
                }
            }
        }
        departures
    }

    /// Fills the list with the legal moves that choose one of several captures (clause IC5). Each choice is a separate
    /// move. [`Rules::departures`] merges the choices of a move.
    pub fn choosing_moves(&self, position: &Position, moves: &mut MoveList) {
        moves.clear();
        if !self.one_chosen || self.decided(position).is_some() {
            return;
        }
        let squares = self.choice_squares(position);
        if squares.is_empty() {
            return;
        }
        for from in position.pieces(position.side_to_move()) {
            let _ = self.visit_moves_to(position, from, squares, &mut |mv| {
                if mv.choice.is_some() {
                    moves.push(mv);
                }
                ControlFlow::Continue(())
            });
        }
    }
}

/// Adds the moves of all soldiers of a kind. Each round moves all soldiers one step further, and shifts the squares on
/// which they can land back to their from squares.
fn add_soldiers(walk: &Walk, pieces: Bitboard, occupied: Bitboard, departures: &mut [[Bitboard; MAX_DISTANCE]; 4]) {
    let (landing, passing) = (!walk.barred.bits(), !walk.halting.bits());
    for (direction, by_distance) in Direction::ALL.into_iter().zip(departures) {
        let open = walk.open[direction.index()].bits() & !occupied.bits();
        let (step, up) = match direction {
            Direction::North => (GRID, true),
            Direction::East => (1, true),
            Direction::South => (GRID, false),
            Direction::West => (1, false),
        };
        let mut moving = pieces.bits();
        for (place, at_distance) in by_distance.iter_mut().enumerate() {
            moving = if up { moving << step } else { moving >> step } & open;
            if moving == 0 {
                break;
            }
            let landed = moving & landing;
            let back = step * (place + 1);
            *at_distance = Bitboard::from_bits(if up { landed >> back } else { landed << back });
            moving &= passing;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::*;
    use crate::game::Game;
    use crate::moves::Move;
    use crate::ruleset::RULE_SET_NAMES;

    #[test]
    fn departures_are_the_legal_moves_under_every_rule_set() {
        let (mut moves, mut choosing) = (MoveList::new(), MoveList::new());
        let (mut n_positions, mut n_choosing) = (0, 0);
        for (place, name) in RULE_SET_NAMES.into_iter().enumerate() {
            let rules = Arc::new(Rules::named(name).expect("a built-in rule set"));
            for number in 0..12 {
                let mut game = Game::new(rules.clone(), Side::ALL[number % 2]);
                for ply in 0..60 {
                    game.legal_moves(&mut moves);
                    let listed: BTreeSet<_> =
                        moves.iter().map(|mv| (mv.from, mv.direction().index(), mv.distance())).collect();
                    let departures = rules.departures(game.position());
                    let found: BTreeSet<_> = (0..4)
                        .flat_map(|direction| (1..=MAX_DISTANCE).map(move |distance| (direction, distance)))
                        .flat_map(|(direction, distance)| {
                            departures[direction][distance - 1].iter().map(move |from| (from, direction, distance))
                        })
                        .collect();
                    if game.outcome().is_some() {
                        break;
                    }
                    assert_eq!(found, listed, "{name} {}", game.position());
                    rules.choosing_moves(game.position(), &mut choosing);
                    let with_choice: BTreeSet<Move> = moves.iter().copied().filter(|mv| mv.choice.is_some()).collect();
                    assert_eq!(
                        choosing.iter().copied().collect::<BTreeSet<Move>>(),
                        with_choice,
                        "{name} {}",
                        game.position()
                    );
                    n_choosing += choosing.len();
                    n_positions += 1;
                    game.play_trusted(moves[(ply * 31 + number * 17 + place) % moves.len()]);
                }
            }
        }
        assert!(
            n_positions > 5000 && n_choosing > 10,
            "only {n_positions} positions, {n_choosing} moves with a choice"
        );
        let rules = Rules::named("kvasir").expect("a built-in rule set");
        let over = "2K6/9/9/9/9/9/9/9/4t4 a".parse().expect("a position");
        assert_eq!(rules.departures(&over), [[Bitboard::EMPTY; MAX_DISTANCE]; 4]);
    }
}
