//! Errors of starting or continuing a run.

use std::path::PathBuf;

use tablut_games::{GameSourceError, MetricsError, RecordFileError, ReplayError};
use tablut_net::{ModelFileError, NetError};
use tablut_rules::RuleSetError;

use crate::config::{Difference, TrainConfigError};
use crate::device::DeviceError;
use crate::gradient_backend::StepError;

/// The run cannot start or continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// A file or folder of the run cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
    /// The device of the config cannot be used.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Another process trains in the folder.
    #[error("{0} is in use by another training process")]
    Locked(PathBuf),
    /// The config is not valid.
    #[error(transparent)]
    Config(#[from] TrainConfigError),
    /// The run was started with another config.
    #[error("{path} was started with another config; these keys cannot change during a run:\n{}\n\
             Use another --run folder, or restore the values.", list(.differences))]
    ConfigChanged {
        /// The run.
        path: PathBuf,
        /// The keys that may not change.
        differences: Vec<Difference>,
    },
    /// The state in the folder belongs to a net with another shape than in the config.
    #[error("{path} contains a net of shape {found}, expected the config's {expected}")]
    Shape {
        /// The run.
        path: PathBuf,
        /// The state's shape.
        found: String,
        /// The config's shape.
        expected: String,
    },
    /// Two rule sets of the config have the same name.
    #[error("rules: two rule sets have the name `{0}`; give one of them another name")]
    DuplicateRules(String),
    /// No position of a generation is a training target.
    #[error(
        "no position to learn from in generation {0}: no search of its games is a training target; raise schedule.games"
    )]
    NothingToLearn(u64),
    /// A rule set is not valid.
    #[error(transparent)]
    Rules(#[from] RuleSetError),
    /// A model or state file cannot be read or written.
    #[error(transparent)]
    Model(#[from] ModelFileError),
    /// The state to continue from is damaged.
    #[error("{error}\nThe run cannot continue from this state. {advice}")]
    DamagedState {
        /// The state, and the error.
        error: ModelFileError,
        /// What to do.
        advice: String,
    },
    /// A file of the run's games is damaged.
    #[error(
        "{error}\nTo continue, delete the files of generation {generation} and of all later ones in {run}/games and \
         {run}/checkpoints. The run then plays these games again and trains the same nets."
    )]
    DamagedGames {
        /// The file, and the error.
        error: RecordFileError,
        /// The generation that played the games.
        generation: u64,
        /// The run.
        run: PathBuf,
    },
    /// The folder does not contain a run.
    #[error("{0} contains no run: it has no config.toml")]
    NoRun(PathBuf),
    /// The folder was given as a net, but it contains no complete generation.
    #[error("{0}: expected a model file, or the folder of a run with a finished generation")]
    NoNet(PathBuf),
    /// The run's metrics cannot be read or written.
    #[error(transparent)]
    Metrics(#[from] MetricsError),
    /// A file of game records cannot be read or written.
    #[error(transparent)]
    Records(#[from] RecordFileError),
    /// A record cannot be replayed.
    #[error("{path}: {error}")]
    Replay {
        /// The file of records.
        path: PathBuf,
        /// The game and the error.
        error: ReplayError,
    },
    /// The net could not be measured on a sample of the games.
    #[error("measuring the net on the generation's games: {0}")]
    Measuring(#[from] NetError),
    /// A step of learning failed.
    #[error(transparent)]
    Learning(#[from] StepError),
    /// Games could not be collected, or a net could not be published.
    #[error("self-play: {0}")]
    Games(GameSourceError),
    /// The rating games of a net could not be played.
    #[error("rating the net: {0}")]
    Rating(GameSourceError),
    /// The run was asked to stop. All files on disk are complete.
    #[error("stopped on request")]
    Stopped,
}

impl From<GameSourceError> for TrainError {
    fn from(error: GameSourceError) -> Self {
        match error {
            GameSourceError::Stopped => Self::Stopped,
            error => Self::Games(error),
        }
    }
}

impl TrainError {
    pub(crate) fn of_rating(error: GameSourceError) -> Self {
        match error {
            GameSourceError::Stopped => Self::Stopped,
            error => Self::Rating(error),
        }
    }
}

fn list(differences: &[Difference]) -> String {
    let line = |d: &Difference| format!("  {}: was {}, is {}", d.key, d.before, d.after);
    differences.iter().map(line).collect::<Vec<_>>().join("\n")
}
