//! Winograd convolutions with products in bf16: their packed weights, and the tiles of images.

use super::images::round;
use crate::aligned::{padded, volume};
use crate::winograd::{POINTS, transform_kernel};
use crate::{Aligned, LANES, Transformed};

/// The weights of a 3×3 convolution with zero padding, transformed as in [`crate::Convolution`] and then rounded to
/// bf16. The layout of each point is `[outputs / 16][pairs of inputs][16 outputs][2]`.
#[derive(Clone)]
pub struct Bf16PointConvolution {
    inputs: usize,
    outputs: usize,
    points: Aligned<u16>,
}

impl Bf16PointConvolution {
    /// Transforms, rounds and packs weights `[outputs, inputs, 3, 3]`. Inputs are padded with zero channels to a
    /// multiple of sixteen.
    ///
    /// # Panics
    ///
    /// If `outputs` is not a multiple of sixteen, or `weights` does not have `outputs * inputs * 9` values.
    pub fn pack(outputs: usize, inputs: usize, weights: &[f32]) -> Bf16PointConvolution {
        assert!(outputs.is_multiple_of(LANES), "the number of outputs is a multiple of 16");
        assert_eq!(weights.len(), volume([outputs, inputs, 9]), "size of a kernel");
        let padded = padded(inputs, LANES);
        let mut points = Aligned::zeroed(volume([POINTS, outputs, padded]));
        let size = outputs * padded;
        for (pair, taps) in weights.chunks_exact(9).enumerate() {
            let at = index(padded, pair / inputs, pair % inputs);
            for (point, value) in transform_kernel(taps).into_iter().enumerate() {
                points[point * size + at] = round(value);
            }
        }
        Bf16PointConvolution { inputs: padded, outputs, points }
    }

    /// Input channels, including padding.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Output channels.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The packed matrix of one point. It is empty if `point` is past the last one.
    pub(super) fn point(&self, point: usize) -> &[u16] {
        let size = self.inputs * self.outputs;
        self.points.get(point * size..(point + 1) * size).unwrap_or(&[])
    }
}

/// The place of a weight in the matrix of a point with `inputs` inputs.
pub(super) fn index(inputs: usize, output: usize, input: usize) -> usize {
    ((output / LANES * (inputs / 2) + input / 2) * LANES + output % LANES) * 2 + input % 2
}

/// The tiles of some images at every point, rounded to bf16: `[point][image][tile][channel]`.
pub type Bf16Tiles = Transformed<u16>;
