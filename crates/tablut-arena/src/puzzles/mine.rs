//! Finds puzzles in self-play: a net plays, and the exhaustive solver searches the last positions of its games.

use super::{MAX_DISTANCE, MAX_PLIES, Puzzle};
use rayon::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;
use tablut_games::{
    CancelToken, Concurrency, Counters, GameRecord, RunError, SelfPlayConfig, SelfPlayGame, game_rng, run_tasks,
};
use tablut_net::NetPool;
use tablut_rules::{Game, Position, Rules, Symmetry};
use tablut_search::SelfPlaySearch;
use tablut_search::exhaustive::WinSolver;

/// Games that are played before they are searched for puzzles together.
const ROUND: usize = 64;
/// The number of last plies of a game that are searched, because wins are near the end.
const LAST_PLIES: usize = 12;
/// Positions that the solver may look at for one question. A position that needs more is not a puzzle.
const MAX_POSITIONS: u64 = 1_000_000;

/// Which puzzles to find, and in which games.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Mine {
    /// Number of puzzles, a multiple of 8. Each distance has the same number, and so has each side if the games allow
    /// it.
    pub count: usize,
    /// Maximum number of games. After that the search fails, or fills up with puzzles of the other side.
    pub max_games: u64,
    /// Simulations per move in the games.
    pub simulations: u32,
    pub seed: u64,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MineError {
    #[error(transparent)]
    Games(#[from] RunError),
    #[error("{0}")]
    TooFew(String),
}

/// Plays games with the first of `nets` until there are enough puzzles. Returns them, short wins first, and the number
/// of games. `cancel` stops it. `progress` receives the number of puzzles and the number of games. The result depends
/// only on rules, net and settings.
pub fn mine(
    rules: &Arc<Rules>,
    nets: &NetPool,
    settings: &Mine,
    cancel: &CancelToken,
    progress: &dyn Fn(usize, u64),
) -> Result<(Vec<Puzzle>, u64), MineError> {
    let mut basket = Basket::new(settings.count / 8);
    let mut games = 0;
    while !basket.is_full() && games < settings.max_games {
        let round = play(rules, nets, settings, games, cancel)?;
        games += round.len() as u64;
        let found: Vec<Vec<Puzzle>> = round.par_iter().map(|game| puzzles_of(rules, game, cancel)).collect();
        if cancel.is_cancelled() {
            return Err(RunError::Stopped.into());
        }
        found.into_iter().flatten().for_each(|puzzle| basket.offer(puzzle));
        progress(basket.len(), games);
    }
    basket.empty(games).map(|puzzles| (puzzles, games))
}

fn play(
    rules: &Arc<Rules>,
    nets: &NetPool,
    settings: &Mine,
    first: u64,
    cancel: &CancelToken,
) -> Result<Vec<GameRecord>, RunError> {
    let (selfplay, search) = (SelfPlayConfig::default(), SelfPlaySearch::default());
    let simulations = settings.simulations;
    let n = (settings.max_games - first).min(ROUND as u64) as usize;
    let game = |index: usize| {
        let index = first + index as u64;
        SelfPlayGame::new(index, rules, &selfplay, &search, simulations, game_rng(settings.seed, 0, index))
    };
    run_tasks(n, Concurrency::default(), game, || nets.evaluators(), &Counters::default(), cancel, |_, _| {})
}

/// The puzzles of one game, latest positions first, at most one of each distance. Only positions with the winner to
/// move are searched, because the loser rarely had a win. `cancel` ends the search early.
fn puzzles_of(rules: &Arc<Rules>, record: &GameRecord, cancel: &CancelToken) -> Vec<Puzzle> {
    let mut positions = vec![record.start];
    for ply in &record.plies {
        positions.push(rules.apply(&positions[positions.len() - 1], ply.mv).position);
    }
    // The game is over in its last position.
    positions.pop();
    let mut seen = [false; MAX_DISTANCE as usize];
    let mut puzzles = Vec::new();
    let winner = record.outcome.winner;
    for (ply, position) in positions.into_iter().enumerate().rev().take(LAST_PLIES) {
        if cancel.is_cancelled() {
            break;
        }
        if winner.is_some_and(|winner| winner != position.side_to_move()) {
            continue;
        }
        let Some(puzzle) = puzzle_at(rules, position, record.index, ply as u32) else { continue };
        let seen = &mut seen[puzzle.distance as usize - 1];
        if !std::mem::replace(seen, true) {
            puzzles.push(puzzle);
        }
    }
    puzzles
}

/// The puzzle in this position, if the solver finds a win.
fn puzzle_at(rules: &Arc<Rules>, position: Position, game: u64, ply: u32) -> Option<Puzzle> {
    let fresh = Game::from_position(rules.clone(), position).ok()?;
    if fresh.outcome().is_some() {
        return None;
    }
    let mut solver = WinSolver::new(&fresh, position.side_to_move(), MAX_POSITIONS);
    let plies = solver.shortest_win(MAX_PLIES).ok()??;
    let solutions = solver.winning_moves(plies).ok()?;
    Some(Puzzle { position, distance: plies.div_ceil(2), solutions, game, ply })
}

/// Puzzles found, grouped by distance and side.
struct Basket {
    /// Number of puzzles for each distance and side.
    quota: usize,
    by_kind: [[Vec<Puzzle>; 2]; MAX_DISTANCE as usize],
    /// Every position taken. Mirror images count as the same.
    taken: HashSet<Position>,
}

impl Basket {
    fn new(quota: usize) -> Self {
        Self { quota, by_kind: Default::default(), taken: HashSet::new() }
    }

    fn offer(&mut self, puzzle: Puzzle) {
        let images = Symmetry::ALL.into_iter().map(|symmetry| symmetry.position(&puzzle.position));
        let Some(image) = images.min_by_key(ToString::to_string) else { return };
        let kind = &mut self.by_kind[puzzle.distance as usize - 1][puzzle.position.side_to_move().index()];
        // Twice the quota is enough to replace all puzzles of the other side.
        if kind.len() < 2 * self.quota && self.taken.insert(image) {
            kind.push(puzzle);
        }
    }

    /// Number of puzzles that count: at most the quota of each kind.
    fn len(&self) -> usize {
        self.by_kind.iter().flatten().map(|kind| kind.len().min(self.quota)).sum()
    }

    fn is_full(&self) -> bool {
        self.by_kind.iter().flatten().all(|kind| kind.len() >= self.quota)
    }

    /// The requested number of each distance, half of them for each side if there are enough.
    fn empty(self, games: u64) -> Result<Vec<Puzzle>, MineError> {
        let wanted = 2 * self.quota;
        let mut puzzles = Vec::new();
        for (index, [attackers, defenders]) in self.by_kind.into_iter().enumerate() {
            let found = attackers.len() + defenders.len();
            if found < wanted {
                let distance = index + 1;
                return Err(MineError::TooFew(format!(
                    "{games} games have only {found} puzzles of distance {distance}, expected {wanted}; use more games"
                )));
            }
            let n_attackers = attackers.len().min(self.quota.max(wanted.saturating_sub(defenders.len())));
            let sides = [(attackers, n_attackers), (defenders, wanted - n_attackers)];
            puzzles.extend(sides.into_iter().flat_map(|(kind, n)| kind.into_iter().take(n)));
        }
        Ok(puzzles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_rules::Side;

    fn puzzle(distance: u32, side: char, file: usize) -> Puzzle {
        let row = |empty: usize| if empty == 0 { "t8".to_owned() } else { format!("{empty}t{}", 8 - empty) };
        let text = format!("9/9/9/9/2K6/9/9/{}/9 {side}", row(file));
        let position = text.replace("t0", "t").parse().unwrap();
        Puzzle { position, distance, solutions: Vec::new(), game: 0, ply: 0 }
    }

    #[test]
    fn a_basket_balances_sides_and_rejects_mirror_images() {
        let mut basket = Basket::new(2);
        for distance in 1..=MAX_DISTANCE {
            basket.offer(puzzle(distance, 'a', distance as usize));
            let mirrored = Symmetry::ALL[3].position(&puzzle(distance, 'a', distance as usize).position);
            basket.offer(Puzzle { position: mirrored, ..puzzle(distance, 'a', 0) });
        }
        assert_eq!(basket.len(), 4, "mirror images are the same puzzle");
        let few = Basket { quota: 2, by_kind: basket.by_kind.clone(), taken: HashSet::new() }.empty(9).unwrap_err();
        assert!(few.to_string().contains("9 games have only 1 puzzles of distance 1, expected 4"), "{few}");
        for distance in 1..=MAX_DISTANCE {
            (0..4).for_each(|file| basket.by_kind[distance as usize - 1][1].push(puzzle(distance, 'd', file)));
        }
        let puzzles = basket.empty(9).unwrap();
        let of = |distance, side| {
            puzzles.iter().filter(|p| p.distance == distance && p.position.side_to_move() == side).count()
        };
        // The attackers have only one, so the defenders get three.
        assert_eq!((1..=4).map(|d| (of(d, Side::Attackers), of(d, Side::Defenders))).collect::<Vec<_>>(), [(1, 3); 4]);
    }

    #[test]
    fn a_puzzle_has_the_wins_that_the_solver_proves() {
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        let at = |text: &str| puzzle_at(&rules, text.parse().unwrap(), 7, 30);
        let found = at("9/9/9/9/2K5t/9/9/9/4t3t d").unwrap();
        assert_eq!((found.distance, found.game, found.ply), (1, 7, 30));
        assert_eq!(found.solutions.len(), 3);
        assert_eq!(at("2K6/9/9/9/9/9/9/9/4t4 a"), None, "the game is over");
        assert_eq!(at("3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3 a"), None);
    }
}
