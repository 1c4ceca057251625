//! The backward pass of a few positions.

use tablut_kernels::{Aligned, Kernels, LANES, Rows};

use super::gradients::Gradients;
use super::shard::{Shard, grid};
use super::table::Tables;
use super::weights::PackedWeights;
use crate::batch::{InputBatch, Predictions};
use crate::features::{FEATURES, PLANES};
use crate::layers::{row, row_mut, softplus};
use crate::lines::dense::{add, add_rows};
use crate::lines::description::{ADDED_PLANES, BOTH, DISTANCES, ENDS, PAIR, PAIR_SCALE, PAIRS, TOP};
use crate::lines::moves::{Entry, MoveEntry};
use crate::policy::PolicyIndex;

impl Shard {
    #[expect(clippy::too_many_arguments, reason = "the parts of the net, which live apart")]
    pub(super) fn backward(
        &mut self,
        kernels: Kernels,
        weights: &PackedWeights,
        tables: &Tables<'_>,
        entries: &[Entry],
        input: &InputBatch,
        gradient: &Predictions,
        sums: &mut Gradients,
    ) {
        let (n, c, blocks) = (self.rows.len(), tables.channels, self.inside.len());
        let squares = self.size.n_squares();
        let size = squares * c;
        let mut dx = Aligned::zeroed(n * size);
        self.heads_backward(kernels, weights, entries, input, gradient, sums, &mut dx);
        let mut channel_sums = Aligned::zeroed(n * c);
        let mut dpooled = Aligned::zeroed(n * 2 * c);
        let mut inner = Aligned::zeroed(n * size);
        for index in (0..blocks).rev() {
            let (block, sums) = (&weights.blocks[index], &mut sums.blocks[index]);
            let (x, inside) = (&self.x[index], &self.inside[index]);
            let count = n * squares;
            let right = Rows { values: &dx, stride: c, count };
            kernels.outer(&[[Rows { values: inside, stride: c, count }, right]], c, false, &mut sums.pointwise.weight);
            add_rows(&mut sums.pointwise.bias, &dx);
            kernels.product(right, &block.pointwise_adjoint, &[], false, &mut inner);
            for at in 0..n {
                let inner = row_mut(&mut inner, at, size);
                kernels.gate(inner, row(inside, at, size), TOP, row_mut(&mut channel_sums, at, c));
                kernels.depthwise_gradient(grid(self.size), row(x, at, size), inner, &mut sums.depthwise);
            }
            add_rows(&mut sums.depthwise_bias, &channel_sums);
            let right = Rows { values: &channel_sums, stride: c, count: n };
            let pooled = Rows { values: &self.pooled[index], stride: 2 * c, count: n };
            kernels.outer(&[[pooled, right]], 2 * c, false, &mut sums.pool.weight);
            kernels.product(right, &block.pool_adjoint, &[], false, &mut dpooled);
            for at in 0..n {
                let (dx, x) = (row_mut(&mut dx, at, size), row(x, at, size));
                kernels.depthwise(grid(self.size), row(&inner, at, size), [&block.flipped, &[]], true, dx);
                unpool(kernels, row(&dpooled, at, 2 * c), row(&self.pooled[index], at, 2 * c), [c, 0], x, dx);
                kernels.gate(dx, x, TOP, row_mut(&mut channel_sums, at, c));
            }
        }
        // `channel_sums` are those of the sum of lines, whose bias they differentiate.
        let features = &input.features[self.rows.start * FEATURES..];
        let right = Rows { values: &channel_sums, stride: c, count: n };
        let features = Rows { values: features, stride: FEATURES, count: n };
        kernels.outer(&[[features, right]], FEATURES, false, &mut sums.features.weight);
        for at in 0..n {
            let planes = &input.planes[(self.rows.start + at) * PLANES..][..PLANES];
            let side = usize::from(planes[3].is_empty());
            add(row_mut(&mut sums.side, side, c), row(&channel_sums, at, c), 1.0);
            for (plane, set) in planes[ADDED_PLANES].iter().enumerate() {
                for square in *set {
                    add(row_mut(&mut sums.added, plane, c), row(&dx, at * squares + self.size.place(square), c), 1.0);
                }
            }
        }
        self.to_trunk = dx;
    }

