//! The position that a game or a perft starts from, as the user chose it.

use crate::game::PositionError;
use crate::move_text::MoveText;
use crate::position::Position;
use crate::position_text::PositionTextError;
use crate::rules::Rules;
use crate::side::{Piece, Side};

/// The user's settings do not give a start position.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum OpeningError {
    #[error("{0}")]
    Position(PositionTextError),
    #[error("{0}")]
    OtherBoard(PositionError),
    #[error("the {position} are to move in the position, expected the {first}")]
    OtherSide { position: Side, first: Side },
}

impl Rules {
    /// The position to start from: the position in the text if there is one, else the start position. If `first` is
    /// given, that side moves first. Otherwise the text decides, then the rule set. If neither does (a rule set that
    /// draws the side, clause IC1), the attackers move first.
    ///
    /// # Errors
    /// If the text is not a position, it has another board than the rules, or another side than `first` is to move in it.
    pub fn opening(&self, first: Option<Side>, position: Option<&str>) -> Result<Position, OpeningError> {
        let side = first.or(self.set().first.side()).unwrap_or(Side::Attackers);
        let Some(text) = position else {
            return Ok(self.start(side));
        };
        let position = Position::read(text, Some(side)).map_err(OpeningError::Position)?;
        let (board, rules_board) = (position.size(), self.size());
        if board != rules_board {
            return Err(OpeningError::OtherBoard(PositionError::OtherBoard { board, rules_board }));
        }
        match first {
            Some(first) if first != position.side_to_move() => {
                Err(OpeningError::OtherSide { position: position.side_to_move(), first })
            }
            _ => Ok(position),
        }
    }

    /// Like [`Rules::opening`], for a game whose first move is known. If nothing else determines the side that moves
    /// first, it is the side of the piece that moves.
    ///
    /// # Errors
    /// As for [`Rules::opening`].
    pub fn opening_of(
        &self,
        first: Option<Side>,
        position: Option<&str>,
        first_move: Option<&str>,
    ) -> Result<Position, OpeningError> {
        let silent = first.is_none() && position.is_none() && self.set().first.side().is_none();
        let mover = || {
            let text: MoveText = first_move?.parse().ok()?;
            self.start(Side::Attackers).piece_at(text.from).map(Piece::side)
        };
        self.opening(if silent { mover() } else { first }, position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_side_comes_from_the_user_the_position_or_the_rules() {
        let side = |name: &str, first, position| {
            let rules = Rules::named(name).expect("a built-in rule set");
            rules.opening(first, position).map(|p| p.side_to_move())
        };
        assert_eq!(side("kvasir", None, None), Ok(Side::Attackers));
        assert_eq!(side("ludoteka", None, None), Ok(Side::Defenders));
        assert_eq!(side("imperial", None, None), Ok(Side::Attackers));
        assert_eq!(side("imperial", Some(Side::Defenders), None), Ok(Side::Defenders));
        assert_eq!(side("kvasir", None, Some("9/9/9/9/4K4/9/9/9/t8 d")), Ok(Side::Defenders));
        assert_eq!(side("ludoteka", None, Some("/9/9/9/9/4K4/9/9/9/t8/")), Ok(Side::Defenders));
        let imperial = Rules::named("imperial").expect("a built-in rule set");
        let mover = |text| imperial.opening_of(None, None, Some(text)).map(|p| p.side_to_move());
        assert_eq!((mover("d1-d3"), mover("e3-d3")), (Ok(Side::Attackers), Ok(Side::Defenders)));
        assert!(side("kvasir", Some(Side::Attackers), Some("9/9/9/9/4K4/9/9/9/t8 d")).is_err());
    }
}
