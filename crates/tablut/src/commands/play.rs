//! `tablut play [MODEL]`: a game in the terminal.

use std::io::{self, BufWriter, IsTerminal};

use tablut_play::{Console, PlayArgs, play};

/// Arguments of `tablut play`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    play: PlayArgs,
}

/// Plays on standard input and output; colours and prompts only where they are a terminal.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let terminal = io::stdout().is_terminal();
    let mut console = Console {
        input: &mut io::stdin().lock(),
        output: &mut BufWriter::new(io::stdout()),
        colour: terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        interactive: terminal && io::stdin().is_terminal(),
    };
    Ok(play(&args.play, &mut console)?)
}
