//! The CPU engine: a net's forward pass over `tablut-kernels`, on one thread or several.

mod bfloat16;
mod float32;
mod heads;
mod precision;
mod threads;

use std::sync::Arc;

use tablut_kernels::{Bf16Kernels, Grid, Kernels, Simd};
use tablut_rules::SIZE;

use crate::batch::{Inference, InputBatch, OutputBatch};
use crate::error::NetError;
use crate::policy::{POLICY_ENTRIES, PolicyIndex};
use crate::shape::NetShape;
use crate::weights::Weights;
pub(crate) use heads::MOVES_LEFT_UNIT;
pub use precision::{EngineOptions, Precision};
use threads::{Share, Threads};

/// The board as the kernels see it.
const GRID: Grid = Grid::new(SIZE, SIZE);

/// A net ready to run on the CPU.
///
/// Weights are transformed and packed once, when the engine is made; [`Engine::share`] makes another engine of
/// the same weights, so that workers can each own one for the memory of one. The instructions are the best of this
/// machine, or those that `TABLUT_SIMD` names.
///
/// A row's outputs depend on that row alone, to the bit: not on the other rows, their number, their order, or the
/// threads.
pub struct Engine {
    shape: NetShape,
    network: Arc<Network>,
    kernels: Kernels,
    /// One for each thread.
    workspaces: Vec<Workspace>,
    threads: Threads,
}

/// Packed weights of either precision.
enum Network {
    F32(float32::Network),
    Bf16(bfloat16::Network),
}

/// One thread's buffers, of the network's precision.
enum Workspace {
    F32(float32::Workspace),
    Bf16(bfloat16::Workspace),
}

impl Engine {
    /// The engine of `weights` in f32 on one thread: the calling one.
    ///
    /// # Errors
    ///
    /// `TABLUT_SIMD` names no instruction set, or one that this machine lacks.
    pub fn new(weights: &Weights) -> Result<Self, NetError> {
        Self::with_options(weights, EngineOptions::default())
    }

    /// The engine of `weights` in f32 on `n_threads` threads, the calling one among them; 0 is taken as 1.
    ///
    /// Worth it for big batches and for analysis. In self-play, one engine per worker on one thread is faster.
    ///
    /// # Errors
    ///
    /// As [`Engine::new`]; or the threads cannot be started.
    pub fn with_threads(weights: &Weights, n_threads: usize) -> Result<Self, NetError> {
        Self::with_options(weights, EngineOptions { n_threads, ..EngineOptions::default() })
    }

    /// The engine of `weights` with all choices open.
    ///
    /// # Errors
    ///
    /// As [`Engine::with_threads`]; or this machine lacks the instructions or the precision.
    pub fn with_options(weights: &Weights, options: EngineOptions) -> Result<Self, NetError> {
        let complain = |error: tablut_kernels::SimdError| NetError::Inference(error.to_string());
        let simd = options.simd.map_or_else(Simd::from_env, Ok).map_err(complain)?;
        let kernels = Kernels::new(simd).map_err(complain)?;
        let network = match options.precision {
            Precision::F32 => Network::F32(float32::Network::new(weights)),
            Precision::Bf16 => {
                // Whoever forces a lower level wants this machine to behave as one that has no more.
                let bf16 = (simd == Simd::Avx512).then(Bf16Kernels::request).flatten();
                let bf16 = bf16.ok_or_else(|| {
                    NetError::Inference(
                        "precision bf16 needs Linux on a processor with AMX (Intel, since 2023) and AVX-512 allowed: use f32"
                            .to_owned(),
                    )
                })?;
                Network::Bf16(bfloat16::Network::new(weights, bf16))
            }
        };
        let threads = Threads::new(options.n_threads)?;
        Ok(Self::assemble(weights.shape(), Arc::new(network), kernels, threads))
    }

    fn assemble(shape: NetShape, network: Arc<Network>, kernels: Kernels, threads: Threads) -> Self {
        let workspaces = (0..threads.count()).map(|_| Workspace::new(&network)).collect();
        Self { shape, network, kernels, workspaces, threads }
    }

    /// An engine of the same weights, which the two share, on `n_threads` threads of its own.
    ///
    /// # Errors
    ///
    /// The threads cannot be started.
    pub fn share(&self, n_threads: usize) -> Result<Self, NetError> {
        let threads = Threads::new(n_threads)?;
        Ok(Self::assemble(self.shape, Arc::clone(&self.network), self.kernels, threads))
    }

    /// The net's shape.
    pub fn shape(&self) -> NetShape {
        self.shape
    }

    /// The instruction set in use.
    pub fn simd(&self) -> Simd {
        self.kernels.simd()
    }

    /// The precision of the convolutions.
    pub fn precision(&self) -> Precision {
        match *self.network {
            Network::F32(_) => Precision::F32,
            Network::Bf16(_) => Precision::Bf16,
        }
    }
}

impl Workspace {
    fn new(network: &Network) -> Self {
        match network {
            Network::F32(network) => Workspace::F32(float32::Workspace::new(network)),
            Network::Bf16(network) => Workspace::Bf16(bfloat16::Workspace::new(network)),
        }
    }

    /// The most positions that it holds at once.
    fn n_positions(&self) -> usize {
        match self {
            Workspace::F32(workspace) => workspace.n_positions,
            Workspace::Bf16(workspace) => workspace.n_positions,
        }
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

/// Evaluates the rows of a share, at most as many as the workspace holds.
fn evaluate(network: &Network, kernels: Kernels, workspace: &mut Workspace, input: &InputBatch, share: Share<'_>) {
    match (network, workspace) {
        (Network::F32(network), Workspace::F32(workspace)) => {
            float32::evaluate(network, kernels, workspace, input, share);
        }
        (Network::Bf16(network), Workspace::Bf16(workspace)) => {
            bfloat16::evaluate(network, kernels, workspace, input, share);
        }
        _ => unreachable!("an engine's workspaces are made for its network"),
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
