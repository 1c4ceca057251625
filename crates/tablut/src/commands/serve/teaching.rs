//! Teaches nets for the page: it runs `tablut train` as another process.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tablut_games::{GenerationMetrics, RunFolder};
use tablut_play::{Trainer, Training};
use tablut_session::{TrainingGame, TrainingState, TrainingView};

use super::taught_run;

/// The maximum length of an error message in characters.
const MAX_ERROR: usize = 400;
/// Teaching without a limit plans for this time, and then for as much again as it has taken.
const FIRST_SECONDS: u32 = 600;
/// Games of a person and searches of the page go first.
#[cfg(unix)]
const NICENESS: &str = "10";
/// The settings of `train --time` that differ, because people watch: more games show how strong each generation is, and
/// no other opponents than the nets of this run.
const CHANGES: [&str; 2] = ["evaluation.rating_share=0.6", "evaluation.against=[]"];

/// Trains with other processes of this program.
pub struct OwnTrainer;

impl Trainer for OwnTrainer {
    fn begin(&self, folder: &Path, rules: &str, seconds: Option<u32>) -> Result<Box<dyn Training>, String> {
        ChildTraining::start(folder, Some(rules), seconds)
    }

    fn go_on(&self, folder: &Path, seconds: Option<u32>) -> Result<Box<dyn Training>, String> {
        ChildTraining::start(folder, None, seconds)
    }

    fn view(&self, folder: &Path, is_running: bool) -> Result<TrainingView, String> {
        taught_run::view(folder, is_running)
    }

    fn game(&self, folder: &Path) -> Option<TrainingGame> {
        taught_run::game(folder)
    }

    fn model_file(&self, folder: &Path) -> Result<Vec<u8>, String> {
        taught_run::model_file(folder).map_err(|error| format!("{error:#}"))
    }
}

/// A running `tablut train`.
struct ChildTraining {
    child: Child,
    folder: PathBuf,
    /// A folder with its rule file and its standard error.
    files: tempfile::TempDir,
    has_limit: bool,
    ended: Option<TrainingState>,
}

impl ChildTraining {
    fn start(folder: &Path, rules: Option<&str>, seconds: Option<u32>) -> Result<Box<dyn Training>, String> {
        let start = || -> std::io::Result<Self> {
            let files = tempfile::tempdir()?;
            let rule_file = files.path().join("rules.toml");
            if let Some(rules) = rules {
                fs::write(&rule_file, rules)?;
            }
            let child = spawn(folder, rules.map(|_| &*rule_file), seconds.unwrap_or(FIRST_SECONDS), files.path())?;
            Ok(Self { child, folder: folder.to_owned(), files, has_limit: seconds.is_some(), ended: None })
        };
        let training = start().map_err(|error| format!("training cannot start: {error}"))?;
        Ok(Box::new(training))
    }

    /// The state of a process that has ended. Without a limit another one goes on.
    fn next_state(&mut self) -> std::io::Result<Option<TrainingState>> {
        let Some(status) = self.child.try_wait()? else { return Ok(None) };
        if !status.success() {
            return Ok(Some(TrainingState::Failed(self.last_words())));
        }
        if self.has_limit {
            return Ok(Some(TrainingState::Ended));
        }
        let taken = seconds_of(&metrics(&self.folder)) as u32;
        self.child = spawn(&self.folder, None, taken.max(FIRST_SECONDS), self.files.path())?;
        Ok(None)
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
    fn state(&mut self) -> TrainingState {
        if self.ended.is_none() {
            self.ended = self.next_state().unwrap_or_else(|error| Some(TrainingState::Failed(error.to_string())));
        }
        self.ended.clone().unwrap_or(TrainingState::Running)
    }

    fn stop(&mut self) {
        // The process may have ended already. Its files are complete at any moment.
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.ended.get_or_insert(TrainingState::Ended);
    }
}

impl Drop for ChildTraining {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Starts a process that trains for `seconds`: a new run on a rule file, or further generations of the run in `folder`.
fn spawn(folder: &Path, rule_file: Option<&Path>, seconds: u32, files: &Path) -> std::io::Result<Child> {
    let mut command = background_command()?;
    command.arg("train").arg("--plain");
    if let Some(rule_file) = rule_file {
        command.arg("--rules").arg(rule_file).arg("--from-scratch").arg("--run").arg(folder);
        command.arg("--time").arg(format!("{seconds}s"));
        command.args(CHANGES.iter().flat_map(|change| ["--set", change]));
    } else {
        let metrics = metrics(folder);
        let taken = seconds_of(&metrics);
        command.arg("--resume").arg(folder).arg("--time").arg(format!("{}s", taken as u64 + u64::from(seconds)));
        if !metrics.is_empty() {
            let generations = metrics.len() + further_generations(seconds);
            command.arg("--set").arg(format!("schedule.generations={generations}"));
        }
    }
    // The pipe closes when this program ends in any way.
    command.arg("--until-input-ends").stdin(Stdio::piped()).stdout(Stdio::null());
    command.stderr(File::create(files.join("errors.txt"))?).spawn()
}

/// About as many generations as a new run of this time has on two cores. `train --time` plans their games.
fn further_generations(seconds: u32) -> usize {
    const GENERATIONS_OF_TWO_MINUTES: f64 = 16.0;
    (GENERATIONS_OF_TWO_MINUTES * (f64::from(seconds) / 120.0).sqrt().max(1.0)).round() as usize
}

/// A command that starts the program with a low priority.
#[cfg(unix)]
fn background_command() -> std::io::Result<Command> {
    let program = crate::restart::command()?;
    let mut low = Command::new("nice");
    low.args(["-n", NICENESS]).arg(program.get_program()).args(program.get_args());
    Ok(low)
}

/// A command that starts the program with a low priority.
#[cfg(windows)]
fn background_command() -> std::io::Result<Command> {
    use std::os::windows::process::CommandExt;
    const BELOW_NORMAL_PRIORITY_CLASS: u32 = 0x4000;
    let mut program = crate::restart::command()?;
    program.creation_flags(BELOW_NORMAL_PRIORITY_CLASS);
    Ok(program)
}

fn metrics(folder: &Path) -> Vec<GenerationMetrics> {
    RunFolder(folder).read_readable_metrics().map(|(metrics, _)| metrics).unwrap_or_default()
}

fn seconds_of(metrics: &[GenerationMetrics]) -> f64 {
    metrics.iter().map(GenerationMetrics::seconds).sum()
}
