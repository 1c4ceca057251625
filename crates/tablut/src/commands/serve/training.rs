//! Training for the page's workshop: it runs `tablut train` for some minutes as another process, and reads its metrics.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use tablut_games::{GenerationMetrics, RunFolder};
use tablut_play::{Trainer, Training};
use tablut_rules::{RuleSet, Rules};
use tablut_session::{GenerationBalance, Shares, TrainingState, TrainingView};

const TIME: Duration = Duration::from_mins(5);
/// The maximum number of runs for one name of a rule set.
const MAX_KEPT: u32 = 1000;
/// The maximum length of an error message in characters.
const MAX_ERROR: usize = 400;

/// A small net and short generations, so that the balance changes visibly within minutes.
const CONFIG: &str = r#"
shape = "lines32x1"

[schedule]
generations = 400
games = 60
simulations = [[0, 16], [6, 24], [16, 32]]

[selfplay]
opening_plies = 4
max_plies = 160

[learning]
batch_size = 128
window_positions = 30000
learning_rate = 0.003

[evaluation]
games = 0
"#;

/// Trains with another process of this program.
pub struct OwnTrainer;

impl Trainer for OwnTrainer {
    fn begin(&self, rules: &str) -> Result<Box<dyn Training>, String> {
        let set = RuleSet::from_toml(rules).and_then(Rules::new).map_err(|error| error.to_string())?;
        ChildTraining::begin(set.name(), rules)
            .map(|training| Box::new(training) as Box<dyn Training>)
            .map_err(|error| format!("training cannot start: {error}"))
    }
}

/// A running `tablut train`.
struct ChildTraining {
    child: Child,
    rules: String,
    toml: String,
    folder: PathBuf,
    /// A folder with its rule file, its config and its standard error.
    files: tempfile::TempDir,
    began: Instant,
    ended: Option<TrainingState>,
}

impl ChildTraining {
    fn begin(rules: &str, toml: &str) -> std::io::Result<Self> {
        let files = tempfile::tempdir()?;
        let rule_file = files.path().join("rules.toml");
        fs::write(&rule_file, toml)?;
        let config = files.path().join("workshop.toml");
        // A JSON string is also a TOML string.
        let named = serde_json::to_string(&rule_file)?;
        // Half of the cores stay free for games on the page.
        let workers = std::thread::available_parallelism().map_or(1, |n| n.get().div_ceil(2));
        fs::write(&config, format!("rules = [{named}]\n{CONFIG}\n[machine]\nworkers = {workers}\n"))?;
        let folder = free_folder(rules);
        let child = crate::restart::command()?
            .arg("train")
            .arg(&config)
            .arg("--run")
            .arg(&folder)
            // The pipe closes when this program ends in any way.
            .arg("--until-input-ends")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(File::create(files.path().join("errors.txt"))?)
            .spawn()?;
        Ok(Self {
            child,
            rules: rules.to_owned(),
            toml: toml.to_owned(),
            folder,
            files,
            began: Instant::now(),
            ended: None,
        })
    }

    fn end(&mut self) {
        // The process may have ended already. Its files are complete at any moment.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The last line of the child's standard error, for a failed training, without this machine's folders.
    fn last_words(&self) -> String {
        let text = fs::read_to_string(self.files.path().join("errors.txt")).unwrap_or_default();
        let mut lines = text.lines().rev().filter(|line| !line.trim().is_empty());
        let line = lines.next().unwrap_or("training failed without a message");
        let line = line.replace(&self.folder.display().to_string(), "the run");
        line.replace(&self.files.path().display().to_string(), "").chars().take(MAX_ERROR).collect()
    }
}

impl Training for ChildTraining {
    fn view(&mut self) -> TrainingView {
        if self.ended.is_none() {
            self.ended = match self.child.try_wait() {
                Ok(Some(status)) if status.success() => Some(TrainingState::Ended),
                Ok(Some(_)) => Some(TrainingState::Failed(self.last_words())),
                Ok(None) => None,
                Err(error) => Some(TrainingState::Failed(error.to_string())),
            };
        }
        if self.ended.is_none() && self.began.elapsed() >= TIME {
            self.stop();
        }
        let (metrics, _) = RunFolder(&self.folder).read_readable_metrics().unwrap_or_default();
        TrainingView {
            rules: self.rules.clone(),
            toml: self.toml.clone(),
            seconds: self.began.elapsed().as_secs().min(TIME.as_secs()),
            of: TIME.as_secs(),
            generations: metrics.iter().map(balance).collect(),
            state: self.ended.clone().unwrap_or(TrainingState::Running),
            folder: self.folder.display().to_string(),
        }
    }

    fn stop(&mut self) {
        if self.ended.is_none() {
            self.end();
            self.ended = Some(TrainingState::Ended);
        }
    }
}

impl Drop for ChildTraining {
    fn drop(&mut self) {
        self.end();
    }
}

/// A folder for a run that does not exist yet.
fn free_folder(rules: &str) -> PathBuf {
    let named = |number: u32| PathBuf::from(format!("runs/workshop-{rules}-{number}"));
    (1..MAX_KEPT).map(named).find(|folder| !folder.exists()).unwrap_or_else(|| named(MAX_KEPT))
}

fn balance(metrics: &GenerationMetrics) -> GenerationBalance {
    let GenerationMetrics { generation, selfplay, .. } = metrics;
    let (shares, mean_plies) = (Shares::of(selfplay.results), selfplay.mean_plies);
    GenerationBalance { generation: *generation as u32, shares, mean_plies }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generations_results_have_a_balance() {
        let line = r#"{"schema":5,"generation":3,"selfplay":{"results":{"attackers":40,"draws":3,"defenders":15,"unfinished":2},"mean_plies":31.5}}"#;
        let told = balance(&serde_json::from_str(line).unwrap());
        let Shares { attackers, draws, defenders, unfinished } = told.shares;
        assert_eq!([attackers, draws, defenders, unfinished].map(|share| share.count), [40, 3, 15, 2]);
        assert!(told.generation == 3 && attackers.low < 40.0 / 60.0 && attackers.high > 40.0 / 60.0);
    }
}
