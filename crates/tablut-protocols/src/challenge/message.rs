//! States and moves as the protocol's JSON.

use super::ChallengeError;
use serde::{Deserialize, Serialize};
use tablut_rules::{Bitboard, BoardSize, Move, Piece, Position, Side, Square, json_fault};

#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Cell {
    Empty,
    White,
    Black,
    King,
    Throne,
}

#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Turn {
    /// The defenders are to move.
    White,
    /// The attackers are to move.
    Black,
    WhiteWin,
    BlackWin,
    Draw,
}

impl Turn {
    pub fn of(side: Side) -> Self {
        match side {
            Side::Defenders => Self::White,
            Side::Attackers => Self::Black,
        }
    }

    pub fn ended(winner: Option<Side>) -> Self {
        match winner {
            Some(Side::Defenders) => Self::WhiteWin,
            Some(Side::Attackers) => Self::BlackWin,
            None => Self::Draw,
        }
    }

    pub fn read(self) -> Result<Side, Option<Side>> {
        match self {
            Self::White => Ok(Side::Defenders),
            Self::Black => Ok(Side::Attackers),
            Self::WhiteWin => Err(Some(Side::Defenders)),
            Self::BlackWin => Err(Some(Side::Attackers)),
            Self::Draw => Err(None),
        }
    }
}

/// A state: the board by rows from rank 1, each from file a, and the turn.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct ChallengeState {
    /// Nine rows of nine cells.
    pub board: Vec<Vec<Cell>>,
    pub turn: Turn,
}

/// The board of the Challenge.
const BOARD: BoardSize = BoardSize::Nine;

impl ChallengeState {
    pub fn of(position: &Position) -> Self {
        let cell = |square: Square| match position.piece_at(square) {
            Some(Piece::Attacker) => Cell::Black,
            Some(Piece::Defender) => Cell::White,
            Some(Piece::King) => Cell::King,
            None if square == BOARD.centre() => Cell::Throne,
            None => Cell::Empty,
        };
        let row = |row| (0..BOARD.width()).map(|column| cell(Square::new(column, row))).collect();
        Self { board: (0..BOARD.width()).map(row).collect(), turn: Turn::of(position.side_to_move()) }
    }

    /// The pieces, with `side` to move.
    pub fn position(&self, side: Side) -> Result<Position, String> {
        let width = BOARD.width();
        let wrong_row = self.board.iter().position(|row| row.len() != width);
        if self.board.len() != width || wrong_row.is_some() {
            return Err(format!("expected {width} rows of {width} cells"));
        }
        let holds = |square: &Square, cell: Cell| self.board[square.row()][square.column()] == cell;
        let squares = |cell: Cell| BOARD.squares().filter(|square| holds(square, cell)).collect::<Bitboard>();
        let kings = squares(Cell::King);
        if kings.len() > 1 {
            return Err(format!("expected one king, found {}", kings.len()));
        }
        Position::from_parts(BOARD, squares(Cell::Black), squares(Cell::White), kings.first(), side)
            .map_err(|error| error.to_string())
    }

    pub fn read(text: &str, peer: &'static str) -> Result<Self, ChallengeError> {
        serde_json::from_str(text).map_err(|error| unreadable(peer, &json_fault(&error), text))
    }
}

#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Action {
    pub from: String,
    pub to: String,
    pub turn: Turn,
}

impl Action {
    pub fn of(mv: Move, side: Side) -> Self {
        Self { from: mv.from.to_string(), to: mv.to.to_string(), turn: Turn::of(side) }
    }

    /// Reads a frame's text as a move of the side to move, like the contest's referee. `turn` and all other fields are
    /// ignored.
    pub fn read(text: &str, peer: &'static str) -> Result<Move, ChallengeError> {
        let squares: Squares =
            serde_json::from_str(text).map_err(|error| unreadable(peer, &json_fault(&error), text))?;
        let square = |name: &str| name.to_ascii_lowercase().parse::<Square>();
        match (square(&squares.from), square(&squares.to)) {
            (Err(error), _) | (_, Err(error)) => Err(unreadable(peer, &error, text)),
            (Ok(from), Ok(to)) => Ok(Move { from, to, choice: None }),
        }
    }
}

#[derive(Deserialize)]
struct Squares {
    from: String,
    to: String,
}

const MAX_NAME: usize = 60;

