//! The hand-written evaluation. It reads the rule set's data, so that it works for every game.
//!
//! Scores are in the side to move's view, in hundredths of a defender. A win in `n` plies is [`WIN`]` - n`.
//!
//! It adds up material, the king's way out, how far the attackers have enclosed him, and how close he is to capture.
//! [`Features`] are the counts. Their values are the constants above [`worth`].

use tablut_rules::{Bitboard, CampEntry, Direction, KingCapture, Landing, Passing, Position, Rules, Side};

/// The score of a game that is won at once.
pub(super) const WIN: i32 = 30_000;
pub(super) const WIN_BOUND: i32 = WIN - 1_000;
pub(super) const INFINITE: i32 = WIN + 1;

/// How many moves of the king are considered to measure his way out.
const MAX_KING_MOVES: usize = 4;

#[derive(Copy, Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Features {
    pub(super) attackers: i32,
    /// Number of the king's soldiers.
    pub(super) defenders: i32,
    /// Number of squares that the king reaches in one move.
    pub(super) king_moves: i32,
    /// Directions in which the king has a way to an escape square.
    pub(super) routes: i32,
    /// Squares that the king reaches in one move and from which exactly one route leads out.
    pub(super) threats: i32,
    /// Squares that the king reaches in one move and from which two or more routes lead out.
    pub(super) forks: i32,
    /// Moves that the king needs to escape if no other piece moves, or [`MAX_KING_MOVES`] + 1 if he needs more.
    pub(super) moves_to_escape: usize,
    /// Whether attackers and closed squares enclose the king. Defenders do not count as obstacles.
    pub(super) walled_in: bool,
    pub(super) attackers_beside_king: i32,
    /// Whether two attackers are enough to capture him on his square.
    pub(super) king_falls_to_two: bool,
}

pub(super) struct Evaluation {
    board: Bitboard,
    escapes: Bitboard,
    /// Squares on which the king may land, and squares that he may pass, while they are empty.
    king_lands: Bitboard,
    king_passes: Bitboard,
    king_reach: u32,
    falls_to_two: Bitboard,
}

impl Evaluation {
    pub(super) fn new(rules: &Rules) -> Self {
        let set = rules.set();
        let camps = if set.camps.entry == CampEntry::Anyone { Bitboard::EMPTY } else { rules.camps() };
        let throne = |closed: bool| if closed { rules.throne() } else { Bitboard::EMPTY };
        let board = rules.size().board();
        let centre = Bitboard::of(rules.size().centre());
        let beside = centre.neighbours();
        let mut falls_to_two = Bitboard::EMPTY;
        for (squares, how) in [
            (centre, set.king.on_throne),
            (beside, set.king.beside_throne),
            (board - centre - beside, set.king.elsewhere),
        ] {
            if how == KingCapture::BetweenTwo {
                falls_to_two |= squares;
            }
        }
        Self {
            board,
            escapes: rules.escapes(),
            king_lands: board - camps - throne(set.throne.landing == Landing::Nobody),
            king_passes: board - camps - throne(set.throne.passing == Passing::Nobody),
            king_reach: set.king.reach,
            falls_to_two,
        }
    }

    /// The score of a position that is not over, in the side to move's view.
    pub(super) fn score(&self, position: &Position) -> i32 {
        let attackers_view = worth(&self.features(position));
        match position.side_to_move() {
            Side::Attackers => attackers_view,
            Side::Defenders => -attackers_view,
        }
    }

    pub(super) fn features(&self, position: &Position) -> Features {
        let (attackers, defenders) = (position.attackers(), position.defenders());
        let mut features = Features {
            attackers: attackers.len() as i32,
            defenders: defenders.len() as i32,
            moves_to_escape: MAX_KING_MOVES + 1,
            ..Features::default()
        };
        let Some(square) = position.king() else {
            return features;
        };
        let king = Bitboard::of(square);
        let empty = self.board - (attackers | defenders | king);
        self.measure_way_out(king, empty, &mut features);
        features.walled_in = !self.walk(king, self.board - attackers).intersects(self.escapes);
        features.attackers_beside_king = (king.neighbours() & attackers).len() as i32;
        features.king_falls_to_two = self.falls_to_two.contains(square);
        features
    }

    fn measure_way_out(&self, king: Bitboard, empty: Bitboard, features: &mut Features) {
        let first = Direction::ALL.map(|direction| self.slide(king, empty, direction));
        let mut reached = first.into_iter().fold(Bitboard::EMPTY, |all, squares| all | squares);
        features.routes = first.iter().filter(|squares| squares.intersects(self.escapes)).count() as i32;
        features.king_moves = reached.len() as i32;
        // Sliding back from the escape squares gives the squares with one route and those with two.
        let (mut once, mut twice) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for direction in Direction::ALL {
            let open = self.slide(self.escapes & empty, empty | king, direction);
            twice |= once & open;
            once |= open;
        }
        features.forks = (reached & twice).len() as i32;
        features.threats = (reached & once).len() as i32 - features.forks;
        let mut frontier = reached;
        for moves in 1..=MAX_KING_MOVES {
            if frontier.intersects(self.escapes) {
                features.moves_to_escape = moves;
                return;
            }
            let next = Direction::ALL
                .into_iter()
                .fold(Bitboard::EMPTY, |all, direction| all | self.slide(frontier, empty, direction));
            frontier = next - reached;
            reached |= next;
        }
    }

