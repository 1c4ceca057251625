//! The report of a net's evaluation and search of a position, as data (JSON) and as text.

use crate::analysis_text::{chances_text, lines_text};
use serde::Serialize;
use std::fmt::Write as _;
use std::time::Instant;
use tablut_rules::{Game, Move, MoveList, Outcome, Side};
use tablut_search::formulas::softmax::{exp, log_softmax};
use tablut_search::{Chances, EvaluateError, Evaluator, Limit, Stop};
use tablut_session::board_text::{Style, board_text, legend_text};
use tablut_session::{Analysis, Thinking};

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PositionReport {
    pub rules: String,
    pub position: String,
    pub ply: u32,
    pub side_to_move: Side,
    /// How the game has ended. If it has, `net` and `search` are `None`.
    pub outcome: Option<Outcome>,
    pub net: Option<NetView>,
    pub search: Option<SearchView>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NetView {
    #[serde(flatten)]
    pub chances: Chances,
    pub plies_left: f32,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchView {
    pub best: Move,
    /// The position's value, −1 (the defenders win) to 1 (the attackers win).
    pub value: f32,
    #[serde(flatten)]
    pub analysis: Analysis,
    pub nodes: usize,
    /// Wall time in seconds.
    pub seconds: f64,
    pub stop: Option<&'static str>,
}

impl PositionReport {
    /// Searches the game's current position with `evaluator` and keeps the best `n_lines` moves. With a limit of
    /// simulations the result is deterministic. With a limit of time it depends on the machine.
    pub fn new(
        mut evaluator: Box<dyn Evaluator>,
        game: &Game,
        limit: Limit,
        n_lines: usize,
    ) -> Result<Self, EvaluateError> {
        let mut report = Self {
            rules: game.rules().name().to_owned(),
            position: game.position().to_string(),
            ply: game.ply(),
            side_to_move: game.position().side_to_move(),
            outcome: game.outcome(),
            net: None,
            search: None,
        };
        if game.outcome().is_some() {
            return Ok(report);
        }
        let mut moves = MoveList::new();
        game.legal_moves(&mut moves);
        let query = game.owned_situation(&moves);
        let evaluations = evaluator.evaluate(std::slice::from_ref(&query))?;
        let [evaluation] = evaluations.as_slice() else {
            return Err(EvaluateError::Count { what: "evaluations", expected: 1, found: evaluations.len() });
        };
        report.net = Some(NetView { chances: Chances::of_net(evaluation), plies_left: evaluation.moves_left });
        let mut thinking = Thinking::for_report(game, limit);
        let began = Instant::now();
        while thinking.step(&mut *evaluator, began.elapsed())? {}
        let seconds = began.elapsed().as_secs_f64();
        let (result, mut analysis) = (thinking.result(), thinking.analysis(n_lines));
        // The search has no priors if it proves the position before its first evaluation.
        let mut log_priors = evaluation.logits.clone();
        log_softmax(&mut log_priors);
        for line in &mut analysis.lines {
            let prior = query.moves.iter().zip(&log_priors).find(|(mv, _)| Some(*mv) == line.moves.first());
            line.prior = prior.map_or(line.prior, |(_, log_prior)| exp(*log_prior));
        }
        let stop = result.stop.map(reason);
        let (best, value, nodes) = (result.chosen, result.value, thinking.nodes());
        report.search = Some(SearchView { best, value, analysis, nodes, seconds, stop });
        Ok(report)
    }

    /// The report as text, with the board of `game`, which is the game of the report.
    pub fn text(&self, game: &Game, style: Style) -> String {
        let mut text = board_text(game.rules(), game.position(), game.moves().last(), style);
        let plies = if self.ply == 1 { "1 ply".to_owned() } else { format!("{} plies", self.ply) };
        let _ = write!(text, "{}\n\n{}, after {plies}", legend_text(game.rules(), style), self.rules);
        if let Some(outcome) = self.outcome {
            let _ = match outcome.winner {
                Some(side) => writeln!(text, ": the game is over, the {side} win ({})", outcome.reason),
                None => writeln!(text, ": the game is over, a draw ({})", outcome.reason),
            };
            return text;
        }
        let _ = writeln!(text, ", {} to move", self.side_to_move);
        if let Some(net) = &self.net {
            let _ = writeln!(text, "net     {}; {:.0} plies left", chances_text(net.chances), net.plies_left);
        }
        if let Some(SearchView { value, analysis, nodes, seconds, stop, .. }) = &self.search {
            let _ = writeln!(text, "search  {}; {value:+.3}: {}", chances_text(analysis.chances), analysis.words);
            let rests = if analysis.proven.is_some_and(|proven| proven.from_history) {
                ", which depends on the moves before"
            } else {
                ""
            };
            let simulations = analysis.simulations;
            let speed = match f64::from(simulations) / seconds {
                speed if speed.is_finite() && simulations > 0 => format!(", {speed:.0} per second"),
                _ => String::new(),
            };
            let stop = stop.map_or(String::new(), |stop| format!("; {stop}{rests}"));
            let _ = writeln!(text, "        {simulations} simulations{speed}, {nodes} nodes{stop}\n");
            text += &lines_text(&analysis.lines);
        }
        text
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tablut_rules::Rules;
    use tablut_search::UniformEvaluator;

    fn analyse(rules: &str, position: &str) -> (PositionReport, String) {
        let rules = Arc::new(Rules::named(rules).unwrap());
        let game = Game::from_position(rules, position.parse().unwrap()).unwrap();
        let report = PositionReport::new(Box::new(UniformEvaluator), &game, Limit::of_simulations(100), 3).unwrap();
        let text = report.text(&game, Style::default());
        (report, text)
    }

    #[test]
    fn a_forced_win_is_shown_with_its_line() {
        let (report, text) = analyse("kvasir", "9/9/9/9/2K5t/9/9/9/4t3t d");
        let search = report.search.unwrap();
        let proven = search.analysis.proven.unwrap();
        assert_eq!((proven.winner, proven.from_history), (Some(Side::Defenders), false));
        assert_eq!(search.analysis.lines[0].moves[0], search.best);
        assert!(text.contains("net     attackers 50 %, draw 0 %, defenders 50 %; "), "{text}");
        assert!(text.contains("-1.000: the defenders win in 1\n"), "{text}");
        assert!(text.contains(&format!("  {}  (the defenders win in 1)", search.best)), "{text}");
    }

    #[test]
    fn a_game_that_is_over_has_only_its_result() {
        let (report, text) = analyse("kvasir", "2K6/9/9/9/9/9/9/9/4t4 a");
        assert!(report.search.is_none() && report.net.is_none());
        assert!(text.contains("the game is over, the defenders win (king-escaped)"), "{text}");
    }

    #[test]
    fn an_open_position_shows_as_many_lines_as_asked_for() {
        let (report, text) = analyse("masters", "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3 a");
        let Analysis { lines, proven, simulations, .. } = report.search.unwrap().analysis;
        assert_eq!((lines.len(), proven), (3, None));
        assert!(lines.iter().map(|line| line.visits).sum::<u32>() <= simulations);
        assert!(text.contains("attackers to move"), "{text}");
        assert_eq!(text.lines().skip_while(|line| !line.contains("visits")).count(), 4, "{text}");
    }
}
