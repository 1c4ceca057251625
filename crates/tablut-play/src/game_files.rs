//! Games on disk: files with names that the user chooses, and the folder of saved games.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use tablut_net::durable::{self, FolderLock};
use tablut_rules::RuleSet;
use tablut_session::{Format, SavedGame, Session};

/// The maximum size of a game's file in bytes. A game with [`tablut_session::MAX_NODES`] positions and
/// [`tablut_session::MAX_COMMENT_BYTES`] of comments is smaller.
const MAX_BYTES: u64 = 4 << 20;
const MAX_GAMES: usize = 5000;
/// The file with the number of the process whose server uses the folder.
const HOLDER: &str = ".server";
/// The letters of saved games' names. No two of them look alike.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
const NAME_LENGTH: usize = 16;

pub struct GameRead {
    /// The game. If the file names no players, two people play.
    pub session: Session,
    pub names_players: bool,
}

/// Reads a game: a saved game, an OpenTafl record, a position, or moves in any notation. `rules` are used if the file
/// contains none, or if `always` is set.
pub fn read_game(path: &Path, rules: &RuleSet, always: bool) -> Result<GameRead, String> {
    let at = |error: &dyn Display| format!("game {}: {error}", path.display());
    let text = read_text(path).map_err(|error| at(&error))?;
    let import = if always { Session::import_under } else { Session::import };
    let session = import(&text, rules).map_err(|error| at(&error))?;
    let names_players = SavedGame::from_json(&text).is_ok_and(|saved| saved.players.is_some());
    Ok(GameRead { session, names_players })
}

pub fn read_text(path: &Path) -> io::Result<String> {
    text_of(File::open(path)?)
}

/// The text of a file or of standard input.
pub fn text_of(input: impl Read) -> io::Result<String> {
    tablut_rules::decode(tablut_rules::read_at_most(input, MAX_BYTES)?)
}

/// Writes a game. The file's extension gives the format: `.otg` is an OpenTafl record, `.txt` text, `.svg` a picture,
/// and any other a saved game. An existing file is replaced only if `force` is set.
pub fn write_game(path: &Path, session: &Session, force: bool) -> Result<(), String> {
    let cannot = |error: &dyn Display| format!("cannot write {}: {error}", path.display());
    if path.is_dir() {
        return Err(cannot(&"it is a folder"));
    }
    if !force && path.exists() {
        let path = path.display();
        return Err(format!("{path} already exists; `save {path} --force` replaces it"));
    }
    let format = match path.extension().and_then(|extension| extension.to_str()) {
        Some("otg") => Format::Otg,
        Some("txt") => Format::Text,
        Some("svg") => Format::Svg,
        _ => Format::Json,
    };
    let text = session.export(format).map_err(|error| cannot(&error))?;
    durable::write(path, text.as_bytes()).map_err(|error| cannot(&error))
}

pub struct SavedGames {
    folder: PathBuf,
    n_games: AtomicUsize,
    /// Only one server at a time locks the folder.
    lock: Option<FolderLock>,
}

impl SavedGames {
    /// Opens a folder to add games to it, and creates it if it does not exist.
    pub fn open(folder: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let files = std::fs::read_dir(folder)?.filter_map(Result::ok).map(|entry| entry.path());
        let n_games = files.filter(|path| path.extension().is_some_and(|extension| extension == "json")).count();
        Ok(Self { folder: folder.to_owned(), n_games: AtomicUsize::new(n_games), lock: None })
    }

    /// Opens a folder for a server, which also changes existing games. Only one server can use a folder at a time.
    pub fn lock(folder: &Path) -> io::Result<Self> {
        let saved = Self::open(folder)?;
        let holder = folder.join(HOLDER);
        let lock = FolderLock::new(folder).map_err(|error| match error.kind() {
            ErrorKind::WouldBlock => {
                let process = std::fs::read_to_string(&holder).map(|id| format!(" (process {id})")).unwrap_or_default();
                io::Error::other(format!("another server{process} uses this folder; choose another with --folder"))
            }
            _ => error,
        })?;
        durable::remove_leftovers(folder)?;
        // It only helps a person to find the server.
        let _ = std::fs::write(&holder, std::process::id().to_string());
        Ok(Self { lock: Some(lock), ..saved })
    }

    /// Where the games are, in words, with the risk of a disk without locks.
    pub fn described(&self) -> String {
        let risk = self.lock.as_ref().and_then(FolderLock::risk);
        let risk = risk.map_or_else(String::new, |risk| format!("\nWarning: {risk}."));
        format!("Games are saved in {} after every move.{risk}", self.folder.display())
    }

    /// The file of a game. `None` if the text cannot be a game's name.
    fn path(&self, name: &str) -> Option<PathBuf> {
        let is_name = name.len() == NAME_LENGTH && name.bytes().all(|letter| LETTERS.contains(&letter));
        is_name.then(|| self.folder.join(format!("{name}.json")))
    }

