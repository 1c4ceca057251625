//! Vectors of sixteen numbers of sixteen bits, and kernels that are written once with them.

use crate::depthwise::TAPS;
use crate::{Grid, LANES};

/// The longest side of a grid.
pub(crate) const LONGEST_SIDE: usize = 11;
/// Squares of the largest grid with a border of one square.
pub(crate) const MOST_PADDED: usize = (LONGEST_SIDE + 2) * (LONGEST_SIDE + 2);
/// The largest activation, in steps.
pub(crate) const TOP: i16 = 127;

/// `value * multiplier / 32768`, rounded to the nearest, halves up.
#[inline(always)]
pub(crate) fn scaled(value: i16, multiplier: i16) -> i16 {
    ((i32::from(value) * i32::from(multiplier) + 0x4000) >> 15) as i16
}

/// Sixteen numbers of sixteen bits.
///
/// # Safety
/// Call every method only inside a function compiled for the vector's instructions, on a machine that has them.
#[allow(clippy::missing_safety_doc, reason = "stated once, on the trait")]
pub(crate) trait Sixteen: Copy {
    unsafe fn splat(value: i16) -> Self;
    unsafe fn load(from: &[i16; LANES]) -> Self;
    unsafe fn store(self, into: &mut [i16; LANES]);
    unsafe fn of_bytes(from: &[u8; LANES]) -> Self;
    /// Cuts off at 0 and [`TOP`].
    unsafe fn store_cut(self, into: &mut [u8; LANES]);
    /// `sums / 2^shift`, rounded to the nearest, halves up, and cut off at sixteen bits.
    unsafe fn of_sums(sums: &[i32; LANES], shift: u32) -> Self;
    /// Wraps around.
    unsafe fn add(self, other: Self) -> Self;
    /// Wraps around.
    unsafe fn mul(self, other: Self) -> Self;
    /// The sum, cut off at sixteen bits.
    unsafe fn add_cut(self, other: Self) -> Self;
    unsafe fn max(self, other: Self) -> Self;
    unsafe fn min(self, other: Self) -> Self;
    /// As [`scaled`].
    unsafe fn scaled(self, multipliers: Self) -> Self;
    /// Divides by a power of two and rounds down.
    unsafe fn shift_right(self, bits: u32) -> Self;
}

/// Implements [`Sixteen`]. Every body is sound for the trait's contract: the caller runs on a machine with the vector's
/// instructions, and the arrays have sixteen numbers.
macro_rules! sixteen {
    ($vector:ty; $(fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? = $body:expr;)+) => {
        impl $crate::int8::sixteen::Sixteen for $vector {
            $(
                #[inline(always)]
                #[allow(unused_unsafe, reason = "some bodies are safe code")]
                unsafe fn $name($($argument: $type),*) $(-> $result)? {
                    // SAFETY: the trait's contract.
                    unsafe { $body }
                }
            )+
        }
    };
}
pub(crate) use sixteen;

/// In safe Rust.
#[derive(Copy, Clone)]
pub(crate) struct Plain([i16; LANES]);

impl Plain {
    #[inline(always)]
    fn zip(self, other: Plain, f: impl Fn(i16, i16) -> i16) -> Plain {
        let mut numbers = self.0;
        for (a, b) in numbers.iter_mut().zip(other.0) {
            *a = f(*a, b);
        }
        Plain(numbers)
    }
}

sixteen! {
    Plain;
    fn splat(value: i16) -> Plain = Plain([value; LANES]);
    fn load(from: &[i16; LANES]) -> Plain = Plain(*from);
    fn store(self: Self, into: &mut [i16; LANES]) = *into = self.0;
    fn of_bytes(from: &[u8; LANES]) -> Plain = Plain(from.map(i16::from));
    fn store_cut(self: Self, into: &mut [u8; LANES]) = {
        for (to, x) in into.iter_mut().zip(self.0) {
            *to = x.clamp(0, TOP) as u8;
        }
    };
    fn of_sums(sums: &[i32; LANES], shift: u32) -> Plain = {
        let (mut numbers, half) = ([0; LANES], 1 << shift >> 1);
        for (number, sum) in numbers.iter_mut().zip(sums) {
            *number = ((sum + half) >> shift).clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        }
        Plain(numbers)
    };
    fn add(self: Self, other: Plain) -> Plain = self.zip(other, i16::wrapping_add);
    fn mul(self: Self, other: Plain) -> Plain = self.zip(other, i16::wrapping_mul);
    fn add_cut(self: Self, other: Plain) -> Plain = self.zip(other, i16::saturating_add);
    fn max(self: Self, other: Plain) -> Plain = self.zip(other, i16::max);
    fn min(self: Self, other: Plain) -> Plain = self.zip(other, i16::min);
    fn scaled(self: Self, multipliers: Plain) -> Plain = self.zip(multipliers, scaled);
    fn shift_right(self: Self, bits: u32) -> Plain = {
        let mut numbers = self.0;
        for x in &mut numbers {
            *x >>= bits;
        }
        Plain(numbers)
    };
}

