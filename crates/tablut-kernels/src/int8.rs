//! Products and convolutions of activations in seven bits with weights in eight, and sums in integers. Integers do not
//! round, so every level gives the same bits.
//!
//! Most kernels are written once, with vectors of sixteen numbers ([`sixteen`]). Each level has instructions of its own for
//! sums of products ([`Dot`]). AVX2 also has them for a depthwise convolution.
//!
//! An activation is a number of steps of 1/[`STEPS`], from 0 to 127. A layer's weights have a step of their own for each
//! output. A sum is turned into the steps of the output by [`sixteen::scaled`], a product of 16-bit numbers that all instruction
//! sets have.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
pub(crate) mod plain;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) mod simd128;
pub(crate) mod sixteen;

use std::borrow::Cow;

pub(crate) use self::sixteen::TOP;
use crate::aligned::volume;
use crate::depthwise::TAPS;
use crate::{Aligned, LANES, Matrix};

/// The number of channels is a multiple of this.
pub const INT8_LANES: usize = 32;
/// Steps of an activation in 1.
pub(crate) const STEPS: f32 = 32.0;
/// The largest weight, in steps.
const LARGEST: f32 = 127.0;
/// The largest sum of a channel's weights in a depthwise convolution, in steps, so that sums fit into sixteen bits.
const LARGEST_SUM: f32 = 250.0;
/// The largest number of inputs of a matrix. Its sums stay below 2^24, so that f32 has them exactly.
const MOST_INPUTS: usize = 512;
/// The largest start of a sum of a matrix.
const LARGEST_START: f32 = 4e6;
/// 1.0 as a multiplier of [`sixteen::scaled`].
const UNIT: f32 = 32768.0;
/// Taps of a 3×3 window, rounded up to pairs.
pub(crate) const TAP_PAIRS: usize = 6;

/// The nearest whole number, halves to the even one, for numbers from -4,194,304 to 4,194,304. Larger ones are rounded to
/// fewer digits. Without the instruction for it, `f32::round_ties_even` is a slow library call.
pub fn nearest(value: f32) -> f32 {
    // At 1.5 · 2^23 the neighbours of a number are whole numbers.
    const WHOLE: f32 = 12_582_912.0;
    (value + WHOLE) - WHOLE
}

/// The step of weights whose sums are multiplied by `factor` steps of the output for each step: at least large enough for
/// the largest weight and sum, and exactly a multiplier of [`sixteen::scaled`].
fn step(wanted: f32, factor: f32) -> (f32, i16) {
    let multiplier = (wanted * factor * UNIT).ceil().clamp(128.0, 32767.0);
    (multiplier / factor / UNIT, multiplier as i16)
}

/// A weight in steps.
fn quantised(weight: f32, step: f32) -> i8 {
    nearest((weight / step).clamp(-LARGEST, LARGEST)) as i8
}

/// Sums of sixteen outputs.
pub(crate) type Sums = [i32; LANES];

/// The sums of a product, by the instructions of a level.
pub(crate) trait Dot {
    /// Takes the sums.
    type Vector: sixteen::Sixteen;

    /// An activation in the form that the instructions read.
    type Activation: Copy;

    /// All rows in that form.
    fn activations(rows: &[u8]) -> Cow<'_, [Self::Activation]>;

    /// `starts + matrix · rows[r]` for `R` rows and the sixteen outputs from `output` on. The rows follow each other.
    ///
    /// # Safety
    /// The machine has the level. `rows` has `R` rows of the matrix, `output` is a multiple of sixteen below its outputs.
    unsafe fn sums<const R: usize>(
        rows: &[Self::Activation],
        matrix: &Int8Matrix,
        starts: &Sums,
        output: usize,
    ) -> [Sums; R];
}

