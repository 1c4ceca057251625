//! Weights in bf16, packed into the tiles that the products read.

use super::images::{BF16_LANES, Layout, round};
use crate::Aligned;
use crate::aligned::{padded, volume};

/// The largest number of steps of a product: nine taps of 512 channels.
const MOST_STEPS: usize = 9 * 512 / BF16_LANES;

/// The weights of a 3×3 convolution with zero padding or of a 1×1 convolution, rounded to bf16.
///
/// They are packed for each pair of groups of sixteen outputs and each step (a tap and 32 inputs) as two tiles, each
/// `[16 pairs of inputs][16 outputs][2]`.
#[derive(Clone)]
pub struct Bf16Convolution {
    inputs: usize,
    outputs: usize,
    /// 3 or 1.
    side: usize,
    tiles: Aligned<u16>,
}

impl Bf16Convolution {
    /// Packs weights `[outputs, inputs, side, side]`, with `side` 3 or 1. Channels are padded with zeros to multiples
    /// of [`BF16_LANES`].
    ///
    /// # Panics
    ///
    /// If `weights` has another size, `side` is neither 3 nor 1, there are no inputs or more than 512, or there are no
    /// outputs.
    pub fn pack(outputs: usize, inputs: usize, side: usize, weights: &[f32]) -> Bf16Convolution {
        assert_eq!(weights.len(), volume([outputs, inputs, side, side]), "size of a kernel");
        let taps = side * side;
        let mut packed = Self::zeroed(outputs, inputs, side);
        packed.fill([outputs, inputs], |[output, input, tap]| weights[(output * inputs + input) * taps + tap]);
        packed
    }

    /// A convolution whose weights are all zero.
    ///
    /// # Panics
    ///
    /// If `side` is neither 3 nor 1, there are no inputs or more than 512, or there are no outputs.
    pub fn zeroed(outputs: usize, inputs: usize, side: usize) -> Bf16Convolution {
        assert!(side == 1 || side == 3, "a 3×3 or 1×1 kernel");
        assert!((1..=512).contains(&inputs), "1 to 512 inputs");
        assert!(outputs > 0, "a convolution needs at least one output");
        let (inputs, outputs) = (padded(inputs, BF16_LANES), padded(outputs, BF16_LANES));
        Bf16Convolution { inputs, outputs, side, tiles: Aligned::zeroed(volume([side, side, inputs, outputs])) }
    }

    /// Sets the weights of a 3×3 convolution to `[outputs, inputs, 3, 3]`, without allocating.
    ///
    /// # Panics
    ///
    /// If `weights` has another size than the convolution, or the convolution has another side.
    pub fn repack(&mut self, [outputs, inputs]: [usize; 2], weights: &[f32]) {
        self.check(outputs, inputs, weights);
        self.fill([outputs, inputs], |[output, input, tap]| weights[(output * inputs + input) * 9 + tap]);
    }

    /// Sets the weights to the adjoint of a convolution with weights `[outputs, inputs, 3, 3]`: taps flipped, channels
    /// swapped. The adjoint turns gradients of the outputs into gradients of the inputs.
    ///
    /// # Panics
    ///
    /// If the convolution is not 3×3 with `inputs` outputs and `outputs` inputs.
    pub fn repack_adjoint(&mut self, [outputs, inputs]: [usize; 2], weights: &[f32]) {
        self.check(inputs, outputs, weights);
        self.fill([inputs, outputs], |[input, output, tap]| weights[(output * inputs + input) * 9 + 8 - tap]);
    }

    fn check(&self, outputs: usize, inputs: usize, weights: &[f32]) {
        assert_eq!((self.side, weights.len()), (3, volume([outputs, inputs, 9])), "size of a kernel");
        let wide = (inputs.next_multiple_of(BF16_LANES), outputs.next_multiple_of(BF16_LANES));
        assert_eq!((self.inputs, self.outputs), wide, "channels of a convolution");
    }

    /// Sets all weights of `outputs` and `inputs`, in the order of the tiles.
    fn fill(&mut self, [outputs, inputs]: [usize; 2], weight: impl Fn([usize; 3]) -> f32) {
        let taps = self.taps();
        let steps = self.inputs / BF16_LANES;
        for (place, tile) in self.tiles.chunks_exact_mut(512).enumerate() {
            let (half, step) = (place % 2, place / 2 % (taps * steps));
            let first_output = place / 2 / (taps * steps) * BF16_LANES + half * 16;
            let (tap, first_input) = (step / steps, step % steps * BF16_LANES);
            for (at, value) in tile.iter_mut().enumerate() {
                let (output, input) = (first_output + at / 2 % 16, first_input + at / 32 * 2 + at % 2);
                *value = if output < outputs && input < inputs { round(weight([output, input, tap])) } else { 0 };
            }
        }
    }

    /// Input channels, including padding.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Output channels, including padding.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    pub(super) fn taps(&self) -> usize {
        self.side * self.side
    }

    /// The offset of a tap from the first tap of a 3×3 kernel, in rows and columns. The tap of a 1×1 kernel is the
    /// middle one.
    pub(super) fn offset(&self, tap: usize) -> [usize; 2] {
        if self.side == 3 { [tap / 3, tap % 3] } else { [1, 1] }
    }

    /// A weight's bits.
    pub(super) fn weight(&self, output: usize, input: usize, tap: usize) -> u16 {
        self.tiles[index(self.taps(), self.inputs, [output, input, tap])]
    }

    /// The tiles of one pair of sixteen outputs.
    pub(super) fn pair(&self, pair: usize) -> &[u16] {
        let size = self.side * self.side * self.inputs * BF16_LANES;
        &self.tiles[pair * size..][..size]
    }

    /// Where each step reads its inputs.
    pub(super) fn steps(&self, layout: Layout, channels: usize) -> Steps {
        let mut steps = Steps { offsets: [0; MOST_STEPS], len: 0 };
        for tap in 0..self.taps() {
            let [down, across] = self.offset(tap);
            for channel in (0..channels).step_by(BF16_LANES) {
                let at = (down * layout.pitch() + across) * channels + channel;
                steps.offsets[steps.len] = at * size_of::<u16>();
                steps.len += 1;
            }
        }
        steps
    }
}

/// The place of a weight in the tiles of a kernel with `taps` taps and `inputs` inputs.
fn index(taps: usize, inputs: usize, [output, input, tap]: [usize; 3]) -> usize {
    let step = tap * (inputs / BF16_LANES) + input / BF16_LANES;
    let tile = (output / BF16_LANES * (taps * inputs / BF16_LANES) + step) * 2 + output % BF16_LANES / 16;
    let within = (input % BF16_LANES / 2 * 16 + output % 16) * 2 + input % 2;
    tile * 512 + within
}

/// The offsets, in bytes, of a convolution's steps from the first tap's first channel.
pub(super) struct Steps {
    offsets: [usize; MOST_STEPS],
    len: usize,
}

impl Steps {
    pub fn as_slice(&self) -> &[usize] {
        &self.offsets[..self.len]
    }
}
