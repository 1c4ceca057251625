//! `tablut serve [MODEL…]`: serves the page for playing, analysing and experimenting with rules.

mod training;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use tablut_learn::newest_net;
use tablut_play::{AddedPage, ServeArgs, link_to, serve};
use tablut_report::LIVE_PATH;

use crate::console::Console;
use crate::run_page::run_pages;
use training::OwnTrainer;

/// Arguments of `tablut serve`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    serve: ServeArgs,
    /// Also show the training run in this folder, in progress or finished, from its files. Its newest net plays unless
    /// models are named.
    #[arg(long, value_name = "RUN")]
    run: Option<PathBuf>,
}

/// Serves until the program is ended.
pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let mut serve_args = args.serve.clone();
    let mut pages: Vec<AddedPage> = Vec::new();
    if let Some(folder) = &args.run {
        std::fs::read_dir(folder).with_context(|| format!("--run {}", folder.display()))?;
        pages.extend(run_pages(folder));
        // Before the end of the first generation there is no net.
        let newest = newest_net(folder).ok().filter(|path| path.is_file());
        // The slider shows the same run, unless another one is named.
        if newest.is_some() && serve_args.checkpoints.is_none() {
            serve_args.checkpoints = Some(folder.clone());
        }
        if serve_args.models.is_empty() {
            serve_args.models.extend(newest);
        }
    }
    // Errors are ignored: the page is served even if standard output is closed.
    let ready = &mut |link: &str, folder: &Path| {
        let folder = folder.display();
        let _ = match &args.run {
            Some(run) => writeln!(console, "{}\nshows the run in {}.", link_to(link, LIVE_PATH), run.display()),
            None => Ok(()),
        };
        let _ = writeln!(console, "{link}\nGames are saved in {folder}. Ctrl-C stops the server; no game is lost.");
        let _ = console.flush();
    };
    Ok(serve(&serve_args, &pages, Some(Arc::new(OwnTrainer)), ready)?)
}