    /// Writes a game completely or not at all. Returns its file.
    pub fn save(&self, name: &str, session: &Session) -> Result<PathBuf, String> {
        let path = self.path(name).ok_or_else(|| format!("{name:?} is not the name of a game"))?;
        let is_new = !path.exists();
        if is_new && self.n_games.load(Ordering::Relaxed) >= MAX_GAMES {
            let folder = self.folder.display();
            return Err(format!("{folder} contains {MAX_GAMES} games, the maximum; remove some"));
        }
        let text = session.saved().to_json();
        durable::write(&path, text.as_bytes()).map_err(|error| format!("cannot save the game: {}", error.kind()))?;
        self.n_games.fetch_add(is_new.into(), Ordering::Relaxed);
        Ok(path)
    }

    /// Reads a game. `None` if there is no such game.
    pub fn load(&self, name: &str) -> Result<Option<Session>, String> {
        let Some(path) = self.path(name) else { return Ok(None) };
        // Players on other machines read this, so it does not name the folder.
        let at = |error: &dyn Display| format!("the game {name} cannot be read: {error}");
        let text = match read_text(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            text => text.map_err(|error| at(&error))?,
        };
        let session = SavedGame::from_json(&text).and_then(|saved| saved.session());
        session.map(Some).map_err(|error| at(&error))
    }
}

/// A random name for a saved game: `NAME_LENGTH` letters of five bits each.
pub fn new_name() -> Result<String, getrandom::Error> {
    let mut bytes = [0; NAME_LENGTH];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| char::from(LETTERS[usize::from(*byte) % LETTERS.len()])).collect())
}

/// The user's folder for saved games by the XDG base directory specification, on Windows the one for programs' data, or
/// one in the current folder.
pub fn data_folder() -> PathBuf {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || absolute("HOME").map(|home| home.join(".local/share"));
    let data = absolute("XDG_DATA_HOME").or_else(home).or_else(|| absolute("APPDATA"));
    data.unwrap_or_default().join("tablut/games")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tablut_rules::{Rules, Side};
    use tablut_session::Players;

    #[test]
    fn games_come_back_and_no_name_leads_out_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("secret.json"), "{}").unwrap();
        let saved = SavedGames::open(&folder.path().join("games")).unwrap();
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        let mut session = Session::new(rules, Side::Attackers, Players::people());
        session.play("d1-d3".parse().unwrap()).unwrap();
        let name = new_name().unwrap();
        let path = saved.save(&name, &session).unwrap();
        assert_eq!(saved.load(&name).unwrap().unwrap().history(), session.history());
        for name in ["../secret", "..", "", "secret", "/etc/passwd", "aaaaaaaaaaaaaaa/", "AAAAAAAAAAAAAAAA"] {
            assert!(saved.load(name).unwrap().is_none(), "{name}");
            assert!(saved.save(name, &session).is_err(), "{name}");
        }
        std::fs::write(&path, "{\"format\":").unwrap();
        let error = saved.load(&name).err().unwrap();
        assert!(error.contains(&name) && error.contains("not a saved game"), "{error}");
    }

    #[test]
    fn one_server_at_a_time_has_a_folder_and_others_leave_its_files_alone() {
        let folder = tempfile::tempdir().unwrap();
        let left = |name| folder.path().join(name).exists();
        std::fs::write(folder.path().join(".part-old"), "").unwrap();
        let saved = SavedGames::lock(folder.path()).unwrap();
        assert!(!left(".part-old"));
        std::fs::write(folder.path().join(".part-new"), "").unwrap();
        let error = SavedGames::lock(folder.path()).err().unwrap().to_string();
        assert!(error.contains("another server") && error.contains("--folder"), "{error}");
        SavedGames::open(folder.path()).unwrap();
        assert!(left(".part-new"));
        drop(saved);
        SavedGames::lock(folder.path()).unwrap();
        assert!(!left(".part-new"));
    }

    #[test]
    fn only_games_that_are_saved_count() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("games");
        let saved = SavedGames::lock(&folder).unwrap();
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        let session = Session::new(rules, Side::Attackers, Players::people());
        std::fs::remove_dir_all(&folder).unwrap();
        std::fs::write(&folder, "no folder").unwrap();
        assert!(saved.save(&new_name().unwrap(), &session).is_err());
        assert_eq!(saved.n_games.load(Ordering::Relaxed), 0);
        std::fs::remove_file(&folder).unwrap();
        let name = new_name().unwrap();
        saved.save(&name, &session).unwrap();
        saved.save(&name, &session).unwrap();
        assert_eq!(saved.n_games.load(Ordering::Relaxed), 1);
        drop(saved);
        assert_eq!(SavedGames::lock(&folder).unwrap().n_games.into_inner(), 1);
    }

    #[test]
    fn names_differ() {
        let names: std::collections::HashSet<String> = (0..100).map(|_| new_name().unwrap()).collect();
        assert_eq!(names.len(), 100);
    }
}
