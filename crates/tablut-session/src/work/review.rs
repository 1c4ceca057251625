//! The review of a game: a search for the moves that changed its proven or expected result.

use super::{Step, Update, Work};
use crate::exercise::Exercise;
use crate::protocol::Event;
use crate::results::{Mistake, ReviewReport};
use crate::session::Session;
use crate::thinking::{Analysis, Thinking};
use crate::tree::{NodeId, NodeValue};
use std::time::Duration;
use tablut_rules::{Game, Move, Side};
use tablut_search::{Chances, EvaluateError, Evaluator, Proof, turned};

/// Simulations at each position, unless the caller gives another number.
const SIMULATIONS: u32 = 400;
/// A move that lowers the value by at least this much is a mistake. Values are from −1 to 1.
const COSTLY: f32 = 0.3;
/// A side whose value is still this high has not missed its win, even if the win is no longer proven. A side whose
/// opponent's value was this high has not allowed a win.
const STILL_WINNING: f32 = 0.7;
/// Maximum number of plies in a review. Later plies are left out.
const MAX_PLIES: usize = 400;

/// The result of the search of one position.
#[derive(Clone, Debug)]
struct Looked {
    value: NodeValue,
    analysis: Option<Analysis>,
}

/// A running review.
#[derive(Debug)]
pub struct Review {
    nodes: Vec<NodeId>,
    moves: Vec<Move>,
    start: Game,
    game: Game,
    thinking: Option<Thinking>,
    looked: Vec<Looked>,
    simulations: u32,
    seed: u64,
}

impl Review {
    /// A review of the session's current line, to its end.
    pub fn new(session: &Session, seed: u64) -> Self {
        let mut nodes = session.tree().line(session.current());
        nodes.truncate(MAX_PLIES + 1);
        let moves = nodes.iter().filter_map(|id| session.tree().mv(*id)).collect();
        let start = Game::from_position(session.rules().clone(), *session.start()).expect("the session has a game");
        let (game, looked) = (start.clone(), Vec::new());
        Self { nodes, moves, game, start, thinking: None, looked, simulations: SIMULATIONS, seed }
    }

    /// Reviews the session's current line, with `simulations` at each position, and writes the values into the session.
    /// `progress` is called after each position.
    ///
    /// # Errors
    /// Returns the evaluator's error.
    pub fn run(
        session: &mut Session,
        simulations: u32,
        seed: u64,
        evaluator: &mut dyn Evaluator,
        progress: &mut dyn FnMut(),
    ) -> Result<ReviewReport, EvaluateError> {
        let mut review = Self { simulations, ..Self::new(session, seed) };
        loop {
            let (Step::Progress(updates) | Step::Done(updates)) = review.step(evaluator, Duration::ZERO)? else {
                continue;
            };
            for update in updates {
                match update {
                    Update::Event(Event::Value { node, value }) => session.note_value(node, value),
                    Update::Event(_) => progress(),
                    Update::Reviewed(report) => return Ok(report),
                    Update::Move(..) => {}
                }
            }
        }
    }

    /// Stores the result of the current position and continues with the next.
    fn look(&mut self, value: NodeValue, analysis: Option<Analysis>) -> Step {
        let at = self.looked.len();
        self.thinking = None;
        self.looked.push(Looked { value, analysis });
        let progress = Event::ReviewProgress { done: self.looked.len(), of: self.nodes.len() };
        let mut updates = vec![Event::Value { node: self.nodes[at], value }.into(), progress.into()];
        if let Some(mv) = self.moves.get(at) {
            self.game.play_trusted(*mv);
            return Step::Progress(updates);
        }
        updates.push(Update::Reviewed(self.report()));
        Step::Done(updates)
    }

    fn report(&self) -> ReviewReport {
        let (mut mistakes, mut exercises) = (Vec::new(), Vec::new());
        let mut game = self.start.clone();
        for (index, (mv, pair)) in self.moves.iter().zip(self.looked.windows(2)).enumerate() {
            let side = game.position().side_to_move();
            let fault = fault(side, &pair[0].value, &pair[1].value);
            // If the move is the search's best move, there is no better move to find.
            let best = pair[0].analysis.as_ref().and_then(|before| before.lines.first()?.moves.first());
            if let (Some((words, certain)), Some(before), false) = (fault, &pair[0].analysis, best == Some(mv)) {
                let node = self.nodes[index];
                mistakes.push(Mistake { node, ply: index as u32 + 1, side, played: *mv, words, certain });
                let worth = turned(pair[1].value.value(), side);
                exercises.push(Exercise::of_mistake(node, game.clone(), before, *mv, worth));
            }
            game.play_trusted(*mv);
        }
        ReviewReport { mistakes, exercises, positions: self.looked.len() }
    }
}

