//! Matches: many pairs of games between two players, on all cores.

use crate::baseline::baseline;
use crate::match_game::{GameResult, MatchGame, Seat};
use crate::openings::{Opening, OpeningError, openings};
use crate::spec::PlayerSpec;
use crate::sprt::{SprtBounds, Verdict};
use crate::tally::{MatchReport, ReportHeader, Tally};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use tablut_games::{Concurrency, Counters, RunError, run_tasks};
use tablut_rules::{Game, Rules, Side};
use tablut_search::{Evaluator, Limit, SearchConfig};

/// How a match is played.
#[derive(Clone, Debug)]
pub struct MatchConfig {
    /// The rules.
    pub rules: Arc<Rules>,
    /// Pairs of games; in each pair both players have each side once.
    pub n_pairs: usize,
    /// Random plies at the beginning of each game.
    pub opening_plies: u32,
    /// Plies after which a game is a draw, beside what the rules say.
    pub max_plies: Option<u32>,
    /// Everything random comes from here.
    pub seed: u64,
    /// A sequential test that may end the match before all pairs are played.
    pub sprt: Option<SprtBounds>,
    /// How the games are spread over the cores; it has no influence on the result.
    pub concurrency: Concurrency,
}

/// A player of a match.
#[derive(Clone, Debug)]
pub struct Contestant {
    /// The name in the report.
    pub name: String,
    /// How it chooses its moves.
    pub player: Player,
}

/// How a contestant chooses its moves.
#[derive(Clone, Debug)]
pub enum Player {
    /// By itself.
    Baseline(PlayerSpec),
    /// By a search over the evaluator of this index.
    Net {
        /// Which of the worker's evaluators.
        evaluator: usize,
        /// How long it thinks about a move.
        limit: Limit,
        /// The search; its simulations are not read.
        config: SearchConfig,
    },
}

impl Contestant {
    /// Whether its games must have a thread to themselves: it watches the clock, and other games on its thread would
    /// take its time.
    fn plays_alone(&self) -> bool {
        match &self.player {
            Player::Net { limit, .. } => !limit.is_reproducible(),
            Player::Baseline(spec) => !spec.is_reproducible(),
        }
    }

    fn seat(&self, rules: &Arc<Rules>, seed: u64) -> Seat {
        match &self.player {
            Player::Net { evaluator, limit, config } => Seat::net(*evaluator, *limit, config.clone(), seed),
            Player::Baseline(spec) => {
                Seat::Baseline(baseline(spec, rules, seed).expect("a net is made a contestant with its evaluator"))
            }
        }
    }
}

/// How far a match is.
#[derive(Clone, Debug)]
pub struct MatchProgress<'a> {
    /// Games that have ended.
    pub games_finished: usize,
    /// Games of the whole match, unless a sequential test ends it before.
    pub games_total: usize,
    /// All pairs that count so far.
    pub tally: &'a Tally,
}