    /// The squares that a king on any of `from` reaches in one direction.
    fn slide(&self, from: Bitboard, empty: Bitboard, direction: Direction) -> Bitboard {
        let (landable, passable) = (self.king_lands & empty, self.king_passes & empty);
        let (mut moving, mut landed) = (from, Bitboard::EMPTY);
        for _ in 0..self.king_reach {
            let next = moving.shifted(direction);
            landed |= next & landable;
            moving = next & passable;
            if moving.is_empty() {
                break;
            }
        }
        landed
    }

    /// Every square connected to the king's by single steps over `open` squares that he may pass.
    fn walk(&self, king: Bitboard, open: Bitboard) -> Bitboard {
        let open = open & (self.king_passes | self.king_lands);
        let mut region = king;
        loop {
            let grown = region | (region.neighbours() & open);
            if grown == region || grown.intersects(self.escapes) {
                return grown;
            }
            region = grown;
        }
    }
}

// The values of the features, in hundredths of a defender.
const ATTACKER: i32 = 60;
const DEFENDER: i32 = 100;
const KING_MOVE: i32 = 4;
const ROUTES: [i32; 3] = [0, 60, 400];
const THREAT: i32 = 12;
const FORK: i32 = 40;
const MOVES_TO_ESCAPE: [i32; MAX_KING_MOVES + 2] = [0, 120, 80, 40, 15, 0];
const WALLED_IN: i32 = 250;
const BESIDE_KING: [i32; 5] = [0, 10, 35, 110, 110];
const BESIDE_WEAK_KING: [i32; 5] = [0, 30, 60, 90, 90];

/// The value of the features for the attackers.
fn worth(features: &Features) -> i32 {
    let beside = if features.king_falls_to_two { &BESIDE_WEAK_KING } else { &BESIDE_KING };
    let king_out = KING_MOVE * features.king_moves
        + ROUTES[(features.routes as usize).min(2)]
        + THREAT * features.threats
        + FORK * features.forks.min(4)
        + MOVES_TO_ESCAPE[features.moves_to_escape];
    ATTACKER * features.attackers - DEFENDER * features.defenders
        + WALLED_IN * i32::from(features.walled_in)
        + beside[features.attackers_beside_king as usize]
        - king_out
}

#[cfg(test)]
mod tests {
    use super::Evaluation;
    use tablut_rules::{Position, RULE_SET_NAMES, Rules, Side};

    fn features(rules: &str, position: &str) -> super::Features {
        let rules = Rules::named(rules).unwrap();
        Evaluation::new(&rules).features(&position.parse::<Position>().unwrap())
    }

    #[test]
    fn the_start_has_all_pieces_and_a_king_who_cannot_move() {
        let start = Position::start(Side::Attackers).to_string();
        let features = features("kvasir", &start);
        assert_eq!((features.attackers, features.defenders), (16, 8));
        assert_eq!((features.king_moves, features.routes), (0, 0));
        assert!(!features.walled_in);
    }

    #[test]
    fn routes_and_forks_are_counted_as_the_rules_count_them() {
        // The king on b2 has two routes; e5 is empty.
        let open = features("kvasir", "9/9/9/9/9/9/9/1K6t/9 d");
        assert_eq!((open.routes, open.moves_to_escape), (4 - 1, 1));
        assert!(open.forks > 0);
        let corners = features("masters", "9/9/9/9/4K4/9/9/9/t8 d");
        assert_eq!((corners.routes, corners.moves_to_escape), (0, 2));
        // With a1 taken, e1 and a5 lead to one corner, e9 and i5 to two.
        assert_eq!((corners.threats, corners.forks), (2, 2));
    }

    #[test]
    fn a_closed_ring_walls_the_king_in() {
        let ring = features("kvasir", "9/9/4t4/3t1t3/2t1K1t2/3t1t3/4t4/9/9 d");
        assert!(!ring.walled_in || ring.moves_to_escape == 5);
        let tight = features("kvasir", "9/9/9/3ttt3/3tKt3/3ttt3/9/9/9 d");
        assert!(tight.walled_in && tight.king_moves == 0);
        assert_eq!(tight.attackers_beside_king, 4);
    }

    #[test]
    fn routes_agree_with_the_rules_crate_on_every_rule_set() {
        use rand::{RngExt, SeedableRng};
        let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(5);
        for name in RULE_SET_NAMES {
            let rules = std::sync::Arc::new(Rules::named(name).unwrap());
            let evaluation = Evaluation::new(&rules);
            let mut seen_open = 0;
            for _ in 0..30 {
                let first = rules.set().first.side().unwrap_or(Side::Attackers);
                let mut game = tablut_rules::Game::new(rules.clone(), first).with_max_plies(120);
                let mut moves = tablut_rules::MoveList::new();
                while game.outcome().is_none() {
                    let features = evaluation.features(game.position());
                    assert_eq!(features.routes as u32, rules.routes(game.position()), "{name}: {}", game.position());
                    let squares = rules.king_moves(game.position()).len() as i32;
                    assert_eq!(features.king_moves, squares, "{name}: {}", game.position());
                    seen_open += features.routes;
                    game.legal_moves(&mut moves);
                    game.play(moves[rng.random_range(0..moves.len())]).unwrap();
                }
            }
            assert!(seen_open > 0, "{name}: no routes were met");
        }
    }
}
