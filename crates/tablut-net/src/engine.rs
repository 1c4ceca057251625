//! The CPU engine: runs a net's layers forward, on one or more threads.

mod precision;
mod threads;

use std::sync::Arc;

use tablut_kernels::{Bf16Kernels, Bf16Vectors, Kernels, LANES, Simd};

use crate::architecture::Architecture;
use crate::batch::{Inference, InputBatch, OutputBatch, Positions};
use crate::error::NetError;
use crate::layers::{
    Activations, Arithmetic, Bf16, Bf16Points, Bf16Workspace, F32, Float32, HeadSpace, Heads, MOVES_LEFT_UNIT,
    Overwritten, PLANE_WIDTH, Room, RoundedTiles, Trunk, softplus,
};
use crate::specialists::Parts;
use crate::weights::Weights;
pub use precision::{EngineOptions, Precision};
use threads::{Share, Threads};

/// A net that is ready to run on the CPU.
///
/// The weights are transformed and packed once, when the engine is created. [`Engine::share`] creates another engine
/// with the same weights, so that every worker can have one without using more memory for weights. The engine uses the
/// best instruction set of this machine, or the one that `TABLUT_SIMD` names.
///
/// A row's outputs depend only on that row, to the bit. They do not depend on the other rows, their number or order, or
/// the threads.
pub struct Engine {
    architecture: Architecture,
    network: Arc<Network>,
    kernels: Kernels,
    /// One per thread.
    workspaces: Vec<Workspace>,
    threads: Threads,
}

/// Packed weights in one of the precisions, and which part of them plays which rules.
struct Network {
    parts: Parts,
    nets: Nets,
}

/// One net for each part.
enum Nets {
    F32(Vec<Net<F32>>),
    Bf16Vectors(Vec<Net<Bf16Points>>, Bf16Vectors),
    Bf16(Vec<Net<Bf16>>, Bf16Kernels),
}

/// A net's layers, packed.
struct Net<A: Arithmetic> {
    trunk: Trunk<A>,
    heads: Heads<A>,
}

/// One thread's buffers. They are allocated with the engine and never grow.
struct Workspace {
    /// The largest number of positions that fit.
    n_positions: usize,
    images: Images,
    values: HeadSpace,
}

/// The activations, in the network's precision.
enum Images {
    F32(Room, Overwritten),
    Bf16Vectors(Room<Bf16Points>, Overwritten),
    Bf16(Bf16Workspace),
}

impl Engine {
    /// An engine for `weights` in f32 on one thread, the calling one.
    ///
    /// # Errors
    ///
    /// `TABLUT_SIMD` does not name an instruction set, or this machine does not support it.
    pub fn new(weights: &Weights) -> Result<Self, NetError> {
        Self::with_options(weights, EngineOptions::default())
    }

    /// An engine for `weights` in f32 on `n_threads` threads, including the calling one. 0 counts as 1.
    ///
    /// Use several threads for big batches and for analysis. In self-play, one engine per worker on one thread is
    /// faster.
    ///
    /// # Errors
    ///
    /// As [`Engine::new`]; or the threads cannot be started.
    pub fn with_threads(weights: &Weights, n_threads: usize) -> Result<Self, NetError> {
        Self::with_options(weights, EngineOptions { n_threads, ..EngineOptions::default() })
    }

    /// An engine for `weights` with all options.
    ///
    /// # Errors
    ///
    /// As [`Engine::with_threads`]; or this machine does not support the instruction set or the precision.
    pub fn with_options(weights: &Weights, options: EngineOptions) -> Result<Self, NetError> {
        let complain = |error: tablut_kernels::SimdError| NetError::Inference(error.to_string());
        let simd = options.simd.map_or_else(Simd::from_env, Ok).map_err(complain)?;
        let kernels = Kernels::new(simd).map_err(complain)?;
        let lacking = || NetError::Inference(format!("precision {}: this machine lacks it", options.precision));
        let nets = match options.precision.chosen_for(simd)? {
            Precision::F32 => Nets::F32(packed(weights)),
            Precision::Bf16Avx512 => Nets::Bf16Vectors(packed(weights), Bf16Vectors::request().ok_or_else(lacking)?),
            Precision::Bf16Amx | Precision::Fastest => {
                Nets::Bf16(packed(weights), Bf16Kernels::request().ok_or_else(lacking)?)
            }
        };
        let threads = Threads::new(options.n_threads)?;
        Ok(Self::packed(weights, nets, kernels, threads))
    }

    /// An engine for `weights` in bf16 on one thread, on every machine. It is very slow and only meant for tests.
    ///
    /// # Errors
    ///
    /// As [`Engine::new`].
    pub fn bf16_without_registers(weights: &Weights) -> Result<Self, NetError> {
        let kernels = Kernels::from_env().map_err(|error| NetError::Inference(error.to_string()))?;
        let nets = Nets::Bf16(packed(weights), Bf16Kernels::without_registers());
        Ok(Self::packed(weights, nets, kernels, Threads::new(1)?))
    }

    /// An engine for `weights` in the bf16 of AVX-512 on one thread, on every machine. It is very slow and only meant for
    /// tests.
    ///
    /// # Errors
    ///
    /// As [`Engine::new`].
    pub fn bf16_without_vectors(weights: &Weights) -> Result<Self, NetError> {
        let kernels = Kernels::from_env().map_err(|error| NetError::Inference(error.to_string()))?;
        let nets = Nets::Bf16Vectors(packed(weights), Bf16Vectors::without_vectors());
        Ok(Self::packed(weights, nets, kernels, Threads::new(1)?))
    }

    fn packed(weights: &Weights, nets: Nets, kernels: Kernels, threads: Threads) -> Self {
        let network = Network { parts: weights.parts(), nets };
        Self::assemble(weights.architecture().clone(), Arc::new(network), kernels, threads)
    }

