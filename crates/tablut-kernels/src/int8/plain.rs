//! The kernels in safe Rust, for every machine: loops over channels that a compiler turns into vector instructions.

use std::borrow::Cow;

use super::{Dot, Int8Depthwise, Int8Matrix, Sums, TOP, Target, scaled};
use crate::depthwise::TAPS;
use crate::{Grid, LANES};

/// Sums in f32, which every machine multiplies fast. They are whole numbers below 2^24, so none is rounded.
pub(crate) struct Floats;

impl Dot for Floats {
    type Activation = f32;

    fn activations(rows: &[u8]) -> Cow<'_, [f32]> {
        rows.iter().map(|&x| f32::from(x)).collect()
    }

    #[inline(always)]
    unsafe fn sums<const R: usize>(rows: &[f32], matrix: &Int8Matrix, starts: &Sums, output: usize) -> [Sums; R] {
        let mut sums = [starts.map(|start| start as f32); R];
        let inputs = matrix.inputs;
        let weights = matrix.floats.packed()[output * inputs..][..LANES * inputs].chunks_exact(LANES);
        for (input, weights) in weights.enumerate() {
            for (row, sums) in sums.iter_mut().enumerate() {
                let x = rows[row * inputs + input];
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum += x * weight;
                }
            }
        }
        // SAFETY: the sums are whole numbers below 2^24.
        sums.map(|sums| sums.map(|sum| unsafe { sum.to_int_unchecked() }))
    }
}

impl Target<'_> {
    /// Takes the sums of the sixteen outputs from `output` on of a row.
    #[inline(always)]
    fn write(&mut self, matrix: &Int8Matrix, row: usize, output: usize, sums: &Sums) {
        let multipliers: &[i16; LANES] = matrix.multipliers[output..][..LANES].try_into().expect("sixteen");
        let half = 1 << matrix.shift >> 1;
        let mut values = [0; LANES];
        for ((value, sum), &multiplier) in values.iter_mut().zip(sums).zip(multipliers) {
            let rounded = (sum + half) >> matrix.shift;
            *value = scaled(rounded.clamp(i16::MIN.into(), i16::MAX.into()) as i16, multiplier);
        }
        let place = row * matrix.outputs + output;
        match self {
            Target::Sums(out) => out[place..][..LANES].copy_from_slice(&values),
            Target::Onto(image) => {
                for (x, value) in image[place..][..LANES].iter_mut().zip(values) {
                    *x = value.saturating_add(i16::from(*x)).clamp(0, TOP) as u8;
                }
            }
        }
    }
}

/// `starts + matrix · rows[r]` for every row.
///
/// # Safety
/// The machine has the level of `D`. The sizes fit, as [`crate::Kernels::int8_product`] checks.
#[inline(always)]
pub(crate) unsafe fn product<D: Dot>(rows: &[u8], matrix: &Int8Matrix, starts: &[i32], mut target: Target<'_>) {
    let rows = D::activations(rows);
    let n_rows = rows.len() / matrix.inputs;
    let from = |row: usize| &rows[row * matrix.inputs..];
    for output in (0..matrix.outputs).step_by(LANES) {
        let starts: &Sums = starts[output..][..LANES].try_into().expect("sixteen");
        let mut row = 0;
        while row < n_rows {
            // SAFETY: the caller's contract.
            unsafe {
                if row + 3 <= n_rows {
                    for (at, sums) in D::sums::<3>(from(row), matrix, starts, output).iter().enumerate() {
                        target.write(matrix, row + at, output, sums);
                    }
                    row += 3;
                } else {
                    let [sums] = D::sums::<1>(from(row), matrix, starts, output);
                    target.write(matrix, row, output, &sums);
                    row += 1;
                }
            }
        }
    }
}

/// `out = starts + depthwise convolution of image`, cut off.
#[inline(always)]
pub(crate) fn depthwise(grid: Grid, image: &[u8], layer: &Int8Depthwise, starts: &[i16], out: &mut [u8]) {
    let (channels, wide) = (layer.channels, grid.width() + 2);
    // Sixteen channels of each square, with a border of zeros.
    let mut padded = vec![[0_i16; LANES]; (grid.height() + 2) * wide];
    for first in (0..channels).step_by(LANES) {
        let lanes = |values: &[i16]| -> [i16; LANES] { values[first..][..LANES].try_into().expect("sixteen") };
        let (starts, multipliers) = (lanes(starts), lanes(&layer.multipliers));
        let weights: [_; TAPS] = std::array::from_fn(|tap| lanes(&layer.taps[tap * channels..]));
        let squares = || (0..grid.height()).flat_map(|row| (0..grid.width()).map(move |column| (row, column)));
        for ((row, column), x) in squares().zip(image.chunks_exact(channels)) {
            for (to, &x) in padded[(row + 1) * wide + column + 1].iter_mut().zip(&x[first..][..LANES]) {
                *to = x.into();
            }
        }
        for ((row, column), out) in squares().zip(out.chunks_exact_mut(channels)) {
            let mut sums = [0_i16; LANES];
            for (tap, weights) in weights.iter().enumerate() {
                let x = &padded[(row + tap / 3) * wide + column + tap % 3];
                for ((sum, x), weight) in sums.iter_mut().zip(x).zip(weights) {
                    *sum += x * weight;
                }
            }
            let out: &mut [u8; LANES] = (&mut out[first..][..LANES]).try_into().expect("sixteen");
            for (((out, sum), start), multiplier) in out.iter_mut().zip(sums).zip(starts).zip(multipliers) {
                *out = scaled(sum.saturating_add(start), multiplier).clamp(0, TOP) as u8;
            }
        }
    }
}

/// `out = sums / 2^shift`, rounded and cut off.
#[inline(always)]
pub(crate) fn clip(sums: &[i16], shift: u32, out: &mut [u8]) {
    let half = (1 << shift >> 1) as i16;
    for (out, sum) in out.iter_mut().zip(sums) {
        *out = (sum.saturating_add(half) >> shift).clamp(0, TOP) as u8;
    }
}

/// The sums of each channel over all squares, and the maxima.
#[inline(always)]
pub(crate) fn pool(image: &[u8], sums: &mut [u16], maxima: &mut [u8]) {
    let channels = maxima.len();
    for (first, (to, top)) in sums.chunks_exact_mut(LANES).zip(maxima.chunks_exact_mut(LANES)).enumerate() {
        let (mut sums, mut maxima) = ([0; LANES], [0; LANES]);
        for square in image.chunks_exact(channels) {
            let square: &[u8; LANES] = square[first * LANES..][..LANES].try_into().expect("sixteen");
            for ((sum, max), &x) in sums.iter_mut().zip(&mut maxima).zip(square) {
                *sum += u16::from(x);
                *max = x.max(*max);
            }
        }
        to.copy_from_slice(&sums);
        top.copy_from_slice(&maxima);
    }
}
