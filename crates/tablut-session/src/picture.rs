//! A picture of a position as an SVG file.

use crate::view::{Mark, marks};
use std::fmt::Write as _;
use tablut_rules::{BoardSize, Move, Piece, Position, Rules, Square};

const SIDE: usize = 60;
const MARGIN: usize = 34;

/// The board of a position, with frames around the squares of a move.
pub fn svg(rules: &Rules, position: &Position, mv: Option<Move>) -> String {
    let (board, width) = (position.size(), position.size().width());
    let size = width * SIDE + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size} {size}\" width=\"{size}\" height=\"{size}\" \
         font-family=\"system-ui, sans-serif\">\n<title>Tablut, {} rules: {position}</title>\n\
         <rect width=\"{size}\" height=\"{size}\" fill=\"#e9d9bc\"/>\n",
        rules.name()
    );
    let marks = marks(rules);
    for square in board.squares() {
        let (x, y) = corner(board, square);
        let shade = if (square.column() + square.row()) % 2 == 0 { "#d9bf94" } else { "#e2cba4" };
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"{shade}\" stroke=\"#a98a5c\"/>"
        );
        for mark in marks.get(&square).into_iter().flatten() {
            svg += &mark_svg(*mark, x, y);
        }
    }
    if let Some(mv) = mv {
        for (square, width) in [(mv.from, 2), (mv.to, 4)] {
            let (x, y) = corner(board, square);
            let _ = writeln!(
                svg,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#2f6d62\" stroke-width=\"{width}\"/>",
                x + 3,
                y + 3,
                SIDE - 6,
                SIDE - 6
            );
        }
    }
    for (square, piece) in board.squares().filter_map(|square| Some((square, position.piece_at(square)?))) {
        let (x, y) = corner(board, square);
        let _ = writeln!(svg, "<g transform=\"translate({} {})\">{}</g>", x + SIDE / 2, y + SIDE / 2, piece_svg(piece));
    }
    for index in 0..width {
        let middle = MARGIN + index * SIDE + SIDE / 2;
        let (letter, number) = (char::from(b'a' + index as u8), width - index);
        for (x, y, text) in [
            (middle, MARGIN - 12, letter.to_string()),
            (middle, size - 12, letter.to_string()),
            (MARGIN / 2, middle + 5, number.to_string()),
            (size - MARGIN / 2, middle + 5, number.to_string()),
        ] {
            let _ = writeln!(
                svg,
                "<text x=\"{x}\" y=\"{y}\" font-size=\"16\" text-anchor=\"middle\" fill=\"#5b4527\">{text}</text>"
            );
        }
    }
    svg + "</svg>\n"
}

fn corner(board: BoardSize, square: Square) -> (usize, usize) {
    (MARGIN + square.column() * SIDE, MARGIN + (board.width() - 1 - square.row()) * SIDE)
}

fn mark_svg(mark: Mark, x: usize, y: usize) -> String {
    let (x, y) = (x + SIDE / 2, y + SIDE / 2);
    match mark {
        Mark::Throne => format!(
            "<path d=\"M{x} {}l18 18-18 18-18-18z\" fill=\"none\" stroke=\"#8a6a3a\" stroke-width=\"2\"/>\n",
            y - 18
        ),
        Mark::Corner => {
            format!("<path d=\"M{} {}l36 36m0-36l-36 36\" stroke=\"#8a6a3a\" stroke-width=\"2\"/>\n", x - 18, y - 18)
        }
        Mark::Camp => format!(
            "<rect x=\"{}\" y=\"{}\" width=\"44\" height=\"44\" rx=\"6\" fill=\"#00000018\"/>\n",
            x - 22,
            y - 22
        ),
        Mark::Escape => format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"5\" fill=\"#2f6d62\" fill-opacity=\".55\"/>\n"),
    }
}

/// A piece around the origin: attackers are dark and pointed, defenders light and round, the king wears a crown.
fn piece_svg(piece: Piece) -> &'static str {
    match piece {
        Piece::Attacker => {
            "<path d=\"M0-23 20-11.5V11.5L0 23-20 11.5V-11.5z\" fill=\"#3b2a24\" stroke=\"#1d1411\" stroke-width=\"2\"/>\
             <path d=\"M0-11 9.5 5.5H-9.5z\" fill=\"none\" stroke=\"#c9a98f\" stroke-width=\"2.5\"/>"
        }
        Piece::Defender => {
            "<circle r=\"22\" fill=\"#fbf4e6\" stroke=\"#6f5a3a\" stroke-width=\"2\"/>\
             <circle r=\"11\" fill=\"none\" stroke=\"#b59a6d\" stroke-width=\"2.5\"/>"
        }
        Piece::King => {
            "<circle r=\"25\" fill=\"#f6d978\" stroke=\"#6f4d0c\" stroke-width=\"2.5\"/>\
             <path d=\"M-13 9V-8l7 7 6-11 6 11 7-7V9z\" fill=\"#6f4d0c\"/>"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tablut_rules::{Game, RuleSet, Side};

    #[test]
    fn the_picture_has_every_piece_and_names_the_rules() {
        for (name, size, pieces) in
            [("brandubh", 488, [8, 4, 1]), ("kvasir", 608, [16, 8, 1]), ("copenhagen", 728, [24, 12, 1])]
        {
            let rules = Rules::named(name).unwrap();
            let picture = svg(&rules, Game::new(Arc::new(rules.clone()), Side::Attackers).position(), None);
            let count = |piece| picture.matches(piece_svg(piece)).count();
            assert_eq!([Piece::Attacker, Piece::Defender, Piece::King].map(count), pieces);
            assert!(picture.contains(&format!("<title>Tablut, {name} rules: ")), "{picture}");
            assert!(picture.contains(&format!("viewBox=\"0 0 {size} {size}\"")), "{picture}");
        }
    }

    /// The picture's title is not escaped.
    #[test]
    fn the_name_of_rules_has_no_markup() {
        let set = RuleSet { name: "<script>".to_owned(), ..RuleSet::named("kvasir").unwrap() };
        let refused = Rules::new(set).unwrap_err().to_string();
        assert!(refused.contains("<script>"), "{refused}");
    }
}
