//! The squares that each kind of piece can reach under a rule set.

use tablut_rules::{Bitboard, BoardSize, MoveList, Piece, Position, Rules, Side, Square};

/// The squares that each kind of piece can reach from its start squares.
///
/// A piece moves on an otherwise empty board. Other pieces can only block it, so it reaches no other square in a game.
/// The king's squares exclude the escape squares, where the game is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    /// By [`Piece::index`].
    squares: [Bitboard; 3],
    size: BoardSize,
}

impl Standing {
    pub(super) fn new(rules: &Rules) -> Self {
        let size = rules.size();
        let start = rules.start(Side::Attackers);
        let king = start.king_board();
        let kings = reachable(rules, king, |square| position(size, Piece::King, square, square)) - rules.escapes();
        // A position needs a king. A square counts if the piece reaches it with the king on any of his squares.
        let soldiers = |piece: Piece, first: Bitboard| {
            kings
                .iter()
                .fold(first, |squares, king| reachable(rules, squares, |square| position(size, piece, square, king)))
        };
        let attackers = soldiers(Piece::Attacker, start.attackers());
        let defenders = soldiers(Piece::Defender, start.defenders());
        let squares = |piece| match piece {
            Piece::Attacker => attackers,
            Piece::Defender => defenders,
            Piece::King => kings,
        };
        Self { squares: Piece::ALL.map(squares), size }
    }

    pub(super) const fn size(&self) -> BoardSize {
        self.size
    }

    pub(super) fn squares(&self, piece: Piece) -> Bitboard {
        self.squares[piece.index()]
    }
}

/// The position with one piece and the king, with the piece's side to move. `None` if they share a square.
fn position(size: BoardSize, piece: Piece, square: Square, king: Square) -> Option<Position> {
    let (here, none) = (Bitboard::of(square), Bitboard::EMPTY);
    let (attackers, defenders) = match piece {
        Piece::Attacker => (here, none),
        Piece::Defender => (none, here),
        Piece::King => (none, none),
    };
    Position::from_parts(size, attackers, defenders, Some(king), piece.side()).ok()
}

/// The squares that a piece reaches from `squares` with any number of moves, and `squares` themselves.
fn reachable(rules: &Rules, squares: Bitboard, position: impl Fn(Square) -> Option<Position>) -> Bitboard {
    let mut moves = MoveList::new();
    let (mut reached, mut unvisited) = (squares, squares);
    while let Some(from) = unvisited.first() {
        unvisited.remove(from);
        let Some(position) = position(from) else { continue };
        rules.legal_moves(&position, &mut moves);
        let next: Bitboard = moves.iter().filter(|mv| mv.from == from).map(|mv| mv.to).collect();
        unvisited |= next - reached;
        reached |= next;
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(name: &str) -> [Bitboard; 3] {
        let rules = Rules::named(name).unwrap();
        let standing = Standing::new(&rules);
        [Piece::King, Piece::Defender, Piece::Attacker].map(|piece| standing.squares(piece))
    }

    #[test]
    fn special_squares_are_left_out_where_a_piece_never_stands_on_them() {
        let nine = BoardSize::Nine;
        let (corners, edge, throne) = (nine.corners(), nine.edge(), Bitboard::of(nine.centre()));
        let all_but = |squares: Bitboard| nine.board() - squares;
        let camps = Position::start(Side::Attackers).attackers();
        assert_eq!(standing("masters-edge"), [all_but(edge), nine.board(), nine.board()]);
        assert_eq!(standing("masters"), [all_but(corners); 3]);
        assert_eq!(standing("ludoteka"), [all_but(corners), all_but(corners | throne), all_but(corners | throne)]);
        // The king begins on the throne, the attackers on the camps.
        assert_eq!(standing("piecepack"), [all_but(edge), all_but(throne), all_but(throne)]);
        assert_eq!(standing("ashton"), [all_but(edge | camps), all_but(throne | camps), all_but(throne)]);
        assert_eq!(standing("linnaeus")[1], all_but(throne | camps));
        assert_eq!(standing("linnaeus-open-camps")[1], all_but(throne));
    }
}
