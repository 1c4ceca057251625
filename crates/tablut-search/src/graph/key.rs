//! Identifies the nodes of a graph: by a state of the game, or by a path to it.
//!
//! Keys and paths have 128 bits. A graph has at most 2³² nodes, so two of them share a key by chance in about one of
//! 2⁶⁴ graphs of this size.

use tablut_rules::{Game, Move, Position, RepetitionResult, SQUARES, Side};

/// A path to a node: the moves from the first game position that the search was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path(u64, u64);

/// The key that finds a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Key(u64, u64);

impl Path {
    /// The path extended by `mv`.
    pub fn after(self, mv: Move) -> Self {
        // Different moves have different words, and each lane maps different words to different values.
        let choice = mv.choice.map_or(0xff, |square| square.index() as u64);
        let word = mv.from.index() as u64 | (mv.to.index() as u64) << 8 | choice << 16;
        let (a, b) = absorb((self.0, self.1), word);
        Self(a, b)
    }
}

impl Key {
    /// The key of a state of the game, for nodes that several paths share. The state is the position, plus the plies
    /// since the last capture and the ply if rules limit them.
    pub fn of_state(game: &Game) -> Self {
        let since_capture = game.rules().set().no_capture_plies.map_or(0, |_| game.plies_since_capture());
        let ply = game.max_plies().map_or(0, |_| game.ply());
        Self::of_counted(game.position(), since_capture, ply)
    }

    fn of_counted(position: &Position, since_capture: u32, ply: u32) -> Self {
        let (attackers, defenders) = (position.attackers().bits(), position.defenders().bits());
        let king = position.king().map_or(0x7f, |square| square.index() as u64);
        let side = u64::from(position.side_to_move() == Side::Defenders);
        // The board has only 81 squares, so the upper halves have room.
        let upper = |bits: u128, count: u32| (bits >> 64) as u64 | u64::from(count) << 32;
        let words = [
            attackers as u64,
            defenders as u64,
            upper(attackers, since_capture) | king << 17 | side << 24,
            upper(defenders, ply),
        ];
        let (a, b) = words.into_iter().fold((1, 1), absorb);
        Self(a, b)
    }

    /// The key of a node that only this path leads to.
    pub fn of_path(path: Path) -> Self {
        let (a, b) = absorb((path.0, path.1), u64::MAX);
        Self(a, b)
    }

    /// The hash for the table.
    pub fn hash(self) -> u64 {
        self.0
    }
}

// The layout in `of_counted`: 17 bits for the squares above the first 64, seven for the king's square or none, one for
// the side.
const _: () = assert!(SQUARES <= 64 + 17 && SQUARES < 0x7f, "a key has room for a board of 81 squares");

