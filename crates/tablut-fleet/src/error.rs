//! The errors of trainers and workers.

use std::fmt::Display;

/// Why a trainer or worker cannot begin or continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FleetError {
    /// A request to the broker failed. Another attempt may succeed.
    #[error("{0}: {1}")]
    Broker(&'static str, String),
    /// A message of this kind is invalid.
    #[error("{0}: {1}")]
    Message(&'static str, String),
    /// This machine cannot play the trainer's games with the trainer's bits.
    #[error("{0}")]
    Machine(String),
    /// The user has to change something else: the address, credentials, versions or players.
    #[error("{0}")]
    Setup(String),
    /// There are not enough openings for a match.
    #[error(transparent)]
    Openings(#[from] tablut_arena::OpeningsError),
    /// The work was cancelled.
    #[error("stopped on request")]
    Stopped,
    /// A game could not be played on this machine.
    #[error("self-play: {0}")]
    Play(#[from] tablut_search::EvaluateError),
    /// A player of a match could not play on this machine.
    #[error(transparent)]
    Match(#[from] tablut_players::PlayerError),
    /// The broker's thread has ended, which is a bug.
    #[error("the fleet's thread has ended unexpectedly")]
    Ended,
}

impl FleetError {
    /// A failed request to the broker.
    pub(crate) fn broker(what: &'static str, error: impl Display) -> Self {
        Self::Broker(what, error.to_string())
    }

    /// An invalid message.
    pub(crate) fn message(what: &'static str, reason: impl Display) -> Self {
        Self::Message(what, reason.to_string())
    }

    /// Whether another attempt may succeed.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self, Self::Broker(..))
    }
}
