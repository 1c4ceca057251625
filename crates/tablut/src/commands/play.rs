//! `tablut play [MODEL]`: plays a game in the terminal.

use tablut_games::RunFolder;
use tablut_play::{PlayArgs, PlayError, play_in_terminal};

use crate::hints;
use crate::interrupt::Interrupted;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    play: PlayArgs,
}

pub fn run(args: &Args) -> anyhow::Result<()> {
    let mut play = args.play.clone();
    if let Some(run) = play.model.as_deref().filter(|path| path.is_dir()) {
        play.model = Some(RunFolder(run).newest_net()?);
    }
    match play_in_terminal(&play, &hints::command(["play"])) {
        Err(PlayError::Interrupted { exit_code }) => Err(Interrupted { exit_code }.into()),
        result => Ok(result?),
    }
}
