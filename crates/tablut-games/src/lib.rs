//! Many games at once with batched evaluators: self-play, its records, and the replay window.
//!
//! - [`run_tasks`], [`run_task_source`], [`Task`]: the executor, which keeps all cores busy and batches full.
//!   [`CancelToken`] stops it. [`Rounds`] runs tasks on one thread.
//! - [`SelfPlayGame`]: a game of one net against itself, as a task, with equal searches or a [`Handicap`].
//! - [`GameRecord`], [`RecordFile`], [`write_records`], [`read_records`]: games on disk, with their rules in full.
//! - [`GameSource`]: the interface between self-play and training. [`LocalGames`] plays in this process.
//! - [`RuleSetStatistics`], [`examine`]: statistics of a generation's games, and of a net's outputs on their positions.
//! - [`RunFolder`]: the files of a run's folder. [`load_net`]: nets as users name them.
//! - [`ReplayWindow`], [`TrainingBatch`]: the training data. [`write_npz`] writes it for NumPy.

#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![warn(missing_docs, clippy::missing_errors_doc)]

mod cancel;
mod compression;
mod executor;
mod game_source;
mod metrics;
mod metrics_file;
mod named_net;
mod npz;
mod record;
mod record_file;
mod run_folder;
mod samples;
mod selfplay;
mod statistics;
mod window;

pub use cancel::CancelToken;
pub use executor::{
    Concurrency, Counters, LeafRequest, Rounds, RunError, Task, TaskSource, deliver_tasks, run_task_source, run_tasks,
};
pub use game_source::{
    FleetReport, GameOrder, GameSource, GameSourceError, LocalGames, MakeInference, PlayedGames, WorkerReport,
};
pub use metrics::{GenerationMetrics, LearningMetrics, LossParts, MachineMetrics, MetricsSchema, SelfPlayMetrics};
pub use named_net::{NamedNetError, SHIPPED, is_shipped, load_net, net_name, shipped_net};
pub use npz::write_npz;
pub use record::{GameRecord, Handicap, PlyRecord, ReplayError, SearchRecord};
pub use record_file::{
    RecordFile, RecordFileError, pack_game, read_records, records_from_bytes, records_to_bytes, unpack_game,
    write_records,
};
pub use run_folder::{GenerationFile, RunFolder, RunFolderError, dotted_keys};
pub use samples::{ReplayedGame, Sample};
pub use selfplay::{GameWatch, SelfPlayConfig, SelfPlayGame, game_rng};
pub use statistics::{
    CalibrationBin, DrawStatistics, ExaminedPosition, Lengths, NetLosses, NetStatistics, PHASES, PhaseStatistics,
    PolicyStatistics, RuleSetStatistics, SideStatistics, SpecialStatistics, UnevenGames, examine,
};
pub use window::{ReplayWindow, TrainingBatch};
