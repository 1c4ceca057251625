//! The nets of a match. Each is loaded once and shared by all workers.

use crate::spec::PlayerSpec;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tablut_net::{
    KnownRules, LoadedNet, Model, ModelFileError, NetError, NetEvaluator, Processor, RulesChoice, StatedRules,
    TrainingSummary, Weights, choose_rules, rules_of_file,
};
use tablut_rules::RuleSetError;
use tablut_search::{Evaluator, Limit, SearchConfig, Solver};

/// Simulations per move for a net whose file does not recommend a number.
const DEFAULT_SIMULATIONS: u32 = 64;

/// The settings without any search, even without the solver's check for wins in one move.
fn policy_alone() -> SearchConfig {
    SearchConfig { solver: Solver::Off, ..SearchConfig::for_play() }
}

/// The net cannot play.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetsError {
    /// Its file cannot be read.
    #[error(transparent)]
    File(#[from] ModelFileError),
    /// It cannot be run on this machine.
    #[error("model file {path}: {reason}")]
    Engine {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: NetError,
    },
}

/// Information in a model file.
#[derive(Clone, Debug)]
pub struct NetInfo {
    /// The rule sets that it was trained on.
    pub rules: Vec<StatedRules>,
    /// Its training.
    pub training: TrainingSummary,
}

/// The recommended simulations per move for a net, from the information about its training.
pub fn play_simulations(training: &TrainingSummary) -> u32 {
    match training.play_simulations {
        0 => DEFAULT_SIMULATIONS,
        simulations => simulations,
    }
}

/// A net's settings in a match.
#[derive(Clone, Debug, PartialEq)]
pub struct NetSearch {
    /// The index of its evaluator in [`Nets::evaluators`].
    pub evaluator: usize,
    /// The limit per move.
    pub limit: Limit,
    /// The search settings.
    pub config: SearchConfig,
}

/// A net in memory.
struct Loaded {
    path: PathBuf,
    info: NetInfo,
    hash: String,
    net: LoadedNet,
}

/// The model files of a match. The index in the list is the evaluator's index.
#[derive(Default)]
pub struct Nets {
    loaded: Vec<Loaded>,
    processor: Processor,
}

impl Nets {
    /// An empty list. Nets that are added run on `processor`. With [`Nets::default`] they run on the cores.
    pub fn on(processor: Processor) -> Self {
        Self { processor, ..Self::default() }
    }

    /// Loads a model file unless it is already loaded, and returns its information.
    ///
    /// # Errors
    /// If the file cannot be read, or the net cannot run on this machine.
    pub fn add(&mut self, path: &Path) -> Result<&NetInfo, NetsError> {
        match self.place(path) {
            Some(place) => Ok(&self.loaded[place].info),
            None => self.insert(path, Model::load(path)?),
        }
    }

    /// Adds a model that is not in a file under the name `path`, unless the list has this name. Returns its
    /// information.
    ///
    /// # Errors
    /// If the net cannot run on this machine.
    pub fn insert(&mut self, path: &Path, model: Model) -> Result<&NetInfo, NetsError> {
        let place = if let Some(place) = self.place(path) {
            place
        } else {
            let hash = model.weights.hash();
            let net = self.processor.load(Arc::new(model.weights));
            let net = net.map_err(|reason| NetsError::Engine { path: path.to_owned(), reason })?;
            let info = NetInfo { rules: model.rules, training: model.training };
            self.loaded.push(Loaded { path: path.to_owned(), info, hash, net });
            self.loaded.len() - 1
        };
        Ok(&self.loaded[place].info)
    }

    /// The rules of the games: `asked`, or rules that the loaded nets were trained on ([`choose_rules`]).
    ///
    /// # Errors
    /// If there is no such rule set, or its file cannot be read or is not a rule set.
    pub fn choose_rules(&self, asked: Option<&str>) -> Result<RulesChoice, RuleSetError> {
        self.with_known(|known| choose_rules(asked, known))
    }

