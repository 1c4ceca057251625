//! What two people with a seat each offer each other: a draw, to take moves back, another game.

use super::{LiveGame, Response};
use crate::clock::Clock;
use crate::live_game::new_game::{first_side, with_seats};
use crate::player::{Offer, OfferView, Players};
use crate::session::Session;
use std::sync::Arc;
use tablut_rules::Side;

impl LiveGame {
    /// A side makes an offer, or accepts the same offer of the other side.
    pub(super) fn offer(&mut self, side: Side, what: Offer, response: &mut Response) -> Result<(), String> {
        if self.session.seats().is_none() {
            return Err("offers are for games between two people with a seat each".to_owned());
        }
        match (what, self.has_ended()) {
            (Offer::Rematch, false) => return Err("the game is not over yet".to_owned()),
            (Offer::Draw | Offer::TakeBack, true) => return Err("this game is over".to_owned()),
            _ => {}
        }
        let other = OfferView { side: side.opponent(), what };
        if self.offer != Some(other) {
            if what == Offer::TakeBack {
                self.session.last_move_of(side)?;
            }
            self.offer = Some(OfferView { side, what });
            response.all.push(self.state());
            return Ok(());
        }
        self.offer = None;
        match what {
            Offer::Rematch => {
                response.begins_rematch = true;
                response.all.push(self.state());
                return Ok(());
            }
            Offer::Draw => self.session.agree_draw()?,
            Offer::TakeBack => {
                let first = self.session.last_move_of(side.opponent())?;
                let to_move = self.session.game().position().side_to_move();
                self.session.remove(first)?;
                if let Some(clock) = &mut self.session.clock {
                    clock.take_back(to_move);
                }
            }
        }
        self.changed(response);
        Ok(())
    }

    /// Declines the other side's offer, or withdraws the own one.
    pub(super) fn decline(&mut self, response: &mut Response) -> Result<(), String> {
        self.offer.take().ok_or("there is no offer")?;
        response.all.push(self.state());
        Ok(())
    }

    /// Whether a game with seats is over, also while an earlier position is shown.
    pub(super) fn has_ended(&self) -> bool {
        self.session.tree().iter().any(|(_, node)| node.was_ended() || node.is_end())
    }

    /// Another game under the same rules and with the same clock, for the same people. Their sides change, so each gets the
    /// seat of the other side.
    pub fn rematch(&self, name: impl Into<Arc<str>>, seed: u64) -> Result<Self, String> {
        let rules = self.session.rules();
        let mut session = Session::new(rules.clone(), first_side(rules, None, seed)?, Players::people());
        session.clock = self.session.clock.as_ref().map(|clock| Clock::new(clock.control())).transpose()?;
        Ok(Self::new(name, with_seats(session, seed)?, self.config.clone(), seed))
    }
}
