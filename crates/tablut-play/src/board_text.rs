//! The board as lines of text, with coordinates, marks for special squares, and the last move in brackets.

use std::fmt::Write as _;
use tablut_rules::{Bitboard, CampEntry, HostileCamps, Landing, Move, Piece, Position, Rules, SIZE, Square};

/// How text is set.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq)]
pub struct Style {
    /// Colours, by ANSI escape sequences.
    pub colour: bool,
    /// Symbols beyond ASCII.
    pub unicode: bool,
}

/// ANSI colours by use.
#[derive(Copy, Clone)]
pub(crate) enum Ink {
    Attacker,
    Defender,
    King,
    Mark,
    Alarm,
}

impl Ink {
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
    pub(crate) fn paint(self, ink: Ink, text: &str) -> String {
        if self.colour { format!("\x1b[{}m{text}\x1b[0m", ink.code()) } else { text.to_owned() }
    }

    pub(crate) fn piece(self, piece: Piece) -> String {
        let (ink, unicode, ascii) = match piece {
            Piece::Attacker => (Ink::Attacker, "●", "t"),
            Piece::Defender => (Ink::Defender, "○", "T"),
            Piece::King => (Ink::King, "◆", "K"),
        };
        self.paint(ink, if self.unicode { unicode } else { ascii })
    }

    fn mark(self, mark: Mark) -> &'static str {
        let (unicode, ascii) = match mark {
            Mark::Throne => ("□", "#"),
            Mark::Escape => ("+", "+"),
            Mark::Corner => ("×", "x"),
            Mark::Camp => ("▫", ":"),
            Mark::Plain => ("·", "."),
        };
        if self.unicode { unicode } else { ascii }
    }
}

/// What an empty square is shown as.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
enum Mark {
    Throne,
    Escape,
    Corner,
    Camp,
    Plain,
}

/// Special squares of a rule set that differ from ordinary ones in its play.
struct Marks {
    throne: Bitboard,
    escapes: Bitboard,
    corners: Bitboard,
    camps: Bitboard,
}

impl Marks {
    fn of(rules: &Rules) -> Self {
        let (corners, camps) = (&rules.set().corners, &rules.set().camps);
        let corners_matter =
            corners.landing != Landing::Anyone || corners.hostile_to_soldiers || corners.hostile_to_king;
        let hostile = [camps.hostile_to_attackers, camps.hostile_to_defenders, camps.hostile_to_king];
        let camps_matter = camps.entry != CampEntry::Anyone || hostile.iter().any(|&h| h != HostileCamps::None);
        let if_they = |matter: bool, squares| if matter { squares } else { Bitboard::EMPTY };
        Self {
            throne: rules.throne(),
            escapes: rules.escapes(),
            corners: if_they(corners_matter, rules.corners()),
            camps: if_they(camps_matter, rules.camps()),
        }
    }

    fn at(&self, square: Square) -> Mark {
        if self.throne.contains(square) {
            Mark::Throne
        } else if self.escapes.contains(square) {
            Mark::Escape
        } else if self.corners.contains(square) {
            Mark::Corner
        } else if self.camps.contains(square) {
            Mark::Camp
        } else {
            Mark::Plain
        }
    }
}

/// The board with row 9 on top; the squares of `last_move` stand in brackets, round ones where it came from.
pub fn board_text(rules: &Rules, position: &Position, last_move: Option<Move>, style: Style) -> String {
    let marks = Marks::of(rules);
    let mut letters = "   ".to_owned();
    for column in 0..SIZE {
        let _ = write!(letters, " {} ", char::from(b'a' + column as u8));
    }
    let letters = letters.trim_end().to_owned() + "\n";
    let mut text = letters.clone();
    for row in (0..SIZE).rev() {
        let _ = write!(text, "{:>2} ", row + 1);
        for column in 0..SIZE {
            let square = Square::new(column, row);
            let (open, close) = match last_move {
                Some(mv) if mv.from == square => ('(', ')'),
                Some(mv) if mv.to == square => ('[', ']'),
                _ => (' ', ' '),
            };
            let content = match position.piece_at(square) {
                Some(piece) => style.piece(piece),
                None => style.paint(Ink::Mark, style.mark(marks.at(square))),
            };
            let _ = write!(text, "{open}{content}{close}");
        }
        let _ = writeln!(text, " {}", row + 1);
    }
    text + &letters
}

/// What the symbols mean, only those that this rule set uses.
pub fn legend_text(rules: &Rules, style: Style) -> String {
    let marks = Marks::of(rules);
    let mut parts: Vec<String> = [(Piece::Attacker, "attacker"), (Piece::Defender, "defender"), (Piece::King, "king")]
        .map(|(piece, name)| format!("{} {name}", style.piece(piece)))
        .to_vec();
    let shown = |mark| Square::all().any(|square| marks.at(square) == mark);
    let names = [(Mark::Throne, "throne"), (Mark::Escape, "escape"), (Mark::Corner, "corner"), (Mark::Camp, "camp")];
    for (mark, name) in names {
        if shown(mark) {
            parts.push(format!("{} {name}", style.paint(Ink::Mark, style.mark(mark))));
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
