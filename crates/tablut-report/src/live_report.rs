//! The report of a run in progress, for a server. It is made again when the run's files have changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tablut_games::{RunFolder, RunFolderError};

use crate::live::LIVE_FILE;
use crate::page::{live_page, snapshot_page};
use crate::run_files::RunFiles;

const RELOAD_SECS: u32 = 5;
/// The run's files are read again at most this often, for any number of clients.
const REST: Duration = Duration::from_secs(2);

/// The pages of a run in progress, made from its files.
#[derive(Debug)]
pub struct LiveReport {
    folder: PathBuf,
    last: Mutex<Option<Made>>,
}

/// The data that were read last, and the pages that were made from them.
#[derive(Debug)]
struct Made {
    at: Instant,
    files: Stamp,
    live: Stamp,
    run: RunFiles,
    page: Option<Arc<str>>,
    snapshot: Option<Arc<str>>,
}

/// Size and time of some files, `None` for a missing one.
type Stamp = Vec<Option<(u64, SystemTime)>>;

impl LiveReport {
    /// For the run in `folder`, which need not exist yet.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), last: Mutex::new(None) }
    }

    /// The page at [`LIVE_PATH`](crate::LIVE_PATH), which reloads.
    pub fn page(&self) -> Result<Arc<str>, RunFolderError> {
        self.with_made(|made| made.page.get_or_insert_with(|| live_page(&made.run, RELOAD_SECS).into()).clone())
    }

    /// The page at [`SNAPSHOT_PATH`](crate::SNAPSHOT_PATH), which does not reload.
    pub fn snapshot(&self) -> Result<Arc<str>, RunFolderError> {
        self.with_made(|made| made.snapshot.get_or_insert_with(|| snapshot_page(&made.run).into()).clone())
    }

    /// Calls `page` with the present data. If they cannot be read, the last data are kept for the next call.
    fn with_made(&self, page: impl FnOnce(&mut Made) -> Arc<str>) -> Result<Arc<str>, RunFolderError> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let run = RunFolder(&self.folder);
        let files = [run.metrics(), run.config(), run.evaluation(), run.0.join("games")].map(stamp).to_vec();
        let live = vec![stamp(run.0.join(LIVE_FILE))];
        if let Some(made) = last.as_mut()
            && (made.at.elapsed() < REST || (made.files == files && made.live == live))
        {
            return Ok(page(made));
        }
        let run = match last.take_if(|made| made.files == files) {
            Some(mut made) => {
                made.run.read_live();
                made.run
            }
            None => RunFiles::read(&self.folder)?,
        };
        let made = Made { at: Instant::now(), files, live, run, page: None, snapshot: None };
        Ok(page(last.insert(made)))
    }
}

fn stamp(path: PathBuf) -> Option<(u64, SystemTime)> {
    let found = fs::metadata(path).ok()?;
    Some((found.len(), found.modified().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::Live;

    /// The page after [`REST`].
    fn rested(report: &LiveReport) -> Arc<str> {
        rest(report);
        report.page().unwrap()
    }

    /// Makes the last page old enough to be made again.
    fn rest(report: &LiveReport) {
        if let Some(made) = report.last.lock().unwrap().as_mut() {
            made.at = made.at.checked_sub(REST).unwrap();
        }
    }

    #[test]
    fn the_page_follows_the_files_and_is_kept_while_they_stay() {
        let folder = tempfile::tempdir().unwrap();
        let report = LiveReport::new(folder.path());
        assert!(matches!(report.page(), Err(RunFolderError::NoRun(_))));
        fs::write(folder.path().join("config.toml"), "shape = \"lines32x1\"\n").unwrap();
        let first = report.page().unwrap();
        assert!(Arc::ptr_eq(&first, &rested(&report)), "made again although nothing has changed");
        // The lengths differ, because the times may be equal.
        let live =
            |done| Live { phase: "self-play".into(), done, total: 80, written: Live::present(), ..Live::default() };
        live(3).write(folder.path()).unwrap();
        let second = rested(&report);
        assert!(second.contains("3 of 80 games") && !first.contains("3 of 80 games"), "{second}");
        assert!(report.snapshot().unwrap().contains("3 of 80 games"));
        live(14).write(folder.path()).unwrap();
        assert!(Arc::ptr_eq(&second, &report.page().unwrap()), "made again at once");
        assert!(rested(&report).contains("14 of 80 games"));
        assert!(report.snapshot().unwrap().contains("14 of 80 games"), "the snapshot is old");
        fs::write(folder.path().join("metrics.jsonl"), "{\"schema\":5,\"generation\":0,\"selfplay\":{\"games\":77}}\n")
            .unwrap();
        assert!(rested(&report).contains("77 self-play games"));
    }

    #[test]
    fn a_page_that_cannot_be_made_leaves_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let (run, elsewhere) = (folder.path().join("run"), folder.path().join("elsewhere"));
        fs::create_dir(&run).unwrap();
        fs::write(run.join("config.toml"), "shape = \"lines32x1\"\n").unwrap();
        let report = LiveReport::new(&run);
        let first = report.page().unwrap();
        fs::rename(&run, &elsewhere).unwrap();
        rest(&report);
        assert!(report.page().is_err());
        fs::rename(&elsewhere, &run).unwrap();
        assert!(Arc::ptr_eq(&first, &rested(&report)));
    }
}