/// The harm that a move of `side` did to its result, in words, and whether it is proven. `None` if there is none.
fn fault(side: Side, before: &NodeValue, after: &NodeValue) -> Option<(String, bool)> {
    let wins = |proven: Option<Proof>, who: Side| proven.filter(|proven| proven.winner == Some(who));
    let (worth_before, worth_after) = (turned(before.value(), side), turned(after.value(), side));
    if let Some(theirs) = wins(after.proven, side.opponent()) {
        if wins(before.proven, side.opponent()).is_some() || worth_before <= -STILL_WINNING {
            return None;
        }
        let words = match theirs.plies {
            0 => "lost at once".to_owned(),
            plies => format!("allowed a win in {}", plies.div_ceil(2)),
        };
        return Some((words, true));
    }
    if let Some(ours) = wins(before.proven, side) {
        if wins(after.proven, side).is_some() || (after.proven.is_none() && worth_after >= STILL_WINNING) {
            return None;
        }
        return Some((format!("missed a win in {}", ours.plies.div_ceil(2)), after.proven.is_some()));
    }
    let cost = worth_before - worth_after;
    (cost >= COSTLY).then(|| (format!("cost about {:.0} % of the chances", 50.0 * cost), false))
}

impl Work for Review {
    fn step(&mut self, evaluator: &mut dyn Evaluator, elapsed: Duration) -> Result<Step, EvaluateError> {
        if let Some(thinking) = &mut self.thinking {
            if thinking.step(evaluator, elapsed)? {
                return Ok(Step::Continue);
            }
            let (value, analysis) = (thinking.value(), thinking.analysis(3));
            return Ok(self.look(value, Some(analysis)));
        }
        if let Some(outcome) = self.game.outcome() {
            let proven = Some(Proof::of_outcome(outcome));
            let value = NodeValue { chances: Chances::certain(outcome.winner), proven, simulations: 0 };
            return Ok(self.look(value, None));
        }
        self.thinking = Some(Thinking::by_simulations(&self.game, self.simulations, self.seed));
        Ok(Step::Continue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::Players;
    use std::sync::Arc;
    use tablut_rules::Rules;
    use tablut_search::UniformEvaluator;

    #[test]
    fn a_missed_win_and_an_allowed_one_are_found() {
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        // The king could escape at once, but waits. The attackers waste their move, and the king escapes.
        let start = "9/9/9/9/2K5t/9/9/9/4t3t d".parse().unwrap();
        let mut session = Session::from_position(rules, start, Players::people()).unwrap();
        for mv in ["c5-d5", "i5-i6", "d5-d9"] {
            session.play(mv.parse().unwrap()).unwrap();
        }
        let report = Review::run(&mut session, SIMULATIONS, 1, &mut UniformEvaluator, &mut || {}).unwrap();
        assert_eq!(report.positions, 4);
        // After c5-d5 the win is still proven, and the attackers' move does not change this.
        assert_eq!(report.mistakes, []);
    }

    #[test]
    fn faults_are_changes_of_the_result_for_the_mover() {
        let proven = |winner, plies| NodeValue {
            chances: Chances::certain(Some(winner)),
            proven: Some(Proof { winner: Some(winner), plies, from_history: false }),
            simulations: 1,
        };
        let open = |value| NodeValue { chances: Chances::new(value, 0.0), proven: None, simulations: 1 };
        let attackers = |before: NodeValue, after: NodeValue| fault(Side::Attackers, &before, &after);
        let told = |words: &str, certain| Some((words.to_owned(), certain));
        assert_eq!(attackers(open(0.1), proven(Side::Defenders, 5)), told("allowed a win in 3", true));
        assert_eq!(attackers(proven(Side::Attackers, 3), open(0.2)), told("missed a win in 2", false));
        assert_eq!(attackers(proven(Side::Attackers, 3), open(0.9)), None);
        assert_eq!(attackers(proven(Side::Defenders, 4), proven(Side::Defenders, 3)), None);
        assert_eq!(attackers(open(-0.8), proven(Side::Defenders, 5)), None, "it was lost before");
        assert_eq!(attackers(open(0.5), open(-0.1)), told("cost about 30 % of the chances", false));
        assert_eq!(fault(Side::Defenders, &open(0.5), &open(-0.1)), None);
    }
}
