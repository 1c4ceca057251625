//! Games on disk, as the terminal reads and writes them.

use crate::serve::store::fresh_name;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use tablut_net::durable;
use tablut_rules::RuleSet;
use tablut_session::{Format, SavedGame, Session};

/// Bytes of a game that are read.
const MAX_BYTES: u64 = 4 << 20;

/// A game from a file.
pub struct GameRead {
    /// The game. Two people play where the file names nobody.
    pub session: Session,
    /// Whether the file names who plays.
    pub names_players: bool,
}

/// Reads a game: one that was saved here or on the page, an OpenTafl record, a position, or moves as people write them. `rules` are
/// taken where the file names none. The error names the file.
pub fn read(path: &Path, rules: &RuleSet) -> Result<GameRead, String> {
    let at = |error: &dyn Display| format!("game {}: {error}", path.display());
    let file = File::open(path).map_err(|error| at(&error))?;
    let mut text = String::new();
    let read = file.take(MAX_BYTES).read_to_string(&mut text).map_err(|error| at(&error))?;
    if read as u64 == MAX_BYTES {
        return Err(at(&format!("more than {MAX_BYTES} bytes")));
    }
    let session = Session::import(&text, rules).map_err(|error| at(&error))?;
    let names_players = SavedGame::from_json(&text).is_ok_and(|saved| saved.seats.is_some());
    Ok(GameRead { session, names_players })
}

/// Writes a game: OpenTafl's record to a file that ends in `.otg`, a text for people to `.txt`, a picture to `.svg`, and otherwise a saved
/// game with everything in it. What is there already stays unless `force` is set.
pub fn write(path: &Path, session: &Session, force: bool) -> Result<(), String> {
    if path.is_dir() {
        return Err(format!("cannot write {}: it is a folder", path.display()));
    }
    if !force && path.exists() {
        let path = path.display();
        return Err(format!("{path} is there already; `save {path} --force` replaces it"));
    }
    let format = match path.extension().and_then(|ending| ending.to_str()) {
        Some("otg") => Format::Otg,
        Some("txt") => Format::Text,
        Some("svg") => Format::Svg,
        _ => Format::Json,
    };
    let text = session.export(format).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    durable::write(path, text.as_bytes()).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Keeps a game that is left in the middle: in `folder`, under a new name, where the page finds it too. Gives its file.
pub fn keep(folder: &Path, session: &Session) -> Result<PathBuf, String> {
    let at = |error: &dyn Display| format!("the game cannot be kept in {}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(|error| at(&error))?;
    let path = folder.join(fresh_name().map_err(|error| at(&error))? + ".json");
    durable::write(&path, session.saved().to_json().as_bytes()).map_err(|error| at(&error))?;
    Ok(path)
}
