//! The board as text, with coordinates, special squares, and the last move in brackets.

use crate::view::{Mark, marks};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use tablut_rules::{Move, Piece, Position, Rules, Square};

#[derive(Copy, Clone, Debug, Default, Eq, PartialEq)]
pub struct Style {
    /// Colours, by ANSI escape sequences.
    pub colour: bool,
    pub unicode: bool,
}

#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Colour {
    Attacker,
    Defender,
    King,
    Mark,
    Alarm,
}

impl Colour {
    const fn code(self) -> &'static str {
        match self {
            Self::Attacker => "1;31",
            Self::Defender => "1;36",
            Self::King => "1;33",
            Self::Mark => "2",
            Self::Alarm => "1;35",
        }
    }
}

impl Style {
    /// The text in a colour, or unchanged in a style without colours.
    pub fn paint(self, colour: Colour, text: &str) -> String {
        if self.colour { format!("\x1b[{}m{text}\x1b[0m", colour.code()) } else { text.to_owned() }
    }

    pub fn symbol(self, piece: Piece) -> &'static str {
        let (unicode, ascii) = match piece {
            Piece::Attacker => ("●", "t"),
            Piece::Defender => ("○", "T"),
            Piece::King => ("◆", "K"),
        };
        if self.unicode { unicode } else { ascii }
    }

    fn piece(self, piece: Piece) -> String {
        let colour = match piece {
            Piece::Attacker => Colour::Attacker,
            Piece::Defender => Colour::Defender,
            Piece::King => Colour::King,
        };
        self.paint(colour, self.symbol(piece))
    }

    /// The symbol of an empty square. `None` is an ordinary one.
    pub fn mark(self, mark: Option<Mark>) -> &'static str {
        let (unicode, ascii) = match mark {
            Some(Mark::Throne) => ("□", "#"),
            Some(Mark::Escape) => ("+", "+"),
            Some(Mark::Corner) => ("×", "x"),
            Some(Mark::Camp) => ("▫", ":"),
            None => ("·", "."),
        };
        if self.unicode { unicode } else { ascii }
    }
}

/// The mark of each special square. A square with several marks gets the most important one.
pub fn shown_marks(rules: &Rules) -> BTreeMap<Square, Mark> {
    const FIRST: [Mark; 4] = [Mark::Throne, Mark::Escape, Mark::Corner, Mark::Camp];
    let first = |all: Vec<Mark>| FIRST.into_iter().find(|mark| all.contains(mark));
    marks(rules).into_iter().filter_map(|(square, all)| first(all).map(|mark| (square, mark))).collect()
}

/// The board with row 1 at the bottom. The last move's squares are in brackets: `(from)` and `[to]`.
pub fn board_text(rules: &Rules, position: &Position, last_move: Option<Move>, style: Style) -> String {
    let marks = shown_marks(rules);
    let mut letters = "   ".to_owned();
    let width = position.size().width();
    for column in 0..width {
        let _ = write!(letters, " {} ", char::from(b'a' + column as u8));
    }
    let letters = letters.trim_end().to_owned() + "\n";
    let mut text = letters.clone();
    for row in (0..width).rev() {
        let _ = write!(text, "{:>2} ", row + 1);
        for column in 0..width {
            let square = Square::new(column, row);
            let (open, close) = match last_move {
                Some(mv) if mv.from == square => ('(', ')'),
                Some(mv) if mv.to == square => ('[', ']'),
                _ => (' ', ' '),
            };
            let content = match position.piece_at(square) {
                Some(piece) => style.piece(piece),
                None => style.paint(Colour::Mark, style.mark(marks.get(&square).copied())),
            };
            let _ = write!(text, "{open}{content}{close}");
        }
        let _ = writeln!(text, " {}", row + 1);
    }
    text + &letters
}

pub fn legend_text(rules: &Rules, style: Style) -> String {
    let marks = shown_marks(rules);
    let mut parts: Vec<String> = [(Piece::Attacker, "attacker"), (Piece::Defender, "defender"), (Piece::King, "king")]
        .map(|(piece, name)| format!("{} {name}", style.piece(piece)))
        .to_vec();
    let names = [(Mark::Throne, "throne"), (Mark::Escape, "escape"), (Mark::Corner, "corner"), (Mark::Camp, "camp")];
    for (mark, name) in names {
        if marks.values().any(|shown| *shown == mark) {
            parts.push(format!("{} {name}", style.paint(Colour::Mark, style.mark(Some(mark)))));
        }
    }
    parts.join("  ")
}

#[cfg(test)]
mod tests {
    use super::{Style, board_text, legend_text};
    use tablut_rules::{Position, Rules, Side};

    #[test]
    fn the_start_of_ashton_shows_camps_escapes_and_throne() {
        let rules = Rules::named("ashton").unwrap();
        let position: Position = "3ttt3/4t4/4T4/t3T3t/ttTT1TTtt/t3T3t/4T4/4K4/3t1tt2 d".parse().unwrap();
        let text = board_text(&rules, &position, Some("e1-g1".parse().unwrap()), Style::default());
        let expected = "    a  b  c  d  e  f  g  h  i
 9  .  +  +  t  t  t  +  +  .  9
 8  +  .  .  .  t  .  .  .  +  8
 7  +  .  .  .  T  .  .  .  +  7
 6  t  .  .  .  T  .  .  .  t  6
 5  t  t  T  T  #  T  T  t  t  5
 4  t  .  .  .  T  .  .  .  t  4
 3  +  .  .  .  T  .  .  .  +  3
 2  +  .  .  .  K  .  .  .  +  2
 1  .  +  +  t (:) t [t] +  .  1
    a  b  c  d  e  f  g  h  i
";
        let corner_escapes = expected.replace(".  +  +  t  t  t  +  +  .  9", "+  +  +  t  t  t  +  +  +  9");
        let corner_escapes = corner_escapes.replace(" 1  .  +", " 1  +  +").replace("+  .  1", "+  +  1");
        assert_eq!(text, corner_escapes);
        assert_eq!(legend_text(&rules, Style::default()), "t attacker  T defender  K king  # throne  + escape  : camp");
    }

    #[test]
    fn marks_are_those_of_the_rule_set() {
        let legend = |name| legend_text(&Rules::named(name).unwrap(), Style::default());
        assert_eq!(legend("imperial"), "t attacker  T defender  K king  + escape");
        assert!(legend("linnaeus").ends_with("# throne  + escape  : camp"), "{}", legend("linnaeus"));
    }

    #[test]
    fn colours_come_only_when_asked_for() {
        let rules = Rules::named("kvasir").unwrap();
        let start = Position::start(Side::Attackers);
        assert!(!board_text(&rules, &start, None, Style { colour: false, unicode: true }).contains('\x1b'));
        assert!(
            board_text(&rules, &start, None, Style { colour: true, unicode: false }).contains("\x1b[1;33mK\x1b[0m")
        );
    }
}
