//! The errors of trainers and workers.

/// Why a trainer or worker cannot begin or continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FleetError {
    /// The broker's address is wrong.
    #[error("{url}: {reason}; expected an address such as nats://host:4222 or tls://host:4222")]
    Address {
        /// The address as it was given.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// Credentials or certificates cannot be read.
    #[error("{what}: {reason}")]
    Credentials {
        /// The file or option.
        what: String,
        /// What is wrong.
        reason: String,
    },
    /// The broker refuses the credentials.
    #[error("the broker at {url} refuses these credentials: {reason}")]
    Refused {
        /// The broker.
        url: String,
        /// The broker's reason.
        reason: String,
    },
    /// A request to the broker failed. Another attempt may succeed.
    #[error("{what}: {reason}")]
    Broker {
        /// The request.
        what: &'static str,
        /// Why it failed.
        reason: String,
    },
    /// A message is invalid.
    #[error("{what}: {reason}")]
    Message {
        /// The kind of message.
        what: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// The trainer uses another version of the protocol.
    #[error(
        "the trainer uses version {found} of the protocol, this program uses version {expected}; trainer and workers \
         need the same build of tablut"
    )]
    Version {
        /// The trainer's version.
        found: u32,
        /// This program's version.
        expected: u32,
    },
    /// This machine does not compute the same bits as the trainer's.
    #[error(
        "this machine computes other bits than the trainer's (probe {found}, expected {expected}), so its games \
         would differ: processors without AVX2 differ from those with AVX2, and so does a machine with \
         TABLUT_SIMD=plain; use a machine like the trainer's and the same build of tablut"
    )]
    Bits {
        /// The probe's hash on this machine.
        found: String,
        /// The hash on the trainer's machine.
        expected: String,
    },
    /// This machine lacks the precision of a run's games.
    #[error("this machine cannot play the run's games: {0}")]
    Precision(tablut_net::NetError),
    /// Another trainer trains the same run.
    #[error(
        "the run {run} is already being trained through this broker, by {holder}; stop that one, or change the seed"
    )]
    RunInUse {
        /// The run's id.
        run: String,
        /// The other trainer.
        holder: String,
    },
    /// A player cannot play on another machine.
    #[error(
        "player {name} cannot play on other machines: {reason}; expected nets by simulations, such as net:FILE@64, and \
         players without a net"
    )]
    Player {
        /// The player.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// A worker has sent a wrong game of a match.
    #[error(
        "worker {worker} sent a game {game} that differs from the one that the players play, so the games of this match \
         cannot be trusted. Take away the worker's credentials and play the match again, without its file of games"
    )]
    WrongGame {
        /// The worker.
        worker: String,
        /// The game's number, from 0.
        game: u64,
    },
    /// There are not enough openings for a match.
    #[error(transparent)]
    Openings(#[from] tablut_arena::OpeningsError),
    /// The work was stopped from outside.
    #[error("stopped on request")]
    Stopped,
    /// A game could not be played here.
    #[error("self-play: {0}")]
    Play(#[from] tablut_search::EvaluateError),
    /// A player of a match could not play here.
    #[error(transparent)]
    Match(#[from] tablut_players::PlayerError),
    /// The broker's thread has ended, which is a bug.
    #[error("the fleet's thread has ended unexpectedly")]
    Ended,
}

impl FleetError {
    /// A failed request to the broker.
    pub(crate) fn broker(what: &'static str, error: impl std::fmt::Display) -> Self {
        Self::Broker { what, reason: error.to_string() }
    }

    /// An invalid message.
    pub(crate) fn message(what: &'static str, reason: impl std::fmt::Display) -> Self {
        Self::Message { what, reason: reason.to_string() }
    }

    /// Whether another attempt may succeed.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self, Self::Broker { .. })
    }
}