    fn assemble(architecture: Architecture, network: Arc<Network>, kernels: Kernels, threads: Threads) -> Self {
        let workspaces = (0..threads.count()).map(|_| Workspace::new(&network.nets)).collect();
        Self { architecture, network, kernels, workspaces, threads }
    }

    /// An engine that shares the weights of this one and has its own `n_threads` threads.
    ///
    /// # Errors
    ///
    /// The threads cannot be started.
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

    /// The precision of the convolutions. It is never [`Precision::Fastest`], but the one that was chosen for it.
    pub fn precision(&self) -> Precision {
        match self.network.nets {
            Nets::F32(_) => Precision::F32,
            Nets::Bf16Vectors(..) => Precision::Bf16Avx512,
            Nets::Bf16(..) => Precision::Bf16Amx,
        }
    }
}

/// The parts of a net, packed.
fn packed<A: Arithmetic>(weights: &Weights) -> Vec<Net<A>> {
    weights.part_weights().map(|part| Net::new(&part)).collect()
}

impl<A: Arithmetic> Net<A> {
    fn new(weights: &Weights) -> Self {
        let layers = weights.architecture().layers();
        let values = weights.values(&layers);
        Self { trunk: Trunk::pack(&layers, &values), heads: Heads::pack(&layers, &values) }
    }

    /// Fills `values` and `logits` for a few positions.
    fn run(
        &self,
        kernels: Kernels,
        positions: &Positions<'_>,
        images: &mut impl Activations<A>,
        values: &mut HeadSpace,
        logits: &mut [f32],
    ) {
        self.trunk.forward(kernels, positions, images);
        self.heads.squares(kernels, &self.trunk, images, positions, &mut values.pooled, logits);
        self.heads.values(kernels, positions.rows.len(), values);
    }
}

impl Workspace {
    fn new(nets: &Nets) -> Self {
        // All parts have the same architecture.
        match nets {
            Nets::F32(nets) => {
                let net = &nets[0];
                let (width, joint) = (net.trunk.width, net.heads.joint_width());
                // Tiles and products of one position take 1,800 bytes per channel. Those of this many positions fit
                // into a second-level cache of one megabyte or more, and the blocks of the products stay long.
                let n = (512 / width).clamp(2, 16);
                let images = Images::F32(Room::new(n, width, joint), Overwritten::new(n, width, joint));
                Self { n_positions: n, images, values: HeadSpace::new(&net.heads, n) }
            }
            Nets::Bf16Vectors(nets, vectors) => {
                let net = &nets[0];
                let (width, joint) = (net.trunk.width, net.heads.joint_width());
                let n = (512 / width).clamp(2, 16);
                let tiles = RoundedTiles::new(*vectors, n, width.max(PLANE_WIDTH));
                let room = Room::with_tiles(tiles, n, width, joint);
                let images = Images::Bf16Vectors(room, Overwritten::new(n, width, joint));
                Self { n_positions: n, images, values: HeadSpace::new(&net.heads, n) }
            }
            Nets::Bf16(nets, bf16) => {
                let net = &nets[0];
                let (width, joint) = (net.trunk.width, net.heads.joint_width());
                // Activations of one position take about 1,300 bytes per channel.
                let n = (1024 / width).clamp(2, 16);
                let images = Images::Bf16(Bf16Workspace::new(*bf16, n, width, joint));
                Self { n_positions: n, images, values: HeadSpace::new(&net.heads, n) }
            }
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
        let most = self.workspaces.first().map_or(1, |workspace| workspace.n_positions);
        self.threads.run(&mut self.workspaces, (most, &network.parts), input, output, |workspace, share| {
            evaluate(&network.nets, kernels, workspace, input, share);
        });
        Ok(())
    }
}

/// Evaluates the rows of a share. There are at most as many as the workspace can hold.
fn evaluate(nets: &Nets, kernels: Kernels, workspace: &mut Workspace, input: &InputBatch, share: Share<'_>) {
    let positions = Positions { input, rows: share.rows };
    let Workspace { images, values, .. } = workspace;
    match (nets, images) {
        (Nets::F32(nets), Images::F32(room, images)) => {
            let mut images = Float32::new(positions.rows.len(), room, images);
            nets[share.part].run(kernels, &positions, &mut images, values, share.logits);
        }
        (Nets::Bf16Vectors(nets, _), Images::Bf16Vectors(room, images)) => {
            let mut images = Float32::new(positions.rows.len(), room, images);
            nets[share.part].run(kernels, &positions, &mut images, values, share.logits);
        }
        (Nets::Bf16(nets, _), Images::Bf16(images)) => {
            nets[share.part].run(kernels, &positions, images, values, share.logits);
        }
        _ => unreachable!("an engine's workspaces are made for its network"),
    }
    for ((out, wdl), moves_left) in values.out.chunks_exact(LANES).zip(share.wdl).zip(share.moves_left) {
        *wdl = softmax([out[0], out[1], out[2]]);
        *moves_left = softplus(out[3]) * MOVES_LEFT_UNIT;
    }
}

fn softmax(logits: [f32; 3]) -> [f32; 3] {
    let max = logits[0].max(logits[1]).max(logits[2]);
    let exps = logits.map(|logit| (logit - max).exp());
    let sum = exps[0] + exps[1] + exps[2];
    exps.map(|exp| exp / sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_softmax_survives_large_logits() {
        assert_eq!(softmax([1000.0, 0.0, -1000.0]), [1.0, 0.0, 0.0]);
        assert_eq!(softmax([5.0, 5.0, 5.0]), [1.0 / 3.0; 3]);
    }
}
