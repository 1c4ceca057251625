//! Output files: checks before a command starts that it can write them, and writing.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tablut_net::durable::{self, is_stream};

/// Whether existing files may be overwritten.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Overwrite {
    /// Overwrite existing files
    #[arg(long)]
    pub force: bool,
}

impl Overwrite {
    /// Checks that `path` can be written, and does not exist or may be overwritten. It creates no file.
    pub fn check(self, path: &Path) -> anyhow::Result<()> {
        check_writable(path)?;
        if path.exists() && !is_stream(path) && !self.force {
            bail!("{} exists: name another file, or overwrite it with --force", path.display());
        }
        Ok(())
    }
}

/// Checks that a file can be written at `path`, which may exist. It creates no file.
pub fn check_writable(path: &Path) -> anyhow::Result<()> {
    if path.is_dir() {
        bail!("cannot write {}: it is a folder, expected a file", path.display());
    }
    if is_stream(path) {
        return Ok(());
    }
    let folder = nearest_folder(path);
    // On most systems this file has no name, so it disappears even if the process is killed here.
    tempfile::tempfile_in(&folder).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(())
}

/// Writes a file completely or not at all.
pub fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    durable::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// The closest existing folder above `path`. Missing folders are created when the file is written.
fn nearest_folder(path: &Path) -> PathBuf {
    let above = path.ancestors().skip(1).find(|folder| folder.as_os_str().is_empty() || folder.exists());
    above.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_names_the_obstacle_and_creates_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("there"), b"old").unwrap();
        let fault = |name: &str, force| Overwrite { force }.check(&at(name)).err().map(|error| format!("{error:#}"));
        assert_eq!(fault("new/deep/file", false), None);
        assert_eq!(fault("there", true), None);
        assert!(fault("there", false).unwrap().contains("there exists: name another file"));
        assert!(fault("", true).unwrap().contains("it is a folder"));
        assert!(fault("there/file", true).unwrap().contains("Not a directory"));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(std::fs::read(at("there")).unwrap(), b"old");
    }
}
