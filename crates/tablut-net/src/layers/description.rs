//! The list of a net's layers. All other code uses it.

use super::parameter::{Convolution, Linear, Parameter, ParameterId, Parameters, Start};
use crate::architecture::{BlockKind, Residual};
use crate::features::{FEATURES, PLANES};
use crate::policy::POLICY_PLANES;

/// A residual block: `x + conv2(relu(conv1(x)))`, rectified.
#[derive(Copy, Clone, Debug)]
pub struct Block {
    /// From the block's input, rectified.
    pub conv1: Convolution,
    /// Its result is added to the block's input.
    pub conv2: Convolution,
    /// From the means and maxima between the convolutions to a bias of the second one.
    pub pool: Option<Linear>,
}

/// `out(relu(conv(x) + pool(pooled x)))`, on each square.
#[derive(Copy, Clone, Debug)]
pub struct PolicyHead {
    /// On each square.
    pub conv: Linear,
    /// From means and maxima of the trunk's output to a bias of `conv`.
    pub pool: Linear,
    /// To the planes of the policy table.
    pub out: Linear,
}

/// `out(h)` and `moves_left(h)` of `h = relu(hidden(pooled relu(conv(x))))`.
#[derive(Copy, Clone, Debug)]
pub struct ValueHead {
    /// On each square, rectified.
    pub conv: Linear,
    /// From means and maxima of that, rectified.
    pub hidden: Linear,
    /// To logits of attackers win, draw, defenders win.
    pub out: Linear,
    /// To the moves left, before the softplus.
    pub moves_left: Linear,
}

impl ValueHead {
    /// Adds the parameters of a value head: inputs, channels and hidden units.
    pub(crate) fn add(to: &mut Parameters, [c, v, h]: [usize; 3]) -> Self {
        Self {
            conv: to.linear("value.conv", [v, c], Start::He),
            hidden: to.linear("value.hidden", [h, 2 * v], Start::He),
            out: to.linear("value.out", [3, h], Start::Output),
            moves_left: to.linear("moves_left", [1, h], Start::Output),
        }
    }
}

/// All layers of a residual net, in the order of the forward pass.
#[derive(Clone, Debug)]
pub struct Layers {
    parameters: Vec<Parameter>,
    /// Channels of the trunk.
    pub channels: usize,
    /// From the planes.
    pub input: Convolution,
    /// From the features to a bias of `input`.
    pub features: Linear,
    /// The trunk.
    pub blocks: Vec<Block>,
    /// The policy.
    pub policy: PolicyHead,
    /// The outcome and the moves left.
    pub value: ValueHead,
}

impl Residual {
    /// The layers of a net with this architecture.
    ///
    /// Initial values are He's, with one exception: the last layers of residual branches and the layers before outputs
    /// start small. So an untrained net's trunk is close to the identity and its outputs are close to uniform (as in
    /// Fixup, Zhang et al. 2019). This lets a net without normalisation train.
    pub fn layers(&self) -> Layers {
        let (c, p, v, h) = (self.channels(), self.policy().channels, self.value().channels, self.value().hidden);
        let branch = Start::Branch { n_blocks: self.blocks().len() };
        let mut to = Parameters::default();
        let input = to.convolution("trunk.input", [c, PLANES], Start::He);
        let features = to.linear_without_bias("trunk.features", [c, FEATURES], Start::He);
        let blocks = self.blocks().iter().enumerate().map(|(index, kind)| {
            let name = format!("trunk.block{index}");
            let conv1 = to.convolution(&format!("{name}.conv1"), [c, c], Start::He);
            let conv2 = to.convolution(&format!("{name}.conv2"), [c, c], branch);
            let pools = *kind == BlockKind::Pooled;
            let pool = pools.then(|| to.linear_without_bias(&format!("{name}.pool"), [c, 2 * c], branch));
            Block { conv1, conv2, pool }
        });
        let blocks = blocks.collect();
        let policy = PolicyHead {
            conv: to.linear("policy.conv", [p, c], Start::He),
            pool: to.linear_without_bias("policy.pool", [p, 2 * c], branch),
            out: to.linear("policy.out", [POLICY_PLANES, p], Start::Output),
        };
        let value = ValueHead::add(&mut to, [c, v, h]);
        Layers { parameters: to.into_vec(), channels: c, input, features, blocks, policy, value }
    }
}

impl Layers {
    /// Every tensor, as [`Architecture::tensors`](crate::Architecture::tensors).
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The tensor with this id.
    pub fn parameter(&self, id: ParameterId) -> &Parameter {
        &self.parameters[id.index()]
    }
}

impl Residual {
    /// Additions and multiplications of one evaluation by direct convolution. Each weight of a layer on squares counts
    /// twice for every square, every other parameter counts twice.
    pub fn operations(&self) -> usize {
        let layers = self.layers();
        let convolutions = layers.blocks.iter().flat_map(|block| [block.conv1.weight, block.conv2.weight]);
        let (policy, value) = (&layers.policy, &layers.value);
        let on_squares = convolutions
            .chain([layers.input.weight, policy.conv.weight, policy.out.weight, value.conv.weight])
            .map(|id| layers.parameter(id).len() * (tablut_rules::SQUARES - 1));
        2 * (on_squares.sum::<usize>() + layers.parameters().iter().map(Parameter::len).sum::<usize>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Architecture;

    #[test]
    fn the_operations_of_a_small_net_are_those_counted_by_hand() {
        let on_squares = 16 * PLANES * 9 + 2 * 16 * 16 * 9 + 16 * 16 + 33 * 16 + 32 * 16;
        let once = 16 * FEATURES + 16 * 32 + 64 * 64 + 3 * 64 + 64;
        let biases = 33 + 3 + 64 + 32 + 16 + 3 * 16 + 1;
        let residual = Residual::standard(1, 16).unwrap();
        assert_eq!(residual.operations(), 2 * (81 * on_squares + once + biases));
        assert_eq!(Architecture::from(residual).parameters(), on_squares + once + biases);
    }

    #[test]
    fn every_parameter_belongs_to_one_layer_and_is_found_by_its_id() {
        let layers = Residual::standard(3, 16).unwrap().layers();
        let names: Vec<_> = layers.parameters().iter().map(|parameter| parameter.name.as_str()).collect();
        assert_eq!(
            &names[..5],
            [
                "trunk.input.weight",
                "trunk.input.bias",
                "trunk.features.weight",
                "trunk.block0.conv1.weight",
                "trunk.block0.conv1.bias",
            ]
        );
        let pools: Vec<_> = names.iter().filter(|name| name.contains("block") && name.contains("pool")).collect();
        assert_eq!(pools, [&"trunk.block1.pool.weight"]);
        let mut distinct = names.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), names.len());
        let pool = layers.blocks[1].pool.unwrap();
        assert_eq!(layers.parameter(pool.weight).dims, [16, 32]);
        assert_eq!(layers.parameter(layers.value.moves_left.bias.unwrap()).name, "moves_left.bias");
    }
}
