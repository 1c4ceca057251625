//! Random nets and random batches, determined by a seed.

#![allow(dead_code, reason = "each test program uses its part")]

use std::collections::BTreeMap;

use tablut_net::{Architecture, FEATURES, InputBatch, PLANES, PolicyIndex, Tensor, Weights, policy_planes};
use tablut_rules::BoardSize;

/// A xorshift generator.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 32
    }

    /// A number in -1..1.
    fn unit(&mut self) -> f32 {
        (self.bits() >> 8) as f32 / (1u64 << 23) as f32 - 1.0
    }

    fn below(&mut self, n: usize) -> usize {
        self.bits() as usize % n
    }
}

/// Weights that keep the size of activations constant through the layers. Biases differ from zero.
pub fn random_weights(name: &str, seed: u64) -> Weights {
    let architecture: Architecture = name.parse().expect("an architecture's name");
    let mut random = Random::new(seed);
    let mut tensors = BTreeMap::new();
    for parameter in architecture.tensors() {
        let fan_in: usize = parameter.dims[1..].iter().product();
        let scale = if parameter.dims.len() == 1 { 0.3 } else { (6.0 / fan_in as f32).sqrt() };
        let values = (0..parameter.len()).map(|_| random.unit() * scale).collect();
        let tensor = Tensor::from_shape_vec(parameter.dims, values).expect("a value for each element");
        tensors.insert(parameter.name, tensor);
    }
    Weights::new(architecture, tensors).expect("every tensor of the architecture")
}

/// Boards of three sizes, binary planes, small features, up to 120 moves for each row (none for some).
pub fn random_batch(n: usize, seed: u64) -> InputBatch {
    let mut random = Random::new(seed ^ 0x5eed);
    let mut input = InputBatch { n, ..InputBatch::default() };
    input.sizes = (0..n).map(|_| BoardSize::ALL[random.below(3)]).collect();
    for size in &input.sizes {
        for _ in 0..PLANES {
            input.planes.push(size.squares().filter(|_| random.below(5) == 0).collect());
        }
    }
    input.features = (0..n * FEATURES).map(|_| random.unit()).collect();
    for size in &input.sizes {
        let (squares, choices) = (size.n_squares(), (policy_planes(*size) - 1) * size.n_squares());
        for _ in 0..random.below(120) {
            let entry = random.below(choices) as u16;
            let choice =
                if random.below(9) == 0 { (choices + random.below(squares)) as u16 } else { PolicyIndex::NO_CHOICE };
            input.moves.push(PolicyIndex { entry, choice });
        }
        input.move_ends.push(input.moves.len() as u32);
    }
    debug_assert!(input.validate().is_ok() && input.validate_moves().is_ok());
    input
}
