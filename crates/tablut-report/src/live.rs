//! What a run does at this moment: `live.json` in its folder, there while it trains. Nothing goes on from it.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tablut_games::{GameRecord, PlyRecord};
use tablut_rules::{Game, Move, Outcome, Position, Rules};

/// The file's name in the run's folder.
pub const LIVE_FILE: &str = "live.json";
/// It is written under this name first, which begins as other unfinished files of a run do.
const UNFINISHED: &str = ".part-live.json";

/// A run under way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Live {
    /// The version of the file.
    pub schema: u32,
    /// When it was written, in seconds since 1970.
    pub written: u64,
    /// The generation that is being made, from 0.
    pub generation: u64,
    /// What is being done: `self-play`, `learning`, and in between `measuring`.
    pub phase: String,
    /// Games or steps done, and how many there are to be.
    pub done: u64,
    /// See `done`.
    pub total: u64,
    /// Seconds since the phase began.
    pub seconds: f64,
    /// This generation's games so far: won by the attackers, drawn, won by the defenders.
    pub results: [usize; 3],
    /// Evaluations by the net in this generation's self-play so far.
    pub evaluations: u64,
    /// Whether the run has been paused.
    pub paused: bool,
    /// Who plays where others do, in a line; empty for a run alone.
    pub workers: String,
    /// Games that are being played.
    pub under_way: Vec<GameSnapshot>,
    /// Games that have just ended, the newest first.
    pub finished: Vec<GameSnapshot>,
}

/// A game in [`Live`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GameSnapshot {
    /// Its number in its generation.
    pub index: u64,
    /// The rule set's name.
    pub rules: String,
    /// The position before the first move.
    pub start: String,
    /// The moves so far.
    pub moves: Vec<String>,
    /// What the search said of the position before each of them; none where its search is no training target.
    pub values: Vec<Option<f32>>,
    /// How it ended; none while it is played.
    pub outcome: Option<Outcome>,
}

impl GameSnapshot {
    /// The plies so far of game number `index`.
    pub fn new(index: u64, rules: &str, start: &Position, plies: &[PlyRecord]) -> Self {
        Self {
            index,
            rules: rules.to_owned(),
            start: start.to_string(),
            moves: plies.iter().map(|ply| ply.mv.to_string()).collect(),
            values: plies.iter().map(|ply| ply.search.as_ref().map(|search| search.chances.value())).collect(),
            outcome: None,
        }
    }

    /// The positions of the game under its rules, before the first move and after each, and the moves; none when it is no game of
    /// theirs.
    pub fn replay(&self, rules: &Arc<Rules>) -> Option<(Vec<Position>, Vec<Move>)> {
        let mut game = Game::from_position(rules.clone(), self.start.parse().ok()?).ok()?;
        let mut positions = vec![*game.position()];
        let mut moves = Vec::new();
        for text in &self.moves {
            let mv: Move = text.parse().ok()?;
            game.play(mv).ok()?;
            positions.push(*game.position());
            moves.push(mv);
        }
        (self.values.len() == moves.len()).then_some((positions, moves))
    }
}

impl From<&GameRecord> for GameSnapshot {
    fn from(game: &GameRecord) -> Self {
        Self { outcome: Some(game.outcome), ..Self::new(game.index, &game.rules, &game.start, &game.plies) }
    }
}

impl Live {
    /// The version that this program writes.
    pub const SCHEMA: u32 = 1;

    /// What the run in `folder` does, if it says so. A file that cannot be read says nothing: the next one is written soon.
    pub fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(folder.join(LIVE_FILE)).ok()?).ok()
    }

    /// Writes the file whole. It is not forced to the disk: after a crash it is worth nothing.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let unfinished = folder.join(UNFINISHED);
        fs::write(&unfinished, serde_json::to_vec(self)?)?;
        fs::rename(unfinished, folder.join(LIVE_FILE))
    }

    /// Removes the file: the run does nothing any more.
    pub fn remove(folder: &Path) {
        // A file that stays says by its time that nothing was heard since.
        let _ = fs::remove_file(folder.join(LIVE_FILE));
    }

    /// How long ago it was written, by this machine's clock.
    pub fn age(&self) -> Duration {
        now().saturating_sub(Duration::from_secs(self.written))
    }

    /// The present, for [`Live::written`].
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
    fn a_game_under_way_is_written_and_replayed() {
        let folder = tempfile::tempdir().unwrap();
        let ply = |text: &str| PlyRecord { mv: text.parse().unwrap(), search: None };
        let start = Position::start(Side::Attackers);
        let game = GameSnapshot::new(3, "kvasir", &start, &["d1-d3", "e4-c4"].map(ply));
        let live = Live { schema: Live::SCHEMA, under_way: vec![game.clone()], ..Live::default() };
        live.write(folder.path()).unwrap();
        assert_eq!(Live::read(folder.path()), Some(live));
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        assert_eq!(game.replay(&rules).unwrap().0.len(), 3);
        let mut wrong = game.clone();
        wrong.moves[1] = "a1-a2".to_owned();
        assert!(wrong.replay(&rules).is_none());
        Live::remove(folder.path());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        fs::write(folder.path().join(LIVE_FILE), "{\"generation\":").unwrap();
        assert_eq!(Live::read(folder.path()), None);
    }
}
