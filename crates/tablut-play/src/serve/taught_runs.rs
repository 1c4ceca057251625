//! The folder of the runs that teach nets: their names, and how much room they take.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use tablut_games::RunFolder;

/// The most bytes of all runs. An hour of training on two cores takes about 300 MB.
pub const MOST_BYTES: u64 = 5_000_000_000;
const MOST_RUNS: usize = 40;
const MAX_NAME: usize = 40;
/// How many of the oldest runs a full folder names.
const NAMED: usize = 3;

pub struct TaughtRuns {
    folder: PathBuf,
}

impl TaughtRuns {
    /// The runs in the server's folder of games.
    pub fn within(games: &Path) -> Self {
        Self { folder: games.join("taught") }
    }

    /// The runs, the earliest first. A name ends with a number that later runs have a larger one of.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().filter_map(Result::ok);
        let is_run = |path: PathBuf| RunFolder(&path).config().is_file();
        let runs =
            entries.filter(|entry| is_run(entry.path())).filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = runs.filter(|name| number(name).is_some()).collect();
        names.sort_by_key(|name| number(name));
        names
    }

    /// The folder of a run that exists.
    pub fn path(&self, run: &str) -> Result<PathBuf, String> {
        let known = self.names().into_iter().find(|name| name == run);
        known.map(|name| self.folder.join(name)).ok_or_else(|| format!("there is no taught net {run:?} here"))
    }

    /// The folder of a run that may not exist yet.
    pub fn place(&self, run: &str) -> PathBuf {
        self.folder.join(run)
    }

    /// A name for a new run on rules of this name. `waiting` are the names of runs without a folder.
    pub fn new_name<'a>(&self, rules: &str, waiting: impl Iterator<Item = &'a str>) -> String {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().filter_map(Result::ok);
        let names = entries.filter_map(|entry| number(entry.file_name().to_str()?));
        let last = names.chain(waiting.filter_map(number)).max().unwrap_or(0);
        let rules: String = rules.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(MAX_NAME).collect();
        format!("{rules}-{}", last + 1)
    }

    pub fn bytes(&self, run: &str) -> u64 {
        size(&self.folder.join(run))
    }

    /// When a run changed last, in seconds since 1970.
    pub fn changed(&self, run: &str) -> u64 {
        let metrics = RunFolder(&self.folder.join(run)).metrics();
        let modified = fs::metadata(metrics).and_then(|found| found.modified()).ok();
        modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |time| time.as_secs())
    }

    /// Checks the size of all runs. The error names the oldest ones, which the user can delete.
    pub fn check_bytes(&self) -> Result<(), String> {
        let sum: u64 = self.names().iter().map(|name| self.bytes(name)).sum();
        if sum < MOST_BYTES {
            return Ok(());
        }
        let reason = format!("the taught nets take {}, the limit is {}", gigabytes(sum), gigabytes(MOST_BYTES));
        Err(self.with_oldest(&reason))
    }

    /// Checks that there is room for another run besides those that are `waiting`.
    pub fn check_room(&self, waiting: usize) -> Result<(), String> {
        let n_runs = self.names().len() + waiting;
        if n_runs >= MOST_RUNS {
            return Err(self.with_oldest(&format!("there are {n_runs} taught nets, the limit is {MOST_RUNS}")));
        }
        self.check_bytes()
    }

    fn with_oldest(&self, reason: &str) -> String {
        let oldest = self.names().into_iter().take(NAMED);
        let oldest = oldest.map(|name| format!("{name} ({})", gigabytes(self.bytes(&name)))).collect::<Vec<_>>();
        format!("{reason}. Delete some first; the oldest are {}", oldest.join(", "))
    }

    /// Deletes a run.
    pub fn delete(&self, run: &str) -> Result<(), String> {
        let path = self.path(run)?;
        fs::remove_dir_all(&path).map_err(|error| format!("cannot delete {}: {error}", path.display()))
    }
}

/// The number at the end of a run's name.
fn number(name: &str) -> Option<u64> {
    name.rsplit_once('-')?.1.parse().ok()
}

fn size(path: &Path) -> u64 {
    let Ok(found) = fs::symlink_metadata(path) else { return 0 };
    if !found.is_dir() {
        return found.len();
    }
    fs::read_dir(path).into_iter().flatten().filter_map(Result::ok).map(|entry| size(&entry.path())).sum()
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.2} GB", bytes as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_order_of_their_numbers_and_no_number_is_used_twice() {
        let games = tempfile::tempdir().unwrap();
        let runs = TaughtRuns::within(games.path());
        assert_eq!(runs.new_name("my-kvasir", std::iter::empty()), "my-kvasir-1");
        for name in ["b-2", "a-10", "c-9"] {
            fs::create_dir_all(runs.place(name)).unwrap();
            fs::write(RunFolder(&runs.place(name)).config(), "0123456789").unwrap();
        }
        fs::create_dir_all(runs.place("no-run-99")).unwrap();
        assert_eq!(runs.names(), ["b-2", "c-9", "a-10"]);
        assert_eq!(runs.new_name("../x y", ["q-120"].into_iter()), "xy-121");
        assert_eq!((runs.bytes("b-2"), runs.check_room(0)), (10, Ok(())));
        assert!(runs.path("../taught/b-2").unwrap_err().contains("no taught net"));
        runs.delete("c-9").unwrap();
        assert_eq!(runs.names(), ["b-2", "a-10"]);
        let full = runs.check_room(MOST_RUNS).unwrap_err();
        assert!(full.contains("the oldest are b-2 (0.00 GB), a-10"), "{full}");
    }
}
