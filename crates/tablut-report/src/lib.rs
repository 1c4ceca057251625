//! Reports on training runs, from the files of a run's folder.
//!
//! - [`RunFiles`]: the files of a run, written by any version, finished or in progress.
//! - [`warnings`], [`headline`]: a summary in words.
//! - [`report_page`]: one HTML page without scripts. [`live_page`] and [`snapshot_page`]: the page of a run in
//!   progress, with and without automatic reloading.
//! - [`Live`]: the current state of a run. [`LiveReport`]: its pages for a server.
//! - [`metrics_csv`], [`games_csv`]: CSV tables. [`run_json`]: JSON. [`write_tensorboard`]: event files for
//!   TensorBoard.

#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod csv;
pub mod figures;
pub mod games;
mod json;
mod live;
mod live_report;
mod metrics;
mod page;
pub mod rated;
mod run_files;
mod svg;
mod tensorboard;
mod words;

pub use csv::{GAME_COLUMNS, games_csv, metrics_csv};
pub use json::run_json;
pub use live::{DisplayedGame, LIVE_FILE, Live};
pub use live_report::LiveReport;
pub use page::{LIVE_PATH, SNAPSHOT_PATH, live_page, report_page, snapshot_page};
pub use run_files::RunFiles;
pub use tensorboard::write_tensorboard;
pub use words::{Headline, Warning, WarningKind, headline, warnings};
