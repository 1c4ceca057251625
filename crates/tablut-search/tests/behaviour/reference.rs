//! Compares the tree with a slow search that follows the paper and mctx directly. That search has full vectors at every
//! node, double precision, one choice before each simulation, and a clone of the game for each simulation.

use rand::{SeedableRng, rngs::ChaCha8Rng};
use tablut_rules::{Game, MoveList, Side};
use tablut_search::formulas::sampling::gumbel;
use tablut_search::{Evaluator, QScale, SearchConfig, SigmaConfig, Solver, value_of};

use crate::fakes::{HashEvaluator, plain, random_game, search};

struct Node {
    side: Side,
    raw_value: f64,
    raw_draws: f64,
    logits: Vec<f64>,
    children: Vec<Option<Node>>,
    moves: Vec<tablut_rules::Move>,
    visits: f64,
    value_sum: f64,
    draws_sum: f64,
}

fn sign(side: Side) -> f64 {
    if side == Side::Attackers { 1.0 } else { -1.0 }
}

fn new_node(game: &Game) -> Node {
    let side = game.position().side_to_move();
    if let Some(outcome) = game.outcome() {
        let raw_value = f64::from(value_of(outcome.winner));
        let raw_draws = f64::from(u8::from(outcome.winner.is_none()));
        return Node::new(side, (raw_value, raw_draws), vec![], vec![]);
    }
    let mut list = MoveList::new();
    game.legal_moves(&mut list);
    let moves = list.to_vec();
    let situation = game.owned_situation(&moves);
    let evaluation = HashEvaluator.evaluate(&[situation]).expect("a fake").remove(0);
    let logits = evaluation.logits.iter().map(|logit| f64::from(*logit)).collect();
    Node::new(side, (f64::from(evaluation.value()), f64::from(evaluation.draw())), logits, moves)
}

fn softmax(logits: &[f64]) -> Vec<f64> {
    let highest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logits.iter().map(|logit| (logit - highest).exp()).sum();
    logits.iter().map(|logit| (logit - highest).exp() / sum).collect()
}

impl Node {
    fn new(side: Side, raw: (f64, f64), logits: Vec<f64>, moves: Vec<tablut_rules::Move>) -> Self {
        let children = moves.iter().map(|_| None).collect();
        let (raw_value, raw_draws) = raw;
        Self { side, raw_value, raw_draws, logits, children, moves, visits: 0.0, value_sum: 0.0, draws_sum: 0.0 }
    }

    fn child_visits(&self) -> Vec<f64> {
        self.children.iter().map(|child| child.as_ref().map_or(0.0, |child| child.visits)).collect()
    }

    /// `qtransform_completed_by_mix_value`, with the paper's fixed scale of Q or with mctx's `rescale_values`.
    fn transformed_q(&self, sigma: &SigmaConfig) -> Vec<f64> {
        let priors = softmax(&self.logits);
        let q: Vec<Option<f64>> = self
            .children
            .iter()
            .map(|child| child.as_ref().map(|child| sign(self.side) * child.value_sum / child.visits))
            .collect();
        let visits = self.child_visits();
        let n: f64 = visits.iter().sum();
        let sum_prior: f64 = priors.iter().zip(&q).filter(|(_, q)| q.is_some()).map(|(p, _)| p).sum();
        let weighted: f64 = priors.iter().zip(&q).filter_map(|(p, q)| Some(p * (*q)?)).sum();
        let weighted = if n > 0.0 { weighted / sum_prior } else { 0.0 };
        let mixed = (sign(self.side) * self.raw_value + n * weighted) / (n + 1.0);
        let most = visits.iter().copied().fold(0.0, f64::max);
        let scale = (f64::from(sigma.c_visit) + most) * f64::from(sigma.c_scale);
        let q: Vec<f64> = q.iter().map(|q| q.unwrap_or(mixed)).collect();
        let (lowest, highest) = match sigma.q_scale {
            QScale::Fixed => (-1.0, 1.0),
            QScale::MinMax => {
                (q.iter().copied().fold(f64::INFINITY, f64::min), q.iter().copied().fold(f64::NEG_INFINITY, f64::max))
            }
        };
        q.iter().map(|q| scale * (q - lowest) / (highest - lowest).max(1e-8)).collect()
    }

    /// The chance of a draw after each move. For moves without visits it is mixed like `v_mix`.
    fn completed_draws(&self) -> Vec<f64> {
        let priors = softmax(&self.logits);
        let draws: Vec<Option<f64>> =
            self.children.iter().map(|child| child.as_ref().map(|child| child.draws_sum / child.visits)).collect();
        let n: f64 = self.child_visits().iter().sum();
        let sum_prior: f64 = priors.iter().zip(&draws).filter(|(_, draws)| draws.is_some()).map(|(p, _)| p).sum();
        let weighted: f64 = priors.iter().zip(&draws).filter_map(|(p, draws)| Some(p * (*draws)?)).sum();
        let mixed = (self.raw_draws + n * weighted / sum_prior) / (n + 1.0);
        draws.iter().map(|draws| draws.unwrap_or(mixed)).collect()
    }

    fn improved(&self, sigma: &SigmaConfig) -> Vec<f64> {
        let logits: Vec<f64> = self.logits.iter().zip(self.transformed_q(sigma)).map(|(l, q)| l + q).collect();
        softmax(&logits)
    }
}

