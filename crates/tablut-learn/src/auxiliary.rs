//! Auxiliary heads, which exist only for training. Each reads the trunk's output and has its own loss, whose gradient
//! shapes the trunk. Games are played without them.
//!
//! burn runs and differentiates them, on every device. A new head needs a target in `TrainingBatch`, a weight in
//! [`LossWeights`], and an [`AuxiliaryHead`] in [`auxiliary_heads`].

mod boards;
mod head;
mod policies;

use burn::tensor::{Device, Tensor};
use tablut_games::TrainingBatch;

use crate::loss_parts::LossWeights;
use boards::{Captures, Ownership};
use head::AuxiliaryHead;
use policies::{Reply, SoftPolicy};

/// The heads whose losses have a weight, with the weight.
pub(crate) fn auxiliary_heads(weights: &LossWeights) -> Vec<(f32, Box<dyn AuxiliaryHead>)> {
    let all: [(f32, Box<dyn AuxiliaryHead>); 4] = [
        (weights.ownership, Box::new(Ownership)),
        (weights.captures, Box::new(Captures)),
        (weights.soft_policy, Box::new(SoftPolicy)),
        (weights.reply, Box::new(Reply)),
    ];
    all.into_iter().filter(|(weight, _)| *weight > 0.0).collect()
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
        CancelToken, Concurrency, Counters, ReplayWindow, Replies, SelfPlayConfig, SelfPlayGame, Targets, game_rng,
        run_tasks,
    };
    use tablut_net::{AUXILIARY, Weights};
    use tablut_rules::Rules;
    use tablut_search::{SearchConfig, UniformEvaluator};

    use super::*;
    use crate::{BurnBackend, CpuBackend, GradientBackend, LearnerState, OptimizerConfig};

    /// Positions of short games.
    fn batch(n: usize) -> TrainingBatch {
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        let config = SelfPlayConfig { max_plies: 40, full_share: 0.75, ..SelfPlayConfig::default() };
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
        let targets = Targets { captures: true, replies: true, ..Targets::default() };
        let mut window = ReplayWindow::new(vec![rules], usize::MAX).with_targets(targets);
        window.push(&games.unwrap()).unwrap();
        window.batch(n, 0.25, &mut ChaCha8Rng::seed_from_u64(4))
    }

    fn learner(weights: LossWeights) -> LearnerState {
        LearnerState::new(&Weights::initial(&"b2c16".parse().unwrap(), 5)).with_auxiliary_heads(&weights, 5)
    }

    fn cpu(weights: LossWeights) -> CpuBackend {
        CpuBackend::new(learner(weights), weights, OptimizerConfig::default()).unwrap()
    }

    /// The heads' names, each with a weight that its gradient can be seen with.
    const HEADS: [(&str, f32); 4] = [("ownership", 0.7), ("captures", 3.0), ("soft_policy", 3.0), ("reply", 3.0)];

    fn with(head: &str, weight: f32) -> LossWeights {
        let mut weights = LossWeights::default();
        match head {
            "ownership" => weights.ownership = weight,
            "captures" => weights.captures = weight,
            "soft_policy" => weights.soft_policy = weight,
            "reply" => weights.reply = weight,
            other => panic!("no head {other}"),
        }
        weights
    }

    fn all() -> LossWeights {
        LossWeights { ownership: 0.5, captures: 0.5, soft_policy: 0.5, reply: 0.5, ..LossWeights::default() }
    }

    #[test]
    fn gradients_through_the_trunk_and_of_the_heads_are_burns() {
        let batch = batch(21);
        let plain = cpu(LossWeights::default()).gradients(&batch).unwrap().1;
        let norm = |values: &[f32]| values.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        let difference = |a: &[f32], b: &[f32]| norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>());
        for (name, weight) in HEADS {
            let weights = with(name, weight);
            let (parts, gradients) = cpu(weights).gradients(&batch).unwrap();
            let burn = BurnBackend::on_cpu(&learner(weights), weights, OptimizerConfig::default());
            let (expected_parts, expected) = burn.gradients(&batch).unwrap();
            assert!((parts.auxiliary[name] - expected_parts.auxiliary[name]).abs() < 1e-5, "{parts:?}");
            for (param, (found, expected)) in learner(weights).params.iter().zip(gradients.iter().zip(&expected)) {
                let near = difference(found, expected) < 1e-4 * norm(expected);
                assert!(norm(expected) > 0.0 && near, "{name}: {}", param.name);
            }
            // The head's gradient reaches the first layer.
            assert!(difference(&plain[0], &gradients[0]) > 1e-3 * norm(&plain[0]), "{name}");
        }
    }

    #[test]
    fn gradients_of_the_heads_are_the_slopes_of_their_losses() {
        let batch = batch(7);
        for (name, weight) in HEADS {
            let weights = with(name, weight);
            let mut state = learner(weights);
            let gradients = cpu(weights).gradients(&batch).unwrap().1;
            // The last two parameters are the head's.
            let own = state.params.len() - 2;
            for (index, gradient) in gradients.iter().enumerate().skip(own) {
                let norm = gradient.iter().map(|&g| f64::from(g).powi(2)).sum::<f64>().sqrt();
                let before = state.params[index].weights.clone();
                let mut loss = |by: f64| {
                    let moved = before.iter().zip(gradient).map(|(&w, &g)| w + (by * f64::from(g) / norm) as f32);
                    state.params[index].weights = moved.collect();
                    let mut backend = CpuBackend::new(state.clone(), weights, OptimizerConfig::default()).unwrap();
                    let parts = backend.gradients(&batch).unwrap().0;
                    f64::from(parts.auxiliary[name]) * f64::from(weight)
                };
                let slope = (loss(0.02) - loss(-0.02)) / 0.04;
                state.params[index].weights = before;
                let param = &state.params[index].name;
                assert!((slope - norm).abs() < 0.03 * norm, "{param}: slope {slope}, gradient {norm}");
            }
        }
    }

    #[test]
    fn heads_that_say_nothing_have_the_loss_of_even_chances() {
        let (weights, batch) = (all(), batch(40));
        let mut state = learner(weights);
        let heads = state.params.iter_mut().filter(|param| param.name.starts_with(AUXILIARY));
        heads.for_each(|param| param.weights.fill(0.0));
        let mut backend = CpuBackend::new(state, weights, OptimizerConfig::default()).unwrap();
        let losses = backend.gradients(&batch).unwrap().0.auxiliary;
        let mean_log = |lengths: &[usize]| lengths.iter().map(|&n| (n as f32).ln()).sum::<f32>() / lengths.len() as f32;
        let moves: Vec<_> = (0..40).map(|row| batch.input.move_range(row).len()).collect();
        let replies: Vec<_> = (0..40).map(|row| batch.replies.range(row).len()).filter(|&n| n > 0).collect();
        assert!((1..40).contains(&replies.len()), "some rows have a reply, some have none: {replies:?}");
        let ln2 = std::f32::consts::LN_2;
        let expected = [ln2, ln2, mean_log(&moves), mean_log(&replies)];
        for ((name, _), expected) in HEADS.iter().zip(expected) {
            assert!((losses[*name] - expected).abs() < 1e-4, "{name}: {losses:?}, not {expected}");
        }
    }

    #[test]
    fn a_head_without_weight_is_absent_and_changes_no_bit() {
        let batch = batch(9);
        let state = |weights: LossWeights| {
            let mut backend = cpu(weights);
            let report = backend.step(&batch, 0.01).unwrap();
            (report.loss, backend.state().unwrap())
        };
        let ((off, without), (on, having)) = (state(LossWeights::default()), state(all()));
        let mut backend = cpu(LossWeights::default());
        let (ownership, captures, replies) = (Vec::new(), Vec::new(), Replies::default());
        backend.step(&TrainingBatch { ownership, captures, replies, ..batch.clone() }, 0.01).unwrap();
        assert!(without == backend.state().unwrap(), "the targets alone change nothing");
        assert!(off.auxiliary.is_empty() && on.auxiliary.len() == 4);
        assert_eq!((off.policy, off.value, off.moves_left), (on.policy, on.value, on.moves_left));
        assert!(without.params.iter().all(|param| !param.name.starts_with(AUXILIARY)));
        assert_eq!(having.params.len(), without.params.len() + 8);
        // The net that plays has the same tensors with and without the heads.
        let names =
            |state: &LearnerState| state.weights().iter().map(|(name, _)| name.into_owned()).collect::<Vec<_>>();
        assert_eq!(names(&without), names(&having));
    }

    #[test]
    fn a_batch_without_optional_targets_teaches_their_heads_nothing() {
        let bare = TrainingBatch { captures: Vec::new(), replies: Replies::default(), ..batch(5) };
        let losses = cpu(all()).gradients(&bare).unwrap().0.auxiliary;
        assert_eq!((losses["captures"], losses["reply"]), (0.0, 0.0));
    }

    /// The fourth roots of a policy, normalised.
    fn roots(policy: &[f32]) -> Vec<f32> {
        let total: f32 = policy.iter().map(|p| p.powf(0.25)).sum();
        policy.iter().map(|p| p.powf(0.25) / total).collect()
    }

    /// The mean entropy of those policies that have moves.
    fn entropy(policies: impl Iterator<Item = Vec<f32>>) -> f32 {
        let policies: Vec<_> = policies.filter(|policy| !policy.is_empty()).collect();
        let of_policy = |policy: &Vec<f32>| policy.iter().filter(|&&p| p > 0.0).map(|p| -p * p.ln()).sum::<f32>();
        policies.iter().map(of_policy).sum::<f32>() / policies.len() as f32
    }

    #[test]
    fn what_the_heads_are_asked_is_learnt() {
        let batch = batch(16);
        for (name, _) in HEADS {
            let mut backend = cpu(with(name, 1.0));
            let mut step = || backend.step(&batch, 0.003).unwrap().loss.auxiliary[name];
            let (first, last) = (step(), (0..150).map(|_| step()).last().unwrap());
            // A policy's loss cannot go below its target's entropy. The other heads' chances are at first about a half.
            let floor = match name {
                "soft_policy" => entropy((0..16).map(|row| roots(&batch.policy[batch.input.move_range(row)]))),
                "reply" => entropy((0..16).map(|row| batch.replies.policy[batch.replies.range(row)].to_vec())),
                _ => 0.0,
            };
            assert!(floor > 0.0 || (first - std::f32::consts::LN_2).abs() < 0.1, "{name}: {first}");
            let learnt = last > floor && last - floor < 0.7 * (first - floor);
            assert!(learnt, "{name}: {first} to {last}, at least {floor}");
        }
    }
}
