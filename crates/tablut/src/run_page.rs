//! The pages of a run in progress, for a server.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;

use anyhow::Context;
use tablut_games::RunFolderError;
use tablut_play::{AddedPage, ServeArgs, link_to, serve_pages};
use tablut_report::{LIVE_PATH, LiveReport, SNAPSHOT_PATH};

use crate::run_log::RunLog;

/// The pages of the run in `folder`, made from its files: the live page, and its snapshot without reloading.
pub fn run_pages(folder: &Path) -> [AddedPage; 2] {
    let report = Arc::new(LiveReport::new(folder));
    let live = report.clone();
    // Other people may read the pages, so errors do not name the folder.
    let folder = folder.display().to_string();
    let told = move |error: RunFolderError| error.to_string().replace(&folder, "the run");
    let told_live = told.clone();
    [
        AddedPage { path: LIVE_PATH, render: Arc::new(move || live.page().map_err(&told_live)) },
        AddedPage { path: SNAPSHOT_PATH, render: Arc::new(move || report.snapshot().map_err(&told)) },
    ]
}

/// Starts a thread that serves the pages of the run in `folder` until the program ends, and returns the link. Later
/// errors are written into `log`.
pub fn serve_in_background(folder: &Path, args: ServeArgs, log: &Arc<RunLog>) -> anyhow::Result<String> {
    let pages = run_pages(folder);
    let (told, heard) = channel();
    let log = log.clone();
    let serve = move || {
        // The caller waits only for the first message, a link or an error.
        let ready = &mut |link: &str| {
            let _ = told.send(Ok(link_to(link, LIVE_PATH)));
        };
        if let Err(error) = serve_pages(&args, &pages, ready) {
            log.write(format_args!("the server of the run's page stopped: {error}"));
            let _ = told.send(Err(error));
        }
    };
    std::thread::Builder::new()
        .name("run's page".to_owned())
        .spawn(serve)
        .context("cannot start a thread for the run's page")?;
    Ok(heard.recv().ok().context("the server of the run's page has ended")??)
}
