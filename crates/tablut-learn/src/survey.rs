//! Reads a run's folder without changing it: a summary, and a check of every file.

use std::fmt;
use std::path::{Path, PathBuf};

use tablut_games::{GenerationFile, GenerationMetrics, RecordFile, RunFolder, read_records};
use tablut_net::{Model, StatedRules, TrainingSummary};
use tablut_rules::shown;

use crate::checkpoint::Checkpoint;
use crate::config::TrainConfig;
use crate::measurements::folder_bytes;
use crate::needed::{Needed, complete_generations};
use crate::run_settings::config_of;
use crate::train_error::TrainError;

#[derive(Clone, Debug)]
pub struct RunSummary {
    pub folder: PathBuf,
    pub config: TrainConfig,
    pub generations: u64,
    /// Counts of the whole run, from its last model, or `None` before the first model.
    pub training: Option<TrainingSummary>,
    pub last: Option<GenerationMetrics>,
    /// Wall time of self-play and training, in seconds.
    pub seconds: f64,
    /// Bytes of all files in the folder.
    pub bytes: u64,
}

impl RunSummary {
    /// Reads the run in `folder`.
    pub fn read(folder: &Path) -> Result<Self, TrainError> {
        let config = config_of(folder, &[])?;
        let files = RunFolder(folder);
        let generations = complete_generations(files)?;
        let last = generations.checked_sub(1);
        let model = last.map(|last| Model::load(&files.file(GenerationFile::Model, last))).transpose()?;
        let metrics = files.read_metrics()?;
        let seconds = metrics.iter().map(|metrics| metrics.selfplay.seconds + metrics.learning.seconds).sum();
        Ok(Self {
            folder: folder.to_owned(),
            config,
            generations,
            training: model.map(|model| model.training),
            last: metrics.into_iter().rfind(|metrics| metrics.generation < generations),
            seconds,
            bytes: folder_bytes(folder),
        })
    }
}

impl fmt::Display for RunSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let config = &self.config;
        writeln!(f, "run          {}", self.folder.display())?;
        writeln!(f, "net          {} ({} parameters)", config.shape, config.shape.parameters())?;
        writeln!(f, "rule sets    {}", config.rules.join(", "))?;
        writeln!(f, "generations  {} of {}", self.generations, config.schedule.generations)?;
        if let Some(training) = &self.training {
            let TrainingSummary { games, positions, evaluations, steps, .. } = training;
            writeln!(f, "so far       {games} games, {positions} positions, {evaluations} evaluations, {steps} steps")?;
        }
        if let Some(last) = &self.last {
            let (play, loss) = (&last.selfplay, &last.learning.loss);
            writeln!(
                f,
                "last         {} of {} games; loss: policy {:.3} (floor {:.3}), value {:.3}",
                play.results, play.games, loss.policy, loss.policy_floor, loss.value
            )?;
        }
        writeln!(f, "memory       {}", config.memory_bounds())?;
        writeln!(f, "time         {:.0} min of self-play and learning", self.seconds / 60.0)?;
        writeln!(f, "on disk      {:.1} MB", self.bytes as f64 / 1e6)
    }
}

#[derive(Clone, Debug, Default)]
pub struct RunCheck {
    pub generations: u64,
    /// Games whose replay agrees with the record.
    pub games: usize,
    pub models: usize,
    pub states: usize,
    /// All problems, one sentence each with the file's name.
    pub faults: Vec<String>,
}

/// Reads every file of the run in `folder`: config, rules, metrics, games (which are replayed), models and states,
/// including older ones. `progress` receives each generation that has been checked.
pub fn check_run(folder: &Path, progress: &mut dyn FnMut(u64)) -> Result<RunCheck, TrainError> {
    let config = config_of(folder, &[])?;
    let mut check = RunCheck::default();
    let run = RunFolder(folder);
    check.generations = complete_generations(run)?;
    let kept = check.note(run.read_rules()).unwrap_or_default();
    for (generation, path) in run.files(GenerationFile::State)? {
        if let Some(state) = check.note(Checkpoint::load(run, generation)) {
            check.states += 1;
            if state.learner.architecture != config.shape {
                let (found, expected) = (&state.learner.architecture, &config.shape);
                check.faults.push(format!("{}: a state of shape {found}, expected {expected}", path.display()));
            }
        }
    }
    let needed = Needed::by(folder, &config).ok();
    for generation in 0..check.generations {
        // Files that `data prune` may have deleted are not missing.
        let is_gone = |path: &Path, is_needed: fn(&Needed, u64) -> bool| {
            !path.exists() && needed.as_ref().is_some_and(|needed| !is_needed(needed, generation))
        };
        let net = run.file(GenerationFile::Model, generation);
        if !is_gone(&net, Needed::has_net) {
            check.model(&net, generation);
        }
        let path = run.file(GenerationFile::Games, generation);
        if is_gone(&path, Needed::has_games) {
            continue;
        }
        if let Some(file) = check.note(read_records(&path)) {
            for rules in file.rules.iter().map(StatedRules::set) {
                if kept.get(&rules.name).is_some_and(|kept| !kept.differences(rules).is_empty()) {
                    check.faults.push(format!("{}: the rules {} differ from the run's", path.display(), rules.name));
                }
            }
            check.replay(&path, &file);
        }
        progress(generation);
    }
    if let Some(metrics) = check.note(run.read_metrics()) {
        let measured: Vec<u64> = metrics.iter().map(|metrics| metrics.generation).collect();
        let missing = (0..check.generations).filter(|generation| !measured.contains(generation));
        let missing: Vec<String> = missing.map(|generation| generation.to_string()).collect();
        if !missing.is_empty() {
            check.faults.push(format!("metrics.jsonl: the generations {} are missing", missing.join(", ")));
        }
    }
    Ok(check)
}

impl RunCheck {
    /// The value. On an error, adds it to the faults and returns `None`.
    fn note<T, E: fmt::Display>(&mut self, result: Result<T, E>) -> Option<T> {
        result.map_err(|error| self.faults.push(error.to_string())).ok()
    }

    fn model(&mut self, path: &Path, generation: u64) {
        let Some(model) = self.note(Model::load(path)) else { return };
        self.models += 1;
        if model.training.generations != generation + 1 {
            let found = model.training.generations;
            self.faults.push(format!("{}: a net of {found} generations, expected {}", path.display(), generation + 1));
        }
    }

    fn replay(&mut self, path: &Path, file: &RecordFile) {
        for game in &file.games {
            let rules = file.rules_named(&game.rules);
            let replayed = rules
                .ok_or_else(|| format!("the rules {} are not in the file", shown(&game.rules)))
                .and_then(|rules| game.replay(&rules, |_, _, _| {}).map(drop).map_err(|error| error.to_string()));
            match replayed {
                Ok(()) => self.games += 1,
                Err(error) => self.faults.push(format!("{}: {error}", path.display())),
            }
        }
    }
}
