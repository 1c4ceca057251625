//! Auxiliary heads, which exist only for training. Each reads the trunk's output and has its own loss, whose gradient
//! shapes the trunk. Games are played without them.
//!
//! burn runs and differentiates them, on every device. A new head needs a target in `TrainingBatch`, a weight in
//! [`LossWeights`], and an [`AuxiliaryHead`] in [`auxiliary_heads`].

use burn::tensor::activation::softplus;
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, Tensor};
use tablut_games::TrainingBatch;
use tablut_net::Parameter;
use tablut_net::layers::{Parameters, Start};
use tablut_rules::{SIZE, SQUARES};

use crate::loss_parts::LossWeights;
use crate::model::tensor;

/// A head that exists only for training.
pub(crate) trait AuxiliaryHead {
    /// The name of its loss in metrics.
    fn name(&self) -> &'static str;

    /// Its parameters for a trunk with `channels` channels. Their names begin with [`tablut_net::AUXILIARY`].
    fn parameters(&self, channels: usize) -> Vec<Parameter>;

    /// Its mean loss over a batch, `[1]`, from the trunk's output `[n, C, 9, 9]` and its own flat parameters.
    fn loss(&self, trunk: Tensor<4>, parameters: &[Tensor<1>], batch: &TrainingBatch, device: &Device) -> Tensor<1>;
}

/// The heads whose losses have a weight, with the weight.
pub(crate) fn auxiliary_heads(weights: &LossWeights) -> Vec<(f32, Box<dyn AuxiliaryHead>)> {
    let all: [(f32, Box<dyn AuxiliaryHead>); 1] = [(weights.ownership, Box::new(Ownership))];
    all.into_iter().filter(|(weight, _)| *weight > 0.0).collect()
}

/// Final ownership of squares (Wu 2019, section 4.1). For every square it predicts the chance that an attacker stands
/// there at the end of the game, and the chance that a defender or the king does. It is a 1×1 convolution of the
/// trunk's output. Its loss is the mean cross-entropy over the squares.
struct Ownership;

impl AuxiliaryHead for Ownership {
    fn name(&self) -> &'static str {
        "ownership"
    }

    fn parameters(&self, channels: usize) -> Vec<Parameter> {
        let mut to = Parameters::default();
        to.linear("aux.ownership", [2, channels], Start::Output);
        to.into_vec()
    }

    fn loss(&self, trunk: Tensor<4>, parameters: &[Tensor<1>], batch: &TrainingBatch, device: &Device) -> Tensor<1> {
        let [n, channels, ..] = trunk.dims();
        let weight = parameters[0].clone().reshape([2, channels, 1, 1]);
        let options = ConvOptions::new([1, 1], [0, 0], [1, 1], 1);
        let logits = conv2d(trunk, weight, Some(parameters[1].clone()), options); // [n, 2, 9, 9]
        let mut owned = vec![0.0; n * 2 * SQUARES];
        for (squares, plane) in batch.ownership.as_flattened().iter().zip(owned.chunks_exact_mut(SQUARES)) {
            squares.iter().for_each(|square| plane[square.index()] = 1.0);
        }
        let owned = tensor(owned, [n, 2, SIZE, SIZE], device);
        // The cross-entropy of the sigmoid of x with target t is ln(1 + exp(x)) - x t.
        (softplus(logits.clone(), 1.0) - logits * owned).mean()
    }
}

