//! The games of a match on disk. They are written when they end, a killed match can continue with them, and the rules
//! crate can replay them. A match with more games continues the file too.
//!
//! A file is JSON, one object per line. The first line is the [`MatchHeader`], the settings of the match; only the same
//! match can continue a file. Each further line is a game. During the match the games are in the order
//! in which they end. After the match they are sorted by number, so that the file equals that of an uninterrupted
//! match.

mod header;
mod line;

pub use header::{MatchHeader, PlayerIdentity};

use crate::openings::Opening;
use crate::sealed_file::json_line;
use line::{GameLine, GamePlace};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tablut_games::GameRecord;
use tablut_net::durable;
use tablut_rules::{Rules, json_fault, read_at_most};

/// The maximum size of a file. A game has about a kilobyte.
const MAX_BYTES: u64 = 1 << 30;

/// How often lines are flushed to disk, so that even a power failure loses only a few seconds. A killed process loses
/// nothing that it passed to the system.
const FLUSH_EVERY: Duration = Duration::from_secs(5);

/// The file of games cannot be used: it cannot be read or written, is another kind of file, has the games of another
/// match or a damaged line, or another process writes to it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct GamesFileError(String);

impl GamesFileError {
    fn io(path: &Path, error: &io::Error) -> Self {
        Self(format!("{}: {error}", path.display()))
    }

    fn not_games(path: &Path, reason: &str) -> Self {
        Self(format!("{} is not a file of match games, and was not changed: {reason}", path.display()))
    }
}

pub struct GamesFile {
    path: PathBuf,
    /// Locked while it is open.
    file: File,
    header: MatchHeader,
    games: BTreeMap<GamePlace, GameRecord>,
    flushed: Instant,
}

impl GamesFile {
    /// Creates a file for the match of `header` with these openings, or opens the existing one. If the file has the
    /// same match with fewer games, its header is replaced. An incomplete last line is dropped. All games are replayed
    /// under `rules`.
    pub fn open(
        path: &Path,
        header: MatchHeader,
        openings: &[Opening],
        rules: &Arc<Rules>,
    ) -> Result<Self, GamesFileError> {
        let io = |error| GamesFileError::io(path, &error);
        let is_new = match fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => true,
            found => {
                let found = found.map_err(io)?;
                if !found.is_file() {
                    return Err(GamesFileError::not_games(path, "expected a regular file"));
                }
                found.len() == 0
            }
        };
        if is_new {
            durable::require_folder(path).map_err(io)?;
            durable::write(path, json_line(&header).as_bytes()).map_err(io)?;
        }
        let mut file = locked(path)?;
        let text = read_at_most(File::open(path).map_err(io)?, MAX_BYTES).map_err(io)?;
        let mut text = String::from_utf8(text).map_err(|error| {
            let reason = tablut_rules::decode(error.into_bytes()).unwrap_err();
            GamesFileError::not_games(path, &reason.to_string())
        })?;
        if let Some((_, rest)) = text.split_once('\n').filter(|(first, _)| header.extends(first, openings)) {
            text = json_line(&header) + rest;
            durable::write(path, text.as_bytes()).map_err(io)?;
            file = locked(path)?;
        }
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let games = read(path, &text[..whole], &header, rules)?;
        file.set_len(whole as u64).map_err(io)?;
        Ok(Self { path: path.to_owned(), file, header, games, flushed: Instant::now() })
    }

    /// The games of match `match_idx` in the file.
    pub fn games(&self, match_idx: usize) -> Vec<GameRecord> {
        self.games.range((match_idx, 0)..(match_idx + 1, 0)).map(|(_, game)| game.clone()).collect()
    }

    /// Adds a finished game of match `match_idx`.
    pub fn append(&mut self, match_idx: usize, game: &GameRecord) -> Result<(), GamesFileError> {
        let line = GameLine::new(&self.header, match_idx, game);
        // One write: after a kill the file contains the whole line or its start.
        let written = self.file.write_all(json_line(&line).as_bytes()).and_then(|()| {
            if self.flushed.elapsed() < FLUSH_EVERY {
                return Ok(());
            }
            self.flushed = Instant::now();
            durable::flush(&self.file)
        });
        written.map_err(|error| GamesFileError::io(&self.path, &error))?;
        self.games.insert((match_idx, game.index), game.clone());
        Ok(())
    }

    /// Sorts the games and removes those that do not count: all games of match `i` from number `counted[i]` on.
    pub fn finish(self, counted: &[usize]) -> Result<(), GamesFileError> {
        let mut text = json_line(&self.header);
        for (&(match_idx, game_idx), game) in &self.games {
            if counted.get(match_idx).is_some_and(|&n| game_idx < n as u64) {
                text += &json_line(&GameLine::new(&self.header, match_idx, game));
            }
        }
        if !durable::is_at(&self.file, &self.path) {
            let path = self.path.display();
            return Err(GamesFileError(format!("{path} was moved or replaced during the match, and was not changed")));
        }
        durable::write(&self.path, text.as_bytes()).map_err(|error| GamesFileError::io(&self.path, &error))
    }
}

/// Opens the file to read and append, and locks it.
fn locked(path: &Path) -> Result<File, GamesFileError> {
    let io = |error| GamesFileError::io(path, &error);
    let file = File::options().read(true).append(true).open(path).map_err(io)?;
    match durable::try_lock(&file) {
        Err(error) if error.kind() == ErrorKind::WouldBlock => {
            Err(GamesFileError(format!("{} is being written by another match", path.display())))
        }
        locked => locked.map(|_| file).map_err(io),
    }
}

/// The games in a file's complete lines.
fn read(
    path: &Path,
    text: &str,
    header: &MatchHeader,
    rules: &Arc<Rules>,
) -> Result<BTreeMap<GamePlace, GameRecord>, GamesFileError> {
    let mut lines = text.lines();
    let differences = header.differences(lines.next().unwrap_or_default());
    let differences = differences.map_err(|reason| GamesFileError::not_games(path, &reason))?;
    if !differences.is_empty() {
        let (path, list) = (path.display(), differences.join("\n"));
        return Err(GamesFileError(format!(
            "{path} has the games of another match, and was not changed:\n{list}\nname another file, or use the options \
             of that match"
        )));
    }
    let mut games = BTreeMap::new();
    for (at, text) in lines.enumerate() {
        let wrong = |reason: String| GamesFileError(format!("{}, line {}: {reason}", path.display(), at + 2));
        let line: GameLine =
            serde_json::from_str(text).map_err(|error| wrong(format!("expected a game: {}", json_fault(&error))))?;
        let (place, game) = line.read(header, rules).map_err(wrong)?;
        if games.insert(place, game).is_some() {
            return Err(wrong(format!("game {} of match {} occurs twice", place.1 + 1, place.0 + 1)));
        }
    }
    Ok(games)
}

#[cfg(test)]
mod tests;
