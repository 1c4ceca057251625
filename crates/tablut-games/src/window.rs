//! The replay window: the packed positions of the latest generations. Training batches are drawn from it.

use std::collections::VecDeque;
use std::sync::Arc;

use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt};
use rayon::prelude::*;
use tablut_net::{BatchPart, InputBatch};
use tablut_rules::{BoardSize, Rules, Symmetry};
use tablut_search::Chances;

use crate::record::{GameRecord, ReplayError};
use crate::samples::{ReplayedGame, Sample};

/// One training batch: inputs and targets.
#[derive(Clone, Debug, Default)]
pub struct TrainingBatch {
    /// Encoded positions with their legal moves.
    pub input: InputBatch,
    /// Target probability of each of `input.moves`. They sum to 1 in each row.
    pub policy: Vec<f32>,
    /// Target probabilities of attackers win, draw, defenders win, `[n]`.
    pub wdl: Vec<[f32; 3]>,
    /// Plies from the position to the end of its game, `[n]`. NaN if the game is unfinished: no target.
    pub moves_left: Vec<f32>,
}

impl TrainingBatch {
    /// Both batches' rows, one after the other.
    #[must_use]
    pub fn joined(mut self, other: Self) -> Self {
        self.input.append(&other.input);
        self.policy.extend(other.policy);
        self.wdl.extend(other.wdl);
        self.moves_left.extend(other.moves_left);
        self
    }

    /// The rows with boards of each size, for what takes boards of one size.
    pub fn parts(self) -> Vec<(BoardSize, Self)> {
        let part = |part: BatchPart<'_>| {
            let policy = part.rows.iter().flat_map(|&row| self.policy[self.input.move_range(row)].iter().copied());
            let own = Self {
                policy: policy.collect(),
                wdl: part.rows.iter().map(|&row| self.wdl[row]).collect(),
                moves_left: part.rows.iter().map(|&row| self.moves_left[row]).collect(),
                input: part.input.into_owned(),
            };
            (part.size, own)
        };
        self.input.parts().into_iter().map(part).collect()
    }
}

/// Positions of the latest generations, oldest first.
pub struct ReplayWindow {
    rules: Vec<Arc<Rules>>,
    generations: VecDeque<Vec<Sample>>,
    max_positions: usize,
}

impl ReplayWindow {
    /// An empty window over games of `rules`. It keeps the latest generations with at most `max_positions` positions in
    /// total, and always the latest one.
    pub fn new(rules: Vec<Arc<Rules>>, max_positions: usize) -> Self {
        Self { rules, generations: VecDeque::new(), max_positions }
    }

    /// Positions in the window.
    pub fn len(&self) -> usize {
        self.generations.iter().map(Vec::len).sum()
    }

    /// Generations in the window.
    pub fn n_generations(&self) -> usize {
        self.generations.len()
    }

    /// Bytes of the positions in memory.
    pub fn bytes(&self) -> usize {
        self.generations.iter().flatten().map(Sample::bytes).sum()
    }

    /// An upper bound on the legal moves of a position on the largest board: every attacker moves to every square of its row
    /// and column, with a choice of three captures.
    pub const MAX_MOVES: usize = BoardSize::Eleven.most_attackers() * 2 * BoardSize::Eleven.max_distance() * 3;

    /// The maximum bytes of `positions` positions. Positions of real games have far fewer moves and take a tenth of it.
    pub const fn most_bytes(positions: usize) -> usize {
        positions.saturating_mul(size_of::<Sample>() + Self::MAX_MOVES * size_of::<u16>())
    }

    /// Whether the window has no positions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a generation's games by replaying them. The rest is as in [`ReplayWindow::add`].
    ///
    /// # Errors
    /// If a record cannot be replayed under its rules. The window does not change.
    pub fn push(&mut self, games: &[GameRecord]) -> Result<usize, ReplayError> {
        Ok(self.add(ReplayedGame::replay_all(&self.rules, games)?))
    }

    /// Adds a generation's games, which were replayed with the window's rules, and drops the oldest generations that no
    /// longer fit. Returns the number of added positions.
    pub fn add(&mut self, games: Vec<ReplayedGame>) -> usize {
        let generation: Vec<Sample> = games.into_iter().flat_map(|game| game.samples).collect();
        let added = generation.len();
        self.generations.push_back(generation);
        while self.generations.len() > 1 && self.len() > self.max_positions {
            self.generations.pop_front();
        }
        added
    }

    /// The positions of the newest generation.
    pub fn newest(&self) -> &[Sample] {
        self.generations.back().map_or(&[], Vec::as_slice)
    }

    /// Draws `n` positions from the window, all equally likely. Each is transformed by one of the eight symmetries.
    ///
    /// `value_share` is the share of the search's chances in the value target. The rest is the game's outcome.
    ///
    /// # Panics
    /// If the window is empty.
    pub fn batch(&self, n: usize, value_share: f32, rng: &mut ChaCha8Rng) -> TrainingBatch {
        let len = self.len();
        assert!(len > 0, "a batch is drawn from a window with positions");
        let draws: Vec<_> = (0..n)
            .map(|_| (self.draw(len, rng), Symmetry::ALL[rng.next_u32() as usize % Symmetry::ALL.len()]))
            .collect();
        let rows: Vec<TrainingBatch> = draws
            .par_iter()
            .map(|&(sample, symmetry)| {
                let mut row = TrainingBatch::default();
                self.push_row(sample, symmetry, value_share, &mut row);
                row
            })
            .collect();
        rows.into_iter().reduce(TrainingBatch::joined).unwrap_or_default()
    }

    /// Every position with its targets, oldest first, without symmetries. `value_share` is as for
    /// [`ReplayWindow::batch`].
    pub fn in_order(&self, value_share: f32) -> TrainingBatch {
        let mut batch = TrainingBatch::default();
        for sample in self.generations.iter().flatten() {
            self.push_row(sample, Symmetry::ALL[0], value_share, &mut batch);
        }
        batch
    }

    /// Draws one of the window's `len` positions.
    fn draw(&self, len: usize, rng: &mut ChaCha8Rng) -> &Sample {
        let mut at = rng.random_range(0..len);
        for samples in &self.generations {
            match samples.get(at) {
                Some(sample) => return sample,
                None => at -= samples.len(),
            }
        }
        unreachable!("draws are below the window's length")
    }

    fn push_row(&self, sample: &Sample, symmetry: Symmetry, value_share: f32, batch: &mut TrainingBatch) {
        sample.encode(&self.rules, symmetry, &mut batch.input);
        batch.policy.extend(shares(&sample.policy));
        batch.wdl.push(value_target(sample.outcome, sample.search, value_share));
        batch.moves_left.push(sample.moves_left.map_or(f32::NAN, |plies| f32::from(plies.get())));
    }
}

fn shares(policy: &[u16]) -> impl Iterator<Item = f32> {
    let total = policy.iter().map(|&p| f32::from(p)).sum::<f32>().max(1.0);
    policy.iter().map(move |&p| f32::from(p) / total)
}

/// The target of the outcome head: the game's outcome, mixed with the chances that the search found.
pub(crate) fn value_target(outcome: Chances, search: Chances, value_share: f32) -> [f32; 3] {
    let [outcome, search] = [outcome, search].map(|of| [of.attackers, of.draw, of.defenders]);
    std::array::from_fn(|i| (1.0 - value_share) * outcome[i] + value_share * search[i])
}
