//! Nets that are loaded once and run by many threads.

use std::path::Path;
use std::sync::Arc;

use tablut_rules::RuleSetError;
use tablut_search::Evaluator;

use crate::batch::{Inference, InputBatch, OutputBatch};
use crate::card::Card;
use crate::device::NetDevice;
use crate::encoding::NetEvaluator;
use crate::engine::Engine;
use crate::error::{ModelFileError, ModelFileErrorKind, NetError};
use crate::model_file::{Model, TrainingSummary};
use crate::rules_choice::{KnownRules, RulesChoice, choose_rules, rules_of_file};
use crate::stated_rules::StatedRules;
use crate::weights::Weights;

/// A net that many threads share.
pub struct PooledNet {
    /// Its name in the pool: the path of its file, or the hash of its weights.
    pub name: String,
    /// The rule sets that it was trained on. It has none if it does not come from a model file.
    pub rules: Vec<StatedRules>,
    /// Its training.
    pub training: TrainingSummary,
    /// Its card.
    pub card: Option<Card>,
    /// The hash of its weights.
    pub hash: String,
    /// Its weights.
    pub weights: Arc<Weights>,
    place: Place,
}

enum Place {
    Cores(Engine),
    Device(Arc<dyn NetDevice>),
}

impl PooledNet {
    /// The net of `model` on `device`, or on the cores if it is `None`.
    ///
    /// # Errors
    /// If `TABLUT_SIMD` is wrong.
    pub fn new(name: String, model: Model, device: Option<Arc<dyn NetDevice>>) -> Result<Self, NetError> {
        let place = match device {
            None => Place::Cores(Engine::new(&model.weights)?),
            Some(device) => Place::Device(device),
        };
        let Model { weights, rules, training, card } = model;
        Ok(Self { name, rules, training, card, hash: weights.hash(), weights: Arc::new(weights), place })
    }

    /// The net for one caller. On the cores it distributes each batch among `n_threads` threads of its own.
    ///
    /// # Errors
    /// If the threads cannot be started, or the device fails.
    pub fn inference(&self, n_threads: usize) -> Result<Box<dyn Inference>, NetError> {
        match &self.place {
            Place::Cores(engine) => Ok(Box::new(engine.share(n_threads)?)),
            Place::Device(device) => device.open(&self.weights),
        }
    }

    /// An evaluator for one thread. If the device fails, its first batch fails.
    pub fn evaluator(&self) -> Box<dyn Evaluator> {
        let net = self.inference(1).unwrap_or_else(|error| Box::new(Failed(error.to_string())));
        Box::new(NetEvaluator::new(net))
    }

    /// Information about the net for interfaces, which know it as `name`: an object with its shape, number of parameters,
    /// rules, training, hash and card.
    pub fn about(&self, name: &str) -> serde_json::Value {
        let architecture = self.weights.architecture();
        serde_json::json!({
            "name": name,
            "shape": architecture.to_string(),
            "parameters": architecture.parameters(),
            "rules": self.rules.iter().map(StatedRules::name).collect::<Vec<_>>(),
            "training": self.training,
            "hash": self.hash,
            "card": self.card,
        })
    }
}

struct Failed(String);

impl Inference for Failed {
    fn infer(&mut self, _: &InputBatch, _: &mut OutputBatch) -> Result<(), NetError> {
        Err(NetError::Inference(self.0.clone()))
    }
}

/// The nets of a program, each loaded once. A net's place is the index of its evaluator.
#[derive(Default)]
pub struct NetPool {
    nets: Vec<Arc<PooledNet>>,
    device: Option<Arc<dyn NetDevice>>,
}

impl NetPool {
    /// An empty pool. Its nets run on `device`, or on the cores if it is `None`.
    pub fn on(device: Option<Arc<dyn NetDevice>>) -> Self {
        Self { nets: Vec::new(), device }
    }

    /// The net of a model file, which is read unless the pool has it.
    ///
    /// # Errors
    /// If the file cannot be read, or the net cannot run on this machine.
    pub fn load(&mut self, path: &Path) -> Result<Arc<PooledNet>, ModelFileError> {
        self.get_or_load(path, || Model::load(path))
    }