/// A client's name from its first frame. The contest's referee accepts any text: if it is not a JSON string, the text
/// itself is the name.
pub fn read_name(text: &str) -> String {
    let name: String = serde_json::from_str(text).unwrap_or_else(|_| text.to_owned());
    let shown = name.trim().chars().map(|c| if c.is_control() { '?' } else { c }).take(MAX_NAME);
    shown.collect()
}

pub(super) fn unreadable(peer: &'static str, reason: &impl ToString, text: &str) -> ChallengeError {
    ChallengeError::Message { peer, reason: reason.to_string(), text: text.chars().take(80).collect() }
}

#[cfg(test)]
mod tests {
    use super::{Action, Cell, ChallengeState, MAX_NAME, Turn, read_name};
    use tablut_rules::{Position, Side};

    #[test]
    fn the_start_is_the_state_that_the_referee_sends() {
        let start = Position::start(Side::Defenders);
        let state = ChallengeState::of(&start);
        let text = serde_json::to_string(&state).unwrap();
        let row = r#"{"board":[["EMPTY","EMPTY","EMPTY","BLACK","BLACK","BLACK","EMPTY","EMPTY","EMPTY"],"#;
        assert!(text.starts_with(row) && text.ends_with(r#"],"turn":"WHITE"}"#), "{text}");
        assert_eq!(ChallengeState::read(&text, "referee").unwrap().position(Side::Defenders).unwrap(), start);
        // e4 is board[3][4].
        assert_eq!(state.board[3][4], Cell::White);
    }

    #[test]
    fn the_empty_throne_has_a_name_and_ends_have_a_turn() {
        let position: Position = "9/9/9/9/4t4/3K5/9/9/9 d".parse().unwrap();
        assert_eq!(ChallengeState::of(&position).board[4][4], Cell::Black);
        let position: Position = "9/9/9/9/9/3K1t3/9/9/9 d".parse().unwrap();
        let state = ChallengeState::of(&position);
        assert_eq!(state.board[4][4], Cell::Throne);
        assert_eq!(state.position(Side::Defenders).unwrap(), position);
        assert_eq!(serde_json::to_string(&Turn::ended(Some(Side::Attackers))).unwrap(), "\"BLACKWIN\"");
    }

    #[test]
    fn moves_are_read_and_faults_shown() {
        let mv = "e4-f4".parse().unwrap();
        let text = serde_json::to_string(&Action::of(mv, Side::Defenders)).unwrap();
        assert_eq!(text, r#"{"from":"e4","to":"f4","turn":"WHITE"}"#);
        assert_eq!(Action::read(&text, "white").unwrap(), mv);
        // Other forms that existing clients send.
        for text in [
            r#"{"from":"e4","to":"f4"}"#,
            r#"{"from":"E4","to":"f4","turn":"BLACK"}"#,
            r#"{"from":"e4","to":"f4","turn":"RED","_turn":"WHITE"}"#,
            r#"{"from":"e4","to":"f4","turn":null,"n":1}"#,
        ] {
            assert_eq!(Action::read(text, "white").unwrap(), mv, "{text}");
        }
        for (bad, part) in [
            ("{}", "from"),
            (r#"{"from":"z4","to":"f4","turn":"WHITE"}"#, "z4"),
            (r#"{"from":"e4"}"#, "to"),
            ("e4 f4", "expected"),
        ] {
            let error = Action::read(bad, "white").unwrap_err().to_string();
            assert!(error.contains(part), "{bad}: {error}");
        }
    }

    #[test]
    fn any_text_is_a_name() {
        assert_eq!(read_name("\"pyrandom\""), "pyrandom");
        assert_eq!(read_name("The Team\r\n"), "The Team");
        assert_eq!(read_name("[1]"), "[1]");
        assert_eq!(read_name("\"a\\u001b[2Jb\""), "a?[2Jb");
        assert_eq!(read_name(&"x".repeat(1000)).len(), MAX_NAME);
    }

    #[test]
    fn boards_of_other_sizes_or_kings_are_refused() {
        let good = ChallengeState::of(&Position::start(Side::Defenders));
        let mut short = good.clone();
        short.board.pop();
        assert!(short.position(Side::Defenders).unwrap_err().contains("9 rows"));
        let mut two_kings = good;
        two_kings.board[0][0] = Cell::King;
        assert!(two_kings.position(Side::Defenders).unwrap_err().contains("one king"));
    }
}
