//! `tablut serve [MODEL…]`: the page for playing, analysing and experimenting with rules.

mod training;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use tablut_learn::newest_net;
use tablut_play::{AddedPage, ServeArgs, link_to, serve};

use crate::console::Console;
use crate::run_page::{RUN_PATH, run_page};
use training::OwnTrainer;

/// Arguments of `tablut serve`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    serve: ServeArgs,
    /// Also show the training run in this folder, running or finished; only its files are read. Its newest net plays
    /// unless models are named.
    #[arg(long, value_name = "RUN")]
    run: Option<PathBuf>,
}

/// Serves until the program is ended.
pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let mut serve_args = args.serve.clone();
    let mut pages: Vec<AddedPage> = Vec::new();
    if let Some(folder) = &args.run {
        std::fs::read_dir(folder).with_context(|| format!("--run {}", folder.display()))?;
        pages.push(run_page(folder));
        // There is none before the first generation is done.
        let newest = newest_net(folder).ok().filter(|path| path.is_file());
        // The slider shows the same run, unless another is asked for.
        if newest.is_some() && serve_args.checkpoints.is_none() {
            serve_args.checkpoints = Some(folder.clone());
        }
        if serve_args.models.is_empty() {
            serve_args.models.extend(newest);
        }
    }
    // Whoever started the program may have stopped listening: the page is served all the same.
    let ready = &mut |link: &str, folder: &Path| {
        let folder = folder.display();
        let _ = match &args.run {
            Some(run) => writeln!(console, "{}\nshows the run in {}.", link_to(link, RUN_PATH), run.display()),
            None => Ok(()),
        };
        let _ = writeln!(console, "{link}\nGames are kept in {folder}. Ctrl-C ends the program; no game is lost.");
        let _ = console.flush();
    };
    Ok(serve(&serve_args, &pages, Some(Arc::new(OwnTrainer)), ready)?)
}
