//! Many games at once over batched evaluators: self-play, its records, and the replay window.
//!
//! - [`run_tasks`], [`Task`]: the executor that keeps all cores and full batches busy; [`CancelToken`] stops it.
//! - [`NetEvaluator`]: lets a search ask a net.
//! - [`SelfPlayGame`]: one net against itself, as a task.
//! - [`GameRecord`], [`write_records`], [`read_records`]: games on disk.
//! - [`ReplayWindow`], [`TrainingBatch`]: what is learnt from.

mod cancel;
mod executor;
mod net_evaluator;
mod record;
mod record_file;
mod selfplay;
mod window;

pub use cancel::CancelToken;
pub use executor::{Concurrency, Counters, Request, RunError, Task, run_tasks};
pub use net_evaluator::NetEvaluator;
pub use record::{GameRecord, PlyRecord, RecordedOutcome, ReplayError, SearchRecord};
pub use record_file::{RecordFile, RecordFileError, read_records, write_records};
pub use selfplay::{SelfPlayConfig, SelfPlayGame, game_rng};
pub use window::{ReplayWindow, TrainingBatch};
