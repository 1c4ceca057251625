//! A run's `log.txt`: what happened when, an event a line, appended by every process that works on the run.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::Context;
use tracing::level_filters::LevelFilter;

/// From now on, writes this process' events into `folder/log.txt`. Called once.
///
/// The file is opened with the first event after the folder is there: whoever opens the run makes the folder, and
/// a run that is refused leaves none behind.
pub fn begin(folder: &Path) -> anyhow::Result<()> {
    let log = RunLog { folder: folder.to_owned(), file: None, waiting: Vec::new() };
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_max_level(LevelFilter::INFO)
        .with_target(false)
        .with_writer(Mutex::new(log))
        .finish();
    tracing::subscriber::set_global_default(subscriber).context("the run's log")
}

struct RunLog {
    folder: PathBuf,
    file: Option<File>,
    /// Events from before the folder was there.
    waiting: Vec<u8>,
}

impl Write for RunLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.file.is_none() && self.folder.join("config.toml").exists() {
            self.file = Some(File::options().create(true).append(true).open(self.folder.join("log.txt"))?);
        }
        self.waiting.extend_from_slice(bytes);
        if let Some(file) = &mut self.file {
            file.write_all(&self.waiting)?;
            self.waiting.clear();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
