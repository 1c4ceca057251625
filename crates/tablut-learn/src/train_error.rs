//! Why a run cannot start or continue.

use std::path::PathBuf;

use tablut_games::{ExamineError, GameSourceError, MetricsError, RecordFileError, ReplayError};
use tablut_net::{ModelFileError, NetError, Precision};
use tablut_rules::RuleSetError;

use crate::config::{Difference, TrainConfigError};
use crate::device::DeviceError;
use crate::step_error::StepError;

/// The run cannot start or continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// A file or folder of the run.
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
    /// The config.
    #[error(transparent)]
    Config(#[from] TrainConfigError),
    /// The run was started with another config.
    #[error("{path} was begun with another config; these keys cannot change while a run goes on:\n{}\n\
             Use another --run folder, or put the values back.", list(.differences))]
    ConfigChanged {
        /// The run.
        path: PathBuf,
        /// The keys that may not change.
        differences: Vec<Difference>,
    },
    /// The state in the folder belongs to a net with another shape than in the config.
    #[error("{path} holds a net of shape {found}, the config says {expected}")]
    Shape {
        /// The run.
        path: PathBuf,
        /// The state's shape.
        found: String,
        /// The config's shape.
        expected: String,
    },
    /// Two rule sets of the config have one name.
    #[error("rules: two rule sets are named `{0}`, and records could not tell them apart")]
    DuplicateRules(String),
    /// No ply of a generation has a search to learn from.
    #[error(
        "no position to learn from in generation {0}: no search of its games is a training target; raise schedule.games"
    )]
    NothingToLearn(u64),
    /// A rule set.
    #[error(transparent)]
    Rules(#[from] RuleSetError),
    /// A model or state file.
    #[error(transparent)]
    Model(#[from] ModelFileError),
    /// The state to continue from is damaged.
    #[error("{error}\nThe run cannot go on from it. {advice}")]
    DamagedState {
        /// The state, and the error.
        error: ModelFileError,
        /// What to do.
        advice: String,
    },
    /// A file of the run's games is damaged.
    #[error(
        "{error}\nTo go on, delete the files of generation {generation} and of all later ones in {run}/games and \
         {run}/checkpoints. The run then plays these games again, and ends with the same nets."
    )]
    DamagedGames {
        /// The file, and the error.
        error: RecordFileError,
        /// The generation that played the games.
        generation: u64,
        /// The run.
        run: PathBuf,
    },
    /// This machine cannot play the run's games.
    #[error(
        "{path}: precision = \"{precision}\" is impossible on this machine: {error}. A run keeps its precision from its \
         first game on, so go on with it on a machine that has it"
    )]
    Precision {
        /// The run.
        path: PathBuf,
        /// The precision.
        precision: Precision,
        /// What is missing.
        error: NetError,
    },
    /// The folder does not contain a run.
    #[error("{0} holds no run: there is no config.toml in it")]
    NoRun(PathBuf),
    /// The folder is named as a net, but no generation of a run in it is complete.
    #[error("{0}: expected a model file, or the folder of a run with a finished generation")]
    NoNet(PathBuf),
    /// The run's metrics.
    #[error(transparent)]
    Metrics(#[from] MetricsError),
    /// A file of game records.
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
    Measuring(#[from] ExamineError),
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
