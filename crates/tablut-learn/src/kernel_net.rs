//! The net on the CPU's own kernels, forward and backward: what training steps are made of.
//!
//! A batch is cut into [`Shard`]s of [`SHARD`] positions whatever the number of threads. A thread takes one shard at a
//! time through the whole net, so that activations stay near, and sums the shard's share of every weight's gradient;
//! the shares are then added in the order of the shards. Hence the same bits with any number of threads.

mod adjoint;
mod heads;
mod packed;
mod pooling;
mod reduce;
mod shard;
mod trunk;

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use tablut_kernels::{Grid, Kernels, SimdError};
use tablut_net::{InputBatch, NetShape};
use tablut_rules::SIZE;

use packed::Packed;
use shard::{Shard, Workspace};

/// Positions in a shard. Larger ones need less memory for gradients, smaller ones spread better over threads.
const SHARD: usize = 16;
/// Positions that go through a convolution together, few enough for the second-level cache.
const GROUP: usize = 8;
const GRID: Grid = Grid::new(SIZE, SIZE);

/// A net with the activations of its last batch.
pub struct KernelNet {
    shape: NetShape,
    kernels: Kernels,
    packed: Packed,
    shards: Vec<Shard>,
    /// Room to work in, one for each thread that has ever worked at once.
    workspaces: Mutex<Vec<Workspace>>,
}

/// What the heads give for each row of a batch, or the gradient of something with respect to that.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Predictions {
    /// Policy logits, one for each of the batch's moves.
    pub logits: Vec<f32>,
    /// Logits of attackers win, draw, defenders win, `[n][3]`.
    pub wdl: Vec<f32>,
    /// Plies to the end in units of 32, at least 0, `[n]`.
    pub moves_left: Vec<f32>,
}

impl KernelNet {
    /// A net of `shape`, still without weights.
    ///
    /// # Errors
    /// `TABLUT_SIMD` asks for instructions that this machine lacks.
    ///
    /// # Panics
    /// When the value head's widths come not in sixteens, as those of [`NetShape::new`] do.
    pub fn new(shape: NetShape) -> Result<Self, SimdError> {
        Ok(Self::with_kernels(shape, Kernels::from_env()?))
    }

    /// A net of `shape` on `kernels`, still without weights.
    ///
    /// # Panics
    /// As [`KernelNet::new`].
    pub fn with_kernels(shape: NetShape, kernels: Kernels) -> Self {
        let packed = Packed::zeroed(shape);
        Self { shape, kernels, packed, shards: Vec::new(), workspaces: Mutex::default() }
    }

    /// Takes over the weights: values in the order of [`NetShape::tensors`].
    ///
    /// # Panics
    /// When a tensor has another size than the shape says.
    pub fn set_weights(&mut self, tensors: &[&[f32]]) {
        self.packed.repack(self.shape, self.kernels, tensors);
    }

    /// Runs the net on a batch and keeps what [`KernelNet::backward`] needs.
    pub fn forward(&mut self, input: &InputBatch) -> Predictions {
        self.cut(input.n);
        let Self { kernels, packed, shards, workspaces, shape, .. } = self;
        shards.par_iter_mut().for_each(|shard| {
            with_workspace(workspaces, *shape, |workspace| {
                trunk::forward(*kernels, packed, shard, workspace, input);
                heads::forward(*kernels, packed, shard, workspace, input);
            });
        });
        let mut predictions = Predictions::default();
        for shard in shards {
            predictions.logits.extend_from_slice(&shard.predictions.logits);
            predictions.wdl.extend_from_slice(&shard.predictions.wdl);
            predictions.moves_left.extend_from_slice(&shard.predictions.moves_left);
        }
        predictions
    }

    /// Gradients of all weights, in the order of [`NetShape::tensors`], from the gradient of the last forward pass's
    /// predictions. `input` is the batch of that pass.
    ///
    /// # Panics
    /// When `input` or `gradient` have other sizes than that batch.
    pub fn backward(&mut self, input: &InputBatch, gradient: &Predictions) -> Vec<Vec<f32>> {
        let Self { kernels, packed, shards, workspaces, shape, .. } = self;
        assert_eq!(shards.last().map_or(0, |shard| shard.rows.end), input.n, "the batch of the forward pass");
        shards.par_iter_mut().for_each(|shard| {
            with_workspace(workspaces, *shape, |workspace| {
                heads::backward(*kernels, packed, shard, workspace, input, gradient);
                trunk::backward(*kernels, packed, shard, workspace, input);
            });
        });
        reduce::gradients(*shape, shards)
    }

    /// Makes shards for `n` rows, unless they are there from the last batch.
    fn cut(&mut self, n: usize) {
        if self.shards.last().map_or(0, |shard| shard.rows.end) != n {
            let shape = self.shape;
            self.shards = (0..n).step_by(SHARD).map(|first| Shard::new(shape, first..(first + SHARD).min(n))).collect();
        }
    }
}

/// Lends `work` a workspace that no other thread uses.
fn with_workspace(free: &Mutex<Vec<Workspace>>, shape: NetShape, work: impl FnOnce(&mut Workspace)) {
    // A workspace is put back whole, so that the list is sound even if some other thread has panicked.
    let mut workspace = {
        let mut free = free.lock().unwrap_or_else(PoisonError::into_inner);
        free.pop().unwrap_or_else(|| Workspace::new(shape))
    };
    work(&mut workspace);
    free.lock().unwrap_or_else(PoisonError::into_inner).push(workspace);
}