/// Weight, name and loss of each head. `parameters` are those of all heads, in order.
pub(crate) fn auxiliary_losses(
    trunk: &Tensor<4>,
    mut parameters: &[Tensor<1>],
    batch: &TrainingBatch,
    weights: &LossWeights,
    device: &Device,
) -> Vec<(f32, &'static str, Tensor<1>)> {
    let channels = trunk.dims()[1];
    let loss = |(weight, head): (f32, Box<dyn AuxiliaryHead>)| {
        let own = parameters.split_off(..head.parameters(channels).len()).expect("the parameters of every head");
        (weight, head.name(), head.loss(trunk.clone(), own, batch, device))
    };
    auxiliary_heads(weights).into_iter().map(loss).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use tablut_games::{
        CancelToken, Concurrency, Counters, ReplayWindow, SelfPlayConfig, SelfPlayGame, game_rng, run_tasks,
    };
    use tablut_net::{AUXILIARY, Weights};
    use tablut_rules::Rules;
    use tablut_search::{SearchConfig, UniformEvaluator};

    use super::*;
    use crate::{BurnBackend, CpuBackend, GradientBackend, LearnerState, OptimizerConfig};

    /// Positions of short games.
    fn batch(n: usize) -> TrainingBatch {
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        let config = SelfPlayConfig { max_plies: 40, ..SelfPlayConfig::default() };
        let search = SearchConfig { simulations: 2, ..SearchConfig::default() };
        let games = run_tasks(
            4,
            Concurrency { workers: 1, tasks_per_worker: 4 },
            |index| SelfPlayGame::new(index as u64, &rules, &config, &search, game_rng(3, 0, index as u64)),
            || vec![Box::new(UniformEvaluator)],
            &Counters::default(),
            &CancelToken::new(),
            |_, _| {},
        );
        let mut window = ReplayWindow::new(vec![rules], usize::MAX);
        window.push(&games.unwrap()).unwrap();
        window.batch(n, 0.25, &mut ChaCha8Rng::seed_from_u64(4))
    }

    fn learner(weights: LossWeights) -> LearnerState {
        LearnerState::new(&Weights::initial(&"b2c16".parse().unwrap(), 5)).with_auxiliary_heads(&weights, 5)
    }

    fn cpu(weights: LossWeights) -> CpuBackend {
        CpuBackend::new(learner(weights), weights, OptimizerConfig::default()).unwrap()
    }

    fn with(ownership: f32) -> LossWeights {
        LossWeights { ownership, ..LossWeights::default() }
    }

    #[test]
    fn gradients_through_the_trunk_and_of_the_head_are_burns() {
        let (weights, batch) = (with(0.7), batch(21));
        let (parts, gradients) = cpu(weights).gradients(&batch).unwrap();
        let burn = BurnBackend::on_cpu(&learner(weights), weights, OptimizerConfig::default());
        let (expected_parts, expected) = burn.gradients(&batch).unwrap();
        assert!((parts.auxiliary["ownership"] - expected_parts.auxiliary["ownership"]).abs() < 1e-5, "{parts:?}");
        let plain = cpu(with(0.0)).gradients(&batch).unwrap().1;
        let norm = |values: &[f32]| values.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        let difference = |a: &[f32], b: &[f32]| norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>());
        for (param, (found, expected)) in learner(weights).params.iter().zip(gradients.iter().zip(&expected)) {
            assert!(norm(expected) > 0.0 && difference(found, expected) < 1e-4 * norm(expected), "{}", param.name);
        }
        // The head's gradient reaches the first layer.
        assert!(difference(&plain[0], &gradients[0]) > 1e-3 * norm(&plain[0]));
    }

    #[test]
    fn a_head_without_weight_is_absent_and_changes_no_bit() {
        let batch = batch(9);
        let state = |ownership: f32| {
            let mut backend = cpu(with(ownership));
            let report = backend.step(&batch, 0.01).unwrap();
            (report.loss, backend.state().unwrap())
        };
        let ((off, without), (on, having)) = (state(0.0), state(0.5));
        let mut backend = cpu(LossWeights::default());
        backend.step(&TrainingBatch { ownership: Vec::new(), ..batch.clone() }, 0.01).unwrap();
        assert!(without == backend.state().unwrap(), "the targets alone change nothing");
        assert!(off.auxiliary.is_empty() && on.auxiliary.len() == 1);
        assert_eq!((off.policy, off.value, off.moves_left), (on.policy, on.value, on.moves_left));
        assert!(without.params.iter().all(|param| !param.name.starts_with(AUXILIARY)));
        assert_eq!(having.params.len(), without.params.len() + 2);
        // The net that plays has the same tensors with and without the head.
        let names = |state: &LearnerState| state.weights().iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(names(&without), names(&having));
    }

    #[test]
    fn ownership_is_learnt() {
        let (mut backend, batch) = (cpu(with(1.0)), batch(16));
        let mut step = || backend.step(&batch, 0.003).unwrap().loss.auxiliary["ownership"];
        let (first, last) = (step(), (0..150).map(|_| step()).last().unwrap());
        // At first every square's chance is about one half.
        assert!((first - std::f32::consts::LN_2).abs() < 0.1 && last < 0.6 * first, "{first} to {last}");
    }
}
