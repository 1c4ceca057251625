//! The Tablut Challenge's protocol (University of Bologna): a client for its referee, and our own referee.
//!
//! The protocol is that of `AGalassi/TablutCompetition`: TCP, frames of JSON after a length of four bytes ([`frame`]),
//! states and moves ([`message`]). Its *white* are our defenders, its *black* our attackers; only this module uses
//! these names. The game is the rule set `ashton`.

pub mod client;
pub mod frame;
pub(crate) mod host;
pub mod message;
pub mod referee;

use tablut_rules::Side;

pub const RULES: &str = "ashton";

/// The port on which the referee expects `side`.
pub const fn port(side: Side) -> u16 {
    match side {
        Side::Defenders => 5800,
        Side::Attackers => 5801,
    }
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChallengeError {
    #[error("the connection to the {peer} failed: {reason}")]
    Connection { peer: &'static str, reason: std::io::Error },
    #[error("the {peer} closed the connection without a result; the referee does so when a player's time is over")]
    Closed { peer: &'static str },
    #[error("the {peer} closed the connection after {found} of a frame's {expected} bytes")]
    HalfFrame { peer: &'static str, found: usize, expected: usize },
    #[error("the {peer} announced a frame of {length} bytes, expected 1 to {max}")]
    Length { peer: &'static str, length: i32, max: usize },
    #[error("the {peer} sent nothing for {seconds} s")]
    Silent { peer: &'static str, seconds: u64 },
    /// A frame does not contain what was expected. `text` is the start of what it contains.
    #[error("cannot read the message of the {peer}: {reason}; it begins with {text:?}")]
    Message { peer: &'static str, reason: String, text: String },
    /// The referee sent the same state again, so it did not accept our move.
    #[error("the referee refused the move {mv}")]
    Refused { mv: String },
    /// The referee's position cannot be followed, or our own player has failed or made an illegal move.
    #[error("{0}")]
    Game(String),
}
