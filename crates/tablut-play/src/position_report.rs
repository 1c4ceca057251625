//! What a net and its search say about a position, for people (as text) and programs (as JSON).

use serde::Serialize;
use std::time::{Duration, Instant};
use tablut_players::{NetPlayer, Watch};
use tablut_rules::{Game, Move, MoveList, Outcome, Side};
use tablut_search::formulas::softmax::{exp, log_softmax};
use tablut_search::{EvaluateError, Evaluation, Evaluator, Limit, Line, Query, Search, SearchConfig, Stop};
use tablut_session::Proven;

/// Simulations in flight at once: enough to fill a large net's batch on a few cores.
const LEAVES_IN_FLIGHT: u32 = 16;

/// Everything that is known of a position after a search. Values run from −1 (the defenders win) to +1 (the attackers win).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PositionReport {
    /// The rule set's name.
    pub rules: String,
    /// The position, as text.
    pub position: String,
    /// Plies played before it.
    pub ply: u32,
    /// Who is to move.
    pub side_to_move: Side,
    /// How the game has ended; nothing else is known then.
    pub outcome: Option<Outcome>,
    /// What the net says without a search.
    pub net: Option<NetView>,
    /// What the search says.
    pub search: Option<SearchView>,
}

/// A net's view of a position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NetView {
    /// Chance that the attackers win.
    pub attackers: f32,
    /// Chance of a draw.
    pub draw: f32,
    /// Chance that the defenders win.
    pub defenders: f32,
    /// Plies that the game is expected to go on for.
    pub plies_left: f32,
}

/// A search's view of a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchView {
    /// The move to play.
    pub best: Move,
    /// The position's value: exact when proven.
    pub value: f32,
    /// The proven result.
    pub proven: Option<Proven>,
    /// Simulations in the tree.
    pub simulations: u32,
    /// Positions in the tree.
    pub nodes: usize,
    /// Time taken, in seconds.
    pub seconds: f64,
    /// Why it ended.
    pub stop: Option<&'static str>,
    /// The best moves and what follows them, best first.
    pub lines: Vec<ReportLine>,
}

/// A move with what the search expects to follow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReportLine {
    /// The move and the replies expected.
    pub moves: Vec<Move>,
    /// Simulations through the move.
    pub visits: u32,
    /// The net's probability of the move.
    pub prior: f32,
    /// The mean value of the simulations through the move, or the proven one.
    pub q: f32,
    /// The move's probability after the search.
    pub policy: f32,
    /// Its proven result, counted from the position.
    pub proven: Option<Proven>,
}

impl From<Line> for ReportLine {
    fn from(line: Line) -> Self {
        Self {
            moves: line.moves,
            visits: line.visits,
            prior: line.prior,
            q: line.q,
            policy: line.improved,
            proven: line.proven.map(Proven::from),
        }
    }
}

impl From<&Evaluation> for NetView {
    fn from(evaluation: &Evaluation) -> Self {
        let [attackers, draw, defenders] = evaluation.wdl;
        Self { attackers, draw, defenders, plies_left: evaluation.moves_left }
    }
}

impl PositionReport {
    /// Searches the game's position with `evaluator` and keeps the best `n_lines` moves. By simulations the result is always the
    /// same; by time it depends on the machine. A game that is over needs no search and has only its outcome.
    pub fn new(
        mut evaluator: Box<dyn Evaluator>,
        game: &Game,
        limit: Limit,
        n_lines: usize,
    ) -> Result<Self, EvaluateError> {
        let mut analysis = Self {
            rules: game.rules().name().to_owned(),
            position: game.position().to_string(),
            ply: game.ply(),
            side_to_move: game.position().side_to_move(),
            outcome: game.outcome(),
            net: None,
            search: None,
        };
        if game.outcome().is_some() {
            return Ok(analysis);
        }
        let query = query(game);
        let evaluations = evaluator.evaluate(std::slice::from_ref(&query))?;
        let [evaluation] = evaluations.as_slice() else {
            return Err(EvaluateError::Count { what: "evaluations", expected: 1, found: evaluations.len() });
        };
        analysis.net = Some(NetView::from(evaluation));
        let config = SearchConfig { leaves_in_flight: LEAVES_IN_FLIGHT, ..SearchConfig::for_analysis() };
        let began = Instant::now();
        let search = NetPlayer::new(evaluator, 0).search(game, &config, limit, &mut |_| Watch::GoOn)?;
        let mut view = SearchView::new(&search, began.elapsed(), n_lines);
        // A position that is proven at sight was never evaluated in the search.
        let mut log_priors = evaluation.logits.clone();
        log_softmax(&mut log_priors);
        for line in &mut view.lines {
            let prior = query.moves.iter().zip(&log_priors).find(|(mv, _)| Some(*mv) == line.moves.first());
            line.prior = prior.map_or(line.prior, |(_, log_prior)| exp(*log_prior));
        }
        analysis.search = Some(view);
        Ok(analysis)
    }
}

impl SearchView {
    fn new(search: &Search, took: Duration, n_lines: usize) -> Self {
        let result = search.result();
        Self {
            best: result.chosen,
            value: result.value,
            proven: result.proven.map(Proven::from),
            simulations: result.simulations + result.kept_visits,
            nodes: search.memory().nodes,
            seconds: took.as_secs_f64(),
            stop: result.stop.map(reason),
            lines: search.lines(n_lines).into_iter().map(ReportLine::from).collect(),
        }
    }
}

/// Why a search ended, in a word or two.
fn reason(stop: Stop) -> &'static str {
    match stop {
        Stop::Simulations => "simulations spent",
        Stop::Proven => "proven",
        Stop::Decided => "decided",
        Stop::Memory => "memory full",
        Stop::Asked => "time up",
        Stop::GameOver => "game over",
        _ => "ended",
    }
}

fn query(game: &Game) -> Query {
    let mut moves = MoveList::new();
    game.legal_moves(&mut moves);
    Query {
        rules: game.rules().clone(),
        position: *game.position(),
        occurrences: game.occurrences(),
        plies_since_capture: game.plies_since_capture(),
        moves: moves.to_vec(),
    }
}