/// The sixteen numbers from `from[at]` on.
#[inline(always)]
pub(crate) fn at<T>(from: &[T], at: usize) -> &[T; LANES] {
    from[at..].first_chunk().expect("sixteen numbers")
}

#[inline(always)]
pub(crate) fn at_mut<T>(from: &mut [T], at: usize) -> &mut [T; LANES] {
    from[at..].first_chunk_mut().expect("sixteen numbers")
}

#[inline(always)]
fn two(from: &[i16]) -> &[[i16; LANES]; 2] {
    from.as_chunks().0.first_chunk().expect("thirty-two numbers")
}

/// `out = starts + depthwise convolution of image`, cut off. The layer is its weights, `[tap][channel]`, and its multipliers.
/// A side of the grid is at most [`LONGEST_SIDE`].
///
/// # Safety
/// The contract of [`Sixteen`].
#[inline(always)]
pub(crate) unsafe fn depthwise<V: Sixteen>(
    grid: Grid,
    image: &[u8],
    [taps, multipliers]: [&[i16]; 2],
    starts: &[i16],
    out: &mut [u8],
) {
    let (channels, wide) = (multipliers.len(), grid.width() + 2);
    // SAFETY: the caller's contract.
    unsafe {
        // Sixteen channels of each square, with a border of zeros.
        let mut padded = [V::splat(0); MOST_PADDED];
        for first in (0..channels).step_by(LANES) {
            let (start, multiplier) = (V::load(at(starts, first)), V::load(at(multipliers, first)));
            let mut weights = [V::splat(0); TAPS];
            for (tap, weight) in weights.iter_mut().enumerate() {
                *weight = V::load(at(taps, tap * channels + first));
            }
            for row in 0..grid.height() {
                for column in 0..grid.width() {
                    let x = at(image, (row * grid.width() + column) * channels + first);
                    padded[(row + 1) * wide + column + 1] = V::of_bytes(x);
                }
            }
            for row in 0..grid.height() {
                for column in 0..grid.width() {
                    let mut sum = V::splat(0);
                    for (three, weights) in weights.as_chunks::<3>().0.iter().enumerate() {
                        let x: &[V; 3] = padded[(row + three) * wide + column..].first_chunk().expect("a window");
                        for (x, weight) in x.iter().zip(weights) {
                            sum = sum.add(x.mul(*weight));
                        }
                    }
                    let value = sum.add_cut(start).scaled(multiplier);
                    value.store_cut(at_mut(out, (row * grid.width() + column) * channels + first));
                }
            }
        }
    }
}

/// `out = sums / 2^shift`, rounded and cut off. The number of sums is a multiple of sixteen.
///
/// # Safety
/// The contract of [`Sixteen`].
#[inline(always)]
pub(crate) unsafe fn clip<V: Sixteen>(sums: &[i16], shift: u32, out: &mut [u8]) {
    // SAFETY: the caller's contract.
    unsafe {
        let half = V::splat((1 << shift >> 1) as i16);
        for (out, sums) in out.as_chunks_mut().0.iter_mut().zip(sums.as_chunks().0) {
            V::load(sums).add_cut(half).shift_right(shift).store_cut(out);
        }
    }
}

