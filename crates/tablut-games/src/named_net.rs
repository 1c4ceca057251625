//! Nets as users name them: a model file, a run's folder for its newest net, or `shipped` for the net that comes with
//! the program.

use std::path::Path;

use tablut_net::{Model, ModelFileError};

use crate::run_folder::{RunFolder, RunFolderError};

/// Names the net that comes with the program, unless a file has this name.
pub const SHIPPED: &str = "shipped";

/// A net cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NamedNetError {
    /// The file cannot be read or is no model file.
    #[error(transparent)]
    Model(#[from] ModelFileError),
    /// The folder is not that of a run with a net.
    #[error(transparent)]
    Folder(#[from] RunFolderError),
    /// `models/all-rules.tablut` was missing when the program was built.
    #[error("this program was built without a net (models/all-rules.tablut was missing): expected a model file")]
    NotShipped,
}

/// The bytes of the shipped net's model file. `None` if the file was missing when the program was built.
pub fn shipped_net() -> Option<&'static [u8]> {
    #[cfg(shipped_net)]
    return Some(include_bytes!(env!("TABLUT_SHIPPED_NET")));
    #[cfg(not(shipped_net))]
    return None;
}

/// Whether `path` names the shipped net.
pub fn is_shipped(path: &Path) -> bool {
    path == Path::new(SHIPPED) && !path.exists()
}

/// Loads the net that `path` names: `shipped`, a model file, or the newest net of a run's folder.
///
/// # Errors
/// If there is no such net, or its file is damaged.
pub fn load_net(path: &Path) -> Result<Model, NamedNetError> {
    if is_shipped(path) {
        let bytes = shipped_net().ok_or(NamedNetError::NotShipped)?;
        return Ok(Model::from_bytes(bytes).map_err(|kind| ModelFileError { path: path.to_owned(), kind })?);
    }
    if path.is_dir() {
        return Ok(Model::load(&RunFolder(path).newest_net()?)?);
    }
    Ok(Model::load(path)?)
}

/// The name of that net in messages.
pub fn net_name(path: &Path) -> String {
    if is_shipped(path) {
        "the net that comes with the program".to_owned()
    } else if path.is_dir() {
        format!("the newest net of {}", path.display())
    } else {
        format!("model file {}", path.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_folder::GenerationFile;
    use std::fs;

    #[test]
    fn a_net_is_a_word_a_folder_or_a_file() {
        let Some(bytes) = shipped_net() else { return };
        let folder = tempfile::tempdir().unwrap();
        let run = RunFolder(folder.path());
        assert!(matches!(load_net(folder.path()), Err(NamedNetError::Folder(RunFolderError::NoNet(_)))));
        fs::create_dir(folder.path().join("checkpoints")).unwrap();
        let file = run.file(GenerationFile::Model, 3);
        fs::write(&file, bytes).unwrap();
        fs::write(run.file(GenerationFile::State, 3), "").unwrap();
        let shipped = load_net(Path::new(SHIPPED)).unwrap();
        assert_eq!(load_net(&file).unwrap(), shipped);
        assert_eq!(load_net(folder.path()).unwrap(), shipped);
        let absent = load_net(&folder.path().join("absent")).unwrap_err().to_string();
        assert!(absent.contains("absent"), "{absent}");
    }
}
