//! The input encoding: a position and its rules as binary planes and scalar features.
//!
//! Planes are absolute (attackers and defenders, never "mine" and "yours"), because the game is not symmetric in its
//! sides. `docs/encoding.md` lists them with a worked example.

use tablut_rules::{Bitboard, Move, Position, Rules, SQUARES, Side, Symmetry};

use crate::batch::InputBatch;
use crate::features::push_features;
use crate::policy::PolicyIndex;

pub use crate::features::FEATURES;

/// Version of planes, features and policy index together; a net is only read by the version that it was trained on.
pub const ENCODING_VERSION: u32 = 1;

/// Number of input planes.
pub const PLANES: usize = 16;

/// All that an evaluation depends on.
#[derive(Copy, Clone, Debug)]
pub struct View<'a> {
    /// The rules of the game.
    pub rules: &'a Rules,
    /// Board and side to move.
    pub position: &'a Position,
    /// Earlier occurrences of the position that count for the rule set's repetition rule.
    pub occurrences: u32,
    /// Plies since the last capture.
    pub plies_since_capture: u32,
    /// The legal moves, whose logits are wanted.
    pub moves: &'a [Move],
}

/// Appends one row to `batch`.
pub fn encode(view: &View<'_>, batch: &mut InputBatch) {
    encode_symmetric(view, Symmetry::ALL[0], batch);
}

/// Appends one row to `batch`, the board turned by `symmetry`; the moves keep their order and have turned indices.
pub fn encode_symmetric(view: &View<'_>, symmetry: Symmetry, batch: &mut InputBatch) {
    let start = batch.planes.len();
    batch.planes.resize(start + PLANES * SQUARES, 0.0);
    for (plane, squares) in batch.planes[start..].chunks_exact_mut(SQUARES).zip(planes(view)) {
        for square in symmetry.bitboard(squares) {
            plane[square.index()] = 1.0;
        }
    }
    push_features(view.rules.set(), view.plies_since_capture, &mut batch.features);
    batch.moves.extend(view.moves.iter().map(|&mv| PolicyIndex::of(mv).transformed(symmetry)));
    batch.move_ends.push(batch.moves.len() as u32);
    batch.n += 1;
}

/// The planes of one position, as sets of squares.
fn planes(view: &View<'_>) -> [Bitboard; PLANES] {
    let (rules, position) = (view.rules, view.position);
    let whole = |flag: bool| if flag { Bitboard::FULL } else { Bitboard::EMPTY };
    let mut capturable = Bitboard::EMPTY;
    let mut capturing = Bitboard::EMPTY;
    for &mv in view.moves {
        let captured = rules.apply(position, mv).captured;
        if !captured.is_empty() {
            capturable |= captured;
            capturing.insert(mv.to);
        }
    }
    [
        position.attackers(),
        position.defenders(),
        position.king().into_iter().collect(),
        whole(position.side_to_move() == Side::Attackers),
        whole(position.side_to_move() == Side::Defenders),
        rules.throne(),
        rules.corners(),
        rules.camps(),
        rules.escapes(),
        rules.king_moves(position),
        rules.route_squares(position),
        whole(view.occurrences >= 1),
        whole(view.occurrences >= 2),
        view.moves.iter().map(|mv| mv.to).collect(),
        capturable,
        capturing,
    ]
}
