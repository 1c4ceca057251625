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

/// The rule set of the contest.
pub const RULES: &str = "ashton";

/// The port on which the referee expects `side`.
pub const fn port(side: Side) -> u16 {
    match side {
        Side::Defenders => 5800,
        Side::Attackers => 5801,
    }
}

/// An error in a game over the protocol.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChallengeError {
    /// The connection failed.
    #[error("the connection to the {peer} failed: {reason}")]
    Connection {
        /// The peer.
        peer: &'static str,
        /// The system's reason.
        reason: std::io::Error,
    },
    /// The peer closed the connection between two frames.
    #[error("the {peer} closed the connection without a result; the referee does so when a player's time is over")]
    Closed {
        /// The peer.
        peer: &'static str,
    },
    /// The connection ended inside a frame.
    #[error("the {peer} closed the connection after {found} of a frame's {expected} bytes")]
    HalfFrame {
        /// The peer.
        peer: &'static str,
        /// Bytes received.
        found: usize,
        /// Bytes announced.
        expected: usize,
    },
    /// A frame's length is negative or too large.
    #[error("the {peer} announced a frame of {length} bytes, expected 1 to {max}")]
    Length {
        /// The peer.
        peer: &'static str,
        /// The announced length.
        length: i32,
        /// The largest accepted length.
        max: usize,
    },
    /// Nothing arrived in time.
    #[error("the {peer} said nothing for {seconds} s")]
    Silent {
        /// The peer.
        peer: &'static str,
        /// The waiting time.
        seconds: u64,
    },
    /// A frame does not contain what was expected.
    #[error("cannot read what the {peer} sent: {reason}; it begins {text:?}")]
    Message {
        /// The peer.
        peer: &'static str,
        /// What was expected and found.
        reason: String,
        /// The start of the text.
        text: String,
    },
    /// The referee sent the same state again, so it did not accept our move.
    #[error("the referee refused the move {mv}")]
    Refused {
        /// The move.
        mv: String,
    },
    /// The referee's position cannot be followed, or our own player has failed or made an illegal move.
    #[error("{0}")]
    Game(String),
}
