//! One thread's memory: everything that an evaluation writes before its outputs.

use tablut_kernels::{Aligned, Grid, Transformed};
use tablut_rules::{SIZE, SQUARES};

use super::network::Network;

/// The board as the kernels see it.
const GRID: Grid = Grid::new(SIZE, SIZE);

/// Buffers for a few positions at once; made with the engine and never grown.
pub(super) struct Workspace {
    n_positions: usize,
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
    pub value_pooled: Aligned,
    pub value_hidden: Aligned,
    pub value_out: Aligned,
}

impl Workspace {
    /// Tiles and products of one position take 1,800 bytes per channel; this many positions' stay in a second-level
    /// cache of one megabyte or more, and keep the products' blocks long.
    fn capacity(channels: usize) -> usize {
        (512 / channels).clamp(2, 16)
    }

    /// The most positions that it holds at once.
    pub fn n_positions(&self) -> usize {
        self.n_positions
    }

    pub fn new(network: &Network) -> Self {
        let channels = network.shape.channels;
        let n = Self::capacity(channels);
        let widest = channels.max(network.input.inputs());
        let value = &network.value;
        Self {
            n_positions: n,
            tiles: Transformed::new(GRID, n, widest),
            products: Transformed::new(GRID, n, channels),
            planes: Aligned::zeroed(SQUARES * network.input.inputs()),
            trunk: Aligned::zeroed(n * SQUARES * channels),
            inner: Aligned::zeroed(SQUARES * channels),
            bias: Aligned::zeroed(n * channels),
            pooled: Aligned::zeroed(n * 2 * channels),
            value: Aligned::zeroed(SQUARES * value.conv.padded_outputs()),
            value_pooled: Aligned::zeroed(value.hidden.inputs()),
            value_hidden: Aligned::zeroed(value.hidden.padded_outputs()),
            value_out: Aligned::zeroed(value.out.padded_outputs()),
        }
    }
}
