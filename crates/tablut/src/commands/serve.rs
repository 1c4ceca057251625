//! `tablut serve [MODEL…]`: serves the page for playing, analysing and experimenting with rules.

mod training;

use std::io::Write;
use std::sync::Arc;

use tablut_play::{AddedPage, ServeArgs, link_to, serve};
use tablut_report::LIVE_PATH;

use crate::console::Console;
use crate::run_page::run_pages;
use training::OwnTrainer;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    serve: ServeArgs,
}

/// Serves until the program is ended.
pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let run = args.serve.run.as_deref();
    let pages: Vec<AddedPage> = run.map(run_pages).into_iter().flatten().collect();
    // Errors are ignored: the page is served even if standard output is closed.
    let ready = &mut |link: &str, saved_in: &str| {
        let _ = match run {
            Some(run) => writeln!(console, "{}\nshows the run in {}.", link_to(link, LIVE_PATH), run.display()),
            None => Ok(()),
        };
        let _ = writeln!(console, "{link}\n{saved_in} Ctrl-C stops the server; no game is lost.");
        let _ = console.flush();
    };
    Ok(serve(&args.serve, &pages, Some(Arc::new(OwnTrainer)), ready)?)
}
