//! The files of a run's folder. All are optional, but `metrics.jsonl` or `config.toml` must exist.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tablut_arena::EvaluationReport;
use tablut_games::{
    GameRecord, GenerationFile, GenerationMetrics, RunFolder, RunFolderError, dotted_keys, read_records,
};
use tablut_rules::Rules;

use crate::live::Live;
use crate::metrics::distinct;

/// Reading games stops after the generation that reaches this number.
const MOST_GAMES: usize = 1200;

#[derive(Debug, Default)]
pub struct RunFiles {
    pub folder: PathBuf,
    pub name: String,
    /// Metrics in the order of their generations.
    pub lines: Vec<GenerationMetrics>,
    /// The resolved config as text, empty if the file is missing.
    pub config_text: String,
    /// The config's values as TOML, by dotted key.
    pub config: BTreeMap<String, String>,
    /// The evaluation at the end of the run, if it exists.
    pub evaluation: Option<EvaluationReport>,
    /// The rule sets of the games that were read.
    pub rules: Vec<Arc<Rules>>,
    /// Games of the last generations, oldest first.
    pub games: Vec<GameRecord>,
    /// The generations that `games` are from, if any.
    pub games_from: Option<(u64, u64)>,
    /// The current state, if the run is in progress.
    pub live: Option<Live>,
    /// What could not be read, one clause each.
    pub notes: Vec<String>,
}

impl RunFiles {
    /// Reads the run in `folder`, with its last games.
    pub fn read(folder: &Path) -> Result<Self, RunFolderError> {
        let mut run = Self::read_numbers(folder)?;
        run.read_games();
        run.read_live();
        Ok(run)
    }

    /// Reads only the current state again.
    pub fn read_live(&mut self) {
        self.live = Live::read(&self.folder);
        let games = self.live.iter().flat_map(|live| live.under_way.iter().chain(&live.finished));
        let unknown: Vec<String> =
            games.map(|game| game.rules.clone()).filter(|name| self.rules_of(name).is_none()).collect();
        let (rules, _) = self.rules_for(unknown.iter().map(String::as_str));
        self.rules.extend(rules);
    }

    /// Reads the run in `folder` without its games. This is quick, and enough for [`warnings`](crate::warnings).
    pub fn read_numbers(folder: &Path) -> Result<Self, RunFolderError> {
        let files = RunFolder(folder);
        fs::read_dir(folder).map_err(RunFolderError::io(folder))?;
        let [config, evaluation] = [files.config(), files.evaluation()];
        if !files.metrics().exists() && !config.exists() {
            return Err(RunFolderError::NoRun(folder.to_owned()));
        }
        let (lines, unread) = files.read_readable_metrics()?;
        let mut run = Self { folder: folder.to_owned(), name: name_of(folder), lines, ..Self::default() };
        if let Some(reason) = unread.first() {
            let n = unread.len();
            run.notes.push(format!("{n} lines of metrics.jsonl cannot be read and are left out: {reason}"));
        }
        if config.exists() {
            run.config_text = fs::read_to_string(&config).map_err(RunFolderError::io(&config))?;
            match run.config_text.parse::<toml::Table>() {
                Ok(table) => run.config = dotted_keys(table),
                Err(error) => run.notes.push(format!("config.toml: {}", error.message())),
            }
        }
        if evaluation.exists() {
            match serde_json::from_slice(&fs::read(&evaluation).map_err(RunFolderError::io(&evaluation))?) {
                Ok(found) => run.evaluation = Some(found),
                Err(error) => run.notes.push(format!("evaluation.json: {error}")),
            }
        }
        Ok(run)
    }

    /// Reads the games of the last generations, the newest file first, until there are [`MOST_GAMES`].
    fn read_games(&mut self) {
        let files = RunFolder(&self.folder).files(GenerationFile::Games).unwrap_or_else(|error| {
            self.notes.push(error.to_string());
            BTreeMap::new()
        });
        let mut newest_first = Vec::new();
        let mut n_games = 0;
        for (generation, path) in files.into_iter().rev() {
            if n_games >= MOST_GAMES {
                break;
            }
            match read_records(&path) {
                Ok(file) => {
                    n_games += file.games.len();
                    newest_first.push((generation, file.games));
                }
                Err(error) => self.notes.push(error.to_string()),
            }
        }
        self.games_from = newest_first.last().map(|last| last.0).zip(newest_first.first().map(|first| first.0));
        self.games = newest_first.into_iter().rev().flat_map(|(_, games)| games).collect();
        let (rules, notes) = self.rules_for(self.games.iter().map(|game| game.rules.as_str()));
        self.rules = rules;
        self.notes.extend(notes);
    }

    /// The rule sets with these names, from the run's `rules.toml` or else from the program, and a note for each that
    /// cannot be used.
    fn rules_for<'a>(&self, names: impl Iterator<Item = &'a str>) -> (Vec<Arc<Rules>>, Vec<String>) {
        let kept = RunFolder(&self.folder).read_rules().unwrap_or_default();
        let names: BTreeSet<&str> = names.collect();
        let (mut found, mut notes) = (Vec::new(), Vec::new());
        for name in names {
            let rules = match kept.get(name) {
                Some(set) => Rules::new(set.clone()),
                None => Rules::named(name),
            };
            match rules {
                Ok(rules) => found.push(Arc::new(rules)),
                Err(error) => notes.push(format!("games under {name} are not shown: {error}")),
            }
        }
        (found, notes)
    }

    /// The compiled rule set of that name, if a game was read that was played under it.
    pub fn rules_of(&self, name: &str) -> Option<&Arc<Rules>> {
        self.rules.iter().find(|rules| rules.name() == name)
    }

    /// The last lines, over which current figures are averaged: a tenth of the run, and at least three generations.
    pub fn recent(&self) -> &[GenerationMetrics] {
        let n = (self.lines.len() / 10).max(3).min(self.lines.len());
        &self.lines[self.lines.len() - n..]
    }

    /// The first lines, as many as in [`RunFiles::recent`].
    pub fn early(&self) -> &[GenerationMetrics] {
        &self.lines[..self.recent().len()]
    }

    /// The number of generations in the config. `None` without a config.
    pub fn generations_wanted(&self) -> Option<u64> {
        self.number("schedule.generations").map(|value| value as u64)
    }

    /// A numeric value of the config, by dotted key. `None` if it is missing or no number.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.config.get(key)?.parse().ok()
    }

    /// The names of all rule sets in the metrics, games and evaluation.
    pub fn rule_names(&self) -> Vec<String> {
        let measured = self.lines.iter().rev().flat_map(|line| &line.rule_sets).map(|set| set.rules.as_str());
        let evaluated = self.evaluation.iter().flat_map(EvaluationReport::rule_sets);
        let played = self.rules.iter().map(|rules| rules.name());
        distinct(measured.chain(played).chain(evaluated)).into_iter().map(str::to_owned).collect()
    }
}

/// The folder's name, also for `.` and paths that end in a slash.
fn name_of(folder: &Path) -> String {
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    whole.file_name().map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned())
}
