//! Self-play: one net plays both sides, and every search becomes a training position.
//!
//! In special games ([`GamePlan`]) the sides search unequally.

mod config;
mod opening;
mod special;

use std::convert::Infallible;
use std::sync::Arc;

use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt, SeedableRng};
use tablut_rules::{Game, Move, Position, Rules, Side};
use tablut_search::{Evaluation, Query, Search, SearchConfig, SearchResult, SelfPlaySearch};

use self::opening::{Candidates, play_random};
use crate::executor::{LeafRequest, Task};
use crate::notes::GameNotes;
use crate::record::{GameRecord, PlyRecord, SearchRecord};

pub use config::SelfPlayConfig;
pub use special::{GamePlan, SpecialGames, SpecialSet};

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

/// How one side of a game is played.
struct SidePlay {
    /// Simulations of a search.
    simulations: u32,
    /// Whether its searches become training positions.
    teaches: bool,
}

/// One self-play game as a task for the executor. The net is evaluator 0.
pub struct SelfPlayGame {
    index: u64,
    game: Game,
    start: Position,
    plies: Vec<PlyRecord>,
    search: SearchConfig,
    sides: [SidePlay; 2],
    /// The tree of each side, or, if the sides are equal, the first one for both.
    searches: [Option<Search>; 2],
    /// Whether a search is running. Otherwise there may be only a tree that is kept for the next search.
    searching: bool,
    config: SelfPlayConfig,
    rng: ChaCha8Rng,
    queries: Vec<Query>,
    watch: Option<Arc<dyn GameWatch>>,
    notes: GameNotes,
    /// Openings to choose from, before the first move.
    candidates: Option<Candidates>,
}

impl SelfPlayGame {
    /// Game number `index`, before its first move. Opening plies are played at once, unless there is a choice of them.
    pub fn new(
        index: u64,
        rules: &Arc<Rules>,
        config: &SelfPlayConfig,
        search: &SelfPlaySearch,
        plan: GamePlan,
        mut rng: ChaCha8Rng,
    ) -> Self {
        let drawn = if rng.next_u32() & 1 == 0 { Side::Attackers } else { Side::Defenders };
        let first = rules.set().first.side().unwrap_or(drawn);
        let game = Game::new(Arc::clone(rules), first).with_max_plies(config.max_plies);
        let mut this = Self {
            index,
            start: *game.position(),
            game,
            plies: Vec::new(),
            search: search.config(),
            sides: sides(plan),
            searches: [None, None],
            searching: false,
            config: config.clone(),
            rng,
            queries: Vec::new(),
            watch: None,
            notes: plan.notes(),
            candidates: None,
        };
        this.open();
        this
    }

    /// The same game. `watch` sees it after each of its searches.
    #[must_use]
    pub fn watched(self, watch: Option<Arc<dyn GameWatch>>) -> Self {
        Self { watch, ..self }
    }

    /// Plays random plies, or draws openings to choose from.
    fn open(&mut self) {
        let n_plies = self.rng.random_range(0..=self.config.opening_plies);
        if self.config.balanced_openings > 1 && n_plies > 0 {
            let n = self.config.balanced_openings;
            self.candidates = Some(Candidates::draw(&self.game, n, n_plies, &mut self.rng));
        } else {
            let played = play_random(&mut self.game, n_plies, &mut self.rng);
            self.plies = played.into_iter().map(|mv| PlyRecord { mv, search: None }).collect();
        }
    }

    /// The index of the tree of the side to move. Sides that are not equal do not see each other's trees.
    fn tree(&self) -> usize {
        if self.notes.has_equal_sides() { 0 } else { self.side() }
    }

    /// The index of the side to move.
    fn side(&self) -> usize {
        self.game.position().side_to_move().index()
    }

    /// Starts the search of the next ply, with the tree that the last search left.
    fn start_search(&mut self) {
        let (config, simulations, tree) = (&self.search, self.sides[self.side()].simulations, self.tree());
        match &mut self.searches[tree] {
            Some(search) => search.configure(config, simulations),
            search => {
                let rng = ChaCha8Rng::from_rng(&mut self.rng);
                *search = Some(Search::new(self.game.clone(), config, simulations, rng));
            }
        }
        self.searching = true;
    }

    /// Plays the chosen move.
    fn play(&mut self, result: &SearchResult) {
        let teaches = self.sides[self.side()].teaches;
        let search = teaches.then(|| SearchRecord {
            chances: result.chances,
            simulations: result.simulations,
            policy: SearchRecord::quantised(result.moves.iter().map(|root| root.improved)),
        });
        self.plies.push(PlyRecord { mv: result.chosen, search });
        self.game.play_trusted(result.chosen);
        for search in self.searches.iter_mut().flatten() {
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
            notes: self.notes.clone(),
        })
    }
}

/// How the sides of a game are played. With unequal searches, only the longer ones teach.
fn sides(plan: GamePlan) -> [SidePlay; 2] {
    Side::ALL.map(|side| {
        let simulations = plan.unequal.map_or(plan.simulations, |both| both[side.index()]);
        SidePlay { simulations, teaches: simulations >= plan.simulations }
    })
}

impl Task for SelfPlayGame {
    type Output = GameRecord;
    type Error = Infallible;

    fn gather(&mut self, requests: &mut Vec<LeafRequest>) -> Result<Option<GameRecord>, Infallible> {
        if let Some(candidates) = &mut self.candidates {
            requests.extend(candidates.queries.drain(..).map(|query| (0, query)));
            return Ok(None);
        }
        loop {
            if let Some(record) = self.record() {
                return Ok(Some(record));
            }
            if !self.searching {
                self.start_search();
            }
            let tree = self.tree();
            let Some(search) = &mut self.searches[tree] else { continue };
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
        if let Some(candidates) = self.candidates.take() {
            let opening: Vec<Move> = candidates.most_even(evaluations);
            for mv in opening {
                self.game.play_trusted(mv);
                self.plies.push(PlyRecord { mv, search: None });
            }
            return;
        }
        let tree = self.tree();
        if let Some(search) = &mut self.searches[tree] {
            search.apply(evaluations);
        }
    }
}
