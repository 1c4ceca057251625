//! Files of opening books: a header and one opening per line, as JSON.

use super::{BookConfig, JudgedOpening};
use crate::openings::{Opening, canonical};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tablut_net::{StatedRules, durable};
use tablut_rules::{Game, Rules, Side, shown};

const FORMAT: &str = "tablut openings";
const VERSION: u32 = 2;
/// The checksum field of a header before the checksum is computed.
const EMPTY_CHECKSUM: &str = "\"checksum\":\"\"";

/// An opening book, with information about how it was made.
#[derive(Clone, Debug, PartialEq)]
pub struct OpeningBook {
    /// The rule set.
    pub rules: StatedRules,
    /// Plies of each opening.
    pub plies: u32,
    /// Whether the side that was ahead played random moves and the other one its best; else all moves are random.
    pub steered: bool,
    /// The judge that evaluated the openings as even, such as `alphabeta:4`.
    pub judge: String,
    /// The largest absolute value, in the judge's unit.
    pub band: f64,
    /// The seed.
    pub seed: u64,
    /// The openings, all different.
    pub openings: Vec<JudgedOpening>,
}

/// The file's first line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: String,
    version: u32,
    rules: StatedRules,
    plies: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    steered: bool,
    judge: String,
    band: f64,
    seed: u64,
    openings: usize,
    /// The first 16 digits of the BLAKE3 hash of the whole text without this value.
    checksum: String,
}

/// Every other line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    first: Side,
    moves: String,
    value: f64,
}

/// The book cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookFileError {
    /// It cannot be read or written.
    #[error("openings {path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
    /// Its text is wrong.
    #[error("openings {path}, line {line}: {reason}")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The reason.
        reason: String,
    },
    /// It is too short for the match.
    #[error("openings {book}: it holds {found} openings, expected {wanted} or more, one for each pair of games")]
    TooShort {
        /// The book's name.
        book: String,
        /// Openings in the book.
        found: usize,
        /// Pairs of games in the match.
        wanted: usize,
    },
}

impl OpeningBook {
    /// The book of `openings` from `judge` with the settings `config`.
    pub fn new(config: &BookConfig, judge: String, openings: Vec<JudgedOpening>) -> Self {
        let &BookConfig { plies, steered, band, seed, .. } = config;
        Self { rules: StatedRules::of(&config.rules), plies, steered, judge, band, seed, openings }
    }

    /// Writes the file, completely or not at all.
    pub fn write(&self, path: &Path) -> Result<(), BookFileError> {
        durable::write(path, self.text().as_bytes()).map_err(|error| BookFileError::Io { path: path.to_owned(), error })
    }

    /// The whole file.
    pub(super) fn text(&self) -> String {
        let mut body = String::new();
        for JudgedOpening { opening, value } in &self.openings {
            let moves: Vec<String> = opening.moves.iter().map(ToString::to_string).collect();
            body += &to_json(&Line { first: opening.first, moves: moves.join(" "), value: *value });
            body.push('\n');
        }
        let header = Header {
            format: FORMAT.to_owned(),
            version: VERSION,
            rules: self.rules.clone(),
            plies: self.plies,
            steered: self.steered,
            judge: self.judge.clone(),
            band: self.band,
            seed: self.seed,
            openings: self.openings.len(),
            checksum: String::new(),
        };
        sealed(&format!("{}\n{body}", to_json(&header)))
    }

    /// Reads a book for games under `rules`. It must have been made for these rules. All openings must be legal, must
    /// not end the game, and must lead to different positions.
    pub fn read(path: &Path, rules: &Arc<Rules>) -> Result<Self, BookFileError> {
        let text = std::fs::read_to_string(path).map_err(|error| BookFileError::Io { path: path.to_owned(), error })?;
        Self::parse(&text, rules).map_err(|(line, reason)| BookFileError::Line { path: path.to_owned(), line, reason })
    }

    /// Reads a book's text like [`OpeningBook::read`]. An error is the line and the reason.
    pub fn parse(text: &str, rules: &Arc<Rules>) -> Result<Self, (usize, String)> {
        parse(text, rules)
    }

    /// The rules that the book in `path` was made for.
    pub fn rules_of(path: &Path) -> Result<StatedRules, BookFileError> {
        let text = std::fs::read_to_string(path).map_err(|error| BookFileError::Io { path: path.to_owned(), error })?;
        let header = header(&text).map_err(|reason| BookFileError::Line { path: path.to_owned(), line: 1, reason })?;
        Ok(header.rules)
    }

