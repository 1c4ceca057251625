//! The net on the CPU's own kernels, forward and backward, shared among threads: what training steps are made of.
//!
//! A batch is cut into [`Shard`]s of [`SHARD`] positions whatever the number of threads. A thread takes one shard at a
//! time through the whole net, so that activations stay near, and sums the shard's share of every weight's gradient;
//! the shares are then added in the order of the shards. Hence the same bits with any number of threads.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use tablut_kernels::{Kernels, SimdError};
use tablut_net::layers::adjoint::{LearningNet, Predictions, Shard, Workspace};
use tablut_net::layers::{Layers, Values};
use tablut_net::{Architecture, InputBatch};

/// Positions in a shard. Larger ones need less memory for gradients, smaller ones spread better over threads.
const SHARD: usize = 16;

/// A net with the activations of its last batch.
pub struct KernelNet {
    kernels: Kernels,
    net: LearningNet,
    shards: Vec<Shard>,
    /// Room to work in, one for each thread that has ever worked at once.
    workspaces: Mutex<Vec<Workspace>>,
}

impl KernelNet {
    /// A net of this architecture, still without weights.
    ///
    /// # Errors
    /// `TABLUT_SIMD` asks for instructions that this machine lacks.
    pub fn new(architecture: &Architecture) -> Result<Self, SimdError> {
        Ok(Self::with_kernels(architecture, Kernels::from_env()?))
    }

    /// A net of this architecture on `kernels`, still without weights.
    pub fn with_kernels(architecture: &Architecture, kernels: Kernels) -> Self {
        Self { kernels, net: LearningNet::new(architecture), shards: Vec::new(), workspaces: Mutex::default() }
    }

    /// The net's layers.
    pub fn layers(&self) -> &Layers {
        self.net.layers()
    }

    /// Takes over the values of all parameters.
    ///
    /// # Panics
    /// When a tensor has another size than the architecture says.
    pub fn set_weights(&mut self, values: &Values<'_>) {
        self.net.repack(self.kernels, values);
    }

    /// Runs the net on a batch and keeps what [`KernelNet::backward`] needs. The trunk's output is given only if asked.
    pub fn forward(&mut self, input: &InputBatch, with_trunk: bool) -> Predictions {
        self.cut(input.n);
        let Self { kernels, net, shards, workspaces, .. } = self;
        shards.par_iter_mut().for_each(|shard| {
            with_workspace(workspaces, net, |workspace| net.forward(*kernels, shard, workspace, input));
        });
        let mut predictions = Predictions::default();
        for shard in shards {
            shard.append_predictions(with_trunk, &mut predictions);
        }
        predictions
    }

    /// Gradients of all parameters, in their order, from the gradient of the last forward pass's predictions. `input` is
    /// the batch of that pass; a gradient without the trunk's output is zero for that.
    ///
    /// # Panics
    /// When `input` or `gradient` have other sizes than that batch.
    pub fn backward(&mut self, input: &InputBatch, gradient: &Predictions) -> Vec<Vec<f32>> {
        let Self { kernels, net, shards, workspaces, .. } = self;
        assert_eq!(shards.last().map_or(0, |shard| shard.rows().end), input.n, "the batch of the forward pass");
        shards.par_iter_mut().for_each(|shard| {
            with_workspace(workspaces, net, |workspace| net.backward(*kernels, shard, workspace, input, gradient));
        });
        net.gradients(shards)
    }

    /// Makes shards for `n` rows, unless they are there from the last batch.
    fn cut(&mut self, n: usize) {
        if self.shards.last().map_or(0, |shard| shard.rows().end) != n {
            let net = &self.net;
            self.shards = (0..n).step_by(SHARD).map(|first| net.shard(first..(first + SHARD).min(n))).collect();
        }
    }
}

/// Lends `work` a workspace that no other thread uses.
fn with_workspace(free: &Mutex<Vec<Workspace>>, net: &LearningNet, work: impl FnOnce(&mut Workspace)) {
    // A workspace is put back whole, so that the list is sound even if some other thread has panicked.
    let mut workspace = {
        let mut free = free.lock().unwrap_or_else(PoisonError::into_inner);
        free.pop().unwrap_or_else(|| net.workspace(SHARD))
    };
    work(&mut workspace);
    free.lock().unwrap_or_else(PoisonError::into_inner).push(workspace);
}
