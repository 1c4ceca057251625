//! The replay window: the packed positions of the latest generations. Training batches are drawn from it.

use std::collections::VecDeque;
use std::sync::Arc;

use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt};
use rayon::prelude::*;
use tablut_net::{InputBatch, View, encode_symmetric};
use tablut_rules::{Bitboard, MoveList, N_ATTACKERS, Position, Rules, SIZE, Side, Symmetry};

use crate::record::{GameRecord, ReplayError};

/// One training batch: inputs and targets.
#[derive(Clone, Debug, Default)]
pub struct TrainingBatch {
    /// Encoded positions with their legal moves.
    pub input: InputBatch,
    /// Target probability of each of `input.moves`. They sum to 1 in each row.
    pub policy: Vec<f32>,
    /// Target probabilities of attackers win, draw, defenders win, `[n]`.
    pub wdl: Vec<[f32; 3]>,
    /// Plies from the position to the end of its game, `[n]`.
    pub moves_left: Vec<f32>,
    /// The squares of attackers and of defenders, including the king, in the game's last position, `[n]`.
    pub ownership: Vec<[Bitboard; 2]>,
}

/// A packed training position. Its legal moves are generated again when it is drawn.
#[derive(Clone, Debug)]
struct Sample {
    position: Position,
    rules: u16,
    occurrences: u8,
    plies_since_capture: u16,
    moves_left: u16,
    outcome: Option<Side>,
    value: f32,
    policy: Box<[u16]>,
    /// The last position of the game.
    end: Arc<Position>,
    /// Whether the sides of the game were not equal.
    unequal: bool,
}

/// Positions of the latest generations, oldest first.
pub struct ReplayWindow {
    rules: Vec<Arc<Rules>>,
    generations: VecDeque<Vec<Sample>>,
    max_positions: usize,
    uneven_value_share: f32,
}

impl ReplayWindow {
    /// An empty window over games of `rules`. It keeps the latest generations with at most `max_positions` positions in
    /// total, and always the latest one.
    pub fn new(rules: Vec<Arc<Rules>>, max_positions: usize) -> Self {
        Self { rules, generations: VecDeque::new(), max_positions, uneven_value_share: 1.0 }
    }

    /// The same window. In games with unequal sides, this share of the value target is the search's value (1 unless set).
    #[must_use]
    pub fn with_uneven_value_share(self, uneven_value_share: f32) -> Self {
        Self { uneven_value_share, ..self }
    }

    /// Positions in the window.
    pub fn len(&self) -> usize {
        self.generations.iter().map(Vec::len).sum()
    }

    /// Bytes of the positions in memory.
    pub fn bytes(&self) -> usize {
        let samples = self.generations.iter().flatten();
        samples.map(|sample| size_of::<Sample>() + size_of_val(&*sample.policy)).sum()
    }

    /// An upper bound on the legal moves of a position: every attacker moves to every square of its row and column,
    /// with a choice of three captures.
    pub const MAX_MOVES: usize = N_ATTACKERS * 2 * (SIZE - 1) * 3;

    /// The maximum bytes of `positions` positions. Positions of real games have far fewer moves and take a tenth of it.
    pub const fn most_bytes(positions: usize) -> usize {
        positions.saturating_mul(size_of::<Sample>() + Self::MAX_MOVES * size_of::<u16>())
    }

    /// Whether the window has no positions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a generation's games by replaying them, and drops the oldest generations that no longer fit. Returns the
    /// number of added positions.
    pub fn push(&mut self, games: &[GameRecord]) -> Result<usize, ReplayError> {
        let samples = games.par_iter().map(|game| self.samples(game)).collect::<Result<Vec<_>, _>>()?.concat();
        let added = samples.len();
        self.generations.push_back(samples);
        while self.generations.len() > 1 && self.len() > self.max_positions {
            self.generations.pop_front();
        }
        Ok(added)
    }

    fn samples(&self, game: &GameRecord) -> Result<Vec<Sample>, ReplayError> {
        let known = self.rules.iter().position(|rules| rules.name() == game.rules);
        let rules_idx = known.ok_or_else(|| ReplayError::Rules {
            index: game.index,
            found: game.rules.clone(),
            expected: self.rules.iter().map(|rules| rules.name()).collect::<Vec<_>>().join(", "),
        })?;
        let (index, n_rules) = (game.index, self.rules.len());
        let rules = u16::try_from(rules_idx).map_err(|_| ReplayError::TooMany {
            index,
            what: "rule sets",
            found: n_rules,
            most: usize::from(u16::MAX) + 1,
        })?;
        let n_plies = u32::try_from(game.plies.len()).map_err(|_| ReplayError::TooMany {
            index,
            what: "plies",
            found: game.plies.len(),
            most: u32::MAX as usize,
        })?;
        let mut samples = Vec::new();
        let start = Arc::new(game.start);
        let last = game.replay(&self.rules[rules_idx], |state, _, ply| {
            let Some(search) = &ply.search else { return };
            samples.push(Sample {
                end: Arc::clone(&start),
                unequal: !game.notes.has_equal_sides(),
                position: *state.position(),
                rules,
                // The net cannot distinguish larger numbers.
                occurrences: u8::try_from(state.occurrences()).unwrap_or(u8::MAX),
                plies_since_capture: u16::try_from(state.plies_since_capture()).unwrap_or(u16::MAX),
                moves_left: u16::try_from(n_plies - state.ply()).unwrap_or(u16::MAX),
                outcome: game.outcome.winner,
                value: search.value,
                policy: search.policy.clone().into(),
            });
        })?;
        let end = Arc::new(*last.position());
        for sample in &mut samples {
            sample.end = Arc::clone(&end);
        }
        Ok(samples)
    }

