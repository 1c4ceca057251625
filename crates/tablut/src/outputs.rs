//! Files that a command is to write, checked before its work begins.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tablut_net::durable::is_stream;

/// Whether files that are there already may be overwritten.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Overwrite {
    /// Overwrite what is there already
    #[arg(long)]
    pub force: bool,
}

impl Overwrite {
    /// Checks that `path` can be written and is not there yet, or may be overwritten. Leaves nothing behind.
    pub fn check(self, path: &Path) -> anyhow::Result<()> {
        check_writable(path)?;
        if path.exists() && !is_stream(path) && !self.force {
            bail!("{} is there already: name another file, or overwrite it with --force", path.display());
        }
        Ok(())
    }
}

/// Checks that a file can be written at `path`, which may be there. Leaves nothing behind.
pub fn check_writable(path: &Path) -> anyhow::Result<()> {
    if path.is_dir() {
        bail!("cannot write {}: it is a folder, expected a file", path.display());
    }
    if is_stream(path) {
        return Ok(());
    }
    let folder = nearest_folder(path);
    // A file without a name, where the system has such: it goes even if the process is killed here.
    tempfile::tempfile_in(&folder).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(())
}

/// The closest folder above `path` that is there; the missing ones between are made when the file is written.
fn nearest_folder(path: &Path) -> PathBuf {
    let above = path.ancestors().skip(1).find(|folder| folder.as_os_str().is_empty() || folder.exists());
    above.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_names_what_is_in_the_way_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("there"), b"old").unwrap();
        let fault = |name: &str, force| Overwrite { force }.check(&at(name)).err().map(|error| format!("{error:#}"));
        assert_eq!(fault("new/deep/file", false), None);
        assert_eq!(fault("there", true), None);
        assert!(fault("there", false).unwrap().contains("there is there already: name another file"));
        assert!(fault("", true).unwrap().contains("it is a folder"));
        assert!(fault("there/file", true).unwrap().contains("Not a directory"));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(std::fs::read(at("there")).unwrap(), b"old");
    }
}
