//! The state of the screen in addition to the game: the cursor, the typed text, messages and the analysis.

use tablut_rules::{BoardSize, Move, Square};
use tablut_session::board_text::Style;
use tablut_session::{Analysis, NodeId};

#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Page {
    pub title: &'static str,
    pub text: String,
    pub scroll: u16,
}

/// A choice between moves that differ only in what they capture.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CaptureChoice {
    pub moves: Vec<Move>,
    pub at: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ShownAnalysis {
    pub node: NodeId,
    pub analysis: Analysis,
    pub done: bool,
}

#[derive(Clone, Debug)]
pub struct ScreenView {
    pub style: Style,
    pub cursor: Square,
    pub selected: Option<Square>,
    pub choice: Option<CaptureChoice>,
    pub typed: String,
    pub message: String,
    pub page: Option<Page>,
    pub analysing: bool,
    pub shown: Option<ShownAnalysis>,
    /// Seconds since the player started to wait for the computer.
    pub waited: Option<u64>,
}

impl ScreenView {
    pub fn new(style: Style, cursor: Square) -> Self {
        Self {
            style,
            cursor,
            selected: None,
            choice: None,
            typed: String::new(),
            message: String::new(),
            page: None,
            analysing: false,
            shown: None,
            waited: None,
        }
    }

    /// Moves the cursor. It stops at the edge of the board.
    pub fn step(&mut self, board: BoardSize, columns: isize, rows: isize) {
        let along = |at: usize, by: isize| at.saturating_add_signed(by).min(board.width() - 1);
        self.cursor = Square::new(along(self.cursor.column(), columns), along(self.cursor.row(), rows));
    }

    pub fn deselect(&mut self) {
        (self.selected, self.choice) = (None, None);
    }
}
