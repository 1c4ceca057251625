//! The CPU engine: runs a net's layers forward, on one or more threads.

mod precision;
mod threads;

use std::sync::Arc;

use tablut_kernels::{Bf16Kernels, Bf16Vectors, Kernels, LANES, Simd};

use crate::architecture::Architecture;
use crate::batch::{Inference, InputBatch, OutputBatch, Positions};
use crate::error::NetError;
use crate::layers::{
    Activations, Arithmetic, Bf16Workspace, HeadSpace, Heads, MOVES_LEFT_UNIT, Overwritten, Points, Room, Trunk,
    softplus,
};
use crate::lines::{LineNet, LineSpace};
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
    /// One workspace per thread.
    workspaces: Vec<Workspace>,
    threads: Threads,
}

/// The packed weights of all parts of a net, and the rules of each part.
struct Network {
    arithmetic: Arithmetic,
    parts: Parts,
    /// One net for each part. All have the same architecture.
    nets: Vec<Net>,
}

/// A net's layers, packed.
enum Net {
    Residual(Box<ResidualNet>),
    Lines(Box<LineNet>),
}

/// A residual net's layers, packed.
struct ResidualNet {
    trunk: Trunk,
    heads: Heads,
}

/// One thread's buffers. They are allocated with the engine. Those of a residual net never grow.
struct Workspace {
    /// The largest number of positions that fit.
    n_positions: usize,
    space: Space,
}

/// The buffers for a net of either kind.
enum Space {
    Residual(Box<(Images, HeadSpace)>),
    /// One for each part.
    Lines(Vec<LineSpace>),
}

/// The activations: by Winograd's points, or on matrix registers.
enum Images {
    Points(Room, Overwritten),
    Registers(Bf16Workspace),
}

impl Engine {
    /// An engine for `weights` in f32 on one thread, the calling one.
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
    /// set or the precision.
    pub fn with_options(weights: &Weights, options: EngineOptions) -> Result<Self, NetError> {
        let complain = |error: tablut_kernels::SimdError| NetError::Inference(error.to_string());
        let simd = options.simd.map_or_else(Simd::from_env, Ok).map_err(complain)?;
        let kernels = Kernels::new(simd).map_err(complain)?;
        let lacking =
            || NetError::Inference(format!("precision {}: this machine does not support it", options.precision));
        let arithmetic = match options.precision.chosen_for(simd)? {
            Precision::F32 => Arithmetic::F32,
            Precision::Bf16Avx512 => Arithmetic::Bf16Points(Bf16Vectors::request().ok_or_else(lacking)?),
            Precision::Bf16Amx | Precision::Fastest => Arithmetic::Bf16(Bf16Kernels::request().ok_or_else(lacking)?),
        };
        Ok(Self::packed(weights, arithmetic, kernels, Threads::new(options.n_threads)?))
    }

    /// An engine for `weights` in this arithmetic on one thread. Tests also use it with emulated arithmetic.
    ///
    /// # Errors
    ///
    /// As for [`Engine::new`].
    pub fn with_arithmetic(weights: &Weights, arithmetic: Arithmetic) -> Result<Self, NetError> {
        let kernels = Kernels::from_env().map_err(|error| NetError::Inference(error.to_string()))?;
        Ok(Self::packed(weights, arithmetic, kernels, Threads::new(1)?))
    }

    fn packed(weights: &Weights, arithmetic: Arithmetic, kernels: Kernels, threads: Threads) -> Self {
        let arithmetic = match weights.architecture() {
            Architecture::Residual(_) => arithmetic,
            Architecture::Lines(_) => Arithmetic::F32,
        };
        let nets = weights.part_weights().map(|part| Net::new(&part, arithmetic)).collect();
        let network = Network { arithmetic, parts: weights.parts(), nets };
        Self::assemble(weights.architecture().clone(), Arc::new(network), kernels, threads)
    }

