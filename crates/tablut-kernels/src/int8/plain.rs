//! The kernels in safe Rust, for every machine.

use super::{Int8Depthwise, Int8Matrix, TAP_PAIRS, TOP, depthwise_index, packed_index, scaled};
use crate::Grid;

/// The sums of one row, as the outputs' steps.
#[inline(always)]
fn outputs<'a>(row: &'a [u8], matrix: &'a Int8Matrix, starts: &'a [i32]) -> impl Iterator<Item = i16> + 'a {
    (0..matrix.outputs).map(move |output| {
        let mut sum = starts[output];
        for (input, &x) in row.iter().enumerate() {
            sum += i32::from(x) * i32::from(matrix.weights[packed_index(matrix.inputs, output, input)]);
        }
        let rounded = (sum + (1 << matrix.shift >> 1)) >> matrix.shift;
        scaled(rounded.clamp(i16::MIN.into(), i16::MAX.into()) as i16, matrix.multipliers[output])
    })
}

/// `out[r] = starts + matrix · rows[r]`.
#[inline(always)]
pub(crate) fn product(rows: &[u8], matrix: &Int8Matrix, starts: &[i32], out: &mut [i16]) {
    for (row, out) in rows.chunks_exact(matrix.inputs).zip(out.chunks_exact_mut(matrix.outputs)) {
        for (out, value) in out.iter_mut().zip(outputs(row, matrix, starts)) {
            *out = value;
        }
    }
}

/// `image[r] += starts + matrix · rows[r]`, cut off.
#[inline(always)]
pub(crate) fn product_onto(rows: &[u8], matrix: &Int8Matrix, starts: &[i32], image: &mut [u8]) {
    for (row, image) in rows.chunks_exact(matrix.inputs).zip(image.chunks_exact_mut(matrix.outputs)) {
        for (x, value) in image.iter_mut().zip(outputs(row, matrix, starts)) {
            *x = value.saturating_add(i16::from(*x)).clamp(0, TOP) as u8;
        }
    }
}

/// `out = starts + depthwise convolution of image`, cut off.
#[inline(always)]
pub(crate) fn depthwise(grid: Grid, image: &[u8], layer: &Int8Depthwise, starts: &[i16], out: &mut [u8]) {
    let channels = layer.channels;
    for row in 0..grid.height() {
        for column in 0..grid.width() {
            let out = &mut out[(row * grid.width() + column) * channels..][..channels];
            for (channel, out) in out.iter_mut().enumerate() {
                let mut sum = 0_i16;
                for pair in 0..TAP_PAIRS {
                    for lower in 0..2 {
                        let (down, right) = if pair < 3 { (lower, pair) } else { (2 + lower, pair - 3) };
                        let (r, c) = (row + down, column + right);
                        if down < 3 && (1..=grid.height()).contains(&r) && (1..=grid.width()).contains(&c) {
                            let x = image[((r - 1) * grid.width() + c - 1) * channels + channel];
                            sum += i16::from(x) * i16::from(layer.weights[depthwise_index(channel, pair, lower)]);
                        }
                    }
                }
                let sum = sum.saturating_add(starts[channel]);
                *out = scaled(sum, layer.multipliers[channel]).clamp(0, TOP) as u8;
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
    sums.fill(0);
    maxima.fill(0);
    for square in image.chunks_exact(maxima.len()) {
        for ((sum, max), &x) in sums.iter_mut().zip(&mut *maxima).zip(square) {
            *sum += u16::from(x);
            *max = x.max(*max);
        }
    }
}