    /// `n` openings of the book, drawn with `seed`. The error says `name` if there are too few. A longer draw starts
    /// like a shorter one.
    pub fn draw(&self, n: usize, seed: u64, name: &impl Display) -> Result<Vec<Opening>, BookFileError> {
        let found = self.openings.len();
        if found < n {
            return Err(BookFileError::TooShort { book: name.to_string(), found, wanted: n });
        }
        let mut openings: Vec<Opening> = self.openings.iter().map(|judged| judged.opening.clone()).collect();
        openings.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        openings.truncate(n);
        Ok(openings)
    }
}

fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data has a form in JSON")
}

/// The book, or the line with its error.
fn parse(text: &str, rules: &Arc<Rules>) -> Result<OpeningBook, (usize, String)> {
    let header = header(text).map_err(|reason| (1, reason))?;
    let body = text.split_once('\n').map_or("", |(_, body)| body);
    check(&header, text, rules).map_err(|reason| (1, reason))?;
    let mut seen = HashSet::new();
    let mut openings = Vec::new();
    for (index, line) in body.lines().enumerate() {
        let judged = judged(line, &header, rules, &mut seen).map_err(|reason| (index + 2, reason))?;
        openings.push(judged);
    }
    if openings.len() != header.openings {
        return Err((1, format!("{} openings follow, expected {}", openings.len(), header.openings)));
    }
    let Header { rules, plies, steered, judge, band, seed, .. } = header;
    Ok(OpeningBook { rules, plies, steered, judge, band, seed, openings })
}

fn header(text: &str) -> Result<Header, String> {
    let first = text.split_once('\n').map_or(text, |(first, _)| first);
    serde_json::from_str(first).map_err(|error| shown(&format!("expected an opening book's header: {error}")))
}

/// A text whose header has an empty checksum, with the checksum inserted.
pub(super) fn sealed(text: &str) -> String {
    let checksum = &blake3::hash(text.as_bytes()).to_hex()[..16];
    text.replacen(EMPTY_CHECKSUM, &format!("\"checksum\":\"{checksum}\""), 1)
}

fn check(header: &Header, text: &str, rules: &Rules) -> Result<(), String> {
    let Header { format, version, .. } = header;
    if format != FORMAT || *version != VERSION {
        let format = shown(format);
        return Err(format!("{format:?} version {version}, expected {FORMAT:?} version {VERSION}"));
    }
    let unsealed = text.replacen(&format!("\"checksum\":\"{}\"", header.checksum), EMPTY_CHECKSUM, 1);
    if sealed(&unsealed) != text {
        return Err("damaged: the checksum does not match".to_owned());
    }
    let named = header.rules.name();
    if header.rules.is(rules.set()) {
        return Ok(());
    }
    if named != rules.name() {
        return Err(format!("it is for the {named} rules, the match for {}", rules.name()));
    }
    let changes: Vec<String> = header.rules.set().differences(rules.set()).iter().map(ToString::to_string).collect();
    Err(format!("it is for other rules of the name {named}: there {}", changes.join(", ")))
}

fn judged(line: &str, header: &Header, rules: &Arc<Rules>, seen: &mut HashSet<u64>) -> Result<JudgedOpening, String> {
    let line: Line = serde_json::from_str(line).map_err(|error| format!("expected an opening: {error}"))?;
    if rules.set().first.side().is_some_and(|side| side != line.first) {
        return Err(format!("the {} move first, expected the other side under these rules", line.first));
    }
    let mut game = Game::new(rules.clone(), line.first);
    let mut moves = Vec::new();
    for text in line.moves.split_whitespace() {
        let mv = text.parse().map_err(|error| format!("{error}"))?;
        game.play(mv).map_err(|error| error.to_string())?;
        moves.push(mv);
    }
    if moves.len() != header.plies as usize {
        return Err(format!("{} plies, expected {}", moves.len(), header.plies));
    }
    if let Some(outcome) = game.outcome() {
        return Err(format!("the game is over after it: {outcome}"));
    }
    if !seen.insert(canonical(game.position())) {
        return Err("an opening above leads to the same position, or to its mirror image".to_owned());
    }
    Ok(JudgedOpening { opening: Opening { first: line.first, moves }, value: line.value })
}