    /// The net called `path`, which `load` reads unless the pool has it.
    ///
    /// # Errors
    /// If `load` fails, or the net cannot run on this machine.
    pub fn get_or_load<E: From<ModelFileError>>(
        &mut self,
        path: &Path,
        load: impl FnOnce() -> Result<Model, E>,
    ) -> Result<Arc<PooledNet>, E> {
        if let Some(place) = self.place(path) {
            return Ok(Arc::clone(&self.nets[place]));
        }
        let name = path.display().to_string();
        let net = PooledNet::new(name, load()?, self.device.clone());
        let fail = |error| ModelFileError { path: path.to_owned(), kind: ModelFileErrorKind::Net(error) };
        let net = Arc::new(net.map_err(fail)?);
        self.nets.push(Arc::clone(&net));
        Ok(net)
    }

    /// The place of the net called `path`.
    pub fn place(&self, path: &Path) -> Option<usize> {
        let name = path.display().to_string();
        self.nets.iter().position(|net| net.name == name)
    }

    /// The net called `path`.
    pub fn get(&self, path: &Path) -> Option<&Arc<PooledNet>> {
        self.place(path).map(|place| &self.nets[place])
    }

    /// Forgets the nets that nobody else uses.
    pub fn forget_unused(&mut self) {
        self.nets.retain(|net| Arc::strong_count(net) > 1);
    }

    /// An evaluator for each net, for one thread.
    pub fn evaluators(&self) -> Vec<Box<dyn Evaluator>> {
        self.nets.iter().map(|net| net.evaluator()).collect()
    }

    /// The rules of games between the nets: `asked`, or rules that they were trained on ([`choose_rules`]).
    ///
    /// # Errors
    /// If there is no such rule set, or its file cannot be read or is not a rule set.
    pub fn choose_rules(&self, asked: Option<&str>) -> Result<RulesChoice, RuleSetError> {
        choose_rules(asked, &self.known_rules())
    }

    /// The rules of a file that is not a net ([`rules_of_file`]).
    pub fn rules_of_file(&self, file: &str, stated: &StatedRules) -> RulesChoice {
        rules_of_file(file, stated, &self.known_rules())
    }

    fn known_rules(&self) -> Vec<KnownRules<'_>> {
        self.nets.iter().map(|net| KnownRules { net: &net.name, rules: &net.rules }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(seed: u64) -> Model {
        let weights = Weights::initial(&"lines32x1".parse().unwrap(), seed);
        let rules = vec![StatedRules::of(&tablut_rules::Rules::named("kvasir").unwrap())];
        Model { weights, rules, training: TrainingSummary::default(), card: None }
    }

    #[test]
    fn a_file_is_loaded_once_and_forgotten_when_nobody_uses_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("net.tablut");
        model(1).save(&path).unwrap();
        let mut pool = NetPool::default();
        let first = pool.load(&path).unwrap();
        assert!(Arc::ptr_eq(&first, &pool.load(&path).unwrap()));
        let other = Path::new("another");
        pool.get_or_load::<ModelFileError>(other, || Ok(model(2))).unwrap();
        assert_eq!((pool.evaluators().len(), pool.place(other)), (2, Some(1)));
        assert_eq!(pool.choose_rules(None).unwrap().rules.name(), "kvasir");
        pool.forget_unused();
        assert_eq!((pool.place(&path), pool.place(other)), (Some(0), None));
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = NetPool::default().load("no-such.tablut".as_ref()).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("no-such.tablut"), "{error}");
    }

    struct Broken;

    impl NetDevice for Broken {
        fn name(&self) -> &'static str {
            "broken"
        }

        fn open(&self, _: &Weights) -> Result<Box<dyn Inference>, NetError> {
            Err(NetError::Inference("the device does not answer".to_owned()))
        }
    }

    #[test]
    fn a_device_that_fails_fails_with_the_first_batch() {
        let mut pool = NetPool::on(Some(Arc::new(Broken)));
        let net = pool.get_or_load::<ModelFileError>("net".as_ref(), || Ok(model(1))).unwrap();
        assert!(net.inference(1).is_err());
        let error = pool.evaluators()[0].evaluate(&[]).unwrap_err();
        assert!(error.to_string().contains("the device does not answer"), "{error}");
    }
}
