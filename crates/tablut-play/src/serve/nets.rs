//! The nets of a server. Each file is read once, and every worker has an evaluator for each net.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tablut_games::{GenerationFile, SHIPPED, is_shipped, load_net};
use tablut_net::{NetDevice, NetPool, PooledNet};
use tablut_search::Evaluator;

const MAX_CHECKPOINTS: usize = 32;
const BUILT_IN: &str = "built in";

#[derive(Clone, Debug, Default)]
pub struct NetSources {
    /// Model files. The first one plays unless another is chosen.
    pub models: Vec<PathBuf>,
    pub checkpoints: Option<PathBuf>,
    /// Whether the newest checkpoint plays if there are no model files.
    pub newest_plays: bool,
    /// The names and folders of the runs that teach nets.
    pub trained: Vec<(String, PathBuf)>,
}

pub struct ServedNets {
    playing: Vec<(String, Arc<PooledNet>)>,
    checkpoints: Vec<(String, Arc<PooledNet>)>,
    /// The names of the runs whose nets are the last ones that play.
    trained: Vec<String>,
}

impl ServedNets {
    /// The index of the net of the run with this name.
    pub fn index_of_trained(&self, run: &str) -> Option<usize> {
        let place = self.trained.iter().position(|name| name == run)?;
        Some(self.playing.len() - self.trained.len() + place)
    }

    pub fn names(&self) -> Vec<String> {
        self.playing.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Information about the nets that play, one object each ([`PooledNet::about`]).
    pub fn about(&self) -> Vec<serde_json::Value> {
        self.playing.iter().map(|(name, net)| net.about(name)).collect()
    }

    pub fn checkpoints(&self) -> Vec<String> {
        self.checkpoints.iter().map(|(name, _)| name.clone()).collect()
    }

    /// An evaluator for each net, for one worker: the nets that play, then those of the checkpoints.
    pub fn evaluators(&self) -> Vec<Box<dyn Evaluator>> {
        self.playing.iter().chain(&self.checkpoints).map(|(_, net)| net.evaluator()).collect()
    }

    /// The nets of these sources. `pool` reads those that it does not have.
    fn load(sources: &NetSources, pool: &mut NetPool) -> Result<Self, String> {
        let mut read = |file: &PathBuf| {
            let net = pool.get_or_load(file, || load_net(file)).map_err(|error| error.to_string())?;
            Ok::<_, String>((if is_shipped(file) { BUILT_IN.to_owned() } else { name(file) }, net))
        };
        let files = match &sources.checkpoints {
            Some(run) => checkpoints(run, !sources.newest_plays)?,
            None => Vec::new(),
        };
        let later = files.iter().map(&mut read).collect::<Result<Vec<_>, _>>()?;
        let mut playing = sources.models.iter().map(&mut read).collect::<Result<Vec<_>, _>>()?;
        if playing.is_empty() && sources.newest_plays {
            playing.extend(later.last().cloned());
        }
        if playing.is_empty() {
            playing.push(read(&PathBuf::from(SHIPPED))?);
        }
        let mut trained = Vec::new();
        for (run, folder) in &sources.trained {
            // A damaged run does not keep the server from its work.
            let net = checkpoints(folder, false).ok().and_then(|mut files| read(&files.pop()?).ok());
            if let Some((_, net)) = net {
                playing.push((format!("{run}, taught here"), net));
                trained.push(run.clone());
            }
        }
        Ok(Self { playing, checkpoints: later, trained })
    }

    fn has_same_files(&self, other: &Self) -> bool {
        let files =
            |nets: &[(String, Arc<PooledNet>)]| nets.iter().map(|(_, net)| net.name.clone()).collect::<Vec<_>>();
        files(&self.playing) == files(&other.playing) && files(&self.checkpoints) == files(&other.checkpoints)
    }
}

/// The nets of a running server. They change when a run has a new checkpoint, and when a net has been taught.
pub struct NetShelf {
    sources: Mutex<(NetSources, NetPool)>,
    current: Mutex<Arc<ServedNets>>,
    version: AtomicU64,
}

impl NetShelf {
    pub fn new(sources: NetSources, device: Option<Arc<dyn NetDevice>>) -> Result<Self, String> {
        let mut pool = NetPool::on(device);
        let nets = Arc::new(ServedNets::load(&sources, &mut pool)?);
        Ok(Self { sources: Mutex::new((sources, pool)), current: Mutex::new(nets), version: AtomicU64::new(1) })
    }

    pub fn nets(&self) -> Arc<ServedNets> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The version of the nets, which grows with every change.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Sets the names and folders of the runs that teach nets. [`Self::refresh`] reads their nets.
    pub fn set_trained(&self, runs: Vec<(String, PathBuf)>) {
        self.sources.lock().unwrap_or_else(PoisonError::into_inner).0.trained = runs;
    }

    /// Searches for new files. Returns whether the nets have changed. If a file cannot be read, the nets do not change.
    pub fn refresh(&self) -> bool {
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        let (sources, pool) = &mut *sources;
        let Ok(nets) = ServedNets::load(sources, pool) else { return false };
        if nets.has_same_files(&self.nets()) {
            return false;
        }
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(nets);
        pool.forget_unused();
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
        let error = NetShelf::new(sources, None).err().expect("there are none");
        assert!(error.contains("no checkpoints") && error.contains(folder.path().to_str().unwrap()), "{error}");
    }

    #[test]
    fn a_new_checkpoint_takes_the_place_of_the_built_in_net_and_then_of_the_older_one() {
        let Some(net) = tablut_games::shipped_net() else { return };
        let run = tempfile::tempdir().unwrap();
        let sources =
            NetSources { checkpoints: Some(run.path().to_owned()), newest_plays: true, ..NetSources::default() };
        let shelf = NetShelf::new(sources, None).unwrap();
        assert_eq!((shelf.nets().names(), shelf.nets().checkpoints().len()), (vec!["built in".to_owned()], 0));
        assert!(!shelf.refresh());
        let folder = run.path().join("checkpoints");
        std::fs::create_dir(&folder).unwrap();
        for generation in 1..3 {
            std::fs::write(folder.join(format!("gen-0000{generation}.safetensors")), net).unwrap();
            assert!(shelf.refresh() && !shelf.refresh());
            assert_eq!(shelf.nets().names(), [format!("gen-0000{generation}")]);
            assert_eq!(shelf.nets().evaluators().len(), 1 + generation);
        }
        let trained = tempfile::tempdir().unwrap();
        std::fs::write(trained.path().join("gen-00007.safetensors"), net).unwrap();
        let damaged = tempfile::tempdir().unwrap();
        std::fs::write(damaged.path().join("gen-00001.safetensors"), "no net").unwrap();
        let runs = [("bad-1", &damaged), ("my-rules-2", &trained)];
        shelf.set_trained(runs.map(|(run, folder)| (run.to_owned(), folder.path().to_owned())).into());
        assert!(shelf.refresh());
        assert_eq!(shelf.nets().names(), ["gen-00002", "my-rules-2, taught here"]);
        assert_eq!(["bad-1", "my-rules-2"].map(|run| shelf.nets().index_of_trained(run)), [None, Some(1)]);
    }
}