/// Where a product goes.
pub(crate) enum Target<'a> {
    /// In the steps of the outputs.
    Sums(&'a mut [i16]),
    /// Added to activations and cut off.
    Onto(&'a mut [u8]),
}

/// A matrix `[outputs, inputs]` with weights in eight bits. Both sizes are multiples of [`INT8_LANES`].
#[derive(Clone)]
pub struct Int8Matrix {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    /// `[outputs / 16][inputs / 4][2][8 outputs][4 inputs]`. The first eight of sixteen outputs are 0 to 3 and 8 to 11.
    #[allow(dead_code, reason = "only instructions for bytes read it")]
    pub(crate) weights: Aligned<i8>,
    /// The same numbers, for machines without products of bytes.
    pub(crate) floats: Matrix,
    /// The same numbers for WebAssembly, `[outputs / 4][inputs / 2][4 outputs][2 inputs]`.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    pub(crate) pairs: Aligned<i16>,
    /// For each output, the multiplier of its sum.
    pub(crate) multipliers: Vec<i16>,
    /// Bits by which sums are shifted before, so that they fit into sixteen.
    pub(crate) shift: u32,
    /// For each output, the steps of its weights.
    steps: Vec<f32>,
}

impl Int8Matrix {
    /// Packs row-major weights `[outputs, inputs]`. `units` has for each output the number of its steps in 1.
    ///
    /// # Panics
    /// If a size is not a multiple of [`INT8_LANES`], or is not that of `weights` and `units`, or there are more than 512
    /// inputs.
    pub fn pack([outputs, inputs]: [usize; 2], weights: &[f32], units: &[f32]) -> Int8Matrix {
        assert!(inputs > 0 && inputs.is_multiple_of(INT8_LANES) && outputs.is_multiple_of(INT8_LANES), "sizes");
        assert!(inputs <= MOST_INPUTS, "more inputs than a sum has room for");
        assert!(weights.len() == volume([outputs, inputs]) && units.len() == outputs, "size of a matrix");
        // The sum of `inputs` products of at most 127 * 127 has 14 bits more than `inputs`.
        let shift = inputs.ilog2() + u32::from(!inputs.is_power_of_two()) - 1;
        let mut packed = Aligned::zeroed(outputs * inputs);
        let mut whole = vec![0.0; outputs * inputs];
        let (mut multipliers, mut steps) = (Vec::new(), Vec::new());
        for (output, (row, unit)) in weights.chunks_exact(inputs).zip(units).enumerate() {
            let largest = row.iter().fold(0.0_f32, |largest, weight| largest.max(weight.abs()));
            let (step, multiplier) = step(largest / LARGEST, unit / STEPS * (1_u32 << shift) as f32);
            for (input, &weight) in row.iter().enumerate() {
                let weight = quantised(weight, step);
                packed[packed_index(inputs, output, input)] = weight;
                whole[output * inputs + input] = f32::from(weight);
            }
            multipliers.push(multiplier);
            steps.push(step);
        }
        Int8Matrix {
            inputs,
            outputs,
            weights: packed,
            floats: Matrix::pack(outputs, inputs, &whole),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            pairs: pairs(inputs, &whole),
            multipliers,
            shift,
            steps,
        }
    }

    /// Length of an input row.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Length of an output row.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Writes biases as the starts of the sums.
    pub fn starts(&self, biases: &[f32], starts: &mut [i32]) {
        for ((start, bias), step) in starts.iter_mut().zip(biases).zip(&self.steps) {
            // A larger bias is cut off, as its result would be.
            *start = nearest((bias * STEPS / step).clamp(-LARGEST_START, LARGEST_START)) as i32;
        }
    }
}

/// The weights `[outputs][inputs]` as [`Int8Matrix::pairs`].
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
fn pairs(inputs: usize, weights: &[f32]) -> Aligned<i16> {
    let mut pairs = Aligned::zeroed(weights.len());
    for (at, &weight) in weights.iter().enumerate() {
        let (output, input) = (at / inputs, at % inputs);
        pairs[((output / 4 * (inputs / 2) + input / 2) * 4 + output % 4) * 2 + input % 2] = weight as i16;
    }
    pairs
}

/// The place of a weight in [`Int8Matrix::weights`].
pub(crate) fn packed_index(inputs: usize, output: usize, input: usize) -> usize {
    let (half, lane) = place(output % 16);
    (((output / 16 * (inputs / 4) + input / 4) * 2 + half) * 8 + lane) * 4 + input % 4
}

/// Where one of sixteen outputs is: in which half, and at which place.
pub(crate) fn place(output: usize) -> (usize, usize) {
    (output / 4 % 2, output % 4 + output / 8 * 4)
}

/// A 3×3 convolution of each channel by itself, with weights in eight bits.
#[derive(Clone)]
pub struct Int8Depthwise {
    pub(crate) channels: usize,
    /// `[channels / 32][TAP_PAIRS][2][16 channels][2 taps]`. A pair of taps has one above the other: the upper two rows of
    /// the window for each column, then the lowest row for each column with a zero below. The first sixteen of 32 channels
    /// are 0 to 7 and 16 to 23.
    #[allow(dead_code, reason = "only instructions for bytes read it")]
    pub(crate) weights: Aligned<i8>,
    /// The same numbers, `[tap][channel]`.
    pub(crate) taps: Vec<i16>,
    /// For each channel, the multiplier of its sum.
    pub(crate) multipliers: Vec<i16>,
    steps: Vec<f32>,
}

impl Int8Depthwise {
    /// Packs weights `[tap][channel]`.
    ///
    /// # Panics
    /// If the number of channels is not a multiple of [`INT8_LANES`].
    pub fn pack(weights: &[f32]) -> Int8Depthwise {
        let channels = weights.len() / TAPS;
        assert!(channels > 0 && channels.is_multiple_of(INT8_LANES) && weights.len() == TAPS * channels, "channels");
        let mut packed = Aligned::zeroed(channels * TAP_PAIRS * 2);
        let mut whole = vec![0; weights.len()];
        let (mut multipliers, mut steps) = (Vec::new(), Vec::new());
        for channel in 0..channels {
            let taps: Vec<f32> = weights[channel..].iter().step_by(channels).copied().collect();
            let largest = taps.iter().fold(0.0_f32, |largest, weight| largest.max(weight.abs()));
            let sum: f32 = taps.iter().map(|weight| weight.abs()).sum();
            let smallest = (largest / LARGEST).max(sum / LARGEST_SUM);
            let (step, multiplier) = step(smallest, 1.0);
            for (tap, &weight) in taps.iter().enumerate() {
                let (row, column) = (tap / 3, tap % 3);
                let (pair, lower) = if row < 2 { (column, row) } else { (3 + column, 0) };
                // Above the largest step, all weights of the channel shrink alike, so that their sum keeps its bound.
                let weight = quantised(weight, step.max(smallest));
                packed[depthwise_index(channel, pair, lower)] = weight;
                whole[tap * channels + channel] = weight.into();
            }
            multipliers.push(multiplier);
            steps.push(step);
        }
        Int8Depthwise { channels, weights: packed, taps: whole, multipliers, steps }
    }

    /// Number of channels.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Writes biases as the starts of the sums.
    pub fn starts(&self, biases: &[f32], starts: &mut [i16]) {
        for ((start, bias), step) in starts.iter_mut().zip(biases).zip(&self.steps) {
            *start = nearest((bias * STEPS / step).clamp(-32767.0, 32767.0)) as i16;
        }
    }
}

/// The place of a weight in [`Int8Depthwise::weights`].
pub(crate) fn depthwise_index(channel: usize, pair: usize, lower: usize) -> usize {
    let (half, lane) = (channel / 8 % 2, channel % 8 + channel / 16 % 2 * 8);
    (((channel / 32 * TAP_PAIRS + pair) * 2 + half) * 16 + lane) * 2 + lower
}
