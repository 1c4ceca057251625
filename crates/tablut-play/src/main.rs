//! The `tablut-play` binary: plays Tablut in the terminal and in the browser, without the trainer.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tablut_play::{Console, PlayArgs, ServeArgs, play, serve};

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
    /// Serve the page on which one plays, analyses and tries rules.
    Serve(ServeArgs),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match &arguments.command {
        Some(Command::Serve(args)) => serve(args, &mut tell_link).map_err(|error| error.to_string()),
        None => in_terminal(&arguments.play),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Tells where the page is. Whoever started the program may have stopped listening: the page is served all the same.
fn tell_link(link: &str, folder: &Path) {
    let folder = folder.display();
    let _ = writeln!(io::stdout(), "{link}\nGames are kept in {folder}. Ctrl-C ends the program; no game is lost.");
}

fn in_terminal(args: &PlayArgs) -> Result<(), String> {
    let terminal = io::stdout().is_terminal();
    let mut console = Console {
        input: &mut io::stdin().lock(),
        output: &mut BufWriter::new(io::stdout()),
        colour: terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        interactive: terminal && io::stdin().is_terminal(),
    };
    play(args, &mut console).map_err(|error| error.to_string())
}
