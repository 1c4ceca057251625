//! The list of the layers of a net of lines. All other code uses it.

use crate::architecture::Architecture;
use crate::features::{FEATURES, PLANES, RULE_FEATURES};
use crate::layers::{Linear, Parameter, ParameterId, Parameters, Start};

/// Width of the line network.
pub const LINE_WIDTH: usize = 48;
const DEPTH: usize = 2;
/// Squares that a convolution along a line reads.
pub const TAPS: usize = 5;
/// Kinds of special squares: throne, corner, camp, escape.
pub const SPECIALS: usize = 4;
/// The planes that show them.
pub const SPECIAL_PLANES: std::ops::Range<usize> = 5..9;
/// The planes that are added to the sum of row and column, because no single line determines them: the king's moves and
/// routes, repetitions, and the moves' ends and captures.
pub const ADDED_PLANES: std::ops::Range<usize> = 9..PLANES;
/// Distances of a line from the nearest parallel edge: 0 to 4, where 4 also stands for more. So no distance is new on a
/// larger board.
pub const DISTANCES_FROM_EDGE: usize = 5;
/// Distances of a square from an end of its line: 0 to 5, where 5 also stands for more.
pub const DISTANCES_FROM_END: usize = 6;
/// Length of the vectors whose product is a move's logit.
pub const PAIR: usize = 8;
/// Numbers of a square for the moves in one direction: from, then to.
pub const BOTH: usize = 2 * PAIR;
/// Numbers of a square for the moves in both directions, along a line, then across it.
pub const PAIRS: usize = 2 * BOTH;
/// Factor of the product of a move's two vectors.
pub const PAIR_SCALE: f32 = 0.106_066_02;
/// Distances from the edge ahead at which a move ends: 0 to 7, where 7 also stands for more.
pub const DISTANCES_AHEAD: usize = 8;
/// Ends of moves along a line, towards its first square, then towards its last.
pub const ENDS: usize = 2 * DISTANCES_AHEAD;
/// Distances of moves: 1 to 8, where 8 also stands for more.
pub const DISTANCES: usize = 8;
/// Activations of the trunk are cut off here, so that they fit into seven bits in steps of 1/32.
pub const TOP: f32 = 127.0 / 32.0;

/// A block of the trunk: `x + pointwise(relu(depthwise(x) + pool(pooled x)))`. Both activations are cut off at 127/32.
#[derive(Copy, Clone, Debug)]
pub struct LineBlock {
    /// A 3×3 convolution of each channel by itself, `[9][channels]`.
    pub depthwise: ParameterId,
    /// `[channels]`.
    pub depthwise_bias: ParameterId,
    /// From means and maxima of `x` to a bias of `depthwise`.
    pub pool: Linear,
    /// On each square.
    pub pointwise: Linear,
}

/// The network that describes one line. Its input is a row of squares, its output for each square is `[channels]` for
/// the trunk, `[2 · PAIR]` for moves along the line and `[2 · PAIR]` for moves across it (from, then to), and `[ENDS]`
/// for moves that end at each distance from the edge ahead.
#[derive(Clone, Debug)]
pub struct LineNetwork {
    /// From the square's flags: attacker, defender, king, throne, corner, camp, escape.
    pub squares: Linear,
    /// A vector for the side to move (attackers first), the line's distance from the edge, and the square's distance from
    /// each end of the line, `[2][DISTANCES_FROM_EDGE][2][DISTANCES_FROM_END][LINE_WIDTH]`.
    pub places: ParameterId,
    /// From the features of the rules.
    pub rules: Linear,
    /// Pairs of convolutions: `x + second(relu(first(relu(x))))`. A weight is `[output][tap][input]`.
    pub pairs: Vec<[Linear; 2]>,
    /// From the rectified activations of each square.
    pub out: Linear,
}

/// `out(h)` and `moves_left(h)` of `h = relu(hidden(pooled clip(conv(x))))`, where `clip` cuts off at 0 and 127/32.
#[derive(Copy, Clone, Debug)]
pub struct ValueHead {
    /// On each square.
    pub conv: Linear,
    /// From means and maxima of that, rectified.
    pub hidden: Linear,
    /// To logits of attackers win, draw, defenders win.
    pub out: Linear,
    /// To the moves left, before the softplus.
    pub moves_left: Linear,
}

/// All layers of a net of lines, in the order of the forward pass.
#[derive(Clone, Debug)]
pub struct LineLayers {
    parameters: Vec<Parameter>,
    /// Channels of the trunk.
    pub channels: usize,
    /// The line network.
    pub line: LineNetwork,
    /// Added to every square: a vector for the side to move (attackers first), `[2][channels]`.
    pub side: ParameterId,
    /// From the features to a bias of every square.
    pub features: Linear,
    /// From a square's planes 9 to 15.
    pub added: Linear,
    /// The trunk.
    pub blocks: Vec<LineBlock>,
    /// On each square, to from and to of moves along rows, then along columns, `[4 · PAIR]`.
    pub pair: Linear,
    /// From means and maxima of the trunk's output to a bias of `pair`.
    pub pair_pool: Linear,
    /// Added to the rectified vectors: from, then to, `[2 · PAIR]`.
    pub pair_shift: ParameterId,
    /// A move's bias for the side to move and its distance, `[2][DISTANCES]`.
    pub distance: ParameterId,
    /// On each square, the logit of capturing there by choice.
    pub choice: Linear,
    /// The outcome and the moves left.
    pub value: ValueHead,
}

