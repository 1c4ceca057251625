//! The CPU engine: a net's forward pass over `tablut-kernels`, on one thread or several.

mod heads;
mod network;
mod threads;
mod trunk;
mod workspace;

use std::sync::Arc;

use tablut_kernels::{Kernels, Simd};

use crate::batch::{Inference, InputBatch, OutputBatch};
use crate::error::NetError;
use crate::policy::{POLICY_ENTRIES, PolicyIndex};
use crate::shape::NetShape;
use crate::weights::Weights;
pub(crate) use heads::MOVES_LEFT_UNIT;
use network::Network;
use threads::{Share, Threads};
use workspace::Workspace;

/// A net ready to run on the CPU.
///
/// Weights are transformed and packed once, when the engine is made; [`Engine::share`] makes another engine of
/// the same weights, so that workers can each own one for the memory of one. The instructions are the best of this
/// machine, or those that `TABLUT_SIMD` names.
///
/// A row's outputs depend on that row alone, to the bit: not on the other rows, their number, their order, or the
/// threads.
pub struct Engine {
    network: Arc<Network>,
    kernels: Kernels,
    /// One for each thread.
    workspaces: Vec<Workspace>,
    threads: Threads,
}

impl Engine {
    /// The engine of `weights` on one thread: the calling one.
    ///
    /// # Errors
    ///
    /// `TABLUT_SIMD` names no instruction set, or one that this machine lacks.
    pub fn new(weights: &Weights) -> Result<Self, NetError> {
        Self::with_threads(weights, 1)
    }

    /// The engine of `weights` on `n_threads` threads, the calling one among them; 0 is taken as 1.
    ///
    /// Worth it for big batches and for analysis. In self-play, one engine per worker on one thread is faster.
    ///
    /// # Errors
    ///
    /// As [`Engine::new`]; or the threads cannot be started.
    pub fn with_threads(weights: &Weights, n_threads: usize) -> Result<Self, NetError> {
        let simd = Simd::from_env().map_err(|error| NetError::Inference(error.to_string()))?;
        Self::with_simd(weights, n_threads, simd)
    }

    /// The engine of `weights` on `n_threads` threads with the instructions `simd`, whatever `TABLUT_SIMD` says.
    ///
    /// # Errors
    ///
    /// This machine lacks the instructions; or the threads cannot be started.
    pub fn with_simd(weights: &Weights, n_threads: usize, simd: Simd) -> Result<Self, NetError> {
        let kernels = Kernels::new(simd).map_err(|error| NetError::Inference(error.to_string()))?;
        Ok(Self::assemble(Arc::new(Network::new(weights)), kernels, Threads::new(n_threads)?))
    }

    fn assemble(network: Arc<Network>, kernels: Kernels, threads: Threads) -> Self {
        let workspaces = (0..threads.count()).map(|_| Workspace::new(&network)).collect();
        Self { network, kernels, workspaces, threads }
    }

    /// An engine of the same weights, which the two share, on `n_threads` threads of its own.
    ///
    /// # Errors
    ///
    /// The threads cannot be started.
    pub fn share(&self, n_threads: usize) -> Result<Self, NetError> {
        Ok(Self::assemble(Arc::clone(&self.network), self.kernels, Threads::new(n_threads)?))
    }

    /// The net's shape.
    pub fn shape(&self) -> NetShape {
        self.network.shape
    }

    /// The instruction set in use.
    pub fn simd(&self) -> Simd {
        self.kernels.simd()
    }
}

impl Inference for Engine {
    fn infer(&mut self, input: &InputBatch, output: &mut OutputBatch) -> Result<(), NetError> {
        input.validate()?;
        validate_moves(input)?;
        output.logits.resize(input.moves.len(), 0.0);
        output.wdl.resize(input.n, [0.0; 3]);
        output.moves_left.resize(input.n, 0.0);
        let (network, kernels) = (&*self.network, self.kernels);
        self.threads.run(&mut self.workspaces, input, output, |workspace, share| {
            evaluate(network, kernels, workspace, input, share);
        });
        Ok(())
    }
}

/// Checks what the heads index with: every row's moves end where the next row's begin, and every entry is one of the
/// policy table.
fn validate_moves(input: &InputBatch) -> Result<(), NetError> {
    if let Some(pair) = input.move_ends.windows(2).find(|pair| pair[0] > pair[1]) {
        return Err(NetError::Batch { what: "moves up to a row", found: pair[1] as usize, expected: pair[0] as usize });
    }
    let in_table = |entry: u16| usize::from(entry) < POLICY_ENTRIES;
    let good = |index: &&PolicyIndex| {
        in_table(index.entry) && (index.choice == PolicyIndex::NO_CHOICE || in_table(index.choice))
    };
    match input.moves.iter().find(|index| !good(index)) {
        None => Ok(()),
        Some(index) => Err(NetError::Inference(format!(
            "policy index {index:?} lies outside the table of {POLICY_ENTRIES} entries"
        ))),
    }
}

/// Evaluates the rows of a share, at most as many as the workspace holds.
fn evaluate(network: &Network, kernels: Kernels, workspace: &mut Workspace, input: &InputBatch, share: Share<'_>) {
    trunk::run(network, kernels, workspace, input, share.rows.clone());
    heads::run(network, kernels, workspace, input, share);
}
