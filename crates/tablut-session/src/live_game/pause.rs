//! The pause after a blunder: if the game has it, a short review judges a person's move before the computer replies.

use super::{JobKind, LiveGame, Response};
use crate::grade::Grade;
use crate::jobs::Priority;
use crate::protocol::Event;
use crate::results::ReviewReport;
use crate::work::Review;

impl JobKind {
    pub(super) fn is_thinking(self) -> bool {
        matches!(self, Self::Reply | Self::BlunderCheck)
    }
}

impl LiveGame {
    /// What the last move did, if it is a blunder and the game pauses.
    pub(super) fn pause(&self) -> Option<&str> {
        let (node, blunder) = self.judged.as_ref()?;
        blunder.as_deref().filter(|_| *node == self.session.current())
    }

    /// Ends the pause: the computer replies to the last move without a judgement of it.
    pub(super) fn go_on(&mut self) {
        self.judged = Some((self.session.current(), None));
    }

    /// Starts to judge the last move if the computer's reply must wait for that.
    pub(super) fn judges_first(&mut self, response: &mut Response) -> bool {
        let here = self.session.current();
        if !self.session.pauses_on_blunders || self.judged.as_ref().is_some_and(|(node, _)| *node == here) {
            return false;
        }
        let seed = self.next_seed();
        let Some(review) = Review::of_last_move(&self.session, seed) else { return false };
        self.start(JobKind::BlunderCheck, Priority::Now, review, response);
        response.all.push(Event::Thinking { on: true });
        true
    }

    /// Pauses if the review found a blunder. Otherwise the computer replies.
    pub(super) fn judge_move(&mut self, report: ReviewReport, response: &mut Response) {
        let blunder = report.mistakes.into_iter().find(|mistake| mistake.grade == Grade::Blunder);
        self.judged = Some((self.session.current(), blunder.map(|blunder| blunder.words)));
        if self.pause().is_some() {
            response.all.extend([Event::Thinking { on: false }, self.state()]);
        } else {
            self.reply_if_due(response);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host_config::HostConfig;
    use crate::player::{Controller, Players};
    use crate::protocol::Request;
    use crate::saved::SavedGame;
    use crate::session::Session;
    use crate::work::Step;
    use std::sync::Arc;
    use std::time::Duration;
    use tablut_rules::Rules;
    use tablut_search::UniformEvaluator;

    /// A game in which the king can escape at once.
    fn game(pauses: bool) -> LiveGame {
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        let players = Players { attackers: Controller::computer("club"), defenders: Controller::Person };
        let start = "9/9/9/9/2K5t/9/9/9/6t1t d".parse().unwrap();
        let session = Session::from_position(rules, start, players).unwrap();
        // The file of the game keeps the choice.
        let text = SavedGame { pauses_on_blunders: pauses, ..session.saved() }.to_json();
        let session = SavedGame::from_json(&text).unwrap().session().unwrap();
        LiveGame::new("game", session, Arc::new(HostConfig::default()), 7)
    }

    /// Answers a request and runs all jobs to their end. Returns all events.
    fn ask(game: &mut LiveGame, request: Request) -> Vec<Event> {
        let mut response = game.answer(request, Vec::new()).unwrap();
        let mut events = std::mem::take(&mut response.all);
        while let Some(mut job) = response.jobs.pop() {
            loop {
                let step = job.step(&mut UniformEvaluator, Duration::ZERO);
                let is_done = matches!(step, Ok(Step::Done(_)));
                let more = game.update(job.update(step));
                response.jobs.extend(more.jobs);
                events.extend(more.all);
                if is_done {
                    break;
                }
            }
        }
        events
    }

    fn play(game: &mut LiveGame, mv: &str) -> Vec<Event> {
        ask(game, Request::Play { mv: mv.to_owned() })
    }

    #[test]
    fn the_computer_waits_after_a_blunder() {
        let mut live = game(true);
        let events = play(&mut live, "c5-h5");
        assert_eq!((live.pause(), live.session().game().ply()), (Some("allowed a win in 1"), 1));
        assert_eq!(events.last(), Some(&live.state()));
        assert!(!events.iter().any(|event| matches!(event, Event::ReviewProgress { .. } | Event::Value { .. })));
        let refused = live.answer(Request::Play { mv: "g1-g5".to_owned() }, Vec::new()).err();
        assert_eq!(refused.as_deref(), Some("it is the computer's turn"));
        // An interface that opens the game starts no reply either.
        assert!(live.greet().jobs.is_empty());
        ask(&mut live, Request::MoveNow);
        assert_eq!((live.pause(), live.session().game().ply()), (None, 2));
    }

    #[test]
    fn the_computer_replies_to_a_move_in_place_of_the_blunder() {
        let mut live = game(true);
        play(&mut live, "c5-h5");
        ask(&mut live, Request::TakeBack);
        play(&mut live, "c5-c6");
        assert_eq!((live.pause(), live.session().game().ply()), (None, 2));
    }

    #[test]
    fn a_game_without_the_choice_does_not_pause() {
        let mut live = game(false);
        play(&mut live, "c5-h5");
        assert_eq!((live.pause(), live.session().game().ply()), (None, 2));
    }
}
