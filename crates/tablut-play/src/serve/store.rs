//! Games on disk: one file each, written whole before anybody is told of a move.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use tablut_net::durable;
use tablut_session::{SavedGame, Session};

/// Games that a folder may hold.
const MAX_GAMES: usize = 5000;
/// Bytes of one saved game.
const MAX_BYTES: u64 = 2 << 20;
/// Letters of a game's name, none of which looks like another.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
/// Length of a game's name.
const NAME_LENGTH: usize = 16;

/// A folder of games.
pub struct GameStore {
    folder: PathBuf,
    games: AtomicUsize,
}

impl GameStore {
    /// Opens a folder, making it where it is missing.
    pub fn open(folder: &Path) -> std::io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        durable::remove_leftovers(folder)?;
        let games = std::fs::read_dir(folder)?.count();
        Ok(Self { folder: folder.to_owned(), games: AtomicUsize::new(games) })
    }

    /// Where a game lies; none for what is no name of a game.
    fn path(&self, name: &str) -> Option<PathBuf> {
        let is_name = name.len() == NAME_LENGTH && name.bytes().all(|letter| LETTERS.contains(&letter));
        is_name.then(|| self.folder.join(format!("{name}.json")))
    }

    /// Writes a game, whole or not at all.
    pub fn save(&self, name: &str, game: &SavedGame) -> Result<(), String> {
        let path = self.path(name).ok_or_else(|| format!("{name:?} is no name of a game"))?;
        if !path.exists() {
            if self.games.load(Ordering::Relaxed) >= MAX_GAMES {
                let folder = self.folder.display();
                return Err(format!("{folder} holds {MAX_GAMES} games, the most that it may; remove some"));
            }
            self.games.fetch_add(1, Ordering::Relaxed);
        }
        durable::write(&path, game.to_json().as_bytes()).map_err(|error| format!("cannot save the game: {error}"))
    }

    /// Reads a game; none where there is no such game.
    pub fn load(&self, name: &str) -> Result<Option<Session>, String> {
        let Some(path) = self.path(name) else { return Ok(None) };
        let file = match std::fs::File::open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(|error| format!("{}: {error}", path.display()))?,
        };
        let mut text = String::new();
        file.take(MAX_BYTES).read_to_string(&mut text).map_err(|error| format!("{}: {error}", path.display()))?;
        let saved = SavedGame::from_json(&text).and_then(|saved| saved.session());
        saved.map(Some).map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// A name that nobody can guess: `NAME_LENGTH` letters of five bits.
pub fn fresh_name() -> Result<String, getrandom::Error> {
    let mut bytes = [0; NAME_LENGTH];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| char::from(LETTERS[usize::from(*byte) % LETTERS.len()])).collect())
}

/// Where a user's games belong, by the XDG base directory specification; the present folder where nothing is known.
pub fn data_folder() -> PathBuf {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = absolute("XDG_DATA_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/share")));
    data.unwrap_or_default().join("tablut/games")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tablut_rules::{Rules, Side};
    use tablut_session::Seats;

    #[test]
    fn games_come_back_and_no_name_leads_out_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("secret.json"), "{}").unwrap();
        let store = GameStore::open(&folder.path().join("games")).unwrap();
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        let mut session = Session::new(rules, Side::Attackers, Seats::people());
        session.play("d1-d3".parse().unwrap()).unwrap();
        let name = fresh_name().unwrap();
        store.save(&name, &session.saved()).unwrap();
        assert_eq!(store.load(&name).unwrap().unwrap().history(), session.history());
        for name in ["../secret", "..", "", "secret", "/etc/passwd", "aaaaaaaaaaaaaaa/", "AAAAAAAAAAAAAAAA"] {
            assert!(store.load(name).unwrap().is_none(), "{name}");
            assert!(store.save(name, &session.saved()).is_err(), "{name}");
        }
        let path = store.path(&name).unwrap();
        std::fs::write(&path, "{\"format\":").unwrap();
        let error = store.load(&name).err().unwrap();
        assert!(error.contains(&name) && error.contains("no saved game"), "{error}");
    }

    #[test]
    fn names_differ() {
        let names: std::collections::HashSet<String> = (0..100).map(|_| fresh_name().unwrap()).collect();
        assert_eq!(names.len(), 100);
    }
}
