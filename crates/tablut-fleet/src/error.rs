//! The errors of trainers and workers.

use std::fmt::Display;

use tablut_games::{GameSourceError, RunError};
use tablut_players::PlayerError;

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
    #[error(transparent)]
    Openings(#[from] tablut_arena::OpeningsError),
    #[error("stopped on request")]
    Stopped,
    /// A game could not be played on this machine.
    #[error("self-play: {0}")]
    Play(#[from] tablut_search::EvaluateError),
    /// A player of a match could not play on this machine.
    #[error(transparent)]
    Match(#[from] PlayerError),
    /// The broker's thread has ended, which is a bug.
    #[error("the fleet's thread has ended unexpectedly")]
    Ended,
}

impl FleetError {
    pub(crate) fn broker(what: &'static str, error: impl Display) -> Self {
        Self::Broker(what, error.to_string())
    }

    pub(crate) fn message(what: &'static str, reason: impl Display) -> Self {
        Self::Message(what, reason.to_string())
    }

    /// Whether another attempt may succeed.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self, Self::Broker(..))
    }
}

pub(crate) trait BrokerResult<T> {
    /// The result. An error says what was requested, and has all its causes.
    fn during(self, what: &'static str) -> Result<T, FleetError>;
}

impl<T, E: std::error::Error> BrokerResult<T> for Result<T, E> {
    fn during(self, what: &'static str) -> Result<T, FleetError> {
        self.map_err(|error| FleetError::broker(what, in_full(&error)))
    }
}

fn in_full(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        cause = error.source();
    }
    text
}

impl From<RunError<PlayerError>> for FleetError {
    fn from(error: RunError<PlayerError>) -> Self {
        match error {
            RunError::Stopped => Self::Stopped,
            RunError::Evaluate(error) => Self::Play(error),
            RunError::Task(error) => Self::Match(error),
        }
    }
}

impl From<FleetError> for GameSourceError {
    fn from(error: FleetError) -> Self {
        match error {
            FleetError::Stopped => Self::Stopped,
            other => Self::Other(Box::new(other)),
        }
    }
}