/// Why a match could not be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MatchError {
    /// There are not enough openings.
    #[error(transparent)]
    Openings(#[from] OpeningError),
    /// A game could not be played to its end, or the match was stopped.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// A match's report and its games: two for each pair, the first player's attackers first.
#[derive(Clone, Debug)]
pub struct MatchOutcome {
    /// The result.
    pub report: MatchReport,
    /// The games that count, in order.
    pub games: Vec<GameResult>,
}

/// Plays a match.
///
/// `make_evaluators` is called once in each worker thread; a net's index in [`Player::Net`] counts in what it returns.
/// `on_progress` is called after each game, from any thread. With a sequential test pairs are judged in their
/// order, and the first that settles it is the last that counts, so that the result does not depend on how the games
/// are spread over threads. A match with a player that watches the clock plays one game at a time on each thread. Setting `counters.stop` ends the match with [`RunError::Stopped`].
///
/// # Panics
/// If `on_progress` panics.
pub fn play_match(
    config: &MatchConfig,
    contestants: &[Contestant; 2],
    make_evaluators: impl Fn() -> Vec<Box<dyn Evaluator>> + Sync,
    counters: &Counters,
    on_progress: impl Fn(&MatchProgress<'_>) + Sync,
) -> Result<MatchOutcome, MatchError> {
    let openings = openings(&config.rules, config.n_pairs, config.opening_plies, config.seed)?;
    let collector = Mutex::new(Collector::new(config.sprt));
    let n_games = 2 * config.n_pairs;
    let concurrency = if contestants.iter().any(Contestant::plays_alone) {
        Concurrency { tasks_per_worker: 1, ..config.concurrency }
    } else {
        config.concurrency
    };
    let run = run_tasks(
        n_games,
        concurrency,
        |game_idx| match_game(config, contestants, &openings, game_idx),
        make_evaluators,
        counters,
        |game_idx, result| {
            let mut collector = collector.lock().expect("no thread panics while it holds the collector");
            if collector.add(game_idx, result) {
                counters.stop.store(true, Ordering::Relaxed);
            }
            let games_finished = collector.finished;
            on_progress(&MatchProgress { games_finished, games_total: n_games, tally: &collector.tally });
        },
    );
    let collector = collector.into_inner().expect("all workers have ended");
    if collector.settled {
        // The test stopped the match, not the caller: the counters serve for the next match.
        counters.stop.store(false, Ordering::Relaxed);
    }
    match run {
        Err(RunError::Stopped) if collector.settled => {}
        Err(error) => return Err(error.into()),
        Ok(_) => {}
    }
    let header = ReportHeader {
        rules: config.rules.name().to_owned(),
        players: contestants.each_ref().map(|contestant| contestant.name.clone()),
        seed: config.seed,
        opening_plies: config.opening_plies,
        max_plies: config.max_plies,
    };
    Ok(MatchOutcome { report: collector.tally.report(header), games: collector.counted })
}

/// Game `game_idx`: even ones give the first contestant the attackers, odd ones the defenders.
fn match_game(config: &MatchConfig, contestants: &[Contestant; 2], openings: &[Opening], game_idx: usize) -> MatchGame {
    let opening = &openings[game_idx / 2];
    let mut game = Game::new(config.rules.clone(), opening.first);
    if let Some(max_plies) = config.max_plies {
        game = game.with_max_plies(max_plies);
    }
    for &mv in &opening.moves {
        // A limit shorter than the opening leaves a game that is already over.
        if game.play(mv).is_err() {
            break;
        }
    }
    let seat = |side: Side| {
        let contestant = &contestants[(game_idx + side.index()) % 2];
        contestant.seat(&config.rules, mix(mix(config.seed, game_idx as u64), side.index() as u64))
    };
    MatchGame::new(game, opening, [seat(Side::Attackers), seat(Side::Defenders)])
}

/// A seed made of two numbers: one round of `SplitMix64`.
pub(crate) fn mix(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Puts games in order and counts pairs as they become complete.
struct Collector {
    waiting: BTreeMap<usize, GameResult>,
    counted: Vec<GameResult>,
    tally: Tally,
    finished: usize,
    settled: bool,
}

impl Collector {
    fn new(sprt: Option<SprtBounds>) -> Self {
        let (waiting, counted) = (BTreeMap::new(), Vec::new());
        Self { waiting, counted, tally: Tally::with_test(sprt), finished: 0, settled: false }
    }

    /// Takes a game in; true once the sequential test is settled.
    fn add(&mut self, game_idx: usize, result: &GameResult) -> bool {
        self.finished += 1;
        self.waiting.insert(game_idx, result.clone());
        while !self.settled {
            let next = self.counted.len();
            if !(self.waiting.contains_key(&next) && self.waiting.contains_key(&(next + 1))) {
                break;
            }
            let pair = [next, next + 1].map(|idx| self.waiting.remove(&idx).expect("both were there"));
            self.tally.record_pair(&pair[0], &pair[1]);
            self.counted.extend(pair);
            self.settled = self.tally.sprt().is_some_and(|state| state.verdict != Verdict::Undecided);
        }
        self.settled
    }
}
