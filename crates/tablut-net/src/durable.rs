//! Writes files completely or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

const TEMPORARY: &str = ".part-";

/// How many letters of a file's name are in the name of its temporary file. Names have at most 255 bytes.
const MAX_NAME: usize = 40;

/// Writes `bytes` to `path`. After a crash at any moment, the file is either the old one or the new one, never a part.
///
/// A [stream](is_stream) gets the bytes directly. For a file, this function writes a temporary file next to `path`, flushes
/// it to disk, renames it to `path`, and then flushes the folder. It also removes temporary files that killed processes
/// left after earlier writes to `path`.
///
/// # Errors
/// If the system cannot create, write, flush or rename a file.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if is_stream(path) {
        return File::options().write(true).open(path)?.write_all(bytes);
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder)?;
    let name: String = path.file_name().unwrap_or_default().to_string_lossy().chars().take(MAX_NAME).collect();
    let prefix = format!("{TEMPORARY}{name}-");
    remove_abandoned(folder, &prefix)?;
    let mut temporary = temporary_file(folder, &prefix)?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    make_readable(temporary.as_file())?;
    temporary.persist(path).map_err(|error| error.error)?;
    // Not every system can flush a folder's entries.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Checks that the folder of `path` exists. [`write`] would create it.
///
/// # Errors
/// If there is no such folder.
pub fn require_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            Err(io::Error::new(io::ErrorKind::NotFound, format!("there is no folder {}", folder.display())))
        }
        _ => Ok(()),
    }
}

/// Whether `path` is a device, a pipe or a socket, such as `/dev/stdout`. Such a file has no content that could be replaced.
pub fn is_stream(path: &Path) -> bool {
    path.starts_with("/dev") || fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// A new temporary file. It is locked, so that other processes do not treat it as abandoned.
fn temporary_file(folder: &Path, prefix: &str) -> io::Result<NamedTempFile> {
    loop {
        let temporary = tempfile::Builder::new().prefix(prefix).tempfile_in(folder)?;
        // Some file systems have no locks. On these no file counts as abandoned.
        let _ = temporary.as_file().lock();
        // Before the file was locked, another process may have removed it as abandoned.
        if temporary.path().exists() {
            return Ok(temporary);
        }
    }
}

/// Removes the temporary files with this prefix that no process writes to.
fn remove_abandoned(folder: &Path, prefix: &str) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(prefix)
            && let Ok(file) = File::options().write(true).open(entry.path())
            && file.try_lock().is_ok()
        {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Removes temporary files from `folder` that a killed process has left there. A missing folder is not an error.
///
/// Use it only for folders that no other process writes to.
///
/// # Errors
/// If the system cannot list the folder or remove a file.
pub fn remove_leftovers(folder: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Temporary files are private to their owner. The file that replaces the old one should have the usual permissions.
#[cfg(unix)]
fn make_readable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn make_readable(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/file");
        write(&path, b"one").unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    #[cfg(unix)]
    fn a_device_is_written_to_and_not_replaced() {
        let null = Path::new("/dev/null");
        write(null, b"gone").unwrap();
        assert!(is_stream(null) && !fs::metadata(null).unwrap().is_file());
    }

    #[test]
    fn what_a_killed_process_left_of_the_same_file_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in [".part-net.tablut-x1", ".part-other-x1", ".part-net.tablut-x2"] {
            fs::write(at(name), b"half").unwrap();
        }
        let writing = File::open(at(".part-net.tablut-x2")).unwrap();
        writing.lock().unwrap();
        write(&at("net.tablut"), b"whole").unwrap();
        let mut left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, [".part-net.tablut-x2", ".part-other-x1", "net.tablut"]);
        write(&at(&"ü".repeat(120)), b"a long name").unwrap();
    }

    #[test]
    fn leftovers_are_removed_and_whole_files_stay() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(".part-x1"), b"half").unwrap();
        fs::write(folder.path().join("whole"), b"whole").unwrap();
        remove_leftovers(folder.path()).unwrap();
        remove_leftovers(&folder.path().join("absent")).unwrap();
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["whole"]);
    }
}