/// The sums of each channel over all squares, and the maxima.
///
/// # Safety
/// The contract of [`Sixteen`].
#[inline(always)]
pub(crate) unsafe fn pool<V: Sixteen>(image: &[u8], sums: &mut [i16], maxima: &mut [i16]) {
    let (image, groups) = (image.as_chunks().0, maxima.len() / LANES);
    let results = sums.as_chunks_mut().0.iter_mut().zip(maxima.as_chunks_mut().0);
    for (group, (sums, maxima)) in results.enumerate() {
        // SAFETY: the caller's contract.
        unsafe {
            let (mut sum, mut max) = (V::splat(0), V::splat(0));
            for x in image[group..].iter().step_by(groups) {
                let x = V::of_bytes(x);
                sum = sum.add(x);
                max = max.max(x);
            }
            sum.store(sums);
            max.store(maxima);
        }
    }
}

/// What the rows and the columns of a grid say about their squares.
#[derive(Copy, Clone)]
pub struct GridLines<'a> {
    /// For each row, numbers of its squares, `stride` apart.
    pub rows: &'a [&'a [i16]],
    /// The same for each column.
    pub columns: &'a [&'a [i16]],
    /// From one square of a line to the next.
    pub stride: usize,
}

/// Limits of [`line_pairs`].
pub(crate) struct Limits<'a> {
    pub top: i16,
    pub shift: &'a [i16; LANES],
}

/// `out[row][column] = rows[row][column] + columns[column][row] + bias`, cut off at sixteen bits.
///
/// # Safety
/// The contract of [`Sixteen`].
#[inline(always)]
pub(crate) unsafe fn line_sums<V: Sixteen>(lines: GridLines<'_>, bias: &[i16], out: &mut [i16]) {
    let bias = bias.as_chunks().0;
    let mut squares = out.as_chunks_mut().0.chunks_exact_mut(bias.len());
    for (row, on_row) in lines.rows.iter().enumerate() {
        for (column, on_column) in lines.columns.iter().enumerate() {
            let along = on_row[column * lines.stride..].as_chunks().0;
            let across = on_column[row * lines.stride..].as_chunks().0;
            let out = squares.next().expect("a square");
            for (((out, along), across), bias) in out.iter_mut().zip(along).zip(across).zip(bias) {
                // SAFETY: the caller's contract.
                unsafe { V::load(along).add_cut(V::load(across)).add_cut(V::load(bias)).store(out) };
            }
        }
    }
}

/// `own` has for each square sixteen numbers for its row, sixteen for its column, and others. To the former it adds
/// the first sixteen numbers of the own line and the next sixteen of the other one. It cuts the sums off at 0 and
/// the top and adds the shift. Writes those of all rows, then those of all columns to `out`, and the others of `own`
/// to `rest`, cut off at 0 and [`TOP`].
///
/// # Safety
/// The contract of [`Sixteen`].
#[inline(always)]
pub(crate) unsafe fn line_pairs<V: Sixteen>(
    lines: GridLines<'_>,
    own: &[i16],
    limits: &Limits<'_>,
    out: &mut [i16],
    rest: &mut [u8],
) {
    let squares = lines.rows.len() * lines.columns.len();
    let groups = own.len() / squares / LANES;
    let mut own = own.as_chunks().0.chunks_exact(groups);
    let mut rest = rest.as_chunks_mut().0.chunks_exact_mut(groups - 2);
    let (of_rows, of_columns) = out.as_chunks_mut().0.split_at_mut(squares);
    let mut outs = of_rows.iter_mut().zip(of_columns);
    // SAFETY: the caller's contract.
    unsafe {
        let (zero, top, shift) = (V::splat(0), V::splat(limits.top), V::load(limits.shift));
        let pair = |own, along, across| {
            let sum = V::load(own).add_cut(V::load(along)).add_cut(V::load(across));
            sum.max(zero).min(top).add(shift)
        };
        for (row, on_row) in lines.rows.iter().enumerate() {
            for (column, on_column) in lines.columns.iter().enumerate() {
                let along = two(&on_row[column * lines.stride..]);
                let across = two(&on_column[row * lines.stride..]);
                let (of_row, of_column) = outs.next().expect("a square");
                let [own_row, own_column, others @ ..] = own.next().expect("a square") else { unreachable!("checked") };
                pair(own_row, &along[0], &across[1]).store(of_row);
                pair(own_column, &across[0], &along[1]).store(of_column);
                for (rest, other) in rest.next().into_iter().flatten().zip(others) {
                    V::load(other).store_cut(rest);
                }
            }
        }
    }
}