/// Adds a word to two independent lanes.
fn absorb((a, b): (u64, u64), word: u64) -> (u64, u64) {
    let a = (a ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let b = (b.rotate_left(23) ^ word.wrapping_mul(0xa24b_aed4_963e_e407)).wrapping_add(0x5851_f42d_4c95_7f2d);
    (mixed(a, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb), mixed(b, 0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53))
}

/// A bijection in which every bit of `x` affects every bit of the result (`SplitMix64`'s and `MurmurHash3`'s).
fn mixed(x: u64, first: u64, second: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(first);
    let x = (x ^ x >> 27).wrapping_mul(second);
    x ^ x >> 31
}

/// Whether different paths to a state of the game may share a node. They may not if the rule set ends the game when a
/// position occurs for the second time, because then every path forbids different moves.
pub(crate) fn paths_may_meet(game: &Game) -> bool {
    let repetition = &game.rules().set().repetition;
    repetition.result == RepetitionResult::Ignored || repetition.occurrences >= 3
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Arc;

    use tablut_rules::{MoveList, Rules, Square};

    use super::*;

    #[test]
    fn every_part_of_a_state_has_its_say() {
        let start = Position::start(Side::Attackers);
        let mut keys = HashSet::new();
        for position in [start, Position::start(Side::Defenders)] {
            for (since_capture, ply) in [(0, 0), (1, 0), (0, 1), (1, 1), (u32::MAX, 0), (0, u32::MAX)] {
                let key = Key::of_counted(&position, since_capture, ply);
                assert!(keys.insert((key.0, key.1)), "{position} {since_capture} {ply}");
            }
        }
        // One soldier or the king anywhere, for either side.
        for index in 0..81 {
            let square = Square::from_index(index).expect("on the board");
            let one = || [square].into_iter().collect();
            let none = || [].into_iter().collect();
            for (attackers, defenders, king) in
                [(one(), none(), None), (none(), one(), None), (none(), none(), Some(square))]
            {
                let position = Position::from_parts(attackers, defenders, king, Side::Attackers).expect("one piece");
                let key = Key::of_counted(&position, 0, 0);
                assert!(keys.insert((key.0, key.1)), "{position}");
            }
        }
    }

    #[test]
    fn moves_in_another_order_are_another_path_to_the_same_state() {
        let rules = Arc::new(Rules::named("kvasir").expect("a built-in rule set"));
        let walked = |moves: [&str; 3]| {
            let mut game = Game::new(rules.clone(), Side::Attackers);
            let mut path = Path::default();
            for text in moves {
                let mv = text.parse().expect("a move");
                game.play(mv).expect("a legal move");
                path = path.after(mv);
            }
            (Key::of_state(&game), path)
        };
        let (one, other) = (walked(["d1-d3", "c5-c8", "f1-f3"]), walked(["f1-f3", "c5-c8", "d1-d3"]));
        assert_eq!(one.0, other.0);
        assert!(one.1 != other.1 && Key::of_path(one.1) != Key::of_path(other.1));
    }

    #[test]
    fn counters_are_part_of_a_state_only_where_they_end_games() {
        let key = |rules: &str, max_plies: Option<u32>, idle_plies: bool| {
            let rules = Arc::new(Rules::named(rules).expect("a built-in rule set"));
            let mut game = Game::new(rules, Side::Attackers);
            if let Some(max_plies) = max_plies {
                game = game.with_max_plies(max_plies);
            }
            let moves: &[&str] = if idle_plies { &["d1-d2", "e7-d7", "d2-d1", "d7-e7"] } else { &[] };
            for text in moves {
                game.play(text.parse().expect("a move")).expect("a legal move");
            }
            Key::of_state(&game)
        };
        assert_eq!(key("kvasir", None, true), key("kvasir", None, false));
        assert_ne!(key("kvasir", Some(100), true), key("kvasir", Some(100), false));
    }

    /// Every second line of so many plies.
    fn visit(game: &mut Game, path: Path, depth: u32, each: &mut dyn FnMut(&Game, Path)) {
        each(game, path);
        if depth == 0 {
            return;
        }
        let mut moves = MoveList::new();
        game.legal_moves(&mut moves);
        for mv in moves.iter().step_by(2) {
            game.play(*mv).expect("a legal move");
            visit(game, path.after(*mv), depth - 1, each);
            game.undo();
        }
    }

    #[test]
    fn no_two_of_many_states_and_paths_share_a_key() {
        let rules = Arc::new(Rules::named("kvasir").expect("a built-in rule set"));
        let mut game = Game::new(rules, Side::Attackers);
        let (mut states, mut keys) = (HashSet::new(), HashSet::new());
        let (mut lanes, mut other_lanes) = (HashSet::new(), HashSet::new());
        let mut n = 0;
        visit(&mut game, Path::default(), 3, &mut |game, path| {
            n += 1;
            states.insert(*game.position());
            let key = Key::of_state(game);
            keys.insert((key.0, key.1));
            // Each lane alone is enough to distinguish the paths.
            assert!(lanes.insert(path.0) && other_lanes.insert(path.1));
        });
        assert!(n > 10_000 && states.len() < n, "{n} lines to {} states", states.len());
        assert_eq!(keys.len(), states.len());
    }
}
