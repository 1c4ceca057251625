//! The review of a game: a search for the moves that changed its proven or expected result.

use super::{Step, Update, Work};
use crate::exercise::Exercise;
use crate::grade::{GradeScale, cost};
use crate::protocol::Event;
use crate::results::{Mistake, ReviewReport};
use crate::session::Session;
use crate::thinking::{Analysis, LineView, Thinking};
use crate::tree::{NodeId, NodeValue, Reviewed};
use std::time::Duration;
use tablut_rules::{Game, Move, Side};
use tablut_search::{Chances, EvaluateError, Evaluator, Proof, turned};

/// Simulations at each position, unless the caller gives another number.
const SIMULATIONS: u32 = 400;
/// Simulations before and after a move that is judged during a game: few, because the computer's reply waits for them.
const QUICK_SIMULATIONS: u32 = 100;
/// Maximum number of plies in a review. Later plies are left out.
const MAX_PLIES: usize = 400;

#[derive(Debug)]
pub struct Review {
    nodes: Vec<NodeId>,
    moves: Vec<Move>,
    start: Game,
    game: Game,
    thinking: Option<Thinking>,
    looked: Vec<Reviewed>,
    simulations: u32,
    scale: GradeScale,
    seed: u64,
}

impl Review {
    pub fn new(session: &Session, seed: u64) -> Self {
        let mut nodes = session.tree().line(session.current());
        nodes.truncate(MAX_PLIES + 1);
        let moves = nodes.iter().filter_map(|id| session.tree().mv(*id)).collect();
        let start = Game::from_position(session.rules().clone(), *session.start()).expect("the session has a game");
        Self {
            nodes,
            moves,
            game: start.clone(),
            start,
            thinking: None,
            looked: Vec::new(),
            simulations: SIMULATIONS,
            scale: GradeScale::of(session.players()),
            seed,
        }
    }

    /// A quick review of the last move. `None` if it was not a person's.
    pub(crate) fn of_last_move(session: &Session, seed: u64) -> Option<Self> {
        let node = session.node();
        let (parent, report) = (node.parent?, node.report.as_ref()?);
        if !session.players().of(report.side).is_person() {
            return None;
        }
        let start = session.game_at(parent).ok()?;
        let nodes = vec![parent, session.current()];
        let game = start.clone();
        let moves = vec![report.mv];
        Some(Self { nodes, moves, game, start, simulations: QUICK_SIMULATIONS, ..Self::new(session, seed) })
    }

    /// Reviews the session's current line, with `simulations` at each position, and writes the values into the session.
    /// `progress` is called after each position.
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
                    Update::Move(..) | Update::PlayAnswer { .. } => {}
                }
            }
        }
    }

    fn look(&mut self, value: NodeValue, analysis: Option<&Analysis>) -> Step {
        let at = self.looked.len();
        self.thinking = None;
        self.looked.push(reviewed(value, analysis));
        let progress = Event::ReviewProgress { done: self.looked.len(), of: self.nodes.len() };
        let mut updates = vec![Event::Value { node: self.nodes[at], value }.into(), progress.into()];
        if let Some(mv) = self.moves.get(at) {
            self.game.play_trusted(*mv);
            return Step::Progress(updates);
        }
        let looked = std::mem::take(&mut self.looked);
        let known: Vec<_> = self.nodes.iter().copied().zip(looked).collect();
        updates.push(Update::Reviewed(report(&self.start, &self.moves, known, &self.scale)));
        Step::Done(updates)
    }

    /// The review that is saved with a session's line, or `None` if a position of the line was not reviewed.
    pub fn known(session: &Session) -> Option<ReviewReport> {
        let nodes = session.tree().line(session.current());
        let review = |id: &NodeId| Some((*id, session.tree().node(*id)?.review.clone()?));
        let known: Vec<_> = nodes.iter().take(MAX_PLIES + 1).map(review).collect::<Option<_>>()?;
        let moves: Vec<Move> = nodes.iter().filter_map(|id| session.tree().mv(*id)).collect();
        let start = Game::from_position(session.rules().clone(), *session.start()).ok()?;
        (!moves.is_empty()).then(|| report(&start, &moves, known, &GradeScale::of(session.players())))
    }
}

fn reviewed(value: NodeValue, analysis: Option<&Analysis>) -> Reviewed {
    let Some(analysis) = analysis else { return Reviewed { value, best: Vec::new(), solutions: Vec::new() } };
    let best = analysis.lines.first().map(|line| line.moves.clone()).unwrap_or_default();
    let winner = analysis.proven.map(|proven| proven.winner);
    let keeps = |line: &&LineView| winner.is_some() && line.proven.map(|proven| proven.winner) == winner;
    let solutions = analysis.lines.iter().filter(keeps).filter_map(|line| line.moves.first().copied()).collect();
    Reviewed { value, best, solutions }
}

/// The report on the moves from `start`. `known` has the results of the positions before each move and after the last.
fn report(start: &Game, moves: &[Move], known: Vec<(NodeId, Reviewed)>, scale: &GradeScale) -> ReviewReport {
    let (mut mistakes, mut exercises) = (Vec::new(), Vec::new());
    let mut game = start.clone();
    for (index, (mv, pair)) in moves.iter().zip(known.windows(2)).enumerate() {
        let side = game.position().side_to_move();
        let ((node, before), (_, after)) = (&pair[0], &pair[1]);
        let grade = scale.grade(cost(side, &before.value, &after.value));
        let fault = grade.is_mistake().then(|| fault(side, &before.value, &after.value));
        // If the move is the search's best move, there is no better move to find.
        if let (Some((words, certain)), Some(best)) = (fault, before.best.first())
            && best != mv
        {
            mistakes.push(Mistake { node: *node, ply: index as u32 + 1, side, played: *mv, grade, words, certain });
            let worth = turned(after.value.value(), side);
            exercises.push(Exercise::of_mistake(*node, game.clone(), before, *mv, worth));
        }
        game.play_trusted(*mv);
    }
    ReviewReport { mistakes, exercises, positions: known.len(), reviewed: known }
}

