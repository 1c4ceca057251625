//! `live.json`: the current state of a run, for display. The file exists in the run's folder during training.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tablut_games::{GameRecord, PlyRecord};
use tablut_rules::{Game, Move, Outcome, Position, Results, Rules};

/// The file's name in the run's folder.
pub const LIVE_FILE: &str = "live.json";
/// The file is first written under this name. It has the prefix of a run's unfinished files.
const UNFINISHED: &str = ".part-live.json";

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Live {
    pub schema: u32,
    /// When the file was written, in seconds since 1970.
    pub written: u64,
    pub generation: u64,
    /// The current phase: `self-play`, `learning` or `rating`.
    pub phase: String,
    /// Games or steps of the phase that are finished.
    pub done: u64,
    /// Games or steps of the phase in all.
    pub total: u64,
    pub seconds: f64,
    /// The results of this generation's played games.
    pub results: Results,
    /// Positions that the net has evaluated in this generation's self-play.
    pub evaluations: u64,
    pub paused: bool,
    /// A line about the workers, empty without workers.
    pub workers: String,
    pub under_way: Vec<DisplayedGame>,
    /// The last games that have ended, the newest first.
    pub finished: Vec<DisplayedGame>,
}

/// A game as a page shows it, in progress or finished. Unlike a [`GameRecord`] it may have no outcome, and it has only
/// the values of its searches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisplayedGame {
    /// The game's number in its generation.
    pub index: u64,
    pub rules: String,
    /// The position before the first move.
    pub start: Position,
    pub moves: Vec<Move>,
    /// The search's value of the position before each move, +1 for the attackers. `None` if the search is no training
    /// target.
    pub values: Vec<Option<f32>>,
    /// How the game ended. `None` for a game in progress.
    pub outcome: Option<Outcome>,
}

impl DisplayedGame {
    /// A game in progress, with its plies so far.
    pub fn new(index: u64, rules: &str, start: &Position, plies: &[PlyRecord]) -> Self {
        Self {
            index,
            rules: rules.to_owned(),
            start: *start,
            moves: plies.iter().map(|ply| ply.mv).collect(),
            values: plies.iter().map(|ply| ply.search.as_ref().map(|search| search.chances.value())).collect(),
            outcome: None,
        }
    }

    /// The positions before the first move and after each move. `None` if a move is illegal or the data are
    /// inconsistent.
    pub fn positions(&self, rules: &Arc<Rules>) -> Option<Vec<Position>> {
        let mut game = Game::from_position(rules.clone(), self.start).ok()?;
        let mut positions = vec![self.start];
        for &mv in &self.moves {
            game.play(mv).ok()?;
            positions.push(*game.position());
        }
        (self.values.len() == self.moves.len()).then_some(positions)
    }
}

impl From<&GameRecord> for DisplayedGame {
    fn from(game: &GameRecord) -> Self {
        Self { outcome: Some(game.outcome), ..Self::new(game.index, &game.rules, &game.start, &game.plies) }
    }
}

impl Live {
    pub const SCHEMA: u32 = 2;

    /// Reads the file in `folder`. Returns `None` if it is missing or damaged: during training it is soon replaced.
    pub fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(folder.join(LIVE_FILE)).ok()?).ok()
    }

    /// Replaces the file atomically. It is not synced to the disk, because it is worthless after a crash.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let unfinished = folder.join(UNFINISHED);
        fs::write(&unfinished, serde_json::to_vec(self)?)?;
        fs::rename(unfinished, folder.join(LIVE_FILE))
    }

    /// Removes the file, because training has ended.
    pub fn remove(folder: &Path) {
        // The time in a file that remains shows that it is old.
        let _ = fs::remove_file(folder.join(LIVE_FILE));
    }

    /// The time since the file was written, by this machine's clock.
    pub fn age(&self) -> Duration {
        now().saturating_sub(Duration::from_secs(self.written))
    }

    /// The present in seconds since 1970, for [`Live::written`].
    pub fn present() -> u64 {
        now().as_secs()
    }
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_rules::Side;

    #[test]
    fn a_game_in_progress_is_written_and_replayed() {
        let folder = tempfile::tempdir().unwrap();
        let ply = |text: &str| PlyRecord { mv: text.parse().unwrap(), search: None };
        let start = Position::start(Side::Attackers);
        let game = DisplayedGame::new(3, "kvasir", &start, &["d1-d3", "e4-c4"].map(ply));
        let live = Live { schema: Live::SCHEMA, under_way: vec![game.clone()], ..Live::default() };
        live.write(folder.path()).unwrap();
        assert_eq!(Live::read(folder.path()), Some(live));
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        assert_eq!(game.positions(&rules).unwrap().len(), 3);
        let mut wrong = game.clone();
        wrong.moves[1] = "a1-a2".parse().unwrap();
        assert!(wrong.positions(&rules).is_none());
        Live::remove(folder.path());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        fs::write(folder.path().join(LIVE_FILE), "{\"generation\":").unwrap();
        assert_eq!(Live::read(folder.path()), None);
    }
}
