//! The `tablut-play` binary: plays Tablut in the terminal and in the browser, without the trainer.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tablut_games::CancelToken;
use tablut_net::Simd;
use tablut_play::{PlayArgs, PlayError, ServeArgs, exit_on_signals, play_in_terminal, serve};

/// Plays Tablut against a net, in the terminal or on a page.
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    play: PlayArgs,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the page for playing, analysis and experiments with rules.
    Serve(ServeArgs),
}

/// musl's own allocator is slow.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // It would be reported as a fault of the net.
    if let Err(error) = Simd::from_env() {
        eprintln!("error: {error}");
        return ExitCode::from(2);
    }
    let result = match &arguments.command {
        Some(Command::Serve(args)) => exit_on_signals().map_err(|error| error.to_string()).and_then(|()| {
            serve(args, &[], None, None, &CancelToken::new(), &mut print_link).map_err(|error| error.to_string())
        }),
        None => match play_in_terminal(&arguments.play, "tablut-play") {
            Err(PlayError::Interrupted { exit_code }) => return ExitCode::from(exit_code),
            result => result.map_err(|error| error.to_string()),
        },
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Prints the page's link. Errors are ignored, because the page works without the output.
fn print_link(link: &str, saved_in: &str) {
    let _ = writeln!(io::stdout(), "{link}\n{saved_in} Ctrl-C ends the program.");
}
