//! The nets of a server. Each file is read once, and every worker has an evaluator for each net.

use crate::options::shipped_net;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tablut_games::GenerationFile;
use tablut_net::{Engine, Model, NetEvaluator};
use tablut_search::Evaluator;

/// The maximum number of checkpoints.
const MAX_CHECKPOINTS: usize = 32;

/// Where a server's nets come from.
#[derive(Clone, Debug, Default)]
pub struct NetSources {
    /// Model files. The first one plays unless another is chosen.
    pub models: Vec<PathBuf>,
    /// A run's folder or its folder of checkpoints.
    pub checkpoints: Option<PathBuf>,
    /// Whether the newest checkpoint plays if there are no model files.
    pub newest_plays: bool,
    /// The folders of runs that the page has started, with the names of their rules.
    pub trained: Vec<(String, PathBuf)>,
}

/// A net that was read.
struct LoadedNet {
    /// Its file. `None` for the built-in net.
    file: Option<PathBuf>,
    name: String,
    about: serde_json::Value,
    engine: Mutex<Engine>,
}

/// The nets of a server at one time.
pub struct ServedNets {
    playing: Vec<Arc<LoadedNet>>,
    checkpoints: Vec<Arc<LoadedNet>>,
}

impl ServedNets {
    /// The names of the nets that play.
    pub fn names(&self) -> Vec<String> {
        self.playing.iter().map(|net| net.name.clone()).collect()
    }

    /// Information about the nets that play, one object each: name, architecture, specialists, rules, training, hash, and
    /// the card if there is one.
    pub fn about(&self) -> Vec<serde_json::Value> {
        self.playing.iter().map(|net| net.about.clone()).collect()
    }

    /// The names of the checkpoints, the earliest first.
    pub fn checkpoints(&self) -> Vec<String> {
        self.checkpoints.iter().map(|net| net.name.clone()).collect()
    }

    /// An evaluator for each net, for one worker: the nets that play, then those of the checkpoints.
    pub fn evaluators(&self) -> Result<Vec<Box<dyn Evaluator>>, String> {
        let share = |net: &Arc<LoadedNet>| match net.engine.lock().unwrap_or_else(PoisonError::into_inner).share(1) {
            Ok(engine) => Ok(Box::new(NetEvaluator::new(Box::new(engine))) as Box<dyn Evaluator>),
            Err(error) => Err(format!("{}: {error}", net.name)),
        };
        self.playing.iter().chain(&self.checkpoints).map(share).collect()
    }

    /// Reads the nets of these sources. Nets of `known` are not read again.
    fn load(sources: &NetSources, known: Option<&Self>) -> Result<Self, String> {
        let known: Vec<&Arc<LoadedNet>> =
            known.into_iter().flat_map(|nets| nets.playing.iter().chain(&nets.checkpoints)).collect();
        let read = |file: Option<&Path>| match known.iter().find(|net| net.file.as_deref() == file) {
            Some(net) => Ok(Arc::clone(net)),
            None => LoadedNet::read(file, None).map(Arc::new),
        };
        let files = match &sources.checkpoints {
            Some(run) => checkpoints(run, !sources.newest_plays)?,
            None => Vec::new(),
        };
        let later = files.iter().map(|file| read(Some(file.as_path()))).collect::<Result<Vec<_>, _>>()?;
        let mut playing =
            sources.models.iter().map(|file| read(Some(file.as_path()))).collect::<Result<Vec<_>, _>>()?;
        if playing.is_empty() && sources.newest_plays {
            playing.extend(later.last().cloned());
        }
        if playing.is_empty() {
            playing.push(read(None)?);
        }
        for (rules, folder) in &sources.trained {
            let newest = checkpoints(folder, false)?.pop();
            if let Some(file) = newest {
                let known = known.iter().find(|net| net.file.as_ref() == Some(&file));
                let name = format!("{rules}, trained here");
                playing.push(match known {
                    Some(net) => Arc::clone(net),
                    None => Arc::new(LoadedNet::read(Some(&file), Some(name))?),
                });
            }
        }
        Ok(Self { playing, checkpoints: later })
    }

    /// Whether both have the same files.
    fn has_same_files(&self, other: &Self) -> bool {
        let files = |nets: &[Arc<LoadedNet>]| nets.iter().map(|net| net.file.clone()).collect::<Vec<_>>();
        files(&self.playing) == files(&other.playing) && files(&self.checkpoints) == files(&other.checkpoints)
    }
}

