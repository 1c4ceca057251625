//! The nets of a server. Each file is read once, and every worker has an evaluator for each net.

use crate::options::shipped_net;
use std::path::{Path, PathBuf};
use tablut_net::{Engine, Model, NetEvaluator};
use tablut_search::Evaluator;

/// The maximum number of checkpoints.
const MAX_CHECKPOINTS: usize = 32;

/// The loaded nets.
pub struct ServedNets {
    /// The names of the nets that play.
    pub names: Vec<String>,
    /// Information about the nets that play, one object for each: name, architecture, specialists, rules, training,
    /// hash, and the card if there is one.
    pub about: Vec<serde_json::Value>,
    /// The names of the checkpoints, the earliest first.
    pub checkpoints: Vec<String>,
    /// The nets that play, then those of the checkpoints.
    engines: Vec<(String, Engine)>,
}

impl ServedNets {
    /// Loads the nets of these files, or the built-in net if there are none, and those of a run's checkpoints.
    pub fn load(files: &[PathBuf], run: Option<&Path>) -> Result<Self, String> {
        let mut models = files.iter().map(|file| load(file)).collect::<Result<Vec<_>, _>>()?;
        if models.is_empty() {
            let bytes = shipped_net().ok_or("no net is built into this program; give a model file")?;
            let model = Model::from_bytes(bytes).map_err(|error| format!("the built-in net: {error}"))?;
            models.push(("built in".to_owned(), model));
        }
        let names = models.iter().map(|(name, _)| name.clone()).collect();
        let about = models.iter().map(|(name, model)| model.about(name)).collect();
        let later = run.map(checkpoints).transpose()?.unwrap_or_default();
        let later = later.iter().map(|file| load(file)).collect::<Result<Vec<_>, _>>()?;
        let checkpoints = later.iter().map(|(name, _)| name.clone()).collect();
        let engine = |(name, model): (String, Model)| match Engine::new(&model.weights) {
            Ok(engine) => Ok((name, engine)),
            Err(error) => Err(format!("{name}: {error}")),
        };
        let engines = models.into_iter().chain(later).map(engine).collect::<Result<_, _>>()?;
        Ok(Self { names, about, checkpoints, engines })
    }

    /// An evaluator for each net, for one worker.
    pub fn evaluators(&self) -> Result<Vec<Box<dyn Evaluator>>, String> {
        let share = |(name, engine): &(String, Engine)| match engine.share(1) {
            Ok(engine) => Ok(Box::new(NetEvaluator::new(Box::new(engine))) as Box<dyn Evaluator>),
            Err(error) => Err(format!("{name}: {error}")),
        };
        self.engines.iter().map(share).collect()
    }
}

/// The net in a file, with its name.
fn load(file: &Path) -> Result<(String, Model), String> {
    Ok((name(file), Model::load(file).map_err(|error| error.to_string())?))
}

/// The model files of a run's folder, or of its folder of checkpoints, the earliest first. If there are more than
/// `MAX_CHECKPOINTS`, an evenly spread selection.
fn checkpoints(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let within = folder.join("checkpoints");
    let folder = if within.is_dir() { within } else { folder.to_owned() };
    let at_folder = |reason: &dyn std::fmt::Display| format!("{}: {reason}", folder.display());
    let entries = std::fs::read_dir(&folder).map_err(|error| at_folder(&error))?;
    let is_model = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("gen-") && name.ends_with(".safetensors") && !name.ends_with(".state.safetensors")
    };
    let mut files: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).filter(is_model).collect();
    files.sort();
    if files.is_empty() {
        return Err(at_folder(&"no checkpoints in this folder, expected files such as gen-00000.safetensors"));
    }
    Ok(spread(files, MAX_CHECKPOINTS))
}

/// At most `most` of the items, evenly spread, with the first and the last.
fn spread<T>(items: Vec<T>, most: usize) -> Vec<T> {
    let n = items.len();
    if n <= most {
        return items;
    }
    let mut wanted = (0..most).map(|index| index * (n - 1) / (most - 1)).peekable();
    let keep = |(index, item): (usize, T)| wanted.next_if_eq(&index).map(|_| item);
    items.into_iter().enumerate().filter_map(keep).collect()
}

/// A net's name: its file's name without control characters.
fn name(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy();
    stem.chars().filter(|c| !c.is_control()).take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_are_spread_evenly_with_both_ends() {
        assert_eq!(spread((0..5).collect(), 8), [0, 1, 2, 3, 4]);
        assert_eq!(spread((0..9).collect(), 5), [0, 2, 4, 6, 8]);
        assert_eq!(spread((0..100).collect(), 4), [0, 33, 66, 99]);
    }

    #[test]
    fn a_folder_without_checkpoints_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("gen-00001.state.safetensors"), "").unwrap();
        let error = ServedNets::load(&[], Some(folder.path())).err().expect("there are none");
        assert!(error.contains("no checkpoints") && error.contains(folder.path().to_str().unwrap()), "{error}");
    }
}
