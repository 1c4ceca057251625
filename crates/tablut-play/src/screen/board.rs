//! The board in colour. Signs repeat all information that colours give.

use super::view::ScreenView;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use std::collections::BTreeMap;
use tablut_rules::{BoardSize, Piece, Square};
use tablut_session::Session;
use tablut_session::board_text::shown_marks;
use tablut_session::view::{Mark, State};

/// Columns to the left of the board for the rows' numbers.
const MARGIN: u16 = 3;

#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct Scale {
    /// Squares along one side of the board.
    squares: u16,
    width: u16,
    height: u16,
}

impl Scale {
    pub fn fitting(board: BoardSize, width: u16, height: u16) -> Option<Self> {
        let squares = board.width() as u16;
        let scales = [(7, 3), (5, 2), (3, 1)].map(|(width, height)| Self { squares, width, height });
        scales.into_iter().find(|scale| scale.board_width() <= width && scale.board_height() <= height)
    }

    pub fn board_width(self) -> u16 {
        MARGIN + self.squares * self.width
    }

    pub fn board_height(self) -> u16 {
        self.squares * self.height + 1
    }
}

type Flanks = (&'static str, &'static str);

struct Drawing<'a> {
    view: &'a ScreenView,
    session: &'a Session,
    marks: BTreeMap<Square, Mark>,
    targets: Vec<Square>,
    state: &'a State,
}

/// Draws the board into the upper left of `area`.
pub fn draw(buffer: &mut Buffer, area: Rect, scale: Scale, session: &Session, state: &State, view: &ScreenView) {
    let targets = view.selected.map_or_else(Vec::new, |from| {
        session.moves_from(from).unwrap_or_default().into_iter().map(|mv| mv.to).collect()
    });
    let drawing = Drawing { view, session, marks: shown_marks(session.rules()), targets, state };
    for square in session.rules().size().squares() {
        let (column, row) = (square.column() as u16, scale.squares - 1 - square.row() as u16);
        let cell = Rect {
            x: area.x + MARGIN + column * scale.width,
            y: area.y + row * scale.height,
            width: scale.width,
            height: scale.height,
        };
        drawing.draw_square(buffer, cell, square);
    }
    let dim = Style::new().add_modifier(Modifier::DIM);
    for index in 0..scale.squares {
        let (column, row) = (area.x + MARGIN + index * scale.width, area.y + index * scale.height);
        let letter = char::from(b'a' + index as u8).to_string();
        buffer.set_string(column + scale.width / 2, area.y + scale.squares * scale.height, letter, dim);
        buffer.set_string(area.x, row + scale.height / 2, format!("{:>2}", scale.squares - index), dim);
    }
}

impl Drawing<'_> {
    fn draw_square(&self, buffer: &mut Buffer, cell: Rect, square: Square) {
        let is_cursor = self.view.cursor == square;
        let ground = Style::new().bg(self.ground(square));
        buffer.set_style(cell, ground);
        let (symbol, style) = self.symbol(square);
        let (open, close) = self.flanks(square);
        let (middle, line) = (cell.x + cell.width / 2, cell.y + cell.height / 2);
        let bold = Style::new().fg(Color::White).add_modifier(Modifier::BOLD);
        buffer.set_string(middle - 1, line, open, bold);
        buffer.set_string(middle, line, symbol, style);
        buffer.set_string(middle + 1, line, close, bold);
        if is_cursor {
            buffer.set_style(cell, Style::new().add_modifier(Modifier::REVERSED));
        }
    }

    /// A square's background: a colour for each kind of square, in two shades that alternate like a chessboard.
    fn ground(&self, square: Square) -> Color {
        let is_even = (square.column() + square.row()).is_multiple_of(2);
        Color::Indexed(match (self.marks.get(&square), is_even) {
            (Some(Mark::Throne), _) => 94,
            (Some(Mark::Corner), _) => 54,
            (Some(Mark::Escape), true) => 22,
            (Some(Mark::Escape), false) => 28,
            (Some(Mark::Camp), true) => 52,
            (Some(Mark::Camp), false) => 88,
            (None, true) => 236,
            (None, false) => 238,
        })
    }

    fn symbol(&self, square: Square) -> (&'static str, Style) {
        let style = self.view.style;
        match self.session.game().position().piece_at(square) {
            Some(piece) => {
                let colour = match piece {
                    Piece::Attacker => Color::LightRed,
                    Piece::Defender => Color::LightCyan,
                    Piece::King => Color::LightYellow,
                };
                (style.symbol(piece), Style::new().fg(colour).add_modifier(Modifier::BOLD))
            }
            None if self.targets.contains(&square) => {
                (if style.unicode { "•" } else { "*" }, Style::new().fg(Color::LightGreen).add_modifier(Modifier::BOLD))
            }
            None => (style.mark(self.marks.get(&square).copied()), Style::new().fg(Color::Gray)),
        }
    }

    /// Signs for the selected piece, the cursor, the last move and threatened pieces. The first that applies is shown.
    fn flanks(&self, square: Square) -> Flanks {
        let (view, last) = (self.view, self.state.last.as_ref());
        if view.selected == Some(square) {
            ("<", ">")
        } else if view.cursor == square {
            (">", "<")
        } else if last.is_some_and(|last| last.from == square) {
            ("(", ")")
        } else if last.is_some_and(|last| last.to == square) {
            ("[", "]")
        } else if last.is_some_and(|last| last.captured.contains(&square)) {
            ("x", " ")
        } else if self.state.threatened.contains(&square) {
            ("!", " ")
        } else {
            (" ", " ")
        }
    }
}
