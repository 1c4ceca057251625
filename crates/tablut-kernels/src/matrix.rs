//! A matrix packed for products.

use crate::aligned::volume;
use crate::{Aligned, LANES};

/// A weight matrix `[outputs, inputs]`, packed in panels of sixteen outputs: `[outputs / 16][inputs][16]`. An
/// incomplete last panel is filled with zeros.
#[derive(Clone)]
pub struct Matrix {
    inputs: usize,
    panels: usize,
    packed: Aligned,
}

impl Matrix {
    /// Packs a row-major `[outputs, inputs]` matrix. Dense layers and 1×1 convolutions store their weights in this
    /// form.
    ///
    /// # Panics
    /// If `weights` does not have `outputs * inputs` values.
    pub fn pack(outputs: usize, inputs: usize, weights: &[f32]) -> Matrix {
        assert_eq!(weights.len(), volume([outputs, inputs]), "size of a matrix");
        let panels = outputs.div_ceil(LANES);
        let mut packed = Aligned::zeroed(volume([panels, inputs, LANES]));
        for (output, row) in weights.chunks_exact(inputs.max(1)).enumerate() {
            for (input, &weight) in row.iter().enumerate() {
                packed[packed_index(inputs, output, input)] = weight;
            }
        }
        Matrix { inputs, panels, packed }
    }

    /// The same matrix with every weight [`short`].
    #[must_use]
    pub fn shortened(mut self) -> Matrix {
        for weight in self.packed.iter_mut() {
            *weight = short(*weight);
        }
        self
    }

    /// The length of an input row.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The length of an output row: the number of outputs, rounded up to a multiple of sixteen.
    pub fn padded_outputs(&self) -> usize {
        self.panels * LANES
    }

    pub(crate) fn packed(&self) -> &[f32] {
        &self.packed
    }
}

/// The number rounded to twelve significant bits. The product of two such numbers is exact, so a sum of products has the
/// same bits whether or not an instruction rounds product and sum together. Numbers below 2⁻⁴⁰ become zero, so that no
/// product is too small to be exact.
#[inline]
pub fn short(value: f32) -> f32 {
    const TINY: f32 = 1.0 / (1_u64 << 40) as f32;
    if value.abs() < TINY { 0.0 } else { f32::from_bits((value.to_bits() + 0x800) & !0xfff) }
}

/// The place of the weight from `input` to `output` in the packed form of a matrix with `inputs` inputs.
fn packed_index(inputs: usize, output: usize, input: usize) -> usize {
    ((output / LANES) * inputs + input) * LANES + output % LANES
}

/// Rows of equal length inside a slice. Row `r` starts at `r * stride`.
#[derive(Copy, Clone, Debug)]
pub struct Rows<'a> {
    /// The values.
    pub values: &'a [f32],
    /// The distance from a row's first value to that of the next row.
    pub stride: usize,
    /// The number of rows.
    pub count: usize,
}
