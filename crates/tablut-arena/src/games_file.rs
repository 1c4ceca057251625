//! The games of a match on disk: written as they end, gone on with after a kill, replayable by the rules alone.
//!
//! A file is JSON, one object a line. The first is the [`MatchHeader`], which says what was asked for: a file is gone on
//! with by the same match alone. Each further line is a game, a [`GameLine`]; while the match goes on in the order in which they
//! end, and when it is over in the order of their numbers, so that the file is that of a match that was never killed.

mod header;
mod line;

pub use header::{HeaderDifference, MatchHeader, PlayerIdentity};
pub use line::{GameLine, GamePlace};

use crate::match_game::GameResult;
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tablut_net::durable;
use tablut_rules::Rules;

/// How often lines are flushed to the disk, so that even a power cut costs seconds alone. A killed process loses nothing that it
/// handed to the system.
const FLUSH_EVERY: Duration = Duration::from_secs(5);

/// Why a file of games cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GamesFileError {
    /// It cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        error: io::Error,
    },
    /// It is something else.
    #[error("{path} holds no games of a match and is left as it is: {reason}")]
    NotGames {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// It holds the games of another match.
    #[error(
        "{path} holds games of another match and is left as it is:\n{}\nname another file, or repeat that match's options",
        list(differences)
    )]
    OtherMatch {
        /// The file.
        path: PathBuf,
        /// What differs.
        differences: Vec<HeaderDifference>,
    },
    /// A line is damaged.
    #[error("{path}, line {line}: {reason}")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// Another process writes to it.
    #[error("{0} is being written by another match")]
    Locked(PathBuf),
}

fn list(differences: &[HeaderDifference]) -> String {
    let line =
        |d: &HeaderDifference| format!("  {}: the file says {}, the command says {}", d.key, d.found, d.expected);
    differences.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// An open file of games.
pub struct GamesFile {
    path: PathBuf,
    /// Locked while it is open.
    file: File,
    header: MatchHeader,
    games: BTreeMap<GamePlace, GameLine>,
    flushed: Instant,
}

impl GamesFile {
    /// Begins a file for the match of `header`, or opens the one that is there. A last line that a kill cut short is dropped.
    /// All games are replayed under `rules`.
    pub fn open(path: &Path, header: MatchHeader, rules: &Arc<Rules>) -> Result<Self, GamesFileError> {
        let io = |error| GamesFileError::Io { path: path.to_owned(), error };
        let is_new = match fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => true,
            found => {
                let found = found.map_err(io)?;
                if !found.is_file() {
                    let reason = "expected a regular file".to_owned();
                    return Err(GamesFileError::NotGames { path: path.to_owned(), reason });
                }
                found.len() == 0
            }
        };
        if is_new {
            durable::write(path, header.line().as_bytes()).map_err(io)?;
        }
        let file = File::options().read(true).append(true).open(path).map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(GamesFileError::Locked(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(io(error)),
        }
        let text = fs::read_to_string(path).map_err(|error| match error.kind() {
            ErrorKind::InvalidData => {
                GamesFileError::NotGames { path: path.to_owned(), reason: "it is not UTF-8 text".to_owned() }
            }
            _ => io(error),
        })?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let games = read(path, &text[..whole], &header, rules)?;
        file.set_len(whole as u64).map_err(io)?;
        Ok(Self { path: path.to_owned(), file, header, games, flushed: Instant::now() })
    }

    /// The games of match `match_idx` that are in the file, with their numbers.
    ///
    /// # Panics
    /// If `rules` are not those that the file was opened with.
    pub fn games(&self, match_idx: usize, rules: &Arc<Rules>) -> Vec<(usize, GameResult)> {
        let game = |(&(_, game_idx), line): (&GamePlace, &GameLine)| {
            (game_idx, line.result(rules, self.header.max_plies).expect("it was replayed when the file was opened"))
        };
        self.games.range((match_idx, 0)..(match_idx + 1, 0)).map(game).collect()
    }

    /// Adds a game that has ended.
    pub fn append(&mut self, place: GamePlace, game: &GameResult) -> Result<(), GamesFileError> {
        let line = GameLine::new(&self.header, place, game);
        // One write: a kill leaves all of the line or its beginning.
        let written = self.file.write_all(line.text().as_bytes()).and_then(|()| {
            if self.flushed.elapsed() < FLUSH_EVERY {
                return Ok(());
            }
            self.flushed = Instant::now();
            self.file.sync_data()
        });
        written.map_err(|error| GamesFileError::Io { path: self.path.clone(), error })?;
        self.games.insert(place, line);
        Ok(())
    }

    /// Puts the games in order and leaves out those that do not count: all of match `i` from number `counted[i]` on.
    pub fn finish(self, counted: &[usize]) -> Result<(), GamesFileError> {
        let mut text = self.header.line();
        let counts = |&(match_idx, game_idx): &GamePlace| counted.get(match_idx).is_some_and(|&n| game_idx < n);
        text.extend(self.games.iter().filter(|(place, _)| counts(place)).map(|(_, line)| line.text()));
        durable::write(&self.path, text.as_bytes())
            .map_err(|error| GamesFileError::Io { path: self.path.clone(), error })
    }
}

/// The games of a file's whole lines.
fn read(
    path: &Path,
    text: &str,
    header: &MatchHeader,
    rules: &Arc<Rules>,
) -> Result<BTreeMap<GamePlace, GameLine>, GamesFileError> {
    let mut lines = text.lines();
    let differences = header.differences(lines.next().unwrap_or_default());
    let differences = differences.map_err(|reason| GamesFileError::NotGames { path: path.to_owned(), reason })?;
    if !differences.is_empty() {
        return Err(GamesFileError::OtherMatch { path: path.to_owned(), differences });
    }
    let mut games = BTreeMap::new();
    for (at, text) in lines.enumerate() {
        let wrong = |reason: String| GamesFileError::Line { path: path.to_owned(), line: at + 2, reason };
        let line: GameLine = serde_json::from_str(text).map_err(|error| wrong(format!("expected a game: {error}")))?;
        let place = line.place(header).map_err(wrong)?;
        line.result(rules, header.max_plies).map_err(wrong)?;
        if games.insert(place, line).is_some() {
            return Err(wrong(format!("game {} of match {} is there twice", place.1 + 1, place.0 + 1)));
        }
    }
    Ok(games)
}

#[cfg(test)]
mod tests;
