//! Measures how many puzzles a search solves, and checks all its proofs.

use super::{DISTANCES, Puzzle, distance_index};
use rayon::prelude::*;
use serde::Serialize;
use std::sync::Arc;
use tablut_players::Searcher;
use tablut_rules::{Game, Move, Rules, Side};
use tablut_search::exhaustive::{TooManyPositions, WinSolver};
use tablut_search::{EvaluateError, Evaluator, Limit, Proof, SearchConfig, SearchResult};

/// The longest proof that is checked.
const CHECKED_PLIES: u16 = 8;
/// Positions that the solver may look at to check one proof.
const MAX_POSITIONS: u64 = 1_000_000;

#[derive(Clone, Debug)]
pub struct SolveConfig {
    pub search: SearchConfig,
    pub simulations: u32,
    pub seed: u64,
}

/// The search's results on the puzzles of one distance.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct DistanceReport {
    /// Moves to the win, or 0 for puzzles of all distances together.
    pub distance: u32,
    pub puzzles: u32,
    /// How often the search played the solution.
    pub solved: u32,
    /// How often the search proved the win.
    pub proven: u32,
}

/// The search's results on a set of puzzles.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct SolveReport {
    /// By distance, in the order of [`DISTANCES`].
    pub by_distance: Vec<DistanceReport>,
    pub all: DistanceReport,
    /// Proofs of the position, or of one of its moves, that the puzzle or the exhaustive solver confirms.
    pub confirmed: u32,
    /// Proofs that were not checked: longer than the solver looks ahead, of a draw, or with too many positions.
    pub unchecked: u32,
    /// Proofs that the solver contradicts, in words. There should be none.
    pub contradicted: Vec<String>,
}

/// Runs a search on the puzzles on all cores. `make_evaluator` is called for each thread. The report depends only on
/// puzzles, settings and evaluator.
pub fn solve(
    rules: &Arc<Rules>,
    puzzles: &[Puzzle],
    config: &SolveConfig,
    make_evaluator: &(dyn Fn() -> Box<dyn Evaluator> + Sync),
) -> Result<SolveReport, EvaluateError> {
    let player = || Searcher::new(make_evaluator(), config.seed);
    let solved: Vec<Result<SolveReport, EvaluateError>> = puzzles
        .par_iter()
        .map_init(player, |player, puzzle| {
            let game = Game::from_position(rules.clone(), puzzle.position)
                .expect("a puzzle's position was a game when it was read or found");
            let limit = Limit::of_simulations(config.simulations);
            let result = player.think(&game, &config.search, limit)?;
            Ok(judge(&game, puzzle, &result))
        })
        .collect();
    solved.into_iter().try_fold(SolveReport::default(), |report, solved| Ok(report.with(solved?)))
}

impl DistanceReport {
    /// The sum of this report and another.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            distance: self.distance,
            puzzles: self.puzzles + other.puzzles,
            solved: self.solved + other.solved,
            proven: self.proven + other.proven,
        }
    }
}

impl Default for SolveReport {
    /// The report on no puzzles.
    fn default() -> Self {
        let all = DistanceReport::default();
        let by_distance = DISTANCES.map(|distance| DistanceReport { distance, ..all }).collect();
        Self { by_distance, all, confirmed: 0, unchecked: 0, contradicted: Vec::new() }
    }
}

impl SolveReport {
    /// The sum of this report and one about other puzzles.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        for (mine, theirs) in self.by_distance.iter_mut().zip(other.by_distance) {
            *mine = mine.with(theirs);
        }
        self.all = self.all.with(other.all);
        self.confirmed += other.confirmed;
        self.unchecked += other.unchecked;
        self.contradicted.extend(other.contradicted);
        self
    }

    /// Counts a proof. `None` means that it was not checked.
    fn note(&mut self, holds: Result<Option<bool>, TooManyPositions>, what: impl Fn() -> String) {
        match holds {
            Ok(Some(true)) => self.confirmed += 1,
            Ok(Some(false)) => self.contradicted.push(what()),
            Ok(None) | Err(_) => self.unchecked += 1,
        }
    }
}

