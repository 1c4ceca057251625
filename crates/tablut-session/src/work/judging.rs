//! The verdict on an answer to an exercise. Every move that keeps the result is accepted.

use super::{Step, Update, Work};
use crate::exercise::{Exercise, Judgement, Sufficiency};
use crate::protocol::Event;
use crate::results::NextPuzzle;
use crate::thinking::Thinking;
use crate::words;
use std::time::Duration;
use tablut_rules::{Game, Move, MoveList, Side};
use tablut_search::exhaustive::WinSolver;
use tablut_search::{Chances, EvaluateError, Evaluator, Proof, turned};

const SIMULATIONS: u32 = 1500;
/// The exhaustive solver's depth after an answer, in plies, and its maximum number of positions.
const SOLVER_PLIES: u32 = 7;
const SOLVER_POSITIONS: u64 = 400_000;
/// The solver's maximum number of positions for one question about the rest of a puzzle.
const REST_POSITIONS: u64 = 1_000_000;
/// Of the longest defences, the one that leaves the fewest solutions is played. This many are compared.
const COMPARED_DEFENCES: usize = 3;
/// An answer counts as good if its value is at most this much below the best move's. Values are from −1 to 1.
const AS_GOOD: f32 = 0.12;
/// An answer counts as no better than the mistake if its value is at most this much above the mistake's.
const NO_BETTER: f32 = 0.05;

impl Exercise {
    pub fn judge(&self, mv: Move, seed: u64) -> JudgementWork {
        let mut after = self.game.clone();
        let is_legal = after.play(mv).is_ok();
        JudgementWork { exercise: self.clone(), mv, after: is_legal.then_some(after), thinking: None, seed }
    }
}

#[derive(Debug)]
pub struct JudgementWork {
    exercise: Exercise,
    mv: Move,
    /// The game after the answer. `None` if the answer is not a legal move.
    after: Option<Game>,
    thinking: Option<Thinking>,
    seed: u64,
}

impl JudgementWork {
    fn done(&self, sufficiency: Sufficiency, words: String, line: Vec<Move>, chances: Option<Chances>) -> Step {
        let (mv, exercise) = (self.mv, &self.exercise);
        let answers_on_board = exercise.is_puzzle() || exercise.lesson.is_some();
        let played = answers_on_board && sufficiency == Sufficiency::Best;
        let next = if played && exercise.is_puzzle() { self.next() } else { None };
        let (answered, goes_on) = (true, next.is_some());
        let judgement = Judgement { mv, sufficiency, words, line, chances, answered, played, goes_on };
        let mut updates = vec![Event::Judgement(Box::new(judgement)).into()];
        if played {
            updates.push(Update::PlayAnswer { mv, next });
        }
        Step::Done(updates)
    }

    /// The longest defence after the right answer to a puzzle, and the puzzle that remains. `None` if the answer ends the
    /// game.
    fn next(&self) -> Option<NextPuzzle> {
        let after = self.after.as_ref().filter(|after| after.outcome().is_none())?;
        let side = self.exercise.side();
        let most = (2 * self.exercise.distance()).saturating_sub(3);
        let mut replies = MoveList::new();
        after.legal_moves(&mut replies);
        let rest = |reply: &Move| {
            let mut game = after.clone();
            game.play_trusted(*reply);
            if game.outcome().is_some() {
                return None;
            }
            let plies = WinSolver::new(&game, side, REST_POSITIONS).shortest_win(most).ok()??;
            Some((plies, *reply, game))
        };
        let rests: Vec<_> = replies.iter().filter_map(rest).collect();
        let longest = rests.iter().map(|(plies, ..)| *plies).max()?;
        let next = |(plies, reply, game): (u32, Move, Game)| {
            let solutions = WinSolver::new(&game, side, REST_POSITIONS).winning_moves(plies).ok()?;
            Some(NextPuzzle { reply, distance: plies.div_ceil(2), solutions })
        };
        let longest = rests.into_iter().filter(|(plies, ..)| *plies == longest).take(COMPARED_DEFENCES);
        longest.filter_map(next).min_by_key(|next| next.solutions.len())
    }

