//! The `tablut` binary: trains, measures and plays neural nets for Tablut.

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
mod run_events;
mod run_log;
mod run_page;
mod run_progress;
mod run_warnings;

use std::process::ExitCode;

/// musl's own allocator makes self-play 4 % slower.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    exit::code(commands::run(std::env::args_os(), &mut console::Console::new()))
}
