//! The `tablut-play` binary: plays Tablut in the terminal, without the trainer.

use std::io::{self, BufWriter, IsTerminal};
use std::process::ExitCode;

use clap::Parser;
use tablut_play::{Console, PlayArgs, play};

/// Plays Tablut against a net, in the terminal.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(flatten)]
    play: PlayArgs,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let terminal = io::stdout().is_terminal();
    let result = play(
        &arguments.play,
        &mut Console {
            input: &mut io::stdin().lock(),
            output: &mut BufWriter::new(io::stdout()),
            colour: terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
            interactive: terminal && io::stdin().is_terminal(),
        },
    );
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
