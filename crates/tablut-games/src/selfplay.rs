//! Self-play: one net plays both sides, and every search becomes a training position.
//!
//! In games with a [`Handicap`] the sides search unequally.

use std::convert::Infallible;
use std::sync::Arc;

use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt, SeedableRng};
use serde::{Deserialize, Serialize};
use tablut_rules::{BoardSize, Game, Move, MoveList, Outcome, Position, Reason, Rules, Side};
use tablut_search::{Evaluation, Search, SearchConfig, SearchResult, SelfPlaySearch, Situation};

use crate::executor::{LeafRequest, Task};
use crate::record::{GameRecord, Handicap, PlyRecord, SearchRecord};

/// How self-play games are played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelfPlayConfig {
    /// The largest number of random plies at the start of a game, 0 to 100. A game has a random number of them from 0
    /// to this.
    pub opening_plies: u32,
    /// A game on Tablut's 81 squares that reaches this many plies is stopped, 1 to 60,000. Other boards have a limit in
    /// proportion to their squares. The search does not see this limit. The value of an unfinished game is that of its
    /// last search.
    pub max_plies: u32,
    /// The largest lead of one side in a rule set's ordinary games, as a share of the games, up to which both sides
    /// search equally, 0 to below 1. With a larger lead, in a quarter of the games the losing side has more simulations
    /// and the winning side fewer, up to 16 to 1, at the same total cost. The other games measure the lead. With 0 all
    /// searches are equal.
    pub balance: f32,
    /// Number of random openings of equal length that are drawn for each game, 2 to 64. The game has the opening that
    /// the net evaluates as most even. With 0 each game has one random opening.
    pub balanced_openings: u32,
}

impl Default for SelfPlayConfig {
    fn default() -> Self {
        Self { opening_plies: 4, max_plies: 150, balance: 0.3, balanced_openings: 0 }
    }
}

impl SelfPlayConfig {
    /// The ply limit of games on a board of `size`, in proportion to its squares.
    pub fn max_plies_on(&self, size: BoardSize) -> u32 {
        let tablut = BoardSize::Nine.n_squares() as u32;
        (self.max_plies * size.n_squares() as u32 / tablut).clamp(1, 60_000)
    }
}

/// The random generator of one game. It depends only on the run's seed, the generation and the game's number.
pub fn game_rng(seed: u64, generation: u64, game: u64) -> ChaCha8Rng {
    stream(*b"selfplay", seed, generation, game)
}

/// Whether game number `game` of a generation is one of the `share` of games with a handicap. The function has a
/// separate random generator, so it does not change the other games.
pub(crate) fn has_handicap(seed: u64, generation: u64, game: u64, share: f32) -> bool {
    let mut rng = stream(*b"specials", seed, generation, game);
    // The first number is not used.
    let [_, drawn]: [f32; 2] = std::array::from_fn(|_| rng.random_range(0.0..1.0));
    drawn < share
}

fn stream(purpose: [u8; 8], seed: u64, generation: u64, game: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&generation.to_le_bytes());
    key[16..24].copy_from_slice(&purpose);
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(game);
    rng
}

/// Observes self-play games while they are played. It must not affect them and should be fast.
pub trait GameWatch: Send + Sync {
    /// Game number `index` has reached these plies.
    fn moved(&self, index: u64, rules: &Arc<Rules>, start: &Position, plies: &[PlyRecord]);
}

/// One self-play game as a task for the executor. The net is evaluator 0.
pub struct SelfPlayGame {
    index: u64,
    game: Game,
    plies: Vec<PlyRecord>,
    search: SearchConfig,
    /// Simulations of a search in games without a handicap.
    simulations: u32,
    /// With a handicap, only searches of the side with more simulations become training positions.
    pub(crate) handicap: Handicap,
    evaluations: u64,
    /// The tree of each side. If the sides are equal, both use the first tree.
    searches: [Option<Search>; 2],
    /// Whether a search is running. Otherwise there may be only a tree that is kept for the next search.
    searching: bool,
    config: SelfPlayConfig,
    rng: ChaCha8Rng,
    queries: Vec<Situation>,
    /// Called after each search.
    pub(crate) watch: Option<Arc<dyn GameWatch>>,
    /// Openings to choose from, before the first move.
    candidates: Option<Candidates>,
}

impl SelfPlayGame {
    /// Game number `index`, before its first move. Each search has this many `simulations`. The opening is played at
    /// once, unless the net chooses it.
    pub fn new(
        index: u64,
        rules: &Arc<Rules>,
        config: &SelfPlayConfig,
        search: &SelfPlaySearch,
        simulations: u32,
        mut rng: ChaCha8Rng,
    ) -> Self {
        let drawn = if rng.next_u32() & 1 == 0 { Side::Attackers } else { Side::Defenders };
        let first = rules.set().first.side().unwrap_or(drawn);
        let game = Game::new(Arc::clone(rules), first);
        let mut this = Self {
            index,
            game,
            plies: Vec::new(),
            search: search.config(),
            simulations,
            handicap: Handicap::default(),
            evaluations: 0,
            searches: [None, None],
            searching: false,
            config: config.clone(),
            rng,
            queries: Vec::new(),
            watch: None,
            candidates: None,
        };
        this.open();
        this
    }

