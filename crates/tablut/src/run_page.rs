//! The page of a run under way, as a server adds it.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;

use anyhow::Context;
use tablut_play::{AddedPage, ServeArgs, link_to, serve_pages};
use tablut_report::LiveReport;

use crate::run_log::RunLog;

/// Where a run's page is on a server.
pub const RUN_PATH: &str = "/run";

/// The page of the run in `folder`, made from its files alone.
pub fn run_page(folder: &Path) -> AddedPage {
    let report = LiveReport::new(folder);
    AddedPage { path: RUN_PATH, render: Arc::new(move || report.page().map_err(|error| error.to_string())) }
}

/// Serves the page of the run in `folder` from a thread of its own until the program ends; gives its link. Later errors
/// are written into `log`.
pub fn serve_in_background(folder: &Path, args: ServeArgs, log: &Arc<RunLog>) -> anyhow::Result<String> {
    let pages = [run_page(folder)];
    let (told, heard) = channel();
    let log = log.clone();
    let serve = move || {
        // Whoever asked waits for a link or an error, and for nothing after it.
        let ready = &mut |link: &str| {
            let _ = told.send(Ok(link_to(link, RUN_PATH)));
        };
        if let Err(error) = serve_pages(&args, &pages, ready) {
            log.write(format_args!("the run's page: {error}"));
            let _ = told.send(Err(error));
        }
    };
    std::thread::Builder::new().name("run's page".to_owned()).spawn(serve).context("a thread for the run's page")?;
    Ok(heard.recv().ok().context("the server of the run's page has ended")??)
}
