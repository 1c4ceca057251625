//! Errors of starting or continuing a run.

use std::path::PathBuf;

use tablut_games::{GameSourceError, NamedNetError, RecordFileError, ReplayError, RunFolderError};
use tablut_net::{ModelFileError, NetError};
use tablut_rules::RuleSetError;

use crate::config::{Difference, TrainConfigError};
use crate::device::DeviceError;
use crate::gradient_backend::StepError;

/// The run cannot start or continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    #[error(transparent)]
    Folder(#[from] RunFolderError),
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error("{0} is in use by another training process")]
    Locked(PathBuf),
    #[error(
        "{0} was moved or replaced during the run; nothing was written to it since. Move it back, or give its new \
         path, and continue it with --resume"
    )]
    Moved(PathBuf),
    #[error(transparent)]
    Config(#[from] TrainConfigError),
    #[error("{path} was started with another config; these keys cannot change during a run:\n{}\n\
             Use another --run folder, or restore the values.", list(.differences))]
    ConfigChanged { path: PathBuf, differences: Vec<Difference> },
    #[error("{path} contains a net of shape {found}, expected the config's {expected}")]
    Shape { path: PathBuf, found: String, expected: String },
    #[error("rules: two rule sets have the name `{0}`; give one of them another name")]
    DuplicateRules(String),
    #[error(
        "no position to learn from in generation {0}: no search of its games is a training target; raise schedule.games"
    )]
    NothingToLearn(u64),
    #[error(transparent)]
    Rules(#[from] RuleSetError),
    #[error(transparent)]
    Model(#[from] ModelFileError),
    #[error(transparent)]
    Net(#[from] NamedNetError),
    #[error("{error}\nThe run cannot continue from this state. {advice}")]
    DamagedState { error: ModelFileError, advice: String },
    #[error(
        "{error}\nTo continue, delete the files of generation {generation} and of all later ones in {run}/games and \
         {run}/checkpoints, or all of {run}/checkpoints if no state of an earlier generation is left. The run then plays \
         these games again and trains the same nets."
    )]
    DamagedGames { error: RecordFileError, generation: u64, run: PathBuf },
    #[error(
        "{run}/checkpoints has nets up to generation {generation} but no training state, so the run cannot continue from \
         them. Either start a new run with the newest net: `start = \"{net}\"` in its config and another --run folder. Or \
         delete {run}/checkpoints: the run then trains again from generation 0, with the games in {run}/games."
    )]
    NoState { run: PathBuf, generation: u64, net: PathBuf },
    #[error(transparent)]
    Records(#[from] RecordFileError),
    #[error("{path}: {error}")]
    Replay { path: PathBuf, error: ReplayError },
    #[error("measuring the net on the generation's games: {0}")]
    Measuring(#[from] NetError),
    #[error(transparent)]
    Learning(#[from] StepError),
    #[error("{error}; the learning rate was {learning_rate}")]
    Step { error: StepError, learning_rate: f32 },
    #[error(
        "learning diverged at step {step}: the loss of policy and value is {loss:.1}, and that of an untrained net \
         {untrained:.1}; the learning rate was {learning_rate}: choose a lower learning.learning_rate (the last checkpoint is \
         intact)"
    )]
    Diverged { step: u64, loss: f32, untrained: f32, learning_rate: f32 },
    #[error("self-play: {0}")]
    Games(GameSourceError),
    #[error("rating the net: {0}")]
    Rating(GameSourceError),
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
