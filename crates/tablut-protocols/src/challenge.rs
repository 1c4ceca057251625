//! The Tablut Challenge's protocol (University of Bologna): a client for its referee, and a referee of our own.
//!
//! The protocol is that of `AGalassi/TablutCompetition`: TCP, frames of JSON behind a length of four bytes
//! ([`frame`]), states and moves ([`message`]). Its *white* are our defenders, its *black* our attackers; this module is the
//! only place where they are called so. The game is the rule set `ashton`.

pub mod client;
pub mod frame;
pub(crate) mod host;
pub mod message;
pub mod referee;

use tablut_rules::{IllegalMove, PositionError, Side};

/// The rule set that the contest is played by.
pub const RULES: &str = "ashton";

/// The port on which the referee expects `side`.
pub const fn port(side: Side) -> u16 {
    match side {
        Side::Defenders => 5800,
        Side::Attackers => 5801,
    }
}

/// What went wrong in a game over the protocol.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChallengeError {
    /// The connection failed.
    #[error("the connection to the {peer} failed: {reason}")]
    Connection {
        /// Who is at the other end.
        peer: &'static str,
        /// The system's reason.
        reason: std::io::Error,
    },
    /// The other end closed the connection between two frames.
    #[error("the {peer} closed the connection without a result; the referee does so when a player's time is over")]
    Closed {
        /// Who was at the other end.
        peer: &'static str,
    },
    /// The connection ended within a frame.
    #[error("the {peer} closed the connection after {found} of a frame's {expected} bytes")]
    HalfFrame {
        /// Who was at the other end.
        peer: &'static str,
        /// Bytes that came.
        found: usize,
        /// Bytes announced.
        expected: usize,
    },
    /// A frame's length is negative or beyond reason.
    #[error("the {peer} announced a frame of {length} bytes, expected 1 to {max}")]
    Length {
        /// Who is at the other end.
        peer: &'static str,
        /// The length announced.
        length: i32,
        /// The most that is accepted.
        max: usize,
    },
    /// Nothing came in time.
    #[error("the {peer} said nothing for {seconds} s")]
    Silent {
        /// Who is at the other end.
        peer: &'static str,
        /// How long was waited.
        seconds: u64,
    },
    /// A frame does not hold what was expected.
    #[error("cannot read what the {peer} sent: {reason}; it begins {text:?}")]
    Message {
        /// Who is at the other end.
        peer: &'static str,
        /// What was expected and found.
        reason: String,
        /// The beginning of the text.
        text: String,
    },
    /// The state that came does not follow from the one before.
    #[error("the referee's position {found} follows from no move in {before}")]
    Jump {
        /// The position before.
        before: String,
        /// The position that came.
        found: String,
    },
    /// The referee sent the same state again: it did not take our move.
    #[error("the referee refused the move {mv}")]
    Refused {
        /// The move.
        mv: String,
    },
    /// The position is no game.
    #[error("{0}")]
    Position(PositionError),
    /// A move of our own player was illegal.
    #[error("{0}")]
    Illegal(IllegalMove),
    /// Our own player failed.
    #[error("no move could be chosen: {0}")]
    Player(String),
}
