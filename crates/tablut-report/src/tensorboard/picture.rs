//! A board as PNG, for programs that take no SVG.

use tablut_rules::{Move, Piece, Position, Rules, SIZE, Square};

/// Pixels of a square's side.
const SQUARE: usize = 28;
/// Samples along a pixel's side, so that edges are smooth.
const SAMPLES: usize = 3;

type Colour = [u8; 3];
const WOOD: Colour = [241, 226, 196];
const LINE: Colour = [201, 180, 137];
const THRONE: Colour = [201, 164, 106];
const CAMP: Colour = [220, 203, 176];
const ESCAPE: Colour = [228, 236, 210];
const LAST: Colour = [242, 201, 76];
const ATTACKER: Colour = [179, 54, 43];
const DEFENDER: Colour = [35, 103, 156];
const WHITE: Colour = [255, 255, 255];

/// A picture with its size in pixels.
pub struct Picture {
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
    /// The file's bytes.
    pub png: Vec<u8>,
}

/// Draws a position, the squares of the last move marked.
pub fn board_png(rules: &Rules, position: &Position, last: Option<Move>) -> Result<Picture, png::EncodingError> {
    let side = SIZE * SQUARE;
    let mut pixels = Vec::with_capacity(side * side * 3);
    for y in 0..side {
        for x in 0..side {
            let square = Square::new(x / SQUARE, SIZE - 1 - y / SQUARE);
            pixels.extend(pixel(rules, position, last, square, x % SQUARE, y % SQUARE));
        }
    }
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side as u32, side as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(Picture { width: side as u32, height: side as u32, png: bytes })
}

/// The mean colour of a pixel's samples; `x` and `y` count from the square's upper left corner.
fn pixel(rules: &Rules, position: &Position, last: Option<Move>, square: Square, x: usize, y: usize) -> Colour {
    let ground = if x == 0 || y == 0 { LINE } else { ground(rules, last, square) };
    let Some(piece) = position.piece_at(square) else { return ground };
    let mut sums = [0_usize; 3];
    for sample in 0..SAMPLES * SAMPLES {
        let at =
            |pixel: usize, sample: usize| (pixel as f32 + (sample as f32 + 0.5) / SAMPLES as f32) / SQUARE as f32 - 0.5;
        let colour = drawn(piece, at(x, sample % SAMPLES), at(y, sample / SAMPLES)).unwrap_or(ground);
        for (sum, part) in sums.iter_mut().zip(colour) {
            *sum += usize::from(part);
        }
    }
    sums.map(|sum| (sum / (SAMPLES * SAMPLES)) as u8)
}

fn ground(rules: &Rules, last: Option<Move>, square: Square) -> Colour {
    if last.is_some_and(|mv| mv.from == square || mv.to == square) {
        LAST
    } else if rules.throne().contains(square) || rules.corners().contains(square) && !rules.escapes().contains(square) {
        THRONE
    } else if rules.escapes().contains(square) {
        ESCAPE
    } else if rules.camps().contains(square) {
        CAMP
    } else {
        WOOD
    }
}

/// The piece's colour at a point of its square, which reaches from −½ to ½; `None` beside the piece.
fn drawn(piece: Piece, x: f32, y: f32) -> Option<Colour> {
    let (radius, edge) = (x.hypot(y), x.abs().max(y.abs()));
    match piece {
        Piece::Attacker if radius > 0.37 => None,
        Piece::Attacker => Some(if radius < 0.15 { WHITE } else { ATTACKER }),
        Piece::Defender if edge > 0.33 => None,
        Piece::Defender => Some(if edge < 0.22 { WHITE } else { DEFENDER }),
        Piece::King if edge > 0.4 => None,
        Piece::King => {
            let cross = x.abs().min(y.abs()) < 0.06 && edge < 0.26;
            Some(if edge > 0.32 || cross { DEFENDER } else { WHITE })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_rules::Side;

    #[test]
    fn the_picture_shows_the_pieces() {
        let rules = Rules::named("kvasir").unwrap();
        let picture = board_png(&rules, &Position::start(Side::Attackers), None).unwrap();
        let decoder = png::Decoder::new(std::io::Cursor::new(&picture.png));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (picture.width, picture.height));
        let at = |text: &str, dx: usize| {
            let square: Square = text.parse().unwrap();
            let (x, y) = (square.column() * SQUARE + SQUARE / 2 + dx, (SIZE - 1 - square.row()) * SQUARE + SQUARE / 2);
            let from = 3 * (y * picture.width as usize + x);
            [pixels[from], pixels[from + 1], pixels[from + 2]]
        };
        assert_eq!([at("a5", 7), at("e4", 7), at("e5", 10)], [ATTACKER, DEFENDER, DEFENDER]);
        assert_eq!(at("b2", 5), WOOD);
    }
}
