//! The files that a run needs to continue, and the deletion of others.
//!
//! A run needs the state, the net and the games that its next generation is made from. Its rating games need some earlier
//! nets, which are every tenth one (`rating.rs`).

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use tablut_games::{GenerationFile, RunFolder, RunFolderError};

use crate::measurements::folder_bytes;
use crate::needed::Needed;
use crate::run::lock_and_clean;
use crate::run_settings::config_of;
use crate::train_error::TrainError;

/// The files of a run that [`prune`] deletes, or would delete.
#[derive(Clone, Debug, Default)]
pub struct Pruned {
    pub files: Vec<PathBuf>,
    /// Bytes of these files.
    pub bytes: u64,
    /// Bytes of the files that stay.
    pub bytes_left: u64,
    /// The generations whose nets stay.
    pub nets: Vec<u64>,
    /// The generations whose games stay.
    pub games: Range<u64>,
}

/// Deletes the files of the run in `folder` that it does not need to continue: old games, nets except every tenth one, and
/// the state before the last. Without `delete` it only lists them.
pub fn prune(folder: &Path, delete: bool) -> Result<Pruned, TrainError> {
    let config = config_of(folder, &[])?;
    let _lock = lock_and_clean(folder)?;
    let needed = Needed::by(folder, &config)?;
    let run = RunFolder(folder);
    let mut pruned = Pruned { games: needed.first_games..needed.next, ..Pruned::default() };
    let nets = run.files(GenerationFile::Model)?;
    pruned.nets = nets.keys().copied().filter(|&generation| needed.has_net(generation)).collect();
    let old = |files: BTreeMap<u64, PathBuf>, is_needed: &dyn Fn(u64) -> bool| {
        files.into_iter().filter(|(generation, _)| !is_needed(*generation)).map(|file| file.1).collect::<Vec<_>>()
    };
    pruned.files = [
        old(run.files(GenerationFile::Games)?, &|generation| needed.has_games(generation)),
        old(nets, &|generation| needed.has_net(generation)),
        old(run.files(GenerationFile::State)?, &|generation| generation + 1 >= needed.next),
    ]
    .concat();
    for path in &pruned.files {
        pruned.bytes += fs::metadata(path).map_err(RunFolderError::io(path))?.len();
        if delete {
            fs::remove_file(path).map_err(RunFolderError::io(path))?;
        }
    }
    pruned.bytes_left = folder_bytes(folder) - if delete { 0 } else { pruned.bytes };
    Ok(pruned)
}
