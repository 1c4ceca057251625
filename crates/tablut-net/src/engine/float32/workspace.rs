//! One thread's memory for evaluation in f32: everything that is written before the outputs.

use tablut_kernels::{Aligned, Transformed};
use tablut_rules::SQUARES;

use super::network::Network;
use crate::engine::GRID;
use crate::engine::heads::ValueSpace;

/// Buffers for a few positions at once; made with the engine and never grown.
pub(in crate::engine) struct Workspace {
    pub n_positions: usize,
    /// Tiles going into a convolution.
    pub tiles: Transformed,
    /// Its products.
    pub products: Transformed,
    /// One position's planes, `[81][planes]`.
    pub planes: Aligned,
    /// The trunk's activations, `[n][81][channels]`.
    pub trunk: Aligned,
    /// One position's activations inside a block or a head, `[81][channels]`.
    pub inner: Aligned,
    /// What is added to every square, `[n][channels]`.
    pub bias: Aligned,
    /// Means and maxima, `[n][2 * channels]`.
    pub pooled: Aligned,
    /// One position's activations in the value head, `[81][value channels]`.
    pub value: Aligned,
    pub value_space: ValueSpace,
}

impl Workspace {
    pub fn new(network: &Network) -> Self {
        let channels = network.channels;
        // Tiles and products of one position take 1,800 bytes per channel; this many positions' stay in a second-level
        // cache of one megabyte or more, and keep the products' blocks long.
        let n = (512 / channels).clamp(2, 16);
        let planes = network.input.convolution.inputs();
        Self {
            n_positions: n,
            tiles: Transformed::new(GRID, n, channels.max(planes)),
            products: Transformed::new(GRID, n, channels),
            planes: Aligned::zeroed(SQUARES * planes),
            trunk: Aligned::zeroed(n * SQUARES * channels),
            inner: Aligned::zeroed(SQUARES * channels),
            bias: Aligned::zeroed(n * channels),
            pooled: Aligned::zeroed(n * 2 * channels),
            value: Aligned::zeroed(SQUARES * network.value_conv.padded_outputs()),
            value_space: ValueSpace::new(&network.heads, n),
        }
    }
}
