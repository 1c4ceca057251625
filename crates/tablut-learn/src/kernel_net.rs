//! A residual net on the CPU's own kernels, forward and backward, distributed over threads. Training steps use it.
//!
//! A batch is divided into [`Shard`]s of [`SHARD`] positions, for any number of threads. A thread runs one shard at a
//! time through the whole net, so that activations stay in the cache, and computes the shard's part of every weight's
//! gradient. The parts are then added in the order of the shards. So the results have the same bits for any number of
//! threads.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use tablut_kernels::{Bf16Kernels, Kernels};
use tablut_net::layers::Values;
use tablut_net::layers::adjoint::{LearningNet, Predictions, Shard, Workspace};
use tablut_net::{InputBatch, Residual};

/// Positions per shard. Larger shards need less memory for gradients, smaller ones distribute better over threads.
const SHARD: usize = 16;

/// A net with the activations of its last batch.
pub struct KernelNet {
    kernels: Kernels,
    net: LearningNet,
    shards: Vec<Shard>,
    /// Buffers, one set for each thread that has worked at the same time.
    workspaces: Mutex<Vec<Workspace>>,
}

impl KernelNet {
    /// A net with this architecture on `kernels`, without weights yet. With `bf16` its convolutions are rounded.
    ///
    /// # Panics
    /// If `bf16` is given and the number of the trunk's channels is not a multiple of 32.
    pub fn new(architecture: &Residual, kernels: Kernels, bf16: Option<Bf16Kernels>) -> Self {
        let net = LearningNet::new(architecture, bf16);
        Self { kernels, net, shards: Vec::new(), workspaces: Mutex::default() }
    }

    /// The kernels that it runs on.
    pub fn kernels(&self) -> Kernels {
        self.kernels
    }

    /// Sets the values of all parameters.
    ///
    /// # Panics
    /// If a tensor does not have the size of the architecture.
    pub fn set_weights(&mut self, values: &Values<'_>) {
        self.net.repack(self.kernels, values);
    }

    /// Runs the net on a batch and keeps what [`KernelNet::backward`] needs.
    pub fn forward(&mut self, input: &InputBatch) -> Predictions {
        self.cut(input.n);
        let Self { kernels, net, shards, workspaces, .. } = self;
        shards.par_iter_mut().for_each(|shard| {
            with_workspace(workspaces, net, |workspace| net.forward(*kernels, shard, workspace, input));
        });
        let mut predictions = Predictions::default();
        for shard in shards {
            shard.append_predictions(&mut predictions);
        }
        predictions
    }

    /// Gradients of all parameters, in their order, from the gradient of the last forward pass's predictions. `input`
    /// is the batch of that pass.
    ///
    /// # Panics
    /// If the sizes of `input` or `gradient` differ from that batch.
    pub fn backward(&mut self, input: &InputBatch, gradient: &Predictions) -> Vec<Vec<f32>> {
        let Self { kernels, net, shards, workspaces, .. } = self;
        assert_eq!(shards.last().map_or(0, |shard| shard.rows().end), input.n, "the batch of the forward pass");
        shards.par_iter_mut().for_each(|shard| {
            with_workspace(workspaces, net, |workspace| net.backward(*kernels, shard, workspace, input, gradient));
        });
        net.gradients(shards)
    }

    /// Creates shards for `n` rows, unless the last batch had as many rows.
    fn cut(&mut self, n: usize) {
        if self.shards.last().map_or(0, |shard| shard.rows().end) != n {
            let net = &self.net;
            self.shards = (0..n).step_by(SHARD).map(|first| net.shard(first..(first + SHARD).min(n))).collect();
        }
    }
}

/// Runs `work` with a workspace that no other thread uses.
fn with_workspace(free: &Mutex<Vec<Workspace>>, net: &LearningNet, work: impl FnOnce(&mut Workspace)) {
    // A workspace is returned as a whole, so the list is valid even if another thread has panicked.
    let mut workspace = {
        let mut free = free.lock().unwrap_or_else(PoisonError::into_inner);
        free.pop().unwrap_or_else(|| net.workspace(SHARD))
    };
    work(&mut workspace);
    free.lock().unwrap_or_else(PoisonError::into_inner).push(workspace);
}
