//! The board as SVG. Squares and pieces are drawn once a page, as symbols, and used by every board on it.

use maud::{Markup, html};
use tablut_rules::{Move, Piece, Position, Rules, SIZE, Square};

/// The symbols that boards are made of: once a page, before the first board.
pub fn board_symbols(rules: &[&Rules]) -> Markup {
    html! {
        svg width="0" height="0" class="symbols" aria-hidden="true" {
            defs {
                // Pieces differ in shape as well as in colour.
                symbol id="pt" viewBox="0 0 10 10" { circle class="pa" cx="5" cy="5" r="3.7" {} circle class="pi" cx="5" cy="5" r="1.5" {} }
                symbol id="pT" viewBox="0 0 10 10" { rect class="pd" x="1.7" y="1.7" width="6.6" height="6.6" rx="1.4" {} }
                symbol id="pK" viewBox="0 0 10 10" {
                    rect class="pd" x="1.2" y="1.2" width="7.6" height="7.6" rx="1.4" {}
                    path class="pk" d="M4.3 2.4h1.4v1.9h1.9v1.4H5.7v1.9H4.3V5.7H2.4V4.3h1.9z" {}
                }
                @for rules in rules { (empty_board(rules)) }
            }
        }
    }
}

/// The name of a rule set's empty board; anything but letters and digits is written as its number.
fn board_id(rules: &Rules) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_string() } else { format!("_{:x}", u32::from(c)) };
    format!("b-{}", rules.name().chars().map(plain).collect::<String>())
}

fn empty_board(rules: &Rules) -> Markup {
    let side = 10 * SIZE;
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
            @for square in Square::all() {
                @if let Some(class) = class(square) {
                    @let (x, y) = corner(square);
                    rect class=(class) x=(x) y=(y) width="10" height="10" {}
                }
            }
            @for line in 1..SIZE {
                path class="rule" d=(format!("M0 {0}H{side}M{0} 0V{side}", 10 * line)) {}
            }
        }
    }
}

/// The upper left corner of a square, row 9 on top.
fn corner(square: Square) -> (usize, usize) {
    (10 * square.column(), 10 * (SIZE - 1 - square.row()))
}

/// A position, the squares of the last move marked. `name` says in words what it is.
pub fn board_view(rules: &Rules, position: &Position, last: Option<Move>, name: &str) -> Markup {
    let side = 10 * SIZE;
    html! {
        svg class="board" viewBox=(format!("0 0 {side} {side}")) role="img" aria-label=(name) {
            use href=(format!("#{}", board_id(rules))) width=(side) height=(side) {}
            @if let Some(mv) = last {
                @for square in [mv.from, mv.to] {
                    @let (x, y) = corner(square);
                    rect class="last" x=(x) y=(y) width="10" height="10" {}
                }
            }
            @for square in Square::all() {
                @if let Some(piece) = position.piece_at(square) {
                    @let (x, y) = corner(square);
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
}