    fn assemble(architecture: Architecture, network: Arc<Network>, kernels: Kernels, threads: Threads) -> Self {
        let workspaces = (0..threads.count()).map(|_| Workspace::new(&network)).collect();
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

    /// The precision of the convolutions. It is never [`Precision::Fastest`], but the precision that `fastest` stands
    /// for.
    pub fn precision(&self) -> Precision {
        match self.network.arithmetic {
            Arithmetic::F32 => Precision::F32,
            Arithmetic::Bf16Points(_) => Precision::Bf16Avx512,
            Arithmetic::Bf16(_) => Precision::Bf16Amx,
        }
    }
}

impl Net {
    fn new(weights: &Weights, arithmetic: Arithmetic) -> Self {
        let values = weights.values();
        match weights.architecture() {
            Architecture::Residual(residual) => {
                let layers = residual.layers();
                let trunk = Trunk::pack(&layers, &values, arithmetic);
                Self::Residual(Box::new(ResidualNet { trunk, heads: Heads::pack(&layers, &values, arithmetic) }))
            }
            Architecture::Lines(lines) => Self::Lines(Box::new(LineNet::pack(*lines, &values))),
        }
    }
}

impl ResidualNet {
    /// Fills `values` and `logits` for a few positions.
    fn run(
        &self,
        kernels: Kernels,
        positions: &Positions<'_>,
        images: &mut impl Activations,
        values: &mut HeadSpace,
        logits: &mut [f32],
    ) {
        self.trunk.forward(kernels, positions, images);
        self.heads.squares(kernels, &self.trunk, images, positions, &mut values.pooled, logits);
        self.heads.values(kernels, positions.rows.len(), values);
    }
}

impl Workspace {
    fn new(network: &Network) -> Self {
        let ResidualNet { trunk, heads } = match &network.nets[0] {
            Net::Residual(net) => &**net,
            Net::Lines(_) => {
                let space = |net: &Net| match net {
                    Net::Lines(net) => net.space(),
                    Net::Residual(_) => unreachable!("all parts have the same architecture"),
                };
                return Self { n_positions: 16, space: Space::Lines(network.nets.iter().map(space).collect()) };
            }
        };
        let (width, joint) = (trunk.width, heads.joint_width());
        let (n, images) = match network.arithmetic {
            arithmetic @ (Arithmetic::F32 | Arithmetic::Bf16Points(_)) => {
                // Tiles and products of one position take 1,800 bytes per channel. Those of this many positions fit
                // into a second-level cache of one megabyte or more, and the blocks of the products stay long.
                let n = (512 / width).clamp(2, 16);
                (n, Images::Points(Room::new(arithmetic, n, width, joint), Overwritten::new(n, width, joint)))
            }
            Arithmetic::Bf16(bf16) => {
                // Activations of one position take about 1,300 bytes per channel.
                let n = (1024 / width).clamp(2, 16);
                (n, Images::Registers(Bf16Workspace::new(bf16, n, width, joint)))
            }
        };
        Self { n_positions: n, space: Space::Residual(Box::new((images, HeadSpace::new(heads, n)))) }
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
            evaluate(network, kernels, workspace, input, share);
        });
        Ok(())
    }
}

/// Evaluates the rows of a share. There are at most as many as the workspace can hold.
fn evaluate(network: &Network, kernels: Kernels, workspace: &mut Workspace, input: &InputBatch, share: Share<'_>) {
    let positions = Positions { input, rows: share.rows };
    match (&network.nets[share.part], &mut workspace.space) {
        (Net::Residual(net), Space::Residual(space)) => {
            let (images, values) = &mut **space;
            net.evaluate(kernels, &positions, images, values, share.logits);
            let outputs = values.out.chunks_exact(LANES).map(|out| ([out[0], out[1], out[2]], out[3]));
            for ((out, wdl), moves_left) in outputs.zip(share.wdl).zip(share.moves_left) {
                *wdl = softmax(out.0);
                *moves_left = softplus(out.1) * MOVES_LEFT_UNIT;
            }
        }
        (Net::Lines(net), Space::Lines(spaces)) => {
            let mut logits = share.logits;
            for (row, (wdl, moves_left)) in share.wdl.iter_mut().zip(share.moves_left).enumerate() {
                let own = logits.split_off_mut(..positions.moves_of(row).len()).expect("a logit for each move");
                let output =
                    net.evaluate(kernels, &mut spaces[share.part], positions.row(row), positions.moves_of(row), own);
                *wdl = softmax(output.outcome);
                *moves_left = output.moves_left;
            }
        }
        _ => unreachable!("the buffers are of the net's kind"),
    }
}

impl ResidualNet {
    /// Fills `values` and `logits` for a few positions.
    fn evaluate(
        &self,
        kernels: Kernels,
        positions: &Positions<'_>,
        images: &mut Images,
        values: &mut HeadSpace,
        logits: &mut [f32],
    ) {
        match images {
            Images::Points(room, images) => {
                let mut images = Points::new(positions.rows.len(), room, images);
                self.run(kernels, positions, &mut images, values, logits);
            }
            Images::Registers(images) => self.run(kernels, positions, images, values, logits),
        }
    }
}

fn softmax(logits: [f32; 3]) -> [f32; 3] {
    let max = logits[0].max(logits[1]).max(logits[2]);
    let exps = logits.map(|logit| libm::expf(logit - max));
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
