//! The requests that an interface may send in a game in which each side has a seat.

use super::LiveGame;
use crate::protocol::Request;
use tablut_rules::Side;

impl LiveGame {
    /// Checks whether an interface with this seat may send a request. In a game with seats each side plays its own moves
    /// until the end, and no interface may use the computer.
    pub fn check_seat(&self, request: &Request, seat: Option<Side>) -> Result<(), String> {
        if self.session.seats().is_none() {
            return Ok(());
        }
        if let Request::Offer { side, .. } | Request::Decline { side } = request {
            let is_own = seat == Some(*side);
            return if is_own { Ok(()) } else { Err(format!("only who plays the {side} can do this")) };
        }
        if self.has_ended() {
            let changes = matches!(
                request,
                Request::Play { .. }
                    | Request::Variation { .. }
                    | Request::TakeBack
                    | Request::Back
                    | Request::MoveNow
                    | Request::Resign { .. }
                    | Request::Players { .. }
                    | Request::Remove { .. }
                    | Request::Promote { .. }
            );
            return if changes {
                Err("this game is over; start a new game from this position".to_owned())
            } else {
                Ok(())
            };
        }
        let is_harmless = matches!(
            request,
            Request::Export { .. }
                | Request::ExportGames { .. }
                | Request::ImportGames { .. }
                | Request::FindPuzzles { .. }
                | Request::Link
                | Request::Flag
                | Request::CheckRules { .. }
        );
        match (request, seat) {
            _ if is_harmless => Ok(()),
            (_, None) => Err("you can only watch this game; to play, open the link with a seat".to_owned()),
            (Request::Play { .. }, Some(side)) => match self.session.game().position().side_to_move() {
                to_move if to_move == side => Ok(()),
                to_move => Err(format!("it is the {to_move}' turn, and you play the {side}")),
            },
            (Request::Resign { side: Some(resigned) }, Some(side)) if *resigned == side => Ok(()),
            _ => Err("this is possible only after the end of the game".to_owned()),
        }
    }
}
