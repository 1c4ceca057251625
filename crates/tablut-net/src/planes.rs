//! The input planes: the board and its special squares.

use tablut_rules::{Bitboard, Move, Rules, Side, Situation};

/// Number of input planes.
pub const PLANES: usize = 16;

/// A position to encode. `moves` are the moves whose logits are needed.
pub type View<'a> = Situation<&'a Rules, &'a [Move]>;

/// The planes of one position, as sets of squares.
pub(crate) fn planes(view: &View<'_>) -> [Bitboard; PLANES] {
    let (rules, position) = (view.rules, &view.position);
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