/// The harm that a move of `side` did to its result, in words, and whether it is proven.
fn fault(side: Side, before: &NodeValue, after: &NodeValue) -> (String, bool) {
    let wins = |proven: Option<Proof>, who: Side| proven.filter(|proven| proven.winner == Some(who));
    if let Some(theirs) = wins(after.proven, side.opponent()) {
        let words = match theirs.plies {
            0 => "lost at once".to_owned(),
            plies => format!("allowed a win in {}", plies.div_ceil(2)),
        };
        return (words, true);
    }
    if let Some(ours) = wins(before.proven, side) {
        return (format!("missed a win in {}", ours.plies.div_ceil(2)), after.proven.is_some());
    }
    (format!("cost about {:.0} % of the chances", 50.0 * cost(side, before, after)), false)
}

impl Work for Review {
    fn step(&mut self, evaluator: &mut dyn Evaluator, elapsed: Duration) -> Result<Step, EvaluateError> {
        if let Some(thinking) = &mut self.thinking {
            if thinking.step(evaluator, elapsed)? {
                return Ok(Step::Continue);
            }
            let (value, analysis) = (thinking.value(), thinking.analysis(3));
            return Ok(self.look(value, Some(&analysis)));
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
    use crate::grade::Grade;
    use crate::player::{Controller, Players};
    use crate::saved::SavedGame;
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
    fn a_review_is_kept_with_its_game() {
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        let start = "9/9/9/9/2K5t/9/9/9/6t1t d".parse().unwrap();
        let mut session = Session::from_position(rules, start, Players::people()).unwrap();
        for mv in ["c5-h5", "g1-g5"] {
            session.play(mv.parse().unwrap()).unwrap();
        }
        let report = Review::run(&mut session, 50, 1, &mut UniformEvaluator, &mut || {}).unwrap();
        assert_eq!(report.mistakes.len(), 1, "{report:?}");
        assert!(Review::known(&session).is_none(), "nothing was written down yet");
        for (node, reviewed) in &report.reviewed {
            session.note_review(*node, reviewed.clone());
        }
        let again = SavedGame::from_json(&session.saved().to_json()).unwrap().session().unwrap();
        assert_eq!(Review::known(&again).expect("all of the line was reviewed").mistakes, report.mistakes);
        let grade = Grade::of_node(&again, again.tree().line(again.current())[1]);
        assert_eq!(grade, Some(Grade::Blunder));
        let mut illegal = session.saved();
        illegal.positions[0].review.as_mut().unwrap().solutions = vec!["a1-a2".parse().unwrap()];
        let error = illegal.session().unwrap_err().to_string();
        assert!(error.contains("position 1: review: the solution a1-a2 is not legal"), "{error}");
    }

    #[test]
    fn a_strong_level_makes_mistakes_of_small_losses() {
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        let mut session = Session::new(rules, Side::Attackers, Players::people());
        session.play("d1-d3".parse().unwrap()).unwrap();
        let line = session.tree().line(session.current());
        for (id, attackers, best) in [(line[0], 0.58, "a4-a3"), (line[1], 0.5, "e3-f3")] {
            let chances = Chances { attackers, draw: 0.0, defenders: 1.0 - attackers };
            let value = NodeValue { chances, proven: None, simulations: 400 };
            session.note_review(id, Reviewed { value, best: vec![best.parse().unwrap()], solutions: Vec::new() });
        }
        let mistakes = |session: &mut Session, level: &str| {
            session.set_players(Players { attackers: Controller::Person, defenders: Controller::computer(level) });
            Review::known(session).expect("all of it was reviewed").mistakes
        };
        assert_eq!(mistakes(&mut session, "newcomer"), []);
        assert_eq!(mistakes(&mut session, "expert")[0].grade, Grade::Mistake);
    }

    #[test]
    fn faults_are_changes_of_the_result_for_the_mover() {
        let proven = |winner, plies| NodeValue {
            chances: Chances::certain(Some(winner)),
            proven: Some(Proof { winner: Some(winner), plies, from_history: false }),
            simulations: 1,
        };
        let open = |value| NodeValue { chances: Chances::new(value, 0.0), proven: None, simulations: 1 };
        let scale = GradeScale::of(&Players::people());
        let fault_of = |side, before: NodeValue, after: NodeValue| {
            scale.grade(cost(side, &before, &after)).is_mistake().then(|| fault(side, &before, &after))
        };
        let attackers = |before: NodeValue, after: NodeValue| fault_of(Side::Attackers, before, after);
        let mistake = |words: &str, certain| Some((words.to_owned(), certain));
        assert_eq!(attackers(open(0.1), proven(Side::Defenders, 5)), mistake("allowed a win in 3", true));
        assert_eq!(attackers(proven(Side::Attackers, 3), open(0.2)), mistake("missed a win in 2", false));
        assert_eq!(attackers(proven(Side::Attackers, 3), open(0.9)), None);
        assert_eq!(attackers(proven(Side::Defenders, 4), proven(Side::Defenders, 3)), None);
        assert_eq!(attackers(open(-0.9), proven(Side::Defenders, 5)), None, "it was lost before");
        assert_eq!(attackers(open(0.5), open(-0.1)), mistake("cost about 30 % of the chances", false));
        assert_eq!(fault_of(Side::Defenders, open(0.5), open(-0.1)), None);
    }
}
