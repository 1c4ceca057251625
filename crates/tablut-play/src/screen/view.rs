//! What the screen shows beside the game itself: the cursor, what is typed, what was said, what is seen.

use crate::board_text::Style;
use tablut_rules::{Move, SIZE, Square};
use tablut_session::{Analysis, NodeId};

/// Something long to read, over the board.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Page {
    /// Its title.
    pub title: &'static str,
    /// Its text.
    pub text: String,
    /// Lines that are scrolled away.
    pub scroll: u16,
}

/// Moves that differ in what they capture, to choose from.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CaptureChoice {
    /// The moves.
    pub moves: Vec<Move>,
    /// The one that is marked.
    pub at: usize,
}

/// What an analysis sees.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The position.
    pub node: NodeId,
    /// What is seen.
    pub analysis: Analysis,
    /// Whether it has ended.
    pub done: bool,
}

/// The state of the screen.
#[derive(Clone, Debug)]
pub struct ScreenView {
    /// Symbols.
    pub style: Style,
    /// The square that keys act on.
    pub cursor: Square,
    /// The square of the piece that is to move.
    pub picked: Option<Square>,
    /// A choice that is to be made.
    pub choice: Option<CaptureChoice>,
    /// What is typed so far.
    pub typed: String,
    /// What was said last.
    pub message: String,
    /// What there is to read over the board.
    pub page: Option<Page>,
    /// Whether positions are analysed.
    pub analysing: bool,
    /// What an analysis sees.
    pub seen: Option<Seen>,
    /// Seconds that the computer has been thinking for while somebody waits.
    pub waited: Option<u64>,
}

impl ScreenView {
    /// The screen of a game that begins.
    pub fn new(style: Style) -> Self {
        Self {
            style,
            cursor: Square::new(4, 4),
            picked: None,
            choice: None,
            typed: String::new(),
            message: String::new(),
            page: None,
            analysing: false,
            seen: None,
            waited: None,
        }
    }

    /// Moves the cursor, which stops at the edge.
    pub fn step(&mut self, columns: isize, rows: isize) {
        let along = |at: usize, by: isize| at.saturating_add_signed(by).min(SIZE - 1);
        self.cursor = Square::new(along(self.cursor.column(), columns), along(self.cursor.row(), rows));
    }

    /// Nothing is picked or to be chosen any more.
    pub fn let_go(&mut self) {
        (self.picked, self.choice) = (None, None);
    }
}