    /// Draws `n` positions uniformly from the window. Each is transformed by one of the eight symmetries.
    ///
    /// `value_share` of the value target is the search's value, the rest is the game's outcome.
    ///
    /// # Panics
    /// If the window is empty.
    pub fn batch(&self, n: usize, value_share: f32, rng: &mut ChaCha8Rng) -> TrainingBatch {
        let len = self.len();
        assert!(len > 0, "a batch is drawn from a window with positions");
        let draws: Vec<_> =
            (0..n).map(|_| (rng.random_range(0..len), Symmetry::ALL[(rng.next_u32() % 8) as usize])).collect();
        let rows: Vec<TrainingBatch> = draws
            .par_iter()
            .map(|&(at, symmetry)| {
                let mut row = TrainingBatch::default();
                self.push_row(self.sample(at), symmetry, value_share, &mut row);
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

    fn sample(&self, mut at: usize) -> &Sample {
        for generation in &self.generations {
            if at < generation.len() {
                return &generation[at];
            }
            at -= generation.len();
        }
        unreachable!("draws are below the window's length")
    }

    fn push_row(&self, sample: &Sample, symmetry: Symmetry, value_share: f32, batch: &mut TrainingBatch) {
        let rules = &self.rules[usize::from(sample.rules)];
        let mut moves = MoveList::new();
        rules.legal_moves(&sample.position, &mut moves);
        let view = View {
            rules: rules.as_ref(),
            position: sample.position,
            occurrences: u32::from(sample.occurrences),
            plies_since_capture: u32::from(sample.plies_since_capture),
            moves: &moves,
        };
        encode_symmetric(&view, symmetry, &mut batch.input);
        let total = sample.policy.iter().map(|&p| f32::from(p)).sum::<f32>().max(1.0);
        batch.policy.extend(sample.policy.iter().map(|&p| f32::from(p) / total));
        let value_share = if sample.unequal { self.uneven_value_share } else { value_share };
        batch.wdl.push(value_target(sample.outcome, sample.value, value_share));
        batch.moves_left.push(f32::from(sample.moves_left));
        let king: Bitboard = sample.end.king().into_iter().collect();
        let ownership = [sample.end.attackers(), sample.end.defenders() | king];
        batch.ownership.push(ownership.map(|squares| symmetry.bitboard(squares)));
    }
}

/// The target of the outcome head: the game's outcome, mixed with the search's value as a win chance.
pub(crate) fn value_target(outcome: Option<Side>, value: f32, value_share: f32) -> [f32; 3] {
    let outcome = match outcome {
        Some(Side::Attackers) => [1.0, 0.0, 0.0],
        None => [0.0, 1.0, 0.0],
        Some(Side::Defenders) => [0.0, 0.0, 1.0],
    };
    let search = [f32::midpoint(1.0, value), 0.0, f32::midpoint(1.0, -value)];
    std::array::from_fn(|i| (1.0 - value_share) * outcome[i] + value_share * search[i])
}

impl TrainingBatch {
    /// Both batches' rows, one after the other.
    #[must_use]
    pub fn joined(mut self, other: Self) -> Self {
        let moves_before = self.input.moves.len() as u32;
        self.input.n += other.input.n;
        self.input.planes.extend(other.input.planes);
        self.input.features.extend(other.input.features);
        self.input.moves.extend(other.input.moves);
        self.input.move_ends.extend(other.input.move_ends.iter().map(|end| end + moves_before));
        self.policy.extend(other.policy);
        self.wdl.extend(other.wdl);
        self.moves_left.extend(other.moves_left);
        self.ownership.extend(other.ownership);
        self
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use tablut_net::PLANES;
    use tablut_rules::SQUARES;
    use tablut_search::{SearchConfig, UniformEvaluator};

    use super::*;
    use crate::{CancelToken, Concurrency, Counters, SelfPlayConfig, SelfPlayGame, game_rng, run_tasks};

    /// One ply before a game's end, few squares differ from the last position if both have the same symmetry.
    #[test]
    fn ownership_is_the_games_last_position_turned_as_the_planes_are() {
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        let config = SelfPlayConfig { max_plies: 31, ..SelfPlayConfig::default() };
        let search = SearchConfig { simulations: 2, ..SearchConfig::default() };
        let games = run_tasks(
            4,
            Concurrency { workers: 1, tasks_per_worker: 4 },
            |index| SelfPlayGame::new(index as u64, &rules, &config, &search, game_rng(1, 0, index as u64)),
            || vec![Box::new(UniformEvaluator)],
            &Counters::default(),
            &CancelToken::new(),
            |_, _| {},
        );
        let mut window = ReplayWindow::new(vec![rules], usize::MAX);
        window.push(&games.unwrap()).unwrap();
        let batch = window.batch(600, 0.0, &mut ChaCha8Rng::seed_from_u64(2));
        let mut n_checked = 0;
        for (row, planes) in batch.input.planes.chunks_exact(PLANES * SQUARES).enumerate() {
            let plane = |index: usize| Bitboard::where_square(|square| planes[index * SQUARES + square.index()] > 0.0);
            let [attackers, defenders] = batch.ownership[row];
            if batch.moves_left[row] <= 1.0 {
                assert!((attackers ^ plane(0)).len() <= 4, "row {row}");
                assert!((defenders ^ (plane(1) | plane(2))).len() <= 4, "row {row}");
                n_checked += 1;
            }
        }
        assert!(n_checked > 8, "{n_checked} rows at a game's end");
    }
}
