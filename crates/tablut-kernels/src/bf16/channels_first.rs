//! Images of bf16 in the two orders that sums over positions need: channels first, and pairs of positions.

use super::images::{BF16_LANES, Bf16Images, Layout};

/// Positions that one tile product sums over.
pub(super) const STEP: usize = 32;

/// The number of tile products over the positions of an image.
pub(super) fn steps(layout: Layout) -> usize {
    layout.positions().div_ceil(STEP)
}

/// The length of a channel's row: the positions of all steps, shifted by the offset of the last tap.
pub(super) fn row_len(layout: Layout) -> usize {
    (steps(layout) * STEP + 2 * layout.pitch() + 2).next_multiple_of(STEP)
}

/// The values of a channel at two neighbouring places in 32 bits, the first in the low half. Places after the image are
/// zero.
fn pair(image: &[u16], channels: usize, place: usize, channel: usize) -> u32 {
    let value = |place: usize| u32::from(image.get(place * channels + channel).copied().unwrap_or(0));
    value(place) | value(place + 1) << 16
}

/// Writes the 32 channels of an image that start at `channel` to `to`, `[channel][place]` with rows of [`row_len`].
/// `transpose` transposes blocks.
#[inline(always)]
pub(super) fn channels_first(
    images: &Bf16Images,
    image: usize,
    channel: usize,
    to: &mut [u16],
    transpose: impl Fn(&mut Block),
) {
    let (values, channels) = (images.image(image), images.channels());
    let row = row_len(images.layout());
    assert_eq!(to.len(), BF16_LANES * row, "room for 32 channels");
    for first in (0..row).step_by(STEP) {
        for half in [0, 16] {
            let mut block = [[0; 16]; 16];
            for (at, line) in block.iter_mut().enumerate() {
                *line = sixteen_pairs(values, channels, first + 2 * at, channel + half);
            }
            transpose(&mut block);
            for (at, line) in block.iter().enumerate() {
                let to = &mut to[(half + at) * row + first..][..STEP];
                for (to, pair) in to.chunks_exact_mut(2).zip(line) {
                    (to[0], to[1]) = (*pair as u16, (*pair >> 16) as u16);
                }
            }
        }
    }
}

/// Writes the 32 channels of an image that start at `channel` to `to` as tiles of weights,
/// `[step][half][pair][channel][2]`.
/// Position 0 is the first square.
#[inline(always)]
pub(super) fn pairs_of_positions(images: &Bf16Images, image: usize, channel: usize, to: &mut [u16]) {
    let (values, channels, layout) = (images.image(image), images.channels(), images.layout());
    assert_eq!(to.len(), steps(layout) * STEP * BF16_LANES, "room for 32 channels");
    let first = layout.place(0, 0);
    for (at, row) in to.chunks_exact_mut(STEP).enumerate() {
        let (step, half, pair) = (at / 32, at / 16 % 2, at % 16);
        let line = sixteen_pairs(values, channels, first + step * STEP + 2 * pair, channel + 16 * half);
        for (to, pair) in row.chunks_exact_mut(2).zip(line) {
            (to[0], to[1]) = (pair as u16, (pair >> 16) as u16);
        }
    }
}

/// The pairs of two places and sixteen channels.
#[inline(always)]
fn sixteen_pairs(values: &[u16], channels: usize, place: usize, channel: usize) -> [u32; 16] {
    let at = place * channels + channel;
    let mut line = [0; 16];
    if let (Some(low), Some(high)) = (values.get(at..at + 16), values.get(at + channels..at + channels + 16)) {
        for ((line, low), high) in line.iter_mut().zip(low).zip(high) {
            *line = u32::from(*low) | u32::from(*high) << 16;
        }
    } else {
        for (of, line) in line.iter_mut().enumerate() {
            *line = pair(values, channels, place, channel + of);
        }
    }
    line
}

/// Sixteen lines of sixteen values.
pub(super) type Block = [[u32; 16]; 16];

/// Transposes a block.
pub(super) fn transposed(block: &mut Block) {
    let from = *block;
    for (at, line) in block.iter_mut().enumerate() {
        for (value, from) in line.iter_mut().zip(&from) {
            *value = from[at];
        }
    }
}