    /// Leaves the gradient of the trunk's output, before it is cut off, in `dx`, and the gradients for the lines in the
    /// shard.
    #[expect(clippy::too_many_arguments, reason = "the parts of the net, which live apart")]
    fn heads_backward(
        &mut self,
        kernels: Kernels,
        weights: &PackedWeights,
        entries: &[Entry],
        input: &InputBatch,
        gradient: &Predictions,
        sums: &mut Gradients,
        dx: &mut [f32],
    ) {
        let (n, h) = (self.rows.len(), weights.out.matrix.inputs());
        let squares = self.size.n_squares();
        let (v, c) = (self.value.len() / n / squares, dx.len() / n / squares);
        let (size, wide) = (squares * c, PAIRS + v);
        let mut dvalue = Aligned::zeroed(n * 2 * v);
        self.value_backward(kernels, weights, [v, h], gradient, sums, &mut dvalue);
        let (x, pooled) = (&self.x[self.inside.len()], &self.pooled[self.inside.len()]);
        let mut joint = Aligned::zeroed(squares * wide);
        let mut joint_sums = vec![0.0; wide];
        let mut dpooled = vec![0.0; 2 * c];
        let mut channel_sums = vec![0.0; c];
        let mut dboth = vec![0.0; 2 * squares * BOTH];
        let mut active = Aligned::zeroed(squares * wide);
        self.to_ends.fill(0.0);
        for at in 0..n {
            let both = row(&self.both, at, 2 * squares * BOTH);
            let dx = row_mut(dx, at, size);
            dx.fill(0.0);
            dboth.fill(0.0);
            let side = input.row(self.rows.start + at).side();
            let ends = row_mut(&mut self.to_ends, at, 2 * squares * ENDS);
            let mut add_entry = |entry: u16, gradient: f32| match entries[usize::from(entry)] {
                Entry::Choice(square) => {
                    sums.choice_bias += gradient;
                    add(&mut sums.choice, row(x, at * squares + square, c), gradient);
                    add(row_mut(dx, square, c), &weights.choice, gradient);
                }
                Entry::Move(MoveEntry { from, to, line, end, distance }) => {
                    sums.distance[side * DISTANCES + distance] += gradient;
                    ends[line * self.size.width() * ENDS + end] += gradient;
                    let scaled = gradient * PAIR_SCALE;
                    for k in 0..PAIR {
                        let a = both[from * BOTH + k] + weights.shift[k];
                        let b = both[to * BOTH + PAIR + k] + weights.shift[PAIR + k];
                        dboth[from * BOTH + k] += scaled * b;
                        dboth[to * BOTH + PAIR + k] += scaled * a;
                        sums.shift[k] += scaled * b;
                        sums.shift[PAIR + k] += scaled * a;
                    }
                }
            };
            for index in input.move_range(self.rows.start + at) {
                let (mv, gradient) = (input.moves[index], gradient.logits[index]);
                add_entry(mv.entry, gradient);
                if mv.choice != PolicyIndex::NO_CHOICE {
                    add_entry(mv.choice, gradient);
                }
            }
            let to_pairs = row_mut(&mut self.to_pairs, at, squares * PAIRS);
            for (square, joint) in joint.chunks_exact_mut(wide).enumerate() {
                for direction in 0..2 {
                    let place = square + direction * squares;
                    let pairs = row(&dboth, place, BOTH).iter().zip(row(both, place, BOTH));
                    for (to, (gradient, active)) in joint[direction * BOTH..].iter_mut().zip(pairs) {
                        *to = if *active > 0.0 { *gradient } else { 0.0 };
                    }
                }
                row_mut(to_pairs, square, PAIRS).copy_from_slice(&joint[..PAIRS]);
                joint[PAIRS..].fill(0.0);
                active[square * wide..][..PAIRS].fill(1.0);
                active[square * wide + PAIRS..][..v].copy_from_slice(row(&self.value, at * squares + square, v));
            }
            let (gradient, pooled_value) = (row(&dvalue, at, 2 * v), row(&self.value_pooled, at, 2 * v));
            unpool(kernels, gradient, pooled_value, [wide, PAIRS], &active, &mut joint);
            kernels.gate(&mut joint, &active, TOP, &mut joint_sums);
            add(&mut sums.joint.bias, &joint_sums, 1.0);
            let left = Rows { values: row(x, at, size), stride: c, count: squares };
            let right = Rows { values: &joint, stride: wide, count: squares };
            kernels.outer(&[[left, right]], c, at > 0, &mut sums.joint.weight);
            let one = Rows { values: &joint_sums, stride: wide, count: 1 };
            let pooled = row(pooled, at, 2 * c);
            let pooled_row = Rows { values: pooled, stride: 2 * c, count: 1 };
            kernels.outer(
                &[[pooled_row, Rows { values: &joint_sums[..PAIRS], ..one }]],
                2 * c,
                at > 0,
                &mut sums.pair_pool.weight,
            );
            kernels.product(one, &weights.pair_pool_adjoint, &[], false, &mut dpooled);
            let mut from_joint = Aligned::zeroed(size);
            kernels.product(right, &weights.joint_adjoint, &[], false, &mut from_joint);
            add(dx, &from_joint, 1.0);
            let x = row(x, at, size);
            unpool(kernels, &dpooled, pooled, [c, 0], x, dx);
            kernels.gate(dx, x, TOP, &mut channel_sums);
        }
    }

