//! `tablut serve [MODEL…]`: serves the page for playing, analysing and experimenting with rules.

mod taught_run;
mod teaching;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use tablut_games::CancelToken;
use tablut_net::NetDevice;
use tablut_play::{AddedPage, ServeArgs, ServeError, link_to, serve};
use tablut_report::LIVE_PATH;

use crate::console::Console;
use crate::run_page::run_pages;
use teaching::OwnTrainer;

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
    Ok(serve(&args.serve, &pages, Some(Arc::new(OwnTrainer)), None, &CancelToken::new(), ready)?)
}

/// Serves the page for playing against the net of `model` until `cancel` stops it. The net runs on `device`, or on the cores
/// if it is `None`. Without a `port` it is 8527 or a free one. `ready` receives the link.
pub fn serve_on(
    model: PathBuf,
    device: Option<Arc<dyn NetDevice>>,
    port: Option<u16>,
    cancel: &CancelToken,
    ready: &mut dyn FnMut(&str),
) -> Result<(), ServeError> {
    let args = ServeArgs { models: vec![model], port, ..ServeArgs::default() };
    serve(&args, &[], Some(Arc::new(OwnTrainer)), device, cancel, &mut |link, _| ready(link))
}
