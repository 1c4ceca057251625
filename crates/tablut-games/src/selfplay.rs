//! Self-play: one net plays both sides, and every full search becomes a training position.

use std::convert::Infallible;
use std::sync::Arc;

use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt, SeedableRng};
use serde::{Deserialize, Serialize};
use tablut_net::Precision;
use tablut_rules::{Game, MoveList, Position, Rules, Side};
use tablut_search::{Evaluation, Query, Search, SearchConfig, SearchResult};

use crate::executor::{LeafRequest, Task};
use crate::record::{GameRecord, PlyRecord, SearchRecord};
use crate::surprise::surprise;

/// How self-play games are played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelfPlayConfig {
    /// A game starts with random plies (default 6). Their number is random from 0 to this. So games differ, and the net
    /// sees positions that it would not choose.
    pub opening_plies: u32,
    /// A game that reaches this many plies is a draw (default 200).
    pub max_plies: u32,
    /// Share of the plies with a full search, which are used for training. The other plies use a quick search (playout
    /// cap randomisation, Wu 2019, section 3.1). Default 1.
    pub full_share: f32,
    /// Simulations of a quick search, as a share of a full one (default 0.25).
    pub quick_simulations: f32,
    /// The precision of the net's convolutions in self-play: `f32` (the default), `bf16-avx512`, `bf16-amx`, or `bf16`,
    /// which a run turns into the kind that is fastest on its first machine. Each precision plays other games. All else
    /// runs in f32: learning, ratings and matches.
    pub precision: Precision,
    /// Share of the learner's draws that goes to positions in proportion to the surprise of their search: the
    /// divergence of the net's policy from the search's (policy surprise weighting, `KataGo`). The rest is the same for
    /// all positions. 0 (the default) to 1. Above 0 the games' records hold the surprise.
    pub surprise_share: f32,
}

impl Default for SelfPlayConfig {
    fn default() -> Self {
        Self {
            opening_plies: 6,
            max_plies: 200,
            full_share: 1.0,
            quick_simulations: 0.25,
            precision: Precision::F32,
            surprise_share: 0.0,
        }
    }
}

/// The random generator of one game. It depends only on the run's seed, the generation and the game's number.
pub fn game_rng(seed: u64, generation: u64, game: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&generation.to_le_bytes());
    key[16..24].copy_from_slice(b"selfplay");
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(game);
    rng
}

/// Sees self-play games while they are played. It must not change anything and should be fast.
pub trait GameWatch: Send + Sync {
    /// Game number `index` has reached these plies.
    fn moved(&self, index: u64, rules: &Arc<Rules>, start: &Position, plies: &[PlyRecord]);
}

/// One self-play game as a task for the executor. It uses evaluator 0.
pub struct SelfPlayGame {
    index: u64,
    game: Game,
    start: Position,
    plies: Vec<PlyRecord>,
    search: Option<Search>,
    /// Whether a search is running. Otherwise there may be only a tree that is kept for the next search.
    searching: bool,
    /// Whether the running search is a full one.
    full: bool,
    config: SelfPlayConfig,
    full_search: SearchConfig,
    quick_search: SearchConfig,
    rng: ChaCha8Rng,
    queries: Vec<Query>,
    watch: Option<Arc<dyn GameWatch>>,
}

impl SelfPlayGame {
    /// Game number `index`, before its first move. Opening plies are played at once.
    pub fn new(
        index: u64,
        rules: &Arc<Rules>,
        config: &SelfPlayConfig,
        search: &SearchConfig,
        mut rng: ChaCha8Rng,
    ) -> Self {
        let drawn = if rng.next_u32() & 1 == 0 { Side::Attackers } else { Side::Defenders };
        let first = rules.set().first.side().unwrap_or(drawn);
        let game = Game::new(Arc::clone(rules), first).with_max_plies(config.max_plies);
        let start = *game.position();
        let quick_simulations = (search.simulations as f32 * config.quick_simulations).round().max(1.0) as u32;
        let mut quick_search = SearchConfig { simulations: quick_simulations, ..search.clone() };
        quick_search.gumbel.gumbel_scale = 0.0;
        let mut this = Self {
            index,
            game,
            start,
            plies: Vec::new(),
            search: None,
            searching: false,
            full: true,
            config: config.clone(),
            full_search: search.clone(),
            quick_search,
            rng,
            queries: Vec::new(),
            watch: None,
        };
        this.play_opening();
        this
    }

    /// The same game. `watch` sees it after each of its searches.
    #[must_use]
    pub fn watched(self, watch: Option<Arc<dyn GameWatch>>) -> Self {
        Self { watch, ..self }
    }

    /// Random plies. A ply that would end the game is taken back and ends the opening.
    fn play_opening(&mut self) {
        let n_plies = self.rng.random_range(0..=self.config.opening_plies);
        let mut moves = MoveList::new();
        for _ in 0..n_plies {
            self.game.legal_moves(&mut moves);
            let mv = moves[self.rng.random_range(0..moves.len())];
            self.game.play_trusted(mv);
            if self.game.outcome().is_some() {
                self.game.undo();
                return;
            }
            self.plies.push(PlyRecord { mv, search: None });
        }
    }

    /// Starts the search of the next ply, with the tree that the last search left.
    fn start_search(&mut self) {
        self.full = self.config.full_share >= 1.0 || self.rng.random_range(0.0..1.0) < self.config.full_share;
        let config = if self.full { &self.full_search } else { &self.quick_search };
        match &mut self.search {
            Some(search) => search.configure(config),
            None => self.search = Some(Search::new(self.game.clone(), config, ChaCha8Rng::from_rng(&mut self.rng))),
        }
        self.searching = true;
    }

    /// Plays the chosen move.
    fn play(&mut self, result: &SearchResult) {
        let search = self.full.then(|| SearchRecord {
            value: result.value,
            simulations: result.simulations,
            policy: SearchRecord::quantised(result.moves.iter().map(|root| root.improved)),
            surprise: (self.config.surprise_share > 0.0)
                .then(|| surprise(result.moves.iter().map(|root| (root.improved, root.prior)))),
        });
        self.plies.push(PlyRecord { mv: result.chosen, search });
        self.game.play_trusted(result.chosen);
        if let Some(search) = &mut self.search {
            search.advance(result.chosen);
        }
        self.searching = false;
        if let Some(watch) = &self.watch {
            watch.moved(self.index, self.game.rules(), &self.start, &self.plies);
        }
    }

    fn record(&mut self) -> Option<GameRecord> {
        let outcome = self.game.outcome()?;
        Some(GameRecord {
            index: self.index,
            rules: self.game.rules().name().to_owned(),
            max_plies: self.config.max_plies,
            start: self.start,
            plies: std::mem::take(&mut self.plies),
            outcome,
        })
    }
}

impl Task for SelfPlayGame {
    type Output = GameRecord;
    type Error = Infallible;

    fn gather(&mut self, requests: &mut Vec<LeafRequest>) -> Result<Option<GameRecord>, Infallible> {
        loop {
            if let Some(record) = self.record() {
                return Ok(Some(record));
            }
            if !self.searching {
                self.start_search();
            }
            let Some(search) = &mut self.search else { continue };
            let n_queries = search.gather(&mut self.queries);
            requests.extend(self.queries.drain(..).map(|query| (0, query)));
            if n_queries > 0 {
                return Ok(None);
            }
            if search.is_done() {
                let result = search.result();
                self.play(&result);
            }
        }
    }

    fn apply(&mut self, evaluations: &[Evaluation]) {
        if let Some(search) = &mut self.search {
            search.apply(evaluations);
        }
    }
}