/// The same with 64 shuffle instructions. They interleave pairs of lines, then pairs of pairs, and then exchange
/// quarters.
///
/// # Safety
///
/// The machine has AVX-512F.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) unsafe fn transposed_on_vectors(block: &mut Block) {
    use std::arch::x86_64::{
        __m512i, _mm512_loadu_si512, _mm512_setzero_si512, _mm512_shuffle_i32x4, _mm512_storeu_si512,
        _mm512_unpackhi_epi32, _mm512_unpackhi_epi64, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
    };
    let mut lines = [_mm512_setzero_si512(); 16];
    for (line, from) in lines.iter_mut().zip(block.iter()) {
        // SAFETY: a line of the block has sixteen values of 32 bits.
        *line = unsafe { _mm512_loadu_si512(from.as_ptr().cast()) };
    }
    let mut twos = lines;
    for i in (0..16).step_by(2) {
        twos[i] = _mm512_unpacklo_epi32(lines[i], lines[i + 1]);
        twos[i + 1] = _mm512_unpackhi_epi32(lines[i], lines[i + 1]);
    }
    let mut fours = lines;
    for i in (0..16).step_by(4) {
        fours[i] = _mm512_unpacklo_epi64(twos[i], twos[i + 2]);
        fours[i + 1] = _mm512_unpackhi_epi64(twos[i], twos[i + 2]);
        fours[i + 2] = _mm512_unpacklo_epi64(twos[i + 1], twos[i + 3]);
        fours[i + 3] = _mm512_unpackhi_epi64(twos[i + 1], twos[i + 3]);
    }
    // Now quarter q of fours[4 i + j] has column 4 q + j of lines 4 i to 4 i + 3.
    let mut store = |column: usize, line: __m512i| {
        // SAFETY: a line of the block has sixteen values of 32 bits.
        unsafe { _mm512_storeu_si512(block[column].as_mut_ptr().cast(), line) };
    };
    for j in 0..4 {
        let even = [0, 8].map(|i| _mm512_shuffle_i32x4::<0x88>(fours[i + j], fours[i + 4 + j]));
        let odd = [0, 8].map(|i| _mm512_shuffle_i32x4::<0xdd>(fours[i + j], fours[i + 4 + j]));
        store(j, _mm512_shuffle_i32x4::<0x88>(even[0], even[1]));
        store(8 + j, _mm512_shuffle_i32x4::<0xdd>(even[0], even[1]));
        store(4 + j, _mm512_shuffle_i32x4::<0x88>(odd[0], odd[1]));
        store(12 + j, _mm512_shuffle_i32x4::<0xdd>(odd[0], odd[1]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grid;

    #[test]
    fn a_transposed_block_has_columns_for_lines() {
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut))]
        let mut ways: Vec<fn(&mut Block)> = vec![transposed];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the machine has AVX-512F.
            ways.push(|block| unsafe { transposed_on_vectors(block) });
        }
        for way in ways {
            let mut block = [[0; 16]; 16];
            for (at, line) in block.iter_mut().enumerate() {
                *line = std::array::from_fn(|i| (100 * at + i) as u32);
            }
            way(&mut block);
            for (at, line) in block.iter().enumerate() {
                assert_eq!(*line, std::array::from_fn(|i| (100 * i + at) as u32));
            }
        }
    }

    #[test]
    fn both_orders_have_every_place_of_an_image() {
        let grid = Grid::new(9, 9);
        let mut images = Bf16Images::new(grid, 2, 64);
        let values: Vec<f32> = (0..2 * 81 * 64).map(|i| i as f32 - 3000.0).collect();
        images.set_images(&values);
        let (layout, row) = (images.layout(), row_len(images.layout()));
        let mut first = vec![7; 32 * row];
        channels_first(&images, 1, 32, &mut first, transposed);
        let mut pairs = vec![7; steps(layout) * STEP * 32];
        pairs_of_positions(&images, 1, 32, &mut pairs);
        let value = |place: usize, channel: usize| images.image(1).get(place * 64 + 32 + channel).copied().unwrap_or(0);
        for channel in 0..32 {
            for place in 0..row {
                assert_eq!(first[channel * row + place], value(place, channel), "{channel} {place}");
            }
            for position in 0..steps(layout) * STEP {
                let (step, pair) = (position / 32, position % 32 / 2);
                let at = ((step * 2 + channel / 16) * 16 + pair) * 32 + channel % 16 * 2 + position % 2;
                assert_eq!(pairs[at], value(position + layout.place(0, 0), channel), "{channel} {position}");
            }
        }
    }
}
