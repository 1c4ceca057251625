//! Files of game records: compressed frames, each with its length and checksum.
//!
//! All numbers are little-endian. The file starts with
//!
//! - the magic `TABLUTGR`
//! - the version (u32)
//! - the total evaluations of the games (u64)
//! - the number of games (u32)
//! - the length of the rules (u32)
//! - the rules (JSON, an array of [`StatedRules`])
//! - CRC-32C of all of the above (u32)
//!
//! Then there is one frame per game: length of the compressed bytes (u32), length of the plain bytes (u32), CRC-32C of
//! the compressed bytes (u32), the bytes (zstd). The plain bytes are the length of the header (u32), the header (JSON,
//! [`Header`]), and for each ply that a search chose: chances of an attackers' win, a draw and a defenders' win (f32
//! each), simulations (u32), number of legal moves (u16), policy (u16 each).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tablut_net::{StatedRules, durable};
use tablut_rules::{Outcome, Rules, read_at_most, shown};
use tablut_search::Chances;

use crate::compression::{compressed, decompressed};
use crate::record::{GameRecord, Handicap, PlyRecord, SearchRecord};

const MAGIC: &[u8; 8] = b"TABLUTGR";
const VERSION: u32 = 3;
/// The maximum length of a frame. It guards against wrong lengths in a damaged file.
const MAX_FRAME_BYTES: usize = 64 << 20;
/// The maximum size of a file. A generation's games have some megabytes.
const MAX_BYTES: u64 = 4 << 30;

/// The largest accepted difference of a search's chances from a distribution. It allows for rounding.
const CHANCES_TOLERANCE: f32 = 0.001;

/// A file of records is damaged or unreadable.
#[derive(Debug, thiserror::Error)]
#[error("game records {path}: {}", shown(reason))]
#[expect(missing_docs, reason = "the names say what the other fields are")]
pub struct RecordFileError {
    pub path: PathBuf,
    pub reason: String,
}

#[derive(Serialize, Deserialize)]
struct Header {
    index: u64,
    rules: String,
    max_plies: u32,
    start: String,
    /// The moves. `searched` marks those that a search chose.
    moves: Vec<String>,
    /// Indices of the plies that a search chose.
    searched: Vec<u32>,
    outcome: Outcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    forfeit: Option<String>,
    /// Absent for ordinary games and in files of earlier versions.
    #[serde(rename = "notes", default, skip_serializing_if = "Handicap::is_none")]
    handicap: Handicap,
    /// Absent in files of earlier versions.
    #[serde(default)]
    evaluations: u64,
}

/// The contents of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordFile {
    /// Total evaluations by the net.
    pub evaluations: u64,
    /// The rule sets that the games name.
    pub rules: Vec<StatedRules>,
    /// The games.
    pub games: Vec<GameRecord>,
}

impl RecordFile {
    /// The games of `rules`, with their total `evaluations`.
    pub fn new<'a>(evaluations: u64, rules: impl IntoIterator<Item = &'a Rules>, games: Vec<GameRecord>) -> Self {
        Self { evaluations, rules: rules.into_iter().map(StatedRules::of).collect(), games }
    }

    /// The rules of games that name the rule set `name`, or `None` if the file does not contain them.
    pub fn rules_named(&self, name: &str) -> Option<Arc<Rules>> {
        self.rules.iter().find(|rules| rules.name() == name).map(StatedRules::rules)
    }
}

/// Writes `file` to `path`, completely or not at all.
///
/// # Errors
/// If a number does not fit into the format, or the file cannot be written.
pub fn write_records(path: &Path, file: &RecordFile) -> Result<(), RecordFileError> {
    let write = |bytes: Vec<u8>| durable::write(path, &bytes).map_err(|error| error.to_string());
    records_to_bytes(file).and_then(write).map_err(|reason| RecordFileError { path: path.to_owned(), reason })
}

/// The bytes of a file.
///
/// # Errors
/// If a number does not fit into the format. The error gives the reason.
pub fn records_to_bytes(file: &RecordFile) -> Result<Vec<u8>, String> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(file.evaluations.to_le_bytes());
    bytes.extend(length(file.games.len(), "games")?.to_le_bytes());
    let rules = serde_json::to_vec(&file.rules).map_err(|error| error.to_string())?;
    bytes.extend(length(rules.len(), "bytes")?.to_le_bytes());
    bytes.extend(rules);
    bytes.extend(crc32c::crc32c(&bytes).to_le_bytes());
    for (number, game) in file.games.iter().enumerate() {
        bytes.extend(pack_game(game).map_err(|error| format!("frame {number}: {error}"))?);
    }
    Ok(bytes)
}