    /// The rules of a file that is not a net ([`rules_of_file`]).
    pub fn rules_of_file(&self, file: &str, stated: &StatedRules) -> RulesChoice {
        self.with_known(|known| rules_of_file(file, stated, known))
    }

    /// Calls `choose` with the rules of all loaded nets.
    fn with_known<T>(&self, choose: impl FnOnce(&[KnownRules<'_>]) -> T) -> T {
        let names: Vec<String> = self.loaded.iter().map(|net| net.path.display().to_string()).collect();
        let known = self.loaded.iter().zip(&names);
        let known: Vec<_> = known.map(|(net, name)| KnownRules { net: name, rules: &net.info.rules }).collect();
        choose(&known)
    }

    fn place(&self, path: &Path) -> Option<usize> {
        self.loaded.iter().position(|net| net.path == path)
    }

    fn place_of(&self, spec: &PlayerSpec) -> Option<usize> {
        self.place(spec.model_file()?)
    }

    /// The settings of the net that `spec` names, or `None` for other kinds of players and if its model file was not
    /// loaded.
    pub fn search_of(&self, spec: &PlayerSpec) -> Option<NetSearch> {
        let (limit, config) = match spec {
            PlayerSpec::Net { limit, options, .. } => (*limit, options.apply(SearchConfig::for_play())),
            PlayerSpec::Policy { .. } => (Limit::of_simulations(0), policy_alone()),
            _ => return None,
        };
        Some(NetSearch { evaluator: self.place_of(spec)?, limit, config })
    }

    /// The hash of the weights that `spec` plays with, or `None` for other kinds of players and if its model file was
    /// not loaded.
    pub fn hash_of(&self, spec: &PlayerSpec) -> Option<&str> {
        Some(&self.loaded[self.place_of(spec)?].hash)
    }

    /// The weights that `spec` plays with, or `None` for other kinds of players and if its model file was not loaded.
    pub fn weights_of(&self, spec: &PlayerSpec) -> Option<Arc<Weights>> {
        Some(Arc::clone(self.loaded[self.place_of(spec)?].net.weights()))
    }

    /// One evaluator for each net, for one worker thread.
    ///
    /// # Panics
    /// If another thread panicked during this call.
    pub fn evaluators(&self) -> Vec<Box<dyn Evaluator>> {
        let evaluator = |loaded: &Loaded| -> Box<dyn Evaluator> { Box::new(NetEvaluator::new(loaded.net.share())) };
        self.loaded.iter().map(evaluator).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Nets;
    use crate::spec::PlayerSpec;
    use tablut_net::{Model, StatedRules, TrainingSummary, Weights};
    use tablut_search::Solver;

    #[test]
    fn a_file_is_loaded_once_and_a_policy_does_not_search() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("net.tablut");
        let weights = Weights::initial(&"lines32x1".parse().unwrap(), 1);
        let model = Model {
            weights,
            rules: vec![StatedRules::of(&tablut_rules::Rules::named("kvasir").unwrap())],
            training: TrainingSummary::default(),
            card: None,
        };
        model.save(&path).unwrap();
        let specs: Vec<PlayerSpec> = [format!("net:{}@8", path.display()), format!("policy:{}", path.display())]
            .map(|text| text.parse().unwrap())
            .to_vec();
        let mut nets = Nets::default();
        for spec in &specs {
            nets.add(spec.model_file().unwrap()).unwrap();
        }
        assert_eq!(nets.evaluators().len(), 1);
        let player = |spec| {
            let search = nets.search_of(spec).unwrap();
            (search.evaluator, search.limit.to_string(), search.config.solver)
        };
        assert_eq!(player(&specs[0]), (0, "8".to_owned(), Solver::Deep));
        assert_eq!(player(&specs[1]), (0, "0".to_owned(), Solver::Off));
        assert!(nets.search_of(&"policy:other.tablut".parse().unwrap()).is_none());
        assert_eq!(nets.hash_of(&specs[0]), nets.hash_of(&specs[1]));
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = Nets::default().add("no-such.tablut".as_ref()).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("no-such.tablut"), "{error}");
    }
}
