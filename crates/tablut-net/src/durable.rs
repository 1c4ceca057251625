//! Writes files completely or not at all, and locks files. Disks that have no permissions, locks or flushing, such as
//! network shares, are written to as well.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

const TEMPORARY: &str = ".part-";

/// How many letters of a file's name are in the name of its temporary file. Names have at most 255 bytes.
const MAX_NAME: usize = 40;

/// A longer chain of symbolic links probably is a circle.
const MAX_LINKS: usize = 40;

/// Writes `bytes` to `path`. After a crash at any moment, the file is either the old one or the new one, never a part.
///
/// A [stream](is_stream) gets the bytes directly. For a file, this function writes a temporary file next to `path`, flushes
/// it to disk, renames it to `path`, and then flushes the folder. It also removes temporary files that killed processes
/// left after earlier writes to `path`. A new file has the permissions of the process's umask, a replaced file those
/// that it had. If `path` is a symbolic link, the file that it leads to is written.
///
/// # Errors
/// If the system cannot create, write, flush or rename a file.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if is_stream(path) {
        return File::options().write(true).open(path)?.write_all(bytes);
    }
    let path = &linked(path)?;
    let folder = folder_of(path);
    fs::create_dir_all(folder)?;
    let name: String = path.file_name().unwrap_or_default().to_string_lossy().chars().take(MAX_NAME).collect();
    let prefix = format!("{TEMPORARY}{name}-");
    remove_abandoned(folder, &prefix)?;
    let mut temporary = temporary_file(folder, &prefix, path)?;
    temporary.write_all(bytes)?;
    flush(temporary.as_file())?;
    temporary.persist(path).map_err(|error| error.error)?;
    // A folder may be closed to readers.
    if cfg!(unix)
        && let Ok(folder) = File::open(folder)
    {
        flush(&folder)
    } else {
        Ok(())
    }
}

/// Flushes a file or a folder's entries to disk, if the disk can do that.
///
/// # Errors
/// If the disk can, but fails.
pub fn flush(file: &File) -> io::Result<()> {
    let cannot = [ErrorKind::InvalidInput, ErrorKind::Unsupported];
    file.sync_all().or_else(|error| if cannot.contains(&error.kind()) { Ok(()) } else { Err(error) })
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The path at the end of the symbolic links that begin at `path`.
fn linked(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(link) = fs::read_link(&path) else { return Ok(path) };
        path = folder_of(&path).join(link);
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Locks a file that another process may also use. The system releases the lock when the file is closed or the process
/// ends. Returns false if the disk has no locks. Then nothing prevents another process from using the file.
///
/// # Errors
/// With [`ErrorKind::WouldBlock`] if another process has locked the file.
pub fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Err(ErrorKind::WouldBlock.into()),
        Err(TryLockError::Error(_)) => Ok(false),
    }
}

/// The lock on a folder that only one process at a time may write to: the file `.lock` in it.
pub struct FolderLock {
    file: File,
    path: PathBuf,
    /// Whether the disk has locks. If not, nothing prevents another process from using the folder.
    is_held: bool,
}

impl FolderLock {
    /// Locks a folder for this process. The folder is created if it does not exist.
    ///
    /// # Errors
    /// With [`ErrorKind::WouldBlock`] if another process has locked it; otherwise if the file cannot be created.
    pub fn new(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let path = folder.join(".lock");
        let file = File::options().create(true).truncate(false).write(true).open(&path)?;
        Ok(Self { is_held: try_lock(&file)?, file, path })
    }

    /// The risk for the user on a disk without locks.
    pub fn risk(&self) -> Option<String> {
        let folder = folder_of(&self.path).display();
        let risk =
            format!("the disk of {folder} has no locks; do not start another program that writes to this folder");
        (!self.is_held).then_some(risk)
    }

    /// Whether the folder is still at its path. It is not after it was moved, removed or replaced.
    pub fn is_in_place(&self) -> bool {
        !self.is_held || is_at(&self.file, &self.path)
    }
}

/// Whether `path` still leads to this open file. It does not after the file or its folder was moved or replaced.
#[cfg(unix)]
pub fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |found: fs::Metadata| (found.dev(), found.ino());
    file.metadata().ok().map(id) == fs::metadata(path).ok().map(id)
}

/// Whether `path` still leads to this open file. Here, an open file cannot be moved.
#[cfg(not(unix))]
pub fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Checks that the folder of `path` exists. [`write()`] would create it.
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

/// A new temporary file, which will replace the file at `path`. It is locked, so that other processes do not treat it as
/// abandoned.
#[cfg_attr(not(unix), expect(unused_variables, reason = "files have no mode there"))]
fn temporary_file(folder: &Path, prefix: &str, path: &Path) -> io::Result<NamedTempFile> {
    loop {
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        let before = {
            use std::os::unix::fs::PermissionsExt;
            let before = fs::metadata(path).ok().map(|found| found.permissions().mode() & 0o777);
            builder.permissions(fs::Permissions::from_mode(before.unwrap_or(0o666)));
            before.map(fs::Permissions::from_mode)
        };
        let temporary = builder.prefix(prefix).tempfile_in(folder)?;
        #[cfg(unix)]
        if let Some(before) = before {
            // Some disks have no permissions.
            let _ = temporary.as_file().set_permissions(before);
        }
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
    #[cfg(unix)]
    fn a_replaced_file_keeps_its_permissions_and_a_link_its_place() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode() & 0o777;
        fs::create_dir(at("elsewhere")).unwrap();
        for (file, link, permissions) in [("elsewhere/private", "a", 0o600), ("shared", "elsewhere/b", 0o664)] {
            fs::write(at(file), b"old").unwrap();
            fs::set_permissions(at(file), fs::Permissions::from_mode(permissions)).unwrap();
            symlink(Path::new(if link == "a" { file } else { "../shared" }), at(link)).unwrap();
            write(&at(link), b"new").unwrap();
            assert!(fs::symlink_metadata(at(link)).unwrap().is_symlink(), "{link}");
            assert_eq!((fs::read(at(file)).unwrap(), mode(file)), (b"new".to_vec(), permissions), "{file}");
        }
        symlink("elsewhere/later", at("ahead")).unwrap();
        write(&at("ahead"), b"first").unwrap();
        assert_eq!(fs::read(at("elsewhere/later")).unwrap(), b"first");
        symlink("circle", at("circle")).unwrap();
        assert!(write(&at("circle"), b"").unwrap_err().to_string().contains("too many symbolic links"));
    }

    #[test]
    fn a_file_that_was_moved_away_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("file"), folder.path().join("other"));
        let file = File::create(&path).unwrap();
        assert!(is_at(&file, &path) && try_lock(&file).unwrap());
        let lock = FolderLock::new(&folder.path().join("run")).unwrap();
        assert!(lock.risk().is_none() && lock.is_in_place());
        fs::rename(folder.path().join("run"), folder.path().join("moved")).unwrap();
        assert!(!lock.is_in_place());
        assert_eq!(try_lock(&File::open(&path).unwrap()).unwrap_err().kind(), ErrorKind::WouldBlock);
        fs::rename(&path, &other).unwrap();
        assert!(!is_at(&file, &path));
        fs::write(&path, b"another's").unwrap();
        assert!(cfg!(not(unix)) || !is_at(&file, &path));
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
