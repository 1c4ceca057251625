//! `tablut play [MODEL]`: a game in the terminal.

use tablut_play::{PlayArgs, PlayError, play_here};

use crate::hints;
use crate::interrupt::Interrupted;

/// Arguments of `tablut play`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    play: PlayArgs,
}

/// Plays on standard input and output.
pub fn run(args: &Args) -> anyhow::Result<()> {
    match play_here(&args.play, &hints::command(["play"])) {
        Err(PlayError::Interrupted { exit_code }) => Err(Interrupted { exit_code }.into()),
        result => Ok(result?),
    }
}