    /// Plays random plies, or draws openings to choose from.
    fn open(&mut self) {
        let n_plies = self.rng.random_range(0..=self.config.opening_plies).min(self.max_plies() - 1);
        if self.config.balanced_openings > 1 && n_plies > 0 {
            let n = self.config.balanced_openings;
            self.candidates = Some(Candidates::draw(&self.game, n, n_plies, &mut self.rng));
        } else {
            let played = play_random(&mut self.game, n_plies, &mut self.rng);
            self.plies = played.into_iter().map(|mv| PlyRecord { mv, search: None }).collect();
        }
    }

    fn max_plies(&self) -> u32 {
        self.config.max_plies_on(self.game.rules().size())
    }

    /// The index of the tree of the side to move. Unequal sides have separate trees.
    fn tree(&self) -> usize {
        if self.handicap.is_none() { 0 } else { self.side() }
    }

    fn side(&self) -> usize {
        self.game.position().side_to_move().index()
    }

    /// Simulations of a search of the side to move.
    fn simulations(&self) -> u32 {
        self.handicap.simulations.map_or(self.simulations, |both| both[self.side()])
    }

    /// Starts the search of the next ply, with the tree that the last search left.
    fn start_search(&mut self) {
        let (config, simulations, tree) = (&self.search, self.simulations(), self.tree());
        match &mut self.searches[tree] {
            Some(search) => search.configure(config, simulations),
            search => {
                let rng = ChaCha8Rng::from_rng(&mut self.rng);
                *search = Some(Search::new(self.game.clone(), config, simulations, rng));
            }
        }
        self.searching = true;
    }

    fn play(&mut self, result: &SearchResult) {
        let teaches = self.simulations() >= self.simulations;
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
            watch.moved(self.index, self.game.rules(), self.game.start(), &self.plies);
        }
    }

    fn record(&mut self) -> Option<GameRecord> {
        let at_limit = self.game.ply() >= self.max_plies();
        let stopped = Outcome { winner: None, reason: Reason::PlyLimit };
        let outcome = self.game.outcome().or(at_limit.then_some(stopped))?;
        Some(GameRecord {
            plies: std::mem::take(&mut self.plies),
            handicap: self.handicap,
            evaluations: self.evaluations,
            ..GameRecord::new(self.index, &self.game, self.max_plies(), outcome)
        })
    }
}

/// Plays random plies and returns them. A ply that would end the game is taken back and ends the opening.
fn play_random(game: &mut Game, n_plies: u32, rng: &mut ChaCha8Rng) -> Vec<Move> {
    let mut played = Vec::new();
    let mut moves = MoveList::new();
    for _ in 0..n_plies {
        game.legal_moves(&mut moves);
        let mv = moves[rng.random_range(0..moves.len())];
        game.play_trusted(mv);
        if game.outcome().is_some() {
            game.undo();
            break;
        }
        played.push(mv);
    }
    played
}

struct Candidates {
    openings: Vec<Vec<Move>>,
    /// The positions after them.
    queries: Vec<Situation>,
}

impl Candidates {
    /// `n` random openings of `n_plies` plies.
    fn draw(game: &Game, n: u32, n_plies: u32, rng: &mut ChaCha8Rng) -> Self {
        let (mut openings, mut queries) = (Vec::new(), Vec::new());
        for _ in 0..n {
            let mut game = game.clone();
            openings.push(play_random(&mut game, n_plies, rng));
            let mut moves = MoveList::new();
            game.legal_moves(&mut moves);
            queries.push(game.owned_situation(&moves));
        }
        Self { openings, queries }
    }

    /// The opening whose value is nearest to even, the first of equals.
    fn most_even(mut self, evaluations: &[Evaluation]) -> Vec<Move> {
        let distance = |place: &usize| evaluations.get(*place).map_or(f32::INFINITY, |found| found.value().abs());
        let best = (0..self.openings.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
        best.map(|place| self.openings.swap_remove(place)).unwrap_or_default()
    }
}

impl Task for SelfPlayGame {
    type Output = GameRecord;
    type Error = Infallible;

    fn gather(&mut self, requests: &mut Vec<LeafRequest>) -> Result<Option<GameRecord>, Infallible> {
        if let Some(candidates) = &mut self.candidates {
            self.evaluations += candidates.queries.len() as u64;
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
            self.evaluations += n_queries as u64;
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