    /// The verdict if it needs no search: for known solutions, ends of the game, and wins that the solver finds.
    fn at_sight(&mut self) -> Option<Step> {
        let Some(after) = &self.after else {
            return Some(self.done(Sufficiency::Fails, format!("{} is not a legal move.", self.mv), Vec::new(), None));
        };
        let (side, known) = (self.exercise.side(), &self.exercise);
        if let Some(lesson) = &known.lesson {
            let piece = known.game.position().piece_at(self.mv.from);
            return Some(if known.solutions.contains(&self.mv) {
                self.done(Sufficiency::Best, lesson.shown.clone(), vec![self.mv], None)
            } else {
                self.done(Sufficiency::Fails, lesson.refusal(piece), vec![self.mv], None)
            });
        }
        if known.solutions.contains(&self.mv) {
            let line = if known.line.first() == Some(&self.mv) { known.line.clone() } else { vec![self.mv] };
            let words = match known.proven {
                Some(proven) => format!("Yes: {}.", words::proven(proven, side)),
                None => "Yes, that is the best move that the search found.".to_owned(),
            };
            return Some(self.done(Sufficiency::Best, words, line, None));
        }
        let certain = |winner| Some(Chances::certain(winner));
        if let Some(outcome) = after.outcome() {
            let line = vec![self.mv];
            return Some(match outcome.winner {
                Some(winner) if winner == side => {
                    self.done(Sufficiency::Best, "Yes, that wins at once.".to_owned(), line, certain(Some(winner)))
                }
                winner if keeps(known.proven, winner, side) => {
                    self.done(Sufficiency::Enough, "That keeps the result.".to_owned(), line, certain(winner))
                }
                winner => {
                    let words = format!("No: {outcome}.");
                    self.done(Sufficiency::Fails, words, line, certain(winner))
                }
            });
        }
        // A winning answer is accepted even if no win was proven in the exercise's position.
        if WinSolver::new(after, side, SOLVER_POSITIONS).wins_within(SOLVER_PLIES) == Ok(true) {
            if known.is_puzzle() {
                let words = format!("There is a win in {}: find it.", known.distance());
                return Some(self.done(Sufficiency::Slower, words, vec![self.mv], certain(Some(side))));
            }
            let wanted = known.proven.is_some_and(|proven| proven.winner == Some(side));
            let words = if wanted { "That wins too, though it may take longer." } else { "Yes, that wins." }.to_owned();
            return Some(self.done(Sufficiency::Enough, words, vec![self.mv], certain(Some(side))));
        }
        None
    }

    fn weigh(&self, thinking: &Thinking) -> Step {
        let (side, known) = (self.exercise.side(), &self.exercise);
        let analysis = thinking.analysis(1);
        let mut line = vec![self.mv];
        line.extend(analysis.lines.first().into_iter().flat_map(|best| best.moves.iter().copied()));
        let reply = line.get(1).map_or(String::new(), |reply| format!(" after {reply}"));
        let worth = turned(analysis.chances.value(), side);
        let chances = Some(analysis.chances);
        let in_words = |proof: Proof| words::proven(proof, side.opponent());
        let (sufficiency, words) = match (analysis.proven, known.proven) {
            (Some(after), Some(before)) if after.winner == before.winner && known.is_puzzle() => {
                (Sufficiency::Slower, format!("There is a win in {}: find it.", known.distance()))
            }
            (Some(after), Some(before)) if after.winner == before.winner => {
                (Sufficiency::Enough, format!("That keeps the result: {}.", in_words(after)))
            }
            (Some(after), _) if after.winner == Some(side) => (Sufficiency::Best, format!("Yes: {}.", in_words(after))),
            (Some(after), _) if after.winner == Some(side.opponent()) => {
                (Sufficiency::Fails, format!("No: {}{reply}.", in_words(after)))
            }
            (Some(_), Some(before)) if before.winner == Some(side) => {
                (Sufficiency::Fails, "No: that allows a draw.".to_owned())
            }
            (_, Some(before)) if before.winner == Some(side) => {
                (Sufficiency::Unclear, "No win is proven after that move. Can you find a surer one?".to_owned())
            }
            (_, Some(_)) => (Sufficiency::Unclear, "Nothing is proven after that move.".to_owned()),
            (_, None) => self.compare(worth),
        };
        self.done(sufficiency, words, line, chances)
    }

