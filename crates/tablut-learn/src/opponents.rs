//! The nets of a run's opponents. The run keeps copies, so it does not need the original files.

use std::fs;
use std::path::{Path, PathBuf};

use tablut_games::{RunFolder, RunFolderError};
use tablut_net::{MAX_MODEL_BYTES, durable};

use crate::config::net_of_opponent;
use crate::train_error::TrainError;

/// The folder of the copies in the run's folder.
const OPPONENTS: &str = "opponents";

/// Copies the nets among the opponents into the run's folder. Returns the opponents with the paths of the copies, which
/// are relative to that folder.
pub(crate) fn keep_opponents(folder: &Path, against: &[String]) -> Result<Vec<String>, TrainError> {
    let kept = |player: &String| match net_of_opponent(player) {
        Some((before, file, after)) => Ok(format!("{before}{}{after}", keep(folder, file)?.display())),
        None => Ok(player.clone()),
    };
    against.iter().map(kept).collect()
}

/// Copies one net. The copy's name contains a hash of its bytes, so different nets have different names.
fn keep(folder: &Path, net: &Path) -> Result<PathBuf, TrainError> {
    let file = if net.is_dir() { RunFolder(net).newest_net()? } else { net.to_owned() };
    let bytes = fs::File::open(&file).and_then(|opened| tablut_rules::read_at_most(opened, MAX_MODEL_BYTES));
    let bytes = bytes.map_err(RunFolderError::io(&file))?;
    let hash = blake3::hash(&bytes).to_hex();
    let hash = &hash[..8];
    let [stem, extension] = [file.file_stem(), file.extension()].map(|part| part.unwrap_or_default().to_string_lossy());
    let name = if stem.ends_with(hash) { stem.into_owned() } else { format!("{stem}-{hash}") };
    let copy = Path::new(OPPONENTS).join(name).with_added_extension(&*extension);
    let path = folder.join(&copy);
    if !path.exists() {
        durable::write(&path, &bytes).map_err(RunFolderError::io(path))?;
    }
    Ok(copy)
}
