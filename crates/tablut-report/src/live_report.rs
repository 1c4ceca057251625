//! The report of a run under way, for a server: made again when the run's files have changed, and not more often than it helps.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use crate::live::LIVE_FILE;
use crate::page::live_page;
use crate::run_files::{RunFiles, RunFilesError};

/// How often the page loads itself again, in seconds.
const RELOAD_SECS: u32 = 5;
/// However many look at it, the page is not made again before this.
const REST: Duration = Duration::from_secs(2);

/// A run's page, from its files alone.
#[derive(Debug)]
pub struct LiveReport {
    folder: PathBuf,
    last: Mutex<Option<Made>>,
}

/// What was made last, and from what.
#[derive(Debug)]
struct Made {
    at: Instant,
    files: Stamp,
    live: Stamp,
    run: RunFiles,
    page: Arc<str>,
}

/// Size and time of some files; none of those that are not there.
type Stamp = Vec<Option<(u64, SystemTime)>>;

impl LiveReport {
    /// Of the run in `folder`, which may not have begun.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), last: Mutex::new(None) }
    }

    /// The page as of now.
    pub fn page(&self) -> Result<Arc<str>, RunFilesError> {
        // A page that could not be made leaves the one before.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let files = ["metrics.jsonl", "config.toml", "evaluation.json", "games"].map(|name| self.stamp(name)).to_vec();
        let live = vec![self.stamp(LIVE_FILE)];
        if let Some(made) = last.as_ref()
            && (made.at.elapsed() < REST || (made.files == files && made.live == live))
        {
            return Ok(made.page.clone());
        }
        let run = match last.take_if(|made| made.files == files) {
            Some(mut made) => {
                made.run.read_live();
                made.run
            }
            None => RunFiles::read(&self.folder)?,
        };
        let page: Arc<str> = live_page(&run, RELOAD_SECS).into();
        *last = Some(Made { at: Instant::now(), files, live, run, page: page.clone() });
        Ok(page)
    }

    fn stamp(&self, name: &str) -> Option<(u64, SystemTime)> {
        let found = fs::metadata(self.folder.join(name)).ok()?;
        Some((found.len(), found.modified().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::Live;

    /// The page is made again at once.
    fn rested(report: &LiveReport) -> Arc<str> {
        rest(report);
        report.page().unwrap()
    }

    /// Lets the time pass before which no page is made again.
    fn rest(report: &LiveReport) {
        if let Some(made) = report.last.lock().unwrap().as_mut() {
            made.at = made.at.checked_sub(REST).unwrap();
        }
    }

    #[test]
    fn the_page_follows_the_files_and_is_kept_while_they_stay() {
        let folder = tempfile::tempdir().unwrap();
        let report = LiveReport::new(folder.path());
        assert!(matches!(report.page(), Err(RunFilesError::NoRun(_))));
        fs::write(folder.path().join("config.toml"), "shape = \"b1c16\"\n").unwrap();
        let first = report.page().unwrap();
        assert!(Arc::ptr_eq(&first, &rested(&report)), "made again although nothing has changed");
        // Lengths differ, so that two files of one tick of the clock do too.
        let live =
            |done| Live { phase: "self-play".into(), done, total: 80, written: Live::present(), ..Live::default() };
        live(3).write(folder.path()).unwrap();
        let second = rested(&report);
        assert!(second.contains("3 of 80 games") && !first.contains("3 of 80 games"), "{second}");
        live(14).write(folder.path()).unwrap();
        assert!(Arc::ptr_eq(&second, &report.page().unwrap()), "made again at once");
        assert!(rested(&report).contains("14 of 80 games"));
        fs::write(folder.path().join("metrics.jsonl"), "{\"generation\":0,\"selfplay\":{\"games\":77}}\n").unwrap();
        assert!(rested(&report).contains("77 games"));
    }

    #[test]
    fn a_page_that_cannot_be_made_leaves_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let (run, elsewhere) = (folder.path().join("run"), folder.path().join("elsewhere"));
        fs::create_dir(&run).unwrap();
        fs::write(run.join("config.toml"), "shape = \"b1c16\"\n").unwrap();
        let report = LiveReport::new(&run);
        let first = report.page().unwrap();
        fs::rename(&run, &elsewhere).unwrap();
        rest(&report);
        assert!(report.page().is_err());
        fs::rename(&elsewhere, &run).unwrap();
        assert!(Arc::ptr_eq(&first, &rested(&report)));
    }
}
