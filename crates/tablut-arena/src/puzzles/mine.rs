//! Finds puzzles in self-play: a net plays, and the exhaustive solver searches the last positions of its games.

use super::{DISTANCES, MAX_DISTANCE, MAX_PLIES, Puzzle, distance_index};
use rayon::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;
use tablut_games::{
    CancelToken, Concurrency, Counters, GameRecord, RunError, SelfPlayConfig, SelfPlayGame, game_rng, run_tasks,
};
use tablut_net::NetPool;
use tablut_players::Searcher;
use tablut_rules::{Game, Move, Position, Rules, Side, Symmetry};
use tablut_search::exhaustive::WinSolver;
use tablut_search::{EvaluateError, Limit, SearchConfig, SelfPlaySearch};

/// Games that are played before they are searched for puzzles together.
const ROUND: usize = 64;
/// The number of last plies of a game that are searched, because wins are near the end.
const LAST_PLIES: usize = 14;
/// Positions that the solver may look at for one question. A position that needs more is not a puzzle.
const MAX_POSITIONS: u64 = 1_000_000;
/// The same under rules with shield walls, exit forts or encirclement, where a position takes about five times as long.
const MAX_EDGE_POSITIONS: u64 = 200_000;
/// The longest win that the solver looks for without asking the net first.
const SHORT_PLIES: u32 = 5;
/// Simulations of the search that looks for a longer win. Where it proves none, the solver would work long in vain.
const SIMULATIONS: u32 = 200;
/// Different distances with two sides each.
const KINDS: usize = 2 * N_DISTANCES;
const N_DISTANCES: usize = 4;