    /// The verdict by value, if no result of the position is proven.
    fn compare(&self, worth: f32) -> (Sufficiency, String) {
        let known = &self.exercise;
        let percent = 50.0 * (worth - known.worth);
        if worth >= known.worth - AS_GOOD {
            return (Sufficiency::Enough, "Good: about as strong as the best move that the search found.".to_owned());
        }
        match known.played {
            Some((played, its_worth)) if worth <= its_worth + NO_BETTER => {
                (Sufficiency::Fails, format!("That is no better than {played}: the chances fall by {:.0} %.", -percent))
            }
            _ => (Sufficiency::Unclear, format!("Better, but not the best: the chances fall by {:.0} %.", -percent)),
        }
    }
}

/// Whether a game that ends with this `winner` keeps the proven result for `side`.
fn keeps(proven: Option<Proof>, winner: Option<Side>, side: Side) -> bool {
    proven.is_some_and(|proven| proven.winner == winner || proven.winner == Some(side.opponent()))
}

impl Work for JudgementWork {
    fn step(&mut self, evaluator: &mut dyn Evaluator, elapsed: Duration) -> Result<Step, EvaluateError> {
        let Some(thinking) = &mut self.thinking else {
            if let Some(step) = self.at_sight() {
                return Ok(step);
            }
            self.thinking = self.after.as_ref().map(|game| Thinking::by_simulations(game, SIMULATIONS, self.seed));
            return Ok(Step::Continue);
        };
        if thinking.step(evaluator, elapsed)? {
            return Ok(Step::Continue);
        }
        Ok(self.thinking.as_ref().map_or(Step::Continue, |thinking| self.weigh(thinking)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::Players;
    use crate::session::Session;
    use crate::work::{Update, updates_of};
    use std::sync::Arc;
    use tablut_rules::Rules;

    fn judged(exercise: &Exercise, mv: &str) -> Judgement {
        let updates = updates_of(&mut exercise.judge(mv.parse().unwrap(), 1));
        match updates.as_slice() {
            [Update::Event(Event::Judgement(judgement)), ..] => (**judgement).clone(),
            other => panic!("{other:?}"),
        }
    }

    fn puzzle(position: &str, moves: u32, solutions: &[&str]) -> Exercise {
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        let session = Session::from_position(rules, position.parse().unwrap(), Players::people()).unwrap();
        let solutions = solutions.iter().map(|mv| mv.parse().unwrap()).collect();
        Exercise::of_puzzle(&session, moves, solutions)
    }

    #[test]
    fn every_winning_move_is_accepted_and_others_are_answered() {
        let exercise = puzzle("9/9/9/9/2K5t/9/9/9/4t3t d", 1, &["c5-c9"]);
        assert_eq!(exercise.task(), "Defenders to move and win in 1.");
        assert_eq!(judged(&exercise, "c5-c9").sufficiency, Sufficiency::Best);
        // Not in the list of solutions, but it wins at once as well.
        assert_eq!(judged(&exercise, "c5-a5").sufficiency, Sufficiency::Best);
        // This move still wins, but later: the attackers cannot close all escape routes.
        let slower = judged(&exercise, "c5-c6");
        assert_eq!((slower.sufficiency, slower.played), (Sufficiency::Slower, false), "{slower:?}");
        assert!(judged(&exercise, "c5-h5").sufficiency != Sufficiency::Best);
    }

    #[test]
    fn a_win_in_two_goes_on_against_the_best_defence() {
        let exercise = puzzle("3t5/9/9/t2K4t/9/9/9/9/3t5 d", 2, &["d6-d5"]);
        let updates = updates_of(&mut exercise.judge("d6-d5".parse().unwrap(), 1));
        let [Update::Event(Event::Judgement(judgement)), Update::PlayAnswer { next: Some(next), .. }] = &updates[..]
        else {
            panic!("{updates:?}")
        };
        assert!(judgement.goes_on && judgement.played && judgement.sufficiency == Sufficiency::Best);
        assert!(next.distance == 1 && !next.solutions.is_empty(), "{next:?}");
    }

    #[test]
    fn a_move_that_loses_is_punished_with_the_reply() {
        // The king could escape, but moves between two attackers.
        let exercise = puzzle("9/9/9/3t1t3/2K6/3t5/9/9/4t3t d", 1, &["c5-c9"]);
        let judgement = judged(&exercise, "c5-d5");
        assert_eq!(judgement.mv.to_string(), "c5-d5");
        assert!(judgement.sufficiency != Sufficiency::Best, "{judgement:?}");
        assert_eq!(judged(&exercise, "d6-d7").sufficiency, Sufficiency::Fails);
    }
}