fn judge(game: &Game, puzzle: &Puzzle, result: &SearchResult) -> SolveReport {
    let mover = game.position().side_to_move();
    let solved = puzzle.solutions.contains(&result.chosen).into();
    let proven = result.proven.is_some_and(|proof| proof.winner == Some(mover)).into();
    let all = DistanceReport { distance: 0, puzzles: 1, solved, proven };
    let mut report = SolveReport { all, ..SolveReport::default() };
    report.by_distance[distance_index(puzzle.distance)] = DistanceReport { distance: puzzle.distance, ..report.all };
    if let Some(proof) = result.proven {
        // A puzzle is itself a proof that the mover wins, and not in fewer plies than this.
        let holds = proof.winner == Some(mover) && u32::from(proof.plies) >= puzzle.plies();
        report.note(Ok(Some(holds)), || format!("{}: {}", puzzle.position, words(proof)));
    }
    for root in &result.moves {
        let Some(proof) = root.proven else { continue };
        let what = || format!("{} after {}: {}", puzzle.position, root.mv, words(proof));
        report.note(holds(game, root.mv, proof), what);
    }
    report
}

/// Whether a proof of a move is true. Its plies include the move. `None` if it is too long to check, or a proof of a
/// draw.
fn holds(game: &Game, mv: Move, proof: Proof) -> Result<Option<bool>, TooManyPositions> {
    match proof.winner {
        Some(winner) if proof.plies <= CHECKED_PLIES => wins_with(game, mv, winner, proof.plies.into()).map(Some),
        _ => Ok(None),
    }
}

/// Whether `side` wins within `plies`, including the move `mv`.
fn wins_with(game: &Game, mv: Move, side: Side, plies: u32) -> Result<bool, TooManyPositions> {
    let mut after = game.clone();
    after.play_trusted(mv);
    WinSolver::new(&after, side, MAX_POSITIONS).wins_within(plies.saturating_sub(1))
}

fn words(proof: Proof) -> String {
    match proof.winner {
        Some(winner) => format!("{winner} win within {} plies", proof.plies),
        None => "a draw".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_search::{SearchConfig, UniformEvaluator};

    fn puzzle() -> (Arc<Rules>, Puzzle) {
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        let position = "4tt3/1T3T3/3t1K1t1/t4tT1t/1t7/t5t2/4t4/9/9 a".parse().unwrap();
        let solutions = vec!["h7-g7".parse().unwrap()];
        (rules, Puzzle { position, distance: 2, solutions, game: 0, ply: 0 })
    }

    #[test]
    fn a_solved_puzzle_is_counted_and_its_proofs_are_confirmed() {
        let (rules, puzzle) = puzzle();
        let config = SolveConfig { search: SearchConfig::for_play(), simulations: 16, seed: 1 };
        let report = solve(&rules, &[puzzle], &config, &|| Box::new(UniformEvaluator)).unwrap();
        let expected = DistanceReport { distance: 0, puzzles: 1, solved: 1, proven: 1 };
        assert_eq!(report.all, expected);
        assert_eq!(report.by_distance[0], DistanceReport { distance: 2, ..expected });
        assert!(report.confirmed > 0 && report.contradicted.is_empty(), "{report:?}");
        let twice = report.clone().with(report.clone());
        assert_eq!((twice.all.puzzles, twice.confirmed), (2, 2 * report.confirmed));
    }

    #[test]
    fn a_false_proof_is_contradicted() {
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        let game = Game::from_position(rules, "9/9/9/9/2K5t/9/9/9/4t3t d".parse().unwrap()).unwrap();
        let proof = |winner, plies| Proof { winner: Some(winner), plies, from_history: false };
        let holds = |mv: &str, proof| holds(&game, mv.parse().unwrap(), proof).unwrap();
        assert_eq!(holds("c5-c9", proof(Side::Defenders, 1)), Some(true));
        assert_eq!(holds("c5-c6", proof(Side::Defenders, 1)), Some(false));
        assert_eq!(holds("c5-c6", proof(Side::Attackers, 4)), Some(false));
        assert_eq!(holds("c5-c6", proof(Side::Attackers, 40)), None);
    }
}