/// Reads a file.
///
/// # Errors
/// If the file cannot be read, is damaged, or is not a file of records of this version.
pub fn read_records(path: &Path) -> Result<RecordFile, RecordFileError> {
    let bytes = fs::File::open(path).and_then(|file| read_at_most(file, MAX_BYTES)).map_err(|error| error.to_string());
    let file = bytes.and_then(|bytes| records_from_bytes(&bytes));
    file.map_err(|reason| RecordFileError { path: path.to_owned(), reason })
}

/// Reads the bytes of a file.
///
/// # Errors
/// If the bytes are damaged or are not a file of records of this version. The error gives the reason.
pub fn records_from_bytes(whole: &[u8]) -> Result<RecordFile, String> {
    let mut bytes = Reader(whole);
    if bytes.take(8)? != MAGIC {
        return Err("not a file of tablut game records".to_owned());
    }
    let version = bytes.u32()?;
    if version != VERSION {
        return Err(format!("version {version}, this program reads version {VERSION}"));
    }
    let evaluations = bytes.array().map(u64::from_le_bytes)?;
    let n_games = bytes.u32()?;
    let rules_len = bytes.u32()? as usize;
    let rules = bytes.take(rules_len)?;
    let header = &whole[..whole.len() - bytes.0.len()];
    if bytes.u32()? != crc32c::crc32c(header) {
        return Err("damaged: the header's checksum does not match".to_owned());
    }
    let frame = |game: u32, bytes: &mut Reader| {
        read_frame(bytes, MAX_FRAME_BYTES).map_err(|error| format!("frame {game}: {error}"))
    };
    let games = (0..n_games).map(|game| frame(game, &mut bytes)).collect::<Result<Vec<_>, _>>()?;
    if !bytes.0.is_empty() {
        return Err(format!("{} bytes after the last frame", bytes.0.len()));
    }
    let rules = serde_json::from_slice(rules).map_err(|error| format!("the rules: {error}"))?;
    let file = RecordFile { evaluations, rules, games };
    match file.games.iter().find(|game| !file.rules.iter().any(|rules| rules.name() == game.rules)) {
        None => Ok(file),
        Some(game) => {
            Err(format!("game {} names the rules {}, which the file does not contain", game.index, game.rules))
        }
    }
}

fn plain_frame(game: &GameRecord) -> Result<Vec<u8>, String> {
    let searched = game.plies.iter().enumerate().filter(|(_, ply)| ply.search.is_some());
    let searched = searched.map(|(number, _)| length(number, "plies")).collect::<Result<_, _>>()?;
    let header = Header {
        index: game.index,
        rules: game.rules.clone(),
        max_plies: game.max_plies,
        start: game.start.to_string(),
        moves: game.plies.iter().map(|ply| ply.mv.to_string()).collect(),
        searched,
        outcome: game.outcome,
        forfeit: game.forfeit.clone(),
        handicap: game.handicap,
        evaluations: game.evaluations,
    };
    let header = serde_json::to_vec(&header).map_err(|error| error.to_string())?;
    let mut plain = length(header.len(), "bytes")?.to_le_bytes().to_vec();
    plain.extend(header);
    for search in game.plies.iter().filter_map(|ply| ply.search.as_ref()) {
        let Chances { attackers, draw, defenders } = search.chances;
        plain.extend([attackers, draw, defenders].into_iter().flat_map(f32::to_le_bytes));
        plain.extend(search.simulations.to_le_bytes());
        let n_moves = u16::try_from(search.policy.len())
            .map_err(|_| format!("a policy over {} moves, expected at most {}", search.policy.len(), u16::MAX))?;
        plain.extend(n_moves.to_le_bytes());
        plain.extend(search.policy.iter().flat_map(|p| p.to_le_bytes()));
    }
    Ok(plain)
}

/// A length or number of `what` as the file format stores it.
fn length(n: usize, what: &str) -> Result<u32, String> {
    u32::try_from(n).map_err(|_| format!("{n} {what}, expected at most {}", u32::MAX))
}

