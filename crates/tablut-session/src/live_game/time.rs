//! The clock of a game with seats: the host passes the time in, moves press the clock, and a side without time loses.

use super::{LiveGame, Response};
use crate::player::Seats;
use std::time::Duration;
use tablut_rules::Side;

impl LiveGame {
    /// Sets the present time, as the time since 1970. A game with a clock needs it before each request.
    pub fn set_time(&mut self, now: Duration) {
        if let Some(clock) = &mut self.session.clock {
            clock.set_now(now);
        }
    }

    /// Takes the seat with this secret: see [`Seats`]. Returns its side. A clock whose first move was made while the other
    /// person was missing starts.
    pub fn sit(&mut self, secret: &str, key: &str) -> Result<(Side, Response), String> {
        let seats = self.session.seats.as_mut().ok_or("this game has no seats")?;
        let was_full = seats.are_taken();
        let side = seats.sit(secret, key)?;
        let is_full = seats.are_taken();
        let is_under_way = !self.session.tree().is_empty() && self.session.ending().is_none();
        if let (true, Some(clock)) = (is_full && !was_full && is_under_way, &mut self.session.clock) {
            clock.start();
        }
        Ok((side, Response { all: vec![self.state()], changed: true, ..Response::default() }))
    }

    /// Ends the game if the time of the side to move is up.
    pub(super) fn ends_on_time(&mut self, response: &mut Response) -> bool {
        let to_move = self.session.game().position().side_to_move();
        let is_open = self.session.ending().is_none();
        let ends = is_open && self.session.clock.as_mut().is_some_and(|clock| clock.runs_out(to_move));
        if ends {
            self.session.resign(to_move).expect("the game is not over");
            self.changed(response);
        }
        ends
    }

    pub(super) fn press_clock(&mut self) {
        let mover = self.session.game().position().side_to_move().opponent();
        let are_there = self.session.seats().is_some_and(Seats::are_taken);
        if let Some(clock) = &mut self.session.clock {
            clock.press(mover, are_there);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host_config::HostConfig;
    use crate::protocol::{Event, Request};
    use crate::saved::SavedGame;
    use serde_json::json;
    use std::sync::Arc;

    fn request(value: serde_json::Value) -> Request {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_side_without_time_has_lost_and_the_file_says_so() {
        let clock = json!({"seconds": 60, "increment": 0});
        let begin = |seats| request(json!({"do": "new", "rules": {"name": "kvasir"}, "seats": seats, "clock": clock}));
        let config = Arc::new(HostConfig::default());
        assert!(LiveGame::begin("game", &begin(false), None, &config, 1).is_err_and(|error| error.contains("seat")));
        let mut live =
            LiveGame::begin("game", &begin(true), None, &config, 1).unwrap_or_else(|error| panic!("{error}"));
        let at = |live: &mut LiveGame, seconds, asked| {
            live.set_time(Duration::from_secs(seconds));
            live.answer(request(asked), Vec::new()).unwrap()
        };
        at(&mut live, 500, json!({"do": "play", "move": "d1-d3"}));
        // The clock waits until both people have sat down, and each secret seats one person.
        let seats = live.session().seats().unwrap().clone();
        live.set_time(Duration::from_secs(1000));
        assert!(live.sit("0000", "a").is_err_and(|error| error.contains("secret")));
        for (secret, key) in [(&seats.attackers, "a"), (&seats.defenders, "d"), (&seats.defenders, "d")] {
            live.sit(secret, key).unwrap_or_else(|error| panic!("{error}"));
        }
        assert!(live.sit(&seats.defenders, "a").is_err_and(|error| error.contains("somebody else")));
        // Nobody can end the game too early.
        at(&mut live, 1059, json!({"do": "flag"}));
        assert_eq!(live.session().ending(), None);
        // A move that comes too late is not played.
        let response = at(&mut live, 1060, json!({"do": "play", "move": "e3-f3"}));
        let Some(Event::State(state)) = response.all.first() else { panic!("a state") };
        assert_eq!((state.ply, state.clock.as_ref().unwrap().defenders), (1, 0));
        assert!(state.said.ends_with("The attackers win: the defenders are out of time."), "{}", state.said);
        let saved = SavedGame::from_json(&live.session().saved().to_json()).unwrap();
        assert_eq!(saved.reason.as_deref(), Some("out-of-time"));
        assert_eq!(saved.session().unwrap().ending(), live.session().ending());
    }
}
