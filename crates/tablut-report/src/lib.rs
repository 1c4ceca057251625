//! What a training run has come to, told from the files of its folder alone: nothing here trains, and nothing needs burn.
//!
//! - [`RunFiles`]: a run's files as they are now, of any version, finished or under way.
//! - [`warnings`], [`headline`]: what the numbers say in words.
//! - [`report_page`]: one HTML page without scripts; [`live_page`]: the same, which loads itself again.
//! - [`Live`]: what a run does at this moment; [`LiveReport`]: its page for a server.
//! - [`metrics_csv`], [`games_csv`]: tables; [`write_tensorboard`]: event files for TensorBoard.

mod csv;
pub mod evaluation;
pub mod figures;
pub mod games;
mod live;
mod live_report;
pub mod metrics;
mod page;
pub mod rated;
mod run_files;
mod svg;
mod tensorboard;
mod words;

pub use csv::{GAME_COLUMNS, games_csv, metrics_csv};
pub use evaluation::{EvaluationFile, EvaluationMatch};
pub use live::{GameSnapshot, LIVE_FILE, Live};
pub use live_report::LiveReport;
pub use metrics::read_lines;
pub use page::{live_page, report_page};
pub use run_files::{RunFiles, RunFilesError};
pub use tensorboard::write_tensorboard;
pub use words::{Headline, Warning, WarningKind, headline, warnings};

/// The example of the README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
