//! One search in steps, without threads or a clock. The host provides an evaluator and the elapsed time.

use crate::level::analysis_search;
use crate::tree::NodeValue;
use crate::words;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tablut_rules::{Game, Move};
use tablut_search::{
    Chances, EvaluateError, Evaluator, Limit, Line, Proof, RootMove, Search, SearchConfig, SearchResult, Situation,
};

const MAX_BATCH: usize = 32;
const LEAVES_IN_FLIGHT: u32 = 8;
/// Simulations in flight at once in a report: enough to fill a large net's batch on a few cores.
const LEAVES_OF_REPORT: u32 = 16;

pub fn report_search() -> SearchConfig {
    SearchConfig { leaves_in_flight: LEAVES_OF_REPORT, ..SearchConfig::for_analysis() }
}

pub(crate) fn open_ended_search() -> SearchConfig {
    SearchConfig { leaves_in_flight: LEAVES_IN_FLIGHT, ..analysis_search() }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// The position's chances. They are certain if the result is proven.
    pub chances: Chances,
    pub proven: Option<Proof>,
    /// The proven result, or else the side with the better chances, in words.
    pub words: String,
    pub simulations: u32,
    /// The best moves with their expected lines, the best first.
    pub lines: Vec<LineView>,
    /// The number of workers that searched the position.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub workers: usize,
}

fn one() -> usize {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_one(workers: &usize) -> bool {
    *workers == 1
}

impl Analysis {
    pub(crate) fn value(&self) -> NodeValue {
        NodeValue { chances: self.chances, proven: self.proven, simulations: self.simulations }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LineView {
    pub moves: Vec<Move>,
    pub visits: u32,
    pub prior: f32,
    pub chances: Chances,
    pub proven: Option<Proof>,
    pub words: Option<String>,
}

#[derive(Debug)]
pub struct Thinking {
    search: Search,
    situations: Vec<Situation>,
}

impl Thinking {
    /// A search of a game that is not over. All random choices depend on `seed`.
    pub fn new(game: &Game, config: &SearchConfig, limit: Limit, seed: u64) -> Self {
        assert!(game.outcome().is_none(), "a game that is over cannot be searched");
        Self { search: Search::seeded(game.clone(), config, limit, seed), situations: Vec::new() }
    }

    pub fn by_simulations(game: &Game, simulations: u32, seed: u64) -> Self {
        Self::new(game, &analysis_search(), Limit::of_simulations(simulations), seed)
    }

    /// The search of `tablut analyze`. With a limit of simulations its result depends only on the game and the evaluator.
    pub fn for_report(game: &Game, limit: Limit) -> Self {
        Self::new(game, &report_search(), limit, 0)
    }

    /// Evaluates one batch. Returns false when the search has ended. `elapsed` is the time since its start.
    pub fn step(&mut self, evaluator: &mut dyn Evaluator, elapsed: Duration) -> Result<bool, EvaluateError> {
        if !self.search.goes_on(elapsed) {
            return Ok(false);
        }
        self.situations.clear();
        self.search.gather_at_most(&mut self.situations, MAX_BATCH);
        self.search.apply(&evaluator.evaluate(&self.situations)?);
        Ok(true)
    }

    pub fn game(&self) -> &Game {
        self.search.game()
    }

    pub fn result(&self) -> SearchResult {
        self.search.result()
    }

    pub fn nodes(&self) -> usize {
        self.search.memory().nodes
    }

    pub fn value(&self) -> NodeValue {
        let result = self.search.result();
        NodeValue { chances: result.chances, proven: result.proven, simulations: result.simulations }
    }

    pub fn analysis(&self, n_lines: usize) -> Analysis {
        let value = self.value();
        let to_move = self.game().position().side_to_move();
        let words = value.proven.map_or_else(|| leaning(value.value()), |proof| words::proven(proof, to_move));
        let view = |Line { moves, root: RootMove { visits, prior, chances, proven, .. } }| {
            let words = proven.map(|proof| words::proven(proof, to_move));
            LineView { moves, visits, prior, chances, proven, words }
        };
        let lines = self.search.lines(n_lines).into_iter().map(view).collect();
        Analysis {
            chances: value.chances,
            proven: value.proven,
            words,
            simulations: value.simulations,
            lines,
            workers: 1,
        }
    }
}

pub fn leaning(value: f32) -> String {
    let side = if value < 0.0 { "defenders" } else { "attackers" };
    match value.abs() {
        0.0..0.08 => "about even".to_owned(),
        0.08..0.3 => format!("the {side} stand a little better"),
        0.3..0.7 => format!("the {side} stand better"),
        _ => format!("the {side} should win"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tablut_rules::{Rules, Side};
    use tablut_search::UniformEvaluator;

    fn game(position: &str) -> Game {
        Game::from_position(Arc::new(Rules::named("kvasir").unwrap()), position.parse().unwrap()).unwrap()
    }

    fn run(thinking: &mut Thinking) {
        while thinking.step(&mut UniformEvaluator, Duration::ZERO).unwrap() {}
    }

    #[test]
    fn a_win_at_hand_is_certain() {
        let mut thinking = Thinking::by_simulations(&game("9/9/9/9/2K5t/9/9/9/4t3t d"), 50, 1);
        run(&mut thinking);
        let analysis = thinking.analysis(3);
        assert_eq!(analysis.chances, Chances::certain(Some(Side::Defenders)));
        assert_eq!(analysis.words, "the defenders win in 1");
        assert_eq!(analysis.lines[0].proven.and_then(|proven| proven.winner), Some(Side::Defenders));
    }

    #[test]
    fn an_open_search_ends_by_the_hosts_clock() {
        let start = Game::new(Arc::new(Rules::named("kvasir").unwrap()), Side::Attackers);
        let limit = Limit::of_time(Duration::from_secs(2)).unwrap();
        let mut thinking = Thinking::new(&start, &open_ended_search(), limit, 1);
        let mut elapsed = Duration::ZERO;
        while thinking.step(&mut UniformEvaluator, elapsed).unwrap() {
            elapsed += Duration::from_millis(100);
        }
        assert!(elapsed >= Duration::from_secs(2) && elapsed < Duration::from_secs(3), "{elapsed:?}");
        assert!(thinking.value().simulations > 20, "{:?}", thinking.value());
        assert_eq!(thinking.analysis(4).lines.len(), 4);
    }

    #[test]
    fn chances_are_told_in_words() {
        assert_eq!(
            [0.0, -0.1, 0.5, -0.9].map(leaning),
            [
                "about even",
                "the defenders stand a little better",
                "the attackers stand better",
                "the defenders should win"
            ]
        );
    }
}
