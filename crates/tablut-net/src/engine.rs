//! The CPU engine: runs a net's layers forward, on one or more threads.

mod threads;

use std::sync::Arc;

use tablut_kernels::{Kernels, Simd, SimdError};
use tablut_rules::Bitboard;

use crate::architecture::Architecture;
use crate::batch::{Inference, InputBatch, OutputBatch};
use crate::error::NetError;
use crate::layers::{ResidualNet, ResidualSpace, ValueOutput};
use crate::lines::{LineNet, LineSpace};
use crate::policy::PolicyIndex;
use crate::specialists::Parts;
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
    network: Arc<Network>,
    kernels: Kernels,
    /// For each thread, the buffers of each part of the net.
    workspaces: Vec<Vec<Space>>,
    threads: Threads,
}

/// The packed weights of all parts of a net, and the rules of each part.
struct Network {
    parts: Parts,
    /// One net for each part. All have the same architecture.
    nets: Vec<Net>,
}

/// A net's layers, packed.
enum Net {
    Residual(Box<ResidualNet>),
    Lines(Box<LineNet>),
}

/// One thread's buffers for one net. They are allocated with the engine. Those of a residual net never grow.
enum Space {
    Residual(Box<ResidualSpace>),
    Lines(Box<LineSpace>),
}

impl Engine {
    /// An engine for `weights` on one thread, the calling one.
    ///
    /// # Errors
    ///
    /// If `TABLUT_SIMD` does not name an instruction set, or this machine does not support it.
    pub fn new(weights: &Weights) -> Result<Self, NetError> {
        Self::with_options(weights, EngineOptions::default())
    }

    /// An engine for `weights` with all options.
    ///
    /// # Errors
    ///
    /// As for [`Engine::new`]. Also if the threads cannot be started, or this machine does not support the instruction
    /// set.
    pub fn with_options(weights: &Weights, options: EngineOptions) -> Result<Self, NetError> {
        let complain = |error: SimdError| NetError::Inference(error.to_string());
        let simd = options.simd.map_or_else(Simd::from_env, Ok).map_err(complain)?;
        let kernels = Kernels::new(simd).map_err(complain)?;
        let nets = weights.part_weights().map(|part| Net::new(&part)).collect();
        let network = Network { parts: weights.parts(), nets };
        let threads = Threads::new(options.n_threads)?;
        Ok(Self::assemble(weights.architecture().clone(), Arc::new(network), kernels, threads))
    }

    fn assemble(architecture: Architecture, network: Arc<Network>, kernels: Kernels, threads: Threads) -> Self {
        let workspace = || network.nets.iter().map(Net::space).collect();
        let workspaces = (0..threads.count()).map(|_| workspace()).collect();
        Self { architecture, network, kernels, workspaces, threads }
    }

    /// An engine that shares the weights of this one and has its own `n_threads` threads.
    ///
    /// # Errors
    ///
    /// If the threads cannot be started.
    pub fn share(&self, n_threads: usize) -> Result<Self, NetError> {
        let threads = Threads::new(n_threads)?;
        Ok(Self::assemble(self.architecture.clone(), Arc::clone(&self.network), self.kernels, threads))
    }

    /// The net's architecture.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// The instruction set in use.
    pub fn simd(&self) -> Simd {
        self.kernels.simd()
    }
}

impl Net {
    fn new(weights: &Weights) -> Self {
        let values = weights.values();
        match weights.architecture() {
            Architecture::Residual(residual) => Self::Residual(Box::new(ResidualNet::pack(residual, &values))),
            Architecture::Lines(lines) => Self::Lines(Box::new(LineNet::pack(*lines, &values))),
        }
    }

    /// Buffers for one thread.
    fn space(&self) -> Space {
        match self {
            Self::Residual(net) => Space::Residual(Box::new(net.space())),
            Self::Lines(net) => Space::Lines(Box::new(net.space())),
        }
    }

    /// Evaluates one position with its planes and features, and writes the logits of its moves.
    fn evaluate(
        &self,
        kernels: Kernels,
        space: &mut Space,
        position: (&[Bitboard], &[f32]),
        moves: &[PolicyIndex],
        logits: &mut [f32],
    ) -> ValueOutput {
        match (self, space) {
            (Self::Residual(net), Space::Residual(space)) => net.evaluate(kernels, space, position, moves, logits),
            (Self::Lines(net), Space::Lines(space)) => net.evaluate(kernels, space, position, moves, logits),
            _ => unreachable!("the buffers are of the net's kind"),
        }
    }
}

impl Inference for Engine {
    fn infer(&mut self, input: &InputBatch, output: &mut OutputBatch) -> Result<(), NetError> {
        input.validate()?;
        input.validate_moves()?;
        output.logits.resize(input.moves.len(), 0.0);
        output.wdl.resize(input.n, [0.0; 3]);
        output.moves_left.resize(input.n, 0.0);
        let (network, kernels) = (&*self.network, self.kernels);
        self.threads.run(&mut self.workspaces, (ROWS, &network.parts), input, output, |spaces, share| {
            let Share { rows, part, mut logits, wdl, moves_left } = share;
            for ((row, wdl), moves_left) in rows.zip(wdl).zip(moves_left) {
                let moves = &input.moves[input.move_range(row)];
                let own = logits.split_off_mut(..moves.len()).expect("a logit for each move");
                let output = network.nets[part].evaluate(kernels, &mut spaces[part], input.position(row), moves, own);
                (*wdl, *moves_left) = (output.wdl, output.moves_left);
            }
        });
        Ok(())
    }
}