impl LoadedNet {
    fn read(file: Option<&Path>, wanted: Option<String>) -> Result<Self, String> {
        let (name, model) = if let Some(file) = file {
            (wanted.unwrap_or_else(|| name(file)), Model::load(file).map_err(|error| error.to_string())?)
        } else {
            let bytes = shipped_net().ok_or("no net is built into this program; give a model file")?;
            let model = Model::from_bytes(bytes).map_err(|error| format!("the built-in net: {error}"))?;
            ("built in".to_owned(), model)
        };
        let engine = Engine::new(&model.weights).map_err(|error| format!("{name}: {error}"))?;
        let about = model.about(&name);
        Ok(Self { file: file.map(Path::to_owned), name, about, engine: Mutex::new(engine) })
    }
}

/// The nets of a running server. They change when a run has a new checkpoint and when a training from the page has ended.
pub struct NetShelf {
    sources: Mutex<NetSources>,
    current: Mutex<Arc<ServedNets>>,
    version: AtomicU64,
}

impl NetShelf {
    /// Reads all nets.
    pub fn new(sources: NetSources) -> Result<Self, String> {
        let nets = ServedNets::load(&sources, None)?;
        Ok(Self { sources: Mutex::new(sources), current: Mutex::new(Arc::new(nets)), version: AtomicU64::new(1) })
    }

    /// The current nets.
    pub fn nets(&self) -> Arc<ServedNets> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The version of the nets, which grows with every change.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Adds the run of a training that the page has started, under the name of its rules.
    pub fn add_trained(&self, rules: &str, folder: PathBuf) {
        self.sources.lock().unwrap_or_else(PoisonError::into_inner).trained.push((rules.to_owned(), folder));
    }

    /// Searches for new files. Returns whether the nets have changed. If a file cannot be read, the nets do not change.
    pub fn refresh(&self) -> bool {
        let sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        let present = self.nets();
        let Ok(nets) = ServedNets::load(&sources, Some(&present)) else { return false };
        if nets.has_same_files(&present) {
            return false;
        }
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(nets);
        self.version.fetch_add(1, Ordering::AcqRel);
        true
    }
}

/// The model files of a run's folder, or of its folder of checkpoints, the earliest first. If there are more than
/// `MAX_CHECKPOINTS`, an evenly spread selection. If `required` is set, a folder without checkpoints is an error.
fn checkpoints(folder: &Path, required: bool) -> Result<Vec<PathBuf>, String> {
    let within = folder.join("checkpoints");
    let folder = if within.is_dir() { within } else { folder.to_owned() };
    let files = GenerationFile::Model.list(&folder).map_err(|error| error.to_string())?;
    if files.is_empty() && required {
        let expected = "no checkpoints in this folder, expected files such as gen-00000.safetensors";
        return Err(format!("{}: {expected}", folder.display()));
    }
    Ok(spread(files.into_values().collect(), MAX_CHECKPOINTS))
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
        let sources = NetSources { checkpoints: Some(folder.path().to_owned()), ..NetSources::default() };
        let error = NetShelf::new(sources).err().expect("there are none");
        assert!(error.contains("no checkpoints") && error.contains(folder.path().to_str().unwrap()), "{error}");
    }

    #[test]
    fn a_new_checkpoint_takes_the_place_of_the_built_in_net_and_then_of_the_older_one() {
        let Some(net) = shipped_net() else { return };
        let run = tempfile::tempdir().unwrap();
        let sources =
            NetSources { checkpoints: Some(run.path().to_owned()), newest_plays: true, ..NetSources::default() };
        let shelf = NetShelf::new(sources).unwrap();
        assert_eq!((shelf.nets().names(), shelf.nets().checkpoints().len()), (vec!["built in".to_owned()], 0));
        assert!(!shelf.refresh());
        let folder = run.path().join("checkpoints");
        std::fs::create_dir(&folder).unwrap();
        for generation in 1..3 {
            std::fs::write(folder.join(format!("gen-0000{generation}.safetensors")), net).unwrap();
            assert!(shelf.refresh() && !shelf.refresh());
            assert_eq!(shelf.nets().names(), [format!("gen-0000{generation}")]);
            assert_eq!(shelf.nets().evaluators().unwrap().len(), 1 + generation);
        }
        let trained = tempfile::tempdir().unwrap();
        std::fs::write(trained.path().join("gen-00007.safetensors"), net).unwrap();
        shelf.add_trained("my-rules", trained.path().to_owned());
        assert!(shelf.refresh());
        assert_eq!(shelf.nets().names(), ["gen-00002", "my-rules, trained here"]);
    }
}
