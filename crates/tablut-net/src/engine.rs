//! The CPU engine: runs a net forward, on one or more threads.

mod threads;

use std::sync::Arc;

use tablut_kernels::{Kernels, Simd, SimdError};

use crate::architecture::Architecture;
use crate::batch::{Inference, InputBatch, OutputBatch};
use crate::error::NetError;
use crate::lines::{LineNet, LineSpace};
use crate::weights::Weights;
use threads::{Share, Threads};

/// Rows that a thread takes at a time.
const ROWS: usize = 16;

/// The options of an engine.
#[derive(Copy, Clone, Debug)]
pub struct EngineOptions {
    /// Threads that share each batch, including the calling one. 0 counts as 1. Use several for big batches and for
    /// analysis. In self-play, one engine per worker on one thread is faster.
    pub n_threads: usize,
    /// The instruction set. If it is `None`, the engine uses the one that `TABLUT_SIMD` names, or the best one of this
    /// machine.
    pub simd: Option<Simd>,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self { n_threads: 1, simd: None }
    }
}

/// A net that is ready to run on the CPU.
///
/// The weights are packed once, when the engine is created. [`Engine::share`] creates another engine
/// with the same weights, so that every worker can have one without using more memory for weights. The engine uses the
/// best instruction set of this machine, or the one that `TABLUT_SIMD` names.
///
/// A row's outputs depend only on that row, to the bit. They do not depend on the other rows, their number or order, or
/// the threads.
pub struct Engine {
    architecture: Architecture,
    net: Arc<LineNet>,
    kernels: Kernels,
    workspaces: Vec<LineSpace>,
    threads: Threads,
}

impl Engine {
    /// An engine for `weights` on one thread, the calling one.
    ///
    /// # Errors
    /// If `TABLUT_SIMD` does not name an instruction set, or this machine does not support it.
    pub fn new(weights: &Weights) -> Result<Self, NetError> {
        Self::with_options(weights, EngineOptions::default())
    }

    /// An engine for `weights` with all options.
    ///
    /// # Errors
    /// As for [`Engine::new`]. Also if the threads cannot be started, or this machine does not support the instruction
    /// set.
    pub fn with_options(weights: &Weights, options: EngineOptions) -> Result<Self, NetError> {
        let complain = |error: SimdError| NetError::Inference(error.to_string());
        let simd = options.simd.map_or_else(Simd::from_env, Ok).map_err(complain)?;
        let kernels = Kernels::new(simd).map_err(complain)?;
        let architecture = weights.architecture();
        let net = LineNet::pack(architecture, &weights.values());
        Ok(Self::assemble(architecture, Arc::new(net), kernels, Threads::new(options.n_threads)?))
    }

    fn assemble(architecture: Architecture, net: Arc<LineNet>, kernels: Kernels, threads: Threads) -> Self {
        let workspaces = (0..threads.count()).map(|_| net.space()).collect();
        Self { architecture, net, kernels, workspaces, threads }
    }

    /// An engine that shares the weights of this one and has its own `n_threads` threads.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn share(&self, n_threads: usize) -> Result<Self, NetError> {
        let threads = Threads::new(n_threads)?;
        Ok(Self::assemble(self.architecture, Arc::clone(&self.net), self.kernels, threads))
    }

    /// The net's architecture.
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// The instruction set in use.
    pub fn simd(&self) -> Simd {
        self.kernels.simd()
    }
}

impl Inference for Engine {
    fn infer(&mut self, input: &InputBatch, output: &mut OutputBatch) -> Result<(), NetError> {
        input.validate()?;
        input.validate_moves()?;
        output.logits.resize(input.moves.len(), 0.0);
        output.wdl.resize(input.n, [0.0; 3]);
        output.moves_left.resize(input.n, 0.0);
        let (net, kernels) = (&*self.net, self.kernels);
        self.threads.run(&mut self.workspaces, ROWS, input, output, |space, share| {
            let Share { rows, mut logits, wdl, moves_left } = share;
            for ((row, wdl), moves_left) in rows.zip(wdl).zip(moves_left) {
                let moves = &input.moves[input.move_range(row)];
                let own = logits.split_off_mut(..moves.len()).expect("a logit for each move");
                let output = net.evaluate(kernels, space, input.row(row), moves, own);
                (*wdl, *moves_left) = (output.wdl, output.moves_left);
            }
        });
        Ok(())
    }
}