fn arg_max(scores: impl Iterator<Item = f64>) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (index, score) in scores.enumerate() {
        if score > best.1 {
            best = (index, score);
        }
    }
    best.0
}

/// Simulates through the node's move and returns the simulation's absolute value and chance of a draw.
fn simulate(node: &mut Node, game: &mut Game, action: usize, sigma: &SigmaConfig) -> (f64, f64) {
    game.play(node.moves[action]).expect("a legal move");
    let (value, draws) = match &mut node.children[action] {
        Some(child) if child.moves.is_empty() => {
            child.visits += 1.0;
            child.value_sum += child.raw_value;
            child.draws_sum += child.raw_draws;
            return (child.raw_value, child.raw_draws);
        }
        Some(child) => {
            let (visits, n) = (child.child_visits(), child.child_visits().iter().sum::<f64>());
            let next = arg_max(child.improved(sigma).iter().zip(&visits).map(|(p, visits)| p - visits / (1.0 + n)));
            simulate(child, game, next, sigma)
        }
        empty => {
            let child = empty.insert(new_node(game));
            (child.raw_value, child.raw_draws)
        }
    };
    let child = node.children[action].as_mut().expect("made above at the latest");
    child.visits += 1.0;
    child.value_sum += value;
    child.draws_sum += draws;
    (value, draws)
}

/// mctx's `get_sequence_of_considered_visits`.
fn considered_visits(m: usize, n: usize) -> Vec<usize> {
    if m <= 1 {
        return (0..n).collect();
    }
    let log2 = (m as f64).log2().ceil() as usize;
    let (mut sequence, mut visits, mut considered) = (Vec::new(), vec![0; m], m);
    while sequence.len() < n {
        for _ in 0..(n / (log2 * considered)).max(1) {
            sequence.extend_from_slice(&visits[..considered]);
            visits[..considered].iter_mut().for_each(|visits| *visits += 1);
        }
        considered = (considered / 2).max(2);
    }
    sequence.truncate(n);
    sequence
}

#[test]
fn the_tree_visits_what_the_paper_says() {
    for (index, rules) in crate::fakes::tablut_rules().enumerate() {
        let fixed = SigmaConfig::default();
        let rescaled = SigmaConfig { c_scale: 0.1, q_scale: QScale::MinMax, ..fixed };
        for (simulations, max_considered, sigma) in
            [(8, 16, fixed), (50, 16, fixed), (120, 4, fixed), (60, 8, rescaled)]
        {
            let seed = 100 * index as u64 + u64::from(simulations);
            let game = random_game(&rules, 25, seed);
            let mut config = SearchConfig { solver: Solver::Off, stop_when_decided: false, ..plain() };
            config.gumbel.max_considered = max_considered;
            config.gumbel.sigma = sigma;
            let ours = search(&game, &config, simulations, &mut HashEvaluator, seed);

            let mut root = new_node(&game);
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let noise: Vec<f64> = root.moves.iter().map(|_| f64::from(gumbel(&mut rng))).collect();
            let m = (max_considered as usize).min(root.moves.len());
            let scores = |root: &Node, wanted: f64| -> Vec<f64> {
                let (q, visits) = (root.transformed_q(&sigma), root.child_visits());
                let score =
                    |a: usize| if visits[a] == wanted { noise[a] + root.logits[a] + q[a] } else { f64::NEG_INFINITY };
                (0..noise.len()).map(score).collect()
            };
            let mut group = (usize::MAX, Vec::new());
            for wanted in considered_visits(m, simulations as usize) {
                // With a fixed scale the choice before each simulation (mctx) and the choice once per round (the paper)
                // agree here. Rescaling by the lowest and highest Q reorders moves within a round. Then the choice of
                // the round is used.
                if sigma.q_scale == QScale::Fixed || group.0 != wanted {
                    group = (wanted, scores(&root, wanted as f64));
                }
                let action = arg_max(group.1.iter().copied());
                group.1[action] = f64::NEG_INFINITY;
                simulate(&mut root, &mut game.clone(), action, &sigma);
            }
            let most = root.child_visits().iter().copied().fold(0.0, f64::max);
            let chosen = arg_max(scores(&root, most).into_iter());

            let what = format!("{} n {simulations} m {max_considered}", rules.name());
            let visits: Vec<f64> = ours.moves.iter().map(|root_move| f64::from(root_move.visits)).collect();
            assert_eq!(visits, root.child_visits(), "{what}");
            assert_eq!(ours.chosen, root.moves[chosen], "{what}");
            for (root_move, p) in ours.moves.iter().zip(root.improved(&sigma)) {
                assert!((f64::from(root_move.improved) - p).abs() < 1e-3, "{what}: {} {p}", root_move.improved);
            }
            let draws: f64 = root.improved(&sigma).iter().zip(root.completed_draws()).map(|(p, draws)| p * draws).sum();
            assert!((f64::from(ours.chances.draw) - draws).abs() < 1e-3, "{what}: {:?} {draws}", ours.chances);
            assert!((ours.chances.value() - ours.value).abs() < 1e-6, "{what}: {:?} {}", ours.chances, ours.value);
        }
    }
}
