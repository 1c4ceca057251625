//! The `tablut` binary: trains, measures and plays neural nets for Tablut.

mod commands;
mod ladder_svg;
mod match_progress;
mod match_tables;
mod progress;

use std::process::ExitCode;

use clap::Parser;

/// `println!` panics when the reader of a pipe has gone, as in `tablut data json FILE | head`: nothing has gone wrong.
fn end_quietly_on_a_broken_pipe() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let message = panic.payload_as_str().unwrap_or_default();
        if message.starts_with("failed printing to stdout") && message.contains("Broken pipe") {
            std::process::exit(0);
        }
        report(panic);
    }));
}

fn main() -> ExitCode {
    end_quietly_on_a_broken_pipe();
    let arguments = commands::Arguments::parse();
    match arguments.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<commands::Interrupted>() => ExitCode::from(130),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