/// One game as a frame of a file. Workers send games in this form, too.
///
/// # Errors
/// If a number does not fit into the format, or the frame is too long. The error gives the reason.
pub fn pack_game(game: &GameRecord) -> Result<Vec<u8>, String> {
    let plain = plain_frame(game)?;
    if plain.len() > MAX_FRAME_BYTES {
        return Err(format!("{} bytes, expected at most {MAX_FRAME_BYTES}", plain.len()));
    }
    let packed = compressed(&plain)?;
    let mut frame = length(packed.len(), "bytes")?.to_le_bytes().to_vec();
    frame.extend(length(plain.len(), "bytes")?.to_le_bytes());
    frame.extend(crc32c::crc32c(&packed).to_le_bytes());
    frame.extend(packed);
    Ok(frame)
}

fn read_frame(bytes: &mut Reader, max_bytes: usize) -> Result<GameRecord, String> {
    let (packed_len, plain_len, crc) = (bytes.u32()? as usize, bytes.u32()? as usize, bytes.u32()?);
    if packed_len.max(plain_len) > max_bytes {
        return Err(format!("a length of {} bytes, expected at most {max_bytes}", packed_len.max(plain_len)));
    }
    let packed = bytes.take(packed_len)?;
    if crc32c::crc32c(packed) != crc {
        return Err("damaged: the checksum does not match".to_owned());
    }
    let plain = decompressed(packed, plain_len)?;
    if plain.len() != plain_len {
        return Err(format!("damaged: {} plain bytes, expected {plain_len}", plain.len()));
    }
    let mut plain = Reader(&plain);
    let header_len = plain.u32()? as usize;
    let header: Header = serde_json::from_slice(plain.take(header_len)?).map_err(|error| error.to_string())?;
    let mut plies = Vec::with_capacity(header.moves.len());
    for text in &header.moves {
        let mv = text.parse().map_err(|error| format!("{error}"))?;
        plies.push(PlyRecord { mv, search: None });
    }
    for number in header.searched {
        let ply = plies.get_mut(number as usize).ok_or_else(|| format!("ply {number} does not exist"))?;
        let mut chance = || plain.array().map(f32::from_le_bytes);
        let found @ [attackers, draw, defenders] = [chance()?, chance()?, chance()?];
        let simulations = plain.u32()?;
        let n_moves = plain.array().map(u16::from_le_bytes)?;
        let is_chance = |chance: &f32| (-CHANCES_TOLERANCE..=1.0 + CHANCES_TOLERANCE).contains(chance);
        if !found.iter().all(is_chance) || (found.iter().sum::<f32>() - 1.0).abs() > CHANCES_TOLERANCE {
            return Err(format!("ply {number}: chances of {found:?}, expected three from 0 to 1 with a sum of 1"));
        }
        let policy = (0..n_moves).map(|_| plain.array().map(u16::from_le_bytes)).collect::<Result<_, _>>()?;
        ply.search = Some(SearchRecord { chances: Chances { attackers, draw, defenders }, simulations, policy });
    }
    if !plain.0.is_empty() {
        return Err(format!("{} bytes after the last ply", plain.0.len()));
    }
    Ok(GameRecord {
        index: header.index,
        rules: header.rules,
        max_plies: header.max_plies,
        start: header.start.parse().map_err(|error| format!("{error}"))?,
        plies,
        outcome: header.outcome,
        forfeit: header.forfeit,
        handicap: header.handicap,
        evaluations: header.evaluations,
    })
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], String> {
        let left = self.0.len();
        let parts = self.0.split_at_checked(n);
        let (taken, rest) =
            parts.ok_or_else(|| format!("the data ends too early: {left} bytes are left, expected {n}"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        Ok(self.take(N)?.try_into().expect("N bytes were taken"))
    }

    fn u32(&mut self) -> Result<u32, String> {
        self.array().map(u32::from_le_bytes)
    }
}

/// Reads the output of [`pack_game`] at the start of `bytes`. Returns the game and the bytes after it.
///
/// # Errors
/// If the frame is not valid, or has more than `max_bytes` bytes when unpacked. The error gives the reason.
pub fn unpack_game(bytes: &[u8], max_bytes: usize) -> Result<(GameRecord, &[u8]), String> {
    let mut rest = Reader(bytes);
    Ok((read_frame(&mut rest, max_bytes)?, rest.0))
}
