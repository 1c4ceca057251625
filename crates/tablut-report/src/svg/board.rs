//! The board as SVG. Squares, coordinates and pieces are symbols that all boards of a page share. The pieces have the
//! shapes of `crates/tablut-play/page/js/pieces.js`.

use maud::{Markup, html};
use tablut_rules::{BoardSize, Move, Piece, Position, Rules, Square};

/// The space for coordinates to the left of the board and below it, in units of a tenth of a square.
const MARGIN: usize = 7;

/// The symbols that boards refer to. A page needs them once, before the first board.
pub fn board_symbols(rules: &[&Rules]) -> Markup {
    html! {
        svg width="0" height="0" class="symbols" aria-hidden="true" {
            defs {
                // Pieces differ in shape as well as in colour.
                symbol id="pt" viewBox="0 0 64 64" {
                    path class="pa" d="M32 8 53 20V44L32 56 11 44V20z" {}
                    path class="pi" d="M32 20 42 39H22z" {}
                }
                symbol id="pT" viewBox="0 0 64 64" { circle class="pd" cx="32" cy="32" r="23" {} circle class="pd" cx="32" cy="32" r="11.5" {} }
                symbol id="pK" viewBox="0 0 64 64" {
                    circle class="pd" cx="32" cy="32" r="26" {}
                    path class="pk" d="M18 43V23l7.5 7.5L32 18l6.5 12.5L46 23v20z" {}
                }
                @for size in BoardSize::ALL.into_iter().filter(|size| rules.iter().any(|rules| rules.size() == *size)) {
                    (coordinates(size))
                }
                @for rules in rules { (empty_board(rules)) }
            }
        }
    }
}

/// Letters of the columns below the board, numbers of the rows on its left.
fn coordinates(size: BoardSize) -> Markup {
    let half = MARGIN as f64 / 2.0;
    html! {
        symbol id=(coordinates_id(size)) viewBox=(view_box(size)) {
            @for n in 0..size.width() {
                @let square = Square::new(n, n);
                @let (x, y) = corner(size, square);
                @let name = square.to_string();
                text class="coordinate" x=(x + 5) y=(10 * size.width() + 5) { (name[..1]) }
                text class="coordinate" x=(-half) y=(y as f64 + 6.6) { (name[1..]) }
            }
        }
    }
}

fn coordinates_id(size: BoardSize) -> String {
    format!("b{}", size.width())
}

/// The drawn area: the board's corner is the origin.
fn view_box(size: BoardSize) -> String {
    let side = 10 * size.width() + MARGIN;
    format!("-{MARGIN} 0 {side} {side}")
}

/// The id of a rule set's empty board. Each character that is no letter or digit becomes its code.
fn board_id(rules: &Rules) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_string() } else { format!("_{:x}", u32::from(c)) };
    format!("b-{}", rules.name().chars().map(plain).collect::<String>())
}

fn empty_board(rules: &Rules) -> Markup {
    let size = rules.size();
    let side = 10 * size.width();
    let class = |square: Square| {
        if rules.throne().contains(square) {
            Some("throne")
        } else if rules.escapes().contains(square) {
            Some("escape")
        } else if rules.corners().contains(square) {
            Some("corner")
        } else if rules.camps().contains(square) {
            Some("camp")
        } else {
            None
        }
    };
    html! {
        symbol id=(board_id(rules)) viewBox=(format!("0 0 {side} {side}")) {
            rect class="wood" width=(side) height=(side) {}
            @for square in size.squares() {
                @if let Some(class) = class(square) {
                    @let (x, y) = corner(size, square);
                    rect class=(class) x=(x) y=(y) width="10" height="10" {}
                }
            }
            @for line in 1..size.width() {
                path class="rule" d=(format!("M0 {0}H{side}M{0} 0V{side}", 10 * line)) {}
            }
        }
    }
}

/// The upper left corner of a square, row 1 at the bottom.
fn corner(size: BoardSize, square: Square) -> (usize, usize) {
    (10 * square.column(), 10 * (size.width() - 1 - square.row()))
}

/// A position. The squares of the `last` move are marked. `name` is its text for screen readers.
pub fn board_view(rules: &Rules, position: &Position, last: Option<Move>, name: &str) -> Markup {
    let size = rules.size();
    let side = 10 * size.width();
    html! {
        svg class="board" viewBox=(view_box(size)) role="img" aria-label=(name) {
            use href=(format!("#{}", coordinates_id(size))) x=(format!("-{MARGIN}")) y="0" width=(side + MARGIN) height=(side + MARGIN) {}
            use href=(format!("#{}", board_id(rules))) width=(side) height=(side) {}
            @if let Some(mv) = last {
                @for square in [mv.from, mv.to] {
                    @let (x, y) = corner(size, square);
                    rect class="last" x=(x) y=(y) width="10" height="10" {}
                }
            }
            @for square in size.squares() {
                @if let Some(piece) = position.piece_at(square) {
                    @let (x, y) = corner(size, square);
                    use href=(symbol(piece)) x=(x) y=(y) width="10" height="10" {}
                }
            }
        }
    }
}

const fn symbol(piece: Piece) -> &'static str {
    match piece {
        Piece::Attacker => "#pt",
        Piece::Defender => "#pT",
        Piece::King => "#pK",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_rules::Side;

    #[test]
    fn a_board_shows_every_piece_and_the_last_move() {
        let rules = Rules::named("ashton").unwrap();
        let board = board_view(&rules, &Position::start(Side::Attackers), Some("d1-d3".parse().unwrap()), "start");
        let text = board.into_string();
        assert_eq!((text.matches("#pt").count(), text.matches("#pT").count(), text.matches("#pK").count()), (16, 8, 1));
        // d1 is the fourth square of the lowest row.
        assert!(text.contains("class=\"last\" x=\"30\" y=\"80\"") && text.contains("class=\"last\" x=\"30\" y=\"60\""));
        assert!(text.contains("href=\"#b-ashton\""));
        let symbols = board_symbols(&[&rules]).into_string();
        assert!(symbols.contains("id=\"b-ashton\"") && symbols.contains("class=\"camp\""));
    }

    #[test]
    fn boards_have_coordinates_and_the_round_pieces_are_the_defenders() {
        let rules = Rules::named("kvasir").unwrap();
        let symbols = board_symbols(&[&rules]).into_string();
        let symbol = |id: &str| {
            let begin = symbols.find(&format!("<symbol id=\"{id}\"")).unwrap();
            symbols[begin..].split("</symbol>").next().unwrap().to_owned()
        };
        assert!(!symbol("pt").contains("<circle") && symbol("pT").contains("<circle"));
        let coordinates = symbol("b9");
        for name in ["a", "e", "i", "1", "5", "9"] {
            assert_eq!(coordinates.matches(&format!(">{name}</text>")).count(), 1, "{name}");
        }
        // Column a is on the left and row 1 at the bottom.
        assert!(coordinates.contains("x=\"5\" y=\"95\">a<") && coordinates.contains("y=\"86.6\">1<"), "{coordinates}");
        let board = board_view(&rules, &Position::start(Side::Attackers), None, "start").into_string();
        assert!(board.contains("href=\"#b9\""), "{board}");
    }
}
