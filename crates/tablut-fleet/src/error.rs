//! What can go wrong between trainer, broker and workers.

/// Why a fleet cannot begin or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FleetError {
    /// The address of the broker.
    #[error("{url}: {reason}; expected an address such as nats://host:4222 or tls://host:4222")]
    Address {
        /// The address as it was given.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// Credentials or certificates that cannot be read.
    #[error("{what}: {reason}")]
    Credentials {
        /// The file or option.
        what: String,
        /// What is wrong.
        reason: String,
    },
    /// The broker does not let us in.
    #[error("the broker at {url} refuses these credentials: {reason}")]
    Refused {
        /// The broker.
        url: String,
        /// Its words.
        reason: String,
    },
    /// Something that the broker was asked for did not come about; worth trying again.
    #[error("{what}: {reason}")]
    Broker {
        /// What was asked for.
        what: &'static str,
        /// Why it failed.
        reason: String,
    },
    /// A message that is not what it should be.
    #[error("{what}: {reason}")]
    Message {
        /// Which kind of message.
        what: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// The trainer speaks another version.
    #[error(
        "the trainer speaks version {found} of the protocol, this program speaks version {expected}; trainer and workers \
         need the same build of tablut"
    )]
    Version {
        /// The trainer's.
        found: u32,
        /// Ours.
        expected: u32,
    },
    /// This machine computes other bits than the trainer's.
    #[error(
        "this machine computes other bits than the trainer's (probe {found}, expected {expected}), so its games would be \
         others: processors without AVX2 differ from those with it, and so does a machine with TABLUT_SIMD=plain; take \
         a machine of the trainer's kind and the same build of tablut"
    )]
    Bits {
        /// The hash here.
        found: String,
        /// The trainer's.
        expected: String,
    },
    /// This machine lacks the precision of a run's games.
    #[error("this machine cannot play the run's games: {0}")]
    Precision(tablut_net::NetError),
    /// Another trainer works on the same run.
    #[error(
        "the run {run} is already being trained through this broker, by {holder}; stop that one, or change the seed"
    )]
    Held {
        /// The run's id.
        run: String,
        /// Who holds it.
        holder: String,
    },
    /// A player that cannot play on another machine.
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
    /// A worker of a match lies.
    #[error(
        "worker {worker} sent another game {game} than the players play: what workers have sent of this match cannot be \
         trusted. Take away its credentials and play the match again, without its file of games"
    )]
    Lie {
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
    /// A thread of the fleet has ended, which is a bug.
    #[error("the fleet's thread has ended unexpectedly")]
    Ended,
}

impl FleetError {
    /// Something that the broker did not do.
    pub(crate) fn broker(what: &'static str, error: impl std::fmt::Display) -> Self {
        Self::Broker { what, reason: error.to_string() }
    }

    /// A message that cannot be used.
    pub(crate) fn message(what: &'static str, reason: impl std::fmt::Display) -> Self {
        Self::Message { what, reason: reason.to_string() }
    }

    /// Whether trying again can help.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self, Self::Broker { .. })
    }
}