    fn value_backward(
        &self,
        kernels: Kernels,
        weights: &PackedWeights,
        [v, h]: [usize; 2],
        gradient: &Predictions,
        sums: &mut Gradients,
        dvalue: &mut [f32],
    ) {
        let n = self.rows.len();
        let mut out = Aligned::zeroed(n * LANES);
        for (at, (row, out)) in self.rows.clone().zip(out.chunks_exact_mut(LANES)).enumerate() {
            out[..3].copy_from_slice(&gradient.wdl[3 * row..][..3]);
            // The derivative of the softplus is the sigmoid, which is 1 - exp(-softplus).
            out[3] = gradient.moves_left[row] * -libm::expm1f(-softplus(self.out[at * LANES + 3]));
        }
        add_rows(&mut sums.out.bias, &out);
        let back = Rows { values: &out, stride: LANES, count: n };
        kernels.outer(&[[Rows { values: &self.hidden, stride: h, count: n }, back]], h, false, &mut sums.out.weight);
        let mut hidden = Aligned::zeroed(n * h);
        kernels.product(back, &weights.out_adjoint, &[], false, &mut hidden);
        kernels.gate(&mut hidden, &self.hidden, f32::INFINITY, &mut sums.hidden.bias);
        let back = Rows { values: &hidden, stride: h, count: n };
        let pooled = Rows { values: &self.value_pooled, stride: 2 * v, count: n };
        kernels.outer(&[[pooled, back]], 2 * v, false, &mut sums.hidden.weight);
        kernels.product(back, &weights.hidden_adjoint, &[], false, dvalue);
    }
}

/// Adds the gradient of pooled values to that of the image, whose channels start at `first` of `width`.
fn unpool(
    kernels: Kernels,
    gradient: &[f32],
    pooled: &[f32],
    [width, first]: [usize; 2],
    active: &[f32],
    image: &mut [f32],
) {
    let (c, count) = (gradient.len() / 2, image.len() / width);
    let share: Vec<f32> = gradient[..c].iter().map(|mean| mean / count as f32).collect();
    for square in image.chunks_exact_mut(width) {
        add(&mut square[first..first + c], &share, 1.0);
    }
    kernels.add_at_maxima(active, &pooled[c..], &gradient[c..], [width, first], image);
}
