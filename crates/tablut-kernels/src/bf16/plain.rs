//! Convolutions in bf16 in safe code, without the registers. Tests on every machine compare with it.

use super::images::{Bf16Epilogue, Bf16Images, Layout, round};
use super::weights::Bf16Convolution;

/// Computes all images, square by square. It adds in a different order than the registers, so the results differ
/// slightly.
pub(super) fn convolve(
    convolution: &Bf16Convolution,
    from: &Bf16Images,
    n_images: usize,
    mut epilogue: Bf16Epilogue<'_>,
) {
    let layout = from.layout();
    let (grid, width) = (layout.grid, convolution.outputs());
    for image in 0..n_images {
        let values = from.image(image);
        let bias = if epilogue.bias.len() == width { 0 } else { image * width };
        for output in 0..width {
            let (mut sum, mut max) = (0.0, 0f32);
            for square in 0..grid.squares() {
                let (row, column) = (square / grid.width(), square % grid.width());
                let at = (image * grid.squares() + square) * width + output;
                let mut value =
                    product(convolution, layout, values, [row, column], output) + epilogue.bias[bias + output];
                if let Some(full) = epilogue.full.as_deref_mut() {
                    value = if epilogue.residual { value + full[at] } else { value }.max(0.0);
                    full[at] = value;
                }
                value = value.max(0.0);
                if let Some(rounded) = epilogue.rounded.as_deref_mut() {
                    rounded.image_mut(image)[layout.place(row, column) * width + output] = round(value);
                }
                sum += value;
                max = max.max(value);
            }
            if let Some(pooled) = epilogue.pooled.as_deref_mut() {
                let row = &mut pooled[image * 2 * width..][..2 * width];
                (row[output], row[width + output]) = (sum / grid.squares() as f32, max);
            }
        }
    }
}

/// One output at one square.
pub(super) fn product(
    convolution: &Bf16Convolution,
    layout: Layout,
    values: &[u16],
    [row, column]: [usize; 2],
    output: usize,
) -> f32 {
    let wide = |bits: u16| f32::from_bits(u32::from(bits) << 16);
    let channels = convolution.inputs();
    let mut sum = 0.0;
    for tap in 0..convolution.taps() {
        let [down, across] = convolution.offset(tap);
        let place = (row + down) * layout.pitch() + column + across;
        for (input, &value) in values[place * channels..][..channels].iter().enumerate() {
            sum += wide(value) * wide(convolution.weight(output, input, tap));
        }
    }
    sum
}
