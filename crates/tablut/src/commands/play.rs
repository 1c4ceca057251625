//! `tablut play [MODEL]`: plays a game in the terminal.

use tablut_play::{PlayArgs, PlayError, play_in_terminal};

use crate::hints;
use crate::interrupt::Interrupted;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    play: PlayArgs,
}

pub fn run(args: &Args) -> anyhow::Result<()> {
    match play_in_terminal(&args.play, &hints::command(["play"])) {
        Err(PlayError::Interrupted { exit_code }) => Err(Interrupted { exit_code }.into()),
        result => Ok(result?),
    }
}