impl Architecture {
    /// The layers of a net with this architecture.
    ///
    /// Initial values are He's, with exceptions: the last layers of blocks and the layers before outputs start small. So an untrained net's trunk is close to the identity and its outputs are close to uniform (as in Fixup,
    /// Zhang et al. 2019). This lets a net without normalisation train.
    pub fn layers(self) -> LineLayers {
        let (c, w) = (self.channels(), LINE_WIDTH);
        let branch = Start::Branch(self.blocks());
        let mut to = Parameters::default();
        let line = LineNetwork {
            squares: to.linear_without_bias("line.squares", [w, 3 + SPECIALS], Start::Scaled(2.0)),
            places: to.values("line.places", 2 * DISTANCES_FROM_EDGE * 2 * DISTANCES_FROM_END * w, 0.35),
            rules: to.linear_without_bias("line.rules", [w, RULE_FEATURES], Start::Scaled(0.3)),
            pairs: (0..DEPTH)
                .map(|index| {
                    [("first", Start::He), ("second", Start::Scaled(0.4))]
                        .map(|(name, start)| to.line_convolution(&format!("line.{name}{index}"), w, start))
                })
                .collect(),
            out: to.linear("line.out", [line_outputs(c), w], Start::Scaled(0.7)),
        };
        let side = to.values("trunk.side", 2 * c, 0.0);
        let features = to.linear_without_bias("trunk.features", [c, FEATURES], Start::Scaled(0.3));
        let added = to.linear_without_bias("trunk.added", [c, ADDED_PLANES.len()], Start::Scaled(0.3));
        let blocks = (0..self.blocks()).map(|index| {
            let name = |layer: &str| format!("trunk.block{index}.{layer}");
            LineBlock {
                depthwise: to.values(&name("depthwise.weight"), 9 * c, (2.0_f32 / 9.0).sqrt()),
                depthwise_bias: to.values(&name("depthwise.bias"), c, 0.0),
                pool: to.linear_without_bias(&name("pool"), [c, 2 * c], Start::Scaled(0.3)),
                pointwise: to.linear(&name("pointwise"), [c, c], branch),
            }
        });
        let blocks = blocks.collect();
        let pair = to.linear("policy.pair", [PAIRS, c], Start::Scaled(0.5));
        let pair_pool = to.linear_without_bias("policy.pool", [PAIRS, 2 * c], Start::Scaled(0.3));
        let pair_shift = to.values("policy.shift", BOTH, 0.0);
        let distance = to.values("policy.distance", 2 * DISTANCES, 0.0);
        let choice = to.linear("policy.choice", [1, c], Start::Output);
        let (v, h) = (32, 64);
        let value = ValueHead {
            conv: to.linear("value.conv", [v, c], Start::He),
            hidden: to.linear("value.hidden", [h, 2 * v], Start::He),
            out: to.linear("value.out", [3, h], Start::Output),
            moves_left: to.linear("moves_left", [1, h], Start::Output),
        };
        LineLayers {
            parameters: to.into_vec(),
            channels: c,
            line,
            side,
            features,
            added,
            blocks,
            pair,
            pair_pool,
            pair_shift,
            distance,
            choice,
            value,
        }
    }
}

/// Outputs of the line network for each square.
pub fn line_outputs(channels: usize) -> usize {
    channels + PAIRS + ENDS
}

impl LineLayers {
    /// Every tensor, as [`Architecture::tensors`](crate::Architecture::tensors).
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The tensor with this id.
    pub fn parameter(&self, id: ParameterId) -> &Parameter {
        &self.parameters[id.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameters_of_a_small_net_are_those_counted_by_hand() {
        let line = 48 * 7 + 2 * 5 * 12 * 48 + 48 * 47 + 4 * (5 * 48 * 48 + 48) + 80 * 48 + 80;
        let trunk = 2 * 32 + 48 * 32 + 7 * 32 + 2 * (9 * 32 + 32 + 64 * 32 + 32 * 32 + 32);
        let policy = 32 * 32 + 32 + 64 * 32 + 16 + 16 + 33;
        let value = 32 * 32 + 32 + 64 * 64 + 64 + 3 * 64 + 3 + 64 + 1;
        let lines = Architecture::new(32, 2).unwrap();
        assert_eq!(lines.parameters(), line + trunk + policy + value);
        assert_eq!(line + trunk + policy + value, 75861);
        let mut names: Vec<_> = lines.layers().parameters().iter().map(|parameter| parameter.name.clone()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), lines.layers().parameters().len());
    }
}
