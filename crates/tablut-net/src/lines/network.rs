//! The line network in f32: from the squares of one line to features of each of them.

use tablut_kernels::{Aligned, Kernels, Rows, short};
use tablut_rules::BoardSize;

use super::dense::{add, transposed};
use super::description::{DISTANCES_FROM_EDGE, DISTANCES_FROM_END, LINE_WIDTH, LineLayers, SPECIALS, TAPS};
use super::patterns::{LineClass, SeenLine};
use crate::layers::{Dense, Values, row};

/// A line's activations with two empty squares at each end.
pub const fn padded(size: BoardSize) -> usize {
    (size.width() + TAPS - 1) * LINE_WIDTH
}

/// Those without the empty squares.
pub const fn inner(size: BoardSize) -> std::ops::Range<usize> {
    TAPS / 2 * LINE_WIDTH..(size.width() + TAPS / 2) * LINE_WIDTH
}

/// A line's activations without padding.
pub const fn squares_of_line(size: BoardSize) -> usize {
    size.width() * LINE_WIDTH
}

const PIECES: usize = 3;

pub struct LineWeights {
    /// `[pieces, then special squares][width]`.
    squares: Vec<f32>,
    places: Vec<f32>,
    /// `[RULE_FEATURES][width]`.
    rules: Vec<f32>,
    pairs: Vec<[Dense; 2]>,
    out: Dense,
}

/// Floats that are kept of one line for the backward pass.
pub const fn kept_len(pairs: usize, size: BoardSize) -> usize {
    2 * pairs * padded(size) + squares_of_line(size)
}

impl LineWeights {
    pub fn pack(layers: &LineLayers, values: &Values<'_>) -> Self {
        let line = &layers.line;
        Self {
            squares: transposed(values.get(line.squares.weight), line.squares.inputs),
            places: values.get(line.places).to_vec(),
            rules: transposed(values.get(line.rules.weight), line.rules.inputs),
            pairs: line.pairs.iter().map(|pair| pair.each_ref().map(|layer| Dense::pack(values, layer))).collect(),
            out: Dense::pack(values, &line.out),
        }
    }

    /// The same weights, [`short`].
    #[must_use]
    pub fn shortened(self) -> Self {
        let pairs = self.pairs.into_iter().map(|pair| pair.map(Dense::shortened)).collect();
        Self { pairs, out: self.out.shortened(), ..self }
    }

    pub fn pairs(&self) -> usize {
        self.pairs.len()
    }

    /// Length of the output for each square, including padding.
    pub fn out_width(&self) -> usize {
        self.out.matrix.padded_outputs()
    }

    /// Computes a line's output, `[squares][out_width]`. With `SHORT` the inputs of all products are [`short`]. `kept` has
    /// [`kept_len`] values; its padding is zero.
    pub fn forward<const SHORT: bool>(
        &self,
        kernels: Kernels,
        line: SeenLine,
        class: &LineClass,
        kept: &mut [f32],
        out: &mut [f32],
    ) {
        let (padded, inner) = (padded(class.size), inner(class.size));
        let mut x = Aligned::zeroed(squares_of_line(class.size));
        self.embed(line, class, &mut x);
        let mut change = Aligned::zeroed(x.len());
        let (pairs, last) = kept.split_at_mut(2 * self.pairs.len() * padded);
        for ([first, second], kept) in self.pairs.iter().zip(pairs.chunks_exact_mut(2 * padded)) {
            let (before, between) = kept.split_at_mut(padded);
            rectify::<SHORT>(&x, &mut before[inner.clone()]);
            kernels.product(windows(before), &first.matrix, &first.bias, true, &mut between[inner.clone()]);
            if SHORT {
                shorten(&mut between[inner.clone()]);
            }
            kernels.product(windows(between), &second.matrix, &second.bias, false, &mut change);
            for (x, change) in x.iter_mut().zip(&*change) {
                *x += change;
            }
        }
        rectify::<SHORT>(&x, last);
        kernels.product(squares(last, LINE_WIDTH), &self.out.matrix, &self.out.bias, false, out);
    }

    fn embed(&self, line: SeenLine, class: &LineClass, x: &mut [f32]) {
        let mut rules = [0.0; LINE_WIDTH];
        for (feature, &value) in class.rules.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            add(&mut rules, row(&self.rules, feature, LINE_WIDTH), value);
        }
        for (at, x) in x.chunks_exact_mut(LINE_WIDTH).enumerate() {
            let [first, last] = place_rows(usize::from(line.side), class.distance, class.size, at);
            x.copy_from_slice(row(&self.places, first, LINE_WIDTH));
            add(x, row(&self.places, last, LINE_WIDTH), 1.0);
            add(x, &rules, 1.0);
            for flag in flags(line, class, at) {
                add(x, row(&self.squares, flag, LINE_WIDTH), 1.0);
            }
        }
    }
}

/// The two rows of `places` for a square of a line: those of its distances from the first and the last square. `side` is
/// the side to move (0 for the attackers), `distance` that of the line from the edge.
pub fn place_rows(side: usize, distance: usize, size: BoardSize, place: usize) -> [usize; 2] {
    let line = side * DISTANCES_FROM_EDGE + distance.min(DISTANCES_FROM_EDGE - 1);
    let row =
        |end: usize, distance: usize| (line * 2 + end) * DISTANCES_FROM_END + distance.min(DISTANCES_FROM_END - 1);
    [row(0, place), row(1, size.width() - 1 - place)]
}

/// The vectors of a square: of its piece and of what is special about it.
pub fn flags(line: SeenLine, class: &LineClass, place: usize) -> impl Iterator<Item = usize> {
    let (pieces, special) = (line.contents(place), class.special(place));
    (0..PIECES + SPECIALS).filter(move |&flag| if flag < PIECES { pieces[flag] } else { special[flag - PIECES] })
}

/// The windows of five squares around each of a padded line's inner squares.
pub fn windows(padded: &[f32]) -> Rows<'_> {
    Rows { values: padded, stride: LINE_WIDTH, count: padded.len() / LINE_WIDTH + 1 - TAPS }
}

/// The squares of a line, with `width` values each.
pub fn squares(values: &[f32], width: usize) -> Rows<'_> {
    Rows { values, stride: width, count: values.len() / width }
}

fn rectify<const SHORT: bool>(x: &[f32], out: &mut [f32]) {
    for (out, x) in out.iter_mut().zip(x) {
        *out = if *x > 0.0 { *x } else { 0.0 };
    }
    if SHORT {
        shorten(out);
    }
}

/// Makes all numbers [`short`].
pub fn shorten(values: &mut [f32]) {
    for value in values {
        *value = short(*value);
    }
}