/// Which puzzles to find, and in which games.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Mine {
    /// Number of puzzles, a multiple of 8. Each distance has the same number, and so has each side, if the games allow
    /// it.
    pub count: usize,
    /// Maximum number of games. After that the search fills up with puzzles of other distances and of the other side.
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
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
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
    let mut basket = Basket::new(settings.count);
    let mut games = 0;
    let searcher = || {
        let evaluator = nets.evaluators().into_iter().next().expect("the pool has a net");
        Searcher::new(evaluator, settings.seed)
    };
    while !basket.is_full() && games < settings.max_games {
        let round = play(rules, nets, settings, games, cancel)?;
        games += round.len() as u64;
        let wanted = |distance, side| basket.wants(distance, side);
        let found: Result<Vec<Vec<Puzzle>>, EvaluateError> = round
            .par_iter()
            .map_init(searcher, |searcher, game| puzzles_of(rules, game, searcher, &wanted, cancel))
            .collect();
        if cancel.is_cancelled() {
            return Err(RunError::Stopped.into());
        }
        found?.into_iter().flatten().for_each(|puzzle| basket.offer(puzzle));
        progress(basket.len().min(settings.count), games);
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
/// move are searched, because the loser rarely had a win. The search of a game ends at the first position without a
/// proven win, because earlier ones are further from the end. `cancel` ends it early.
fn puzzles_of(
    rules: &Arc<Rules>,
    record: &GameRecord,
    searcher: &mut Searcher,
    wanted: &(dyn Fn(u32, Side) -> bool + Sync),
    cancel: &CancelToken,
) -> Result<Vec<Puzzle>, EvaluateError> {
    let Some(winner) = record.outcome.winner else { return Ok(Vec::new()) };
    let mut positions = vec![record.start];
    for ply in &record.plies {
        positions.push(rules.apply(&positions[positions.len() - 1], ply.mv).position);
    }
    // The game is over in its last position.
    positions.pop();
    let mut open: Vec<u32> = DISTANCES.filter(|distance| wanted(*distance, winner)).collect();
    let mut puzzles = Vec::new();
    let last = positions.into_iter().enumerate().rev().take(LAST_PLIES);
    for (ply, position) in last.filter(|(_, position)| position.side_to_move() == winner) {
        if cancel.is_cancelled() || open.is_empty() {
            break;
        }
        match look(rules, position, searcher, &open)? {
            Found::Puzzle { distance, solution } => {
                open.retain(|open| *open != distance);
                puzzles.push(Puzzle {
                    position,
                    distance,
                    solutions: vec![solution],
                    game: record.index,
                    ply: ply as u32,
                });
            }
            Found::OtherWin => {}
            Found::NoWin => break,
        }
    }
    Ok(puzzles)
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Found {
    Puzzle {
        distance: u32,
        solution: Move,
    },
    /// A win that is no puzzle, or one whose distance is not wanted.
    OtherWin,
    /// No proven win within the longest distance.
    NoWin,
}

/// Looks for a puzzle of one of the distances `open` in this position.
fn look(rules: &Arc<Rules>, position: Position, searcher: &mut Searcher, open: &[u32]) -> Result<Found, EvaluateError> {
    let Ok(game) = Game::from_position(rules.clone(), position) else { return Ok(Found::NoWin) };
    if game.outcome().is_some() {
        return Ok(Found::NoWin);
    }
    let max_positions = if rules.has_edge_clauses() { MAX_EDGE_POSITIONS } else { MAX_POSITIONS };
    let mut solver = WinSolver::new(&game, position.side_to_move(), max_positions);
    let mut shortest = solver.shortest_win(SHORT_PLIES);
    if shortest == Ok(None) {
        let search = searcher.think(&game, &SearchConfig::for_play(), Limit::of_simulations(SIMULATIONS))?;
        let proven = search.proven.filter(|proof| proof.winner == Some(position.side_to_move()));
        // The win may be shorter than its proof, but not longer.
        let Some(proof) = proven else { return Ok(Found::NoWin) };
        let longest = u32::from(proof.plies).div_ceil(2).min(MAX_DISTANCE);
        if open.iter().all(|open| *open > longest || 2 * open - 1 <= SHORT_PLIES) {
            return Ok(Found::OtherWin);
        }
        shortest = solver.shortest_win(MAX_PLIES);
    }
    let Ok(Some(plies)) = shortest else { return Ok(Found::NoWin) };
    let distance = plies.div_ceil(2);
    if !open.contains(&distance) {
        return Ok(Found::OtherWin);
    }
    let solutions = solver.winning_moves(plies).unwrap_or_default();
    Ok(match solutions[..] {
        [solution] => Found::Puzzle { distance, solution },
        _ => Found::OtherWin,
    })
}

/// Puzzles found, grouped by distance and side.
struct Basket {
    /// Number of puzzles to find.
    count: usize,
    by_kind: [[Vec<Puzzle>; 2]; N_DISTANCES],
    /// Every position taken. Mirror images count as the same.
    taken: HashSet<Position>,
}

impl Basket {
    fn new(count: usize) -> Self {
        Self { count, by_kind: Default::default(), taken: HashSet::new() }
    }

    /// Number of puzzles of each distance and side, if the games have enough.
    fn quota(&self) -> usize {
        self.count / KINDS
    }

    /// Whether more puzzles of this kind can be used: for their own share, or to fill up for others.
    fn wants(&self, distance: u32, side: Side) -> bool {
        let kinds = &self.by_kind[distance_index(distance)];
        let both_sides: usize = kinds.iter().map(Vec::len).sum();
        // With twice its share, each two distances can do without the others.
        kinds[side.index()].len() < self.quota() || both_sides < 4 * self.quota()
    }

    fn offer(&mut self, puzzle: Puzzle) {
        let images = Symmetry::ALL.into_iter().map(|symmetry| symmetry.position(&puzzle.position));
        let Some(image) = images.min_by_key(ToString::to_string) else { return };
        let (distance, side) = (puzzle.distance, puzzle.position.side_to_move());
        if self.wants(distance, side) && self.taken.insert(image) {
            self.by_kind[distance_index(distance)][side.index()].push(puzzle);
        }
    }

    fn len(&self) -> usize {
        self.by_kind.iter().flatten().map(Vec::len).sum()
    }

    fn is_full(&self) -> bool {
        self.by_kind.iter().flatten().all(|kind| kind.len() >= self.quota())
    }

    /// The requested number, of each distance the same and half of them for each side as far as possible.
    fn empty(self, games: u64) -> Result<Vec<Puzzle>, MineError> {
        let (found, count) = (self.len(), self.count);
        if found < count {
            return Err(MineError::TooFew(format!(
                "{games} games have only {found} puzzles, expected {count}; use more games"
            )));
        }
        let n_found = self.by_kind.each_ref().map(|[attackers, defenders]| attackers.len() + defenders.len());
        let mut puzzles = Vec::new();
        for ([attackers, defenders], n) in self.by_kind.into_iter().zip(shares(count, n_found)) {
            let [n_attackers, n_defenders] = shares(n, [attackers.len(), defenders.len()]);
            puzzles.extend(attackers.into_iter().take(n_attackers));
            puzzles.extend(defenders.into_iter().take(n_defenders));
        }
        Ok(puzzles)
    }
}

/// Divides `total` into equal shares of at most `found` each. What a short share lacks goes to the others.
fn shares<const N: usize>(total: usize, found: [usize; N]) -> [usize; N] {
    let mut order: [usize; N] = std::array::from_fn(|index| index);
    order.sort_by_key(|&index| found[index]);
    let mut shares = [0; N];
    let mut left = total;
    for (place, index) in order.into_iter().enumerate() {
        shares[index] = found[index].min(left / (N - place));
        left -= shares[index];
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_search::UniformEvaluator;

    fn puzzle(distance: u32, side: char, file: usize) -> Puzzle {
        let row = |empty: usize| if empty == 0 { "t8".to_owned() } else { format!("{empty}t{}", 8 - empty) };
        let text = format!("9/9/9/9/2K6/9/9/{}/9 {side}", row(file));
        let position = text.replace("t0", "t").parse().unwrap();
        Puzzle { position, distance, solutions: Vec::new(), game: 0, ply: 0 }
    }

    #[test]
    fn shares_are_equal_as_far_as_possible() {
        assert_eq!(shares(200, [70, 60, 80, 90]), [50; 4]);
        assert_eq!(shares(200, [75, 75, 75, 0]), [66, 67, 67, 0]);
        assert_eq!(shares(200, [90, 90, 75, 7]).iter().sum::<usize>(), 200);
        assert_eq!(shares(50, [3, 60]), [3, 47]);
    }

    #[test]
    fn a_basket_balances_sides_and_rejects_mirror_images() {
        let mut basket = Basket::new(16);
        for distance in DISTANCES {
            basket.offer(puzzle(distance, 'a', distance as usize));
            let mirrored = Symmetry::ALL[3].position(&puzzle(distance, 'a', distance as usize).position);
            basket.offer(Puzzle { position: mirrored, ..puzzle(distance, 'a', 0) });
        }
        assert_eq!(basket.len(), 4, "mirror images are the same puzzle");
        let few = Basket { count: 16, by_kind: basket.by_kind.clone(), taken: HashSet::new() }.empty(9).unwrap_err();
        assert!(few.to_string().contains("9 games have only 4 puzzles, expected 16"), "{few}");
        for distance in [2, 3, 4] {
            (0..7).for_each(|file| basket.by_kind[distance_index(distance)][1].push(puzzle(distance, 'd', file)));
        }
        assert!(
            !basket.wants(2, Side::Defenders) && basket.wants(2, Side::Attackers) && basket.wants(5, Side::Attackers)
        );
        let puzzles = basket.empty(9).unwrap();
        let of = |distance, side| {
            puzzles.iter().filter(|p| p.distance == distance && p.position.side_to_move() == side).count()
        };
        // The attackers have only one of each distance, and there is only one win in five, so the others get more.
        let counts: Vec<_> = DISTANCES.map(|d| (of(d, Side::Attackers), of(d, Side::Defenders))).collect();
        assert_eq!(counts, [(1, 4), (1, 4), (1, 4), (1, 0)]);
    }

    #[test]
    fn a_puzzle_has_the_one_win_that_the_solver_proves() {
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        let mut searcher = Searcher::new(Box::new(UniformEvaluator), 1);
        let mut at = |text: &str, open: &[u32]| look(&rules, text.parse().unwrap(), &mut searcher, open).unwrap();
        let all: Vec<u32> = DISTANCES.collect();
        assert_eq!(at("9/9/9/9/2K5t/9/9/9/4t3t d", &all), Found::OtherWin, "a win in one");
        assert_eq!(at("3t5/9/9/t2K4t/9/9/9/9/3t5 d", &all), Found::OtherWin, "several first moves");
        assert_eq!(at("2K6/9/9/9/9/9/9/9/4t4 a", &all), Found::NoWin, "the game is over");
        assert_eq!(at("3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3 a", &all), Found::NoWin);
    }
}
