//! The program `tablut`, which trains, measures and plays neural nets for Tablut, for its binary and for the Python package.

// All output goes through `console`, which returns errors where `println!` would panic.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod commands;
mod console;
mod dashboard;
mod exit;
mod forecast_text;
mod hints;
mod interrupt;
mod layout;
mod live_writer;
mod match_tables;
mod nets;
mod outputs;
mod progress;
mod progress_lines;
mod rater;
mod restart;
mod run_events;
mod run_log;
mod run_page;
mod run_progress;
mod run_warnings;

pub use commands::{CommandError, serve_on, train};
pub use restart::restart_with;
pub use run_events::OnGeneration;

/// Runs the program with these arguments, of which the first is its name, and returns its exit code.
pub fn run(typed: impl IntoIterator<Item = std::ffi::OsString>) -> u8 {
    exit::code(commands::run(typed, &mut console::Console::new()))
}
