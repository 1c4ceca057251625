//! Evaluates a net by its definition, in f64 and without optimisation.

use tablut_net::{Architecture, BlockKind, FEATURES, InputBatch, OutputBatch, PLANES, Weights};
use tablut_rules::{Bitboard, Square};

const SIDE: usize = 9;
const SQUARES: usize = SIDE * SIDE;

/// Activations `[channels][81]`.
type Planes = Vec<Vec<f64>>;

/// Evaluates every row.
pub fn infer(weights: &Weights, input: &InputBatch) -> OutputBatch {
    let net = Net(weights);
    let mut output = OutputBatch::default();
    for row in 0..input.n {
        let values =
            |plane: &Bitboard| Square::all().map(|square| f64::from(u8::from(plane.contains(square)))).collect();
        let planes = input.planes[row * PLANES..][..PLANES].iter().map(values).collect();
        let features: Vec<f64> = input.features[row * FEATURES..][..FEATURES].iter().copied().map(f64::from).collect();
        let x = net.trunk(&planes, &features);

        let p =
            add(conv1x1(&x, &net.get("policy.conv.weight"), &net.get("policy.conv.bias")), &net.pooled("policy", &x));
        let table = conv1x1(&relu(p), &net.get("policy.out.weight"), &net.get("policy.out.bias"));
        let table: Vec<f32> = table.concat().iter().map(|&logit| logit as f32).collect();
        output.logits.extend(input.moves[input.move_range(row)].iter().map(|index| index.logit(&table)));

        let v = relu(conv1x1(&x, &net.get("value.conv.weight"), &net.get("value.conv.bias")));
        let mut h = dense(&net.get("value.hidden.weight"), &pool(&v), &net.get("value.hidden.bias"));
        for x in &mut h {
            *x = x.max(0.0);
        }
        let wdl = dense(&net.get("value.out.weight"), &h, &net.get("value.out.bias"));
        let sum: f64 = wdl.iter().map(|x| x.exp()).sum();
        output.wdl.push([0, 1, 2].map(|i| (wdl[i].exp() / sum) as f32));
        let left = dense(&net.get("moves_left.weight"), &h, &net.get("moves_left.bias"));
        output.moves_left.push((left[0].exp().ln_1p() * 32.0) as f32);
    }
    output
}

struct Net<'a>(&'a Weights);

impl Net<'_> {
    fn get(&self, name: &str) -> Vec<f64> {
        self.0.get(name).iter().copied().map(f64::from).collect()
    }

    fn conv(&self, x: &Planes, name: &str) -> Planes {
        conv3x3(x, &self.get(&format!("{name}.weight")), &self.get(&format!("{name}.bias")))
    }

    /// The bias from `name`'s pooling weights and `x`.
    fn pooled(&self, name: &str, x: &Planes) -> Vec<f64> {
        let weights = self.get(&format!("{name}.pool.weight"));
        let zeros = vec![0.0; weights.len() / (2 * x.len())];
        dense(&weights, &pool(x), &zeros)
    }

    fn trunk(&self, planes: &Planes, features: &[f64]) -> Planes {
        let bias = self.get("trunk.features.weight");
        let bias = dense(&bias, features, &vec![0.0; bias.len() / FEATURES]);
        let mut x = relu(add(self.conv(planes, "trunk.input"), &bias));
        let Architecture::Residual(residual) = self.0.architecture() else { panic!("a residual net") };
        for (block, kind) in residual.blocks().iter().enumerate() {
            let name = format!("trunk.block{block}");
            let h = relu(self.conv(&x, &format!("{name}.conv1")));
            let mut y = self.conv(&h, &format!("{name}.conv2"));
            if *kind == BlockKind::Pooled {
                y = add(y, &self.pooled(&name, &h));
            }
            x = relu(x.iter().zip(&y).map(|(x, y)| x.iter().zip(y).map(|(x, y)| x + y).collect()).collect());
        }
        x
    }
}

fn conv3x3(x: &Planes, weights: &[f64], bias: &[f64]) -> Planes {
    let inputs = x.len();
    let square = |output: usize, at: usize| {
        let mut sum = bias[output];
        for tap in 0..9 {
            let (row, column) = (at / SIDE + tap / 3, at % SIDE + tap % 3);
            if (1..=SIDE).contains(&row) && (1..=SIDE).contains(&column) {
                let from = (row - 1) * SIDE + column - 1;
                sum += (0..inputs).map(|c| weights[(output * inputs + c) * 9 + tap] * x[c][from]).sum::<f64>();
            }
        }
        sum
    };
    (0..bias.len()).map(|output| (0..SQUARES).map(|at| square(output, at)).collect()).collect()
}

fn conv1x1(x: &Planes, weights: &[f64], bias: &[f64]) -> Planes {
    let inputs = x.len();
    let square = |output: usize, at: usize| {
        bias[output] + (0..inputs).map(|c| weights[output * inputs + c] * x[c][at]).sum::<f64>()
    };
    (0..bias.len()).map(|output| (0..SQUARES).map(|at| square(output, at)).collect()).collect()
}

fn dense(weights: &[f64], x: &[f64], bias: &[f64]) -> Vec<f64> {
    let rows = weights.chunks_exact(x.len());
    rows.zip(bias).map(|(row, bias)| bias + row.iter().zip(x).map(|(w, x)| w * x).sum::<f64>()).collect()
}

/// Means of the channels, then their maxima.
fn pool(x: &Planes) -> Vec<f64> {
    let mean = x.iter().map(|plane| plane.iter().sum::<f64>() / SQUARES as f64);
    mean.chain(x.iter().map(|plane| plane.iter().copied().fold(f64::NEG_INFINITY, f64::max))).collect()
}

fn add(mut x: Planes, bias: &[f64]) -> Planes {
    for (plane, bias) in x.iter_mut().zip(bias) {
        for x in plane {
            *x += bias;
        }
    }
    x
}

fn relu(mut x: Planes) -> Planes {
    for plane in &mut x {
        for x in plane {
            *x = x.max(0.0);
        }
    }
    x
}
