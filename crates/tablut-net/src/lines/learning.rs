//! The forward and backward pass in f32, for training.
//!
//! A batch is divided by the sizes of its boards. The line network runs once for each distinct line of a part. Its outputs are a table, from which the positions read.
//! Positions are divided into shards and lines into chunks, both of a fixed size. Each part sums its own gradients, and
//! the parts are added in order, so the bits do not depend on the number of threads.

mod backward;
mod batch;
mod gradients;
mod shard;
mod table;
mod weights;

use rayon::prelude::*;
use tablut_kernels::{Aligned, Kernels, LANES};
use tablut_rules::BoardSize;

use super::dense::add;
use super::description::LineLayers;
use super::line_gradients::LineGradients;
use super::moves::{Entry, entries};
use super::network::kept_len;
use super::patterns::SeenLine;
use crate::architecture::Architecture;
use crate::batch::{InputBatch, Predictions};
use crate::layers::{Values, softplus};
use batch::Batch;
use gradients::Gradients;
use shard::Shard;
use table::Tables;
use weights::PackedWeights;

/// Lines that a thread runs through the line network together.
const CHUNK: usize = 64;
/// Lines of a chunk whose gradients are computed together. They fit into the first-level cache.
const TOGETHER: usize = 8;

/// A net of lines that learns: its weights, and the activations of the last batch.
pub struct LineLearner {
    kernels: Kernels,
    layers: LineLayers,
    /// For each size of board.
    entries: [Vec<Entry>; 3],
    weights: Option<PackedWeights>,
    /// The last batch, its part with boards of each size.
    parts: [Batch; 3],
}

impl LineLearner {
    /// A net with this architecture on `kernels`, without weights yet.
    pub fn new(architecture: Architecture, kernels: Kernels) -> Self {
        let (layers, entries) = (architecture.layers(), BoardSize::ALL.map(entries));
        Self { kernels, layers, entries, weights: None, parts: Default::default() }
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
        self.weights = Some(PackedWeights::pack(&self.layers, values));
    }

    /// Runs the net on a batch and keeps what [`LineLearner::backward`] needs.
    ///
    /// # Panics
    /// If no weights are set.
    pub fn forward(&mut self, input: &InputBatch) -> Predictions {
        let parts = input.parts();
        let each: Vec<_> = parts.iter().map(|part| self.forward_part(part.size, &part.input)).collect();
        Predictions::joined(input, &parts, each)
    }

    fn forward_part(&mut self, size: BoardSize, input: &InputBatch) -> Predictions {
        let Self { kernels, layers, entries, weights, parts } = self;
        let (kernels, layers, entries) = (*kernels, &*layers, &entries[size.index()][..]);
        let (weights, batch) = (weights.as_ref().expect("weights are set"), &mut parts[size.index()]);
        batch.begin(layers, size, input);
        let (out, kept) = (size.width() * weights.line.out_width(), kept_len(layers.line.pairs.len(), size));
        batch.table.resize(batch.lines.len() * out, 0.0);
        batch.kept.resize(batch.lines.len() * kept, 0.0);
        let Batch { classes, lines, of_row, table, kept: all_kept, shards, .. } = batch;
        let chunks = table.par_chunks_mut(CHUNK * out).zip(all_kept.par_chunks_mut(CHUNK * kept));
        chunks.zip(lines.par_chunks(CHUNK)).for_each(|((table, all_kept), lines)| {
            let each = table.chunks_exact_mut(out).zip(all_kept.chunks_exact_mut(kept));
            for ((out, kept), &line) in each.zip(lines) {
                weights.line.forward::<false>(kernels, line, classes.class(line), kept, out);
            }
        });
        let (width, channels) = (weights.line.out_width(), layers.channels);
        let tables = Tables { values: table, squares: size.width(), width, channels };
        shards.par_iter_mut().for_each(|shard| shard.forward(kernels, weights, &tables, of_row, entries, input));
        let mut predictions = Predictions::default();
        for shard in shards {
            predictions.logits.extend_from_slice(&shard.logits);
            for out in shard.out.chunks_exact(LANES) {
                predictions.wdl.extend_from_slice(&out[..3]);
                predictions.moves_left.push(softplus(out[3]));
            }
        }
        predictions
    }

    /// Gradients of all parameters, in their order, from the gradient of the last forward pass's predictions. `input`
    /// is the batch of that pass.
    ///
    /// # Panics
    /// If the sizes of `input` or `gradient` differ from that batch.
    pub fn backward(&mut self, input: &InputBatch, gradient: &Predictions) -> Vec<Vec<f32>> {
        let mut sums: Vec<_> = self.layers.parameters().iter().map(|parameter| vec![0.0; parameter.len()]).collect();
        let parts = input.parts();
        for part in &parts {
            let own = self.backward_part(part.size, &part.input, &gradient.part(input, part));
            // One part alone is not added to zeros, which would cost time.
            if parts.len() == 1 {
                return own;
            }
            for (sum, own) in sums.iter_mut().zip(&own) {
                add(sum, own, 1.0);
            }
        }
        sums
    }

    fn backward_part(&mut self, size: BoardSize, input: &InputBatch, gradient: &Predictions) -> Vec<Vec<f32>> {
        let Self { kernels, layers, entries, weights, parts } = self;
        let (kernels, layers, entries) = (*kernels, &*layers, &entries[size.index()][..]);
        let (weights, batch) = (weights.as_ref().expect("weights are set"), &mut parts[size.index()]);
        assert_eq!(batch.n, input.n, "the batch of the forward pass");
        let (width, channels) = (weights.line.out_width(), layers.channels);
        let tables = Tables { values: &batch.table, squares: size.width(), width, channels };
        let backward = |shard: &mut Shard| {
            let mut sums = Gradients::new(layers);
            shard.backward(kernels, weights, &tables, entries, input, gradient, &mut sums);
            sums
        };
        let mut parts: Vec<Gradients> = batch.shards.par_iter_mut().map(backward).collect();
        let users = batch.users(size);
        let (out, kept) = (size.width() * width, kept_len(layers.line.pairs.len(), size));
        let chunk = |(chunk, lines): (usize, &[SeenLine])| {
            let mut sums = LineGradients::new(layers);
            let mut gradient = Aligned::zeroed(TOGETHER * out);
            for (group, lines) in lines.chunks(TOGETHER).enumerate() {
                let first = chunk * CHUNK + group * TOGETHER;
                let gradient = &mut gradient[..lines.len() * out];
                for (gradient, users) in gradient.chunks_exact_mut(out).zip(&users[first..]) {
                    batch.gather(size, channels, users, gradient);
                }
                let kept = &batch.kept[first * kept..][..lines.len() * kept];
                weights.line_adjoints.backward(kernels, (lines, &batch.classes), kept, gradient, &mut sums);
            }
            sums
        };
        let mut line_parts: Vec<_> = batch.lines.par_chunks(CHUNK).enumerate().map(chunk).collect();
        let mut gradients: Vec<_> = layers.parameters().iter().map(|parameter| vec![0.0; parameter.len()]).collect();
        if let Some((sum, rest)) = line_parts.split_first_mut() {
            for part in rest {
                sum.add(part);
            }
            sum.write(layers, &mut gradients);
        }
        if let Some((sum, rest)) = parts.split_first_mut() {
            for part in rest {
                sum.add(part);
            }
            sum.write(layers, &mut gradients);
        }
        gradients
    }
}
