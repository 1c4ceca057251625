//! Files of one JSON object per line whose header has a checksum of the whole text: opening books and puzzles.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;
use tablut_net::durable;
use tablut_rules::{json_fault, read_at_most, shown};

/// The maximum size of a file. A book of ten thousand openings has about two megabytes.
const MAX_BYTES: u64 = 64 << 20;
/// The maximum size of the header in bytes. Its rules have a few hundred keys.
const MAX_HEADER: usize = 64 << 10;
/// The version of both kinds.
const VERSION: u32 = 2;

/// The first line of a file.
#[derive(Serialize, Deserialize)]
struct Header<S> {
    format: String,
    version: u32,
    #[serde(flatten)]
    settings: S,
    /// The first 16 digits of the BLAKE3 hash of the whole text without this value.
    checksum: String,
}

/// The checksum field of a header before the checksum is computed.
pub(crate) const EMPTY_CHECKSUM: &str = "\"checksum\":\"\"";

/// A file of openings or puzzles cannot be used, or a book is too short for a match.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SealedFileError(pub(crate) String);

pub(crate) fn json_line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data has a form in JSON") + "\n"
}

/// Writes a file of this kind, completely or not at all.
pub(crate) fn write(kind: &'static str, path: &Path, text: &str) -> Result<(), SealedFileError> {
    let written = durable::write(path, text.as_bytes());
    written.map_err(|error| SealedFileError(format!("{kind} {}: {error}", path.display())))
}

/// Reads a file of this kind and parses its text. The error of `parse` is the line and the reason.
pub(crate) fn read<T>(
    kind: &'static str,
    path: &Path,
    parse: impl FnOnce(&str) -> Result<T, (usize, String)>,
) -> Result<T, SealedFileError> {
    let wrong = |what: String| SealedFileError(format!("{kind} {}{what}", path.display()));
    let bytes = std::fs::File::open(path).and_then(|file| read_at_most(file, MAX_BYTES));
    let text = bytes.and_then(tablut_rules::decode).map_err(|error| wrong(format!(": {error}")))?;
    parse(&text).map_err(|(line, reason)| wrong(format!(", line {line}: {reason}")))
}

/// A text whose header has an empty checksum, with the checksum inserted: the first 16 digits of its BLAKE3 hash.
pub(crate) fn sealed(text: &str) -> String {
    let checksum = &blake3::hash(text.as_bytes()).to_hex()[..16];
    text.replacen(EMPTY_CHECKSUM, &format!("\"checksum\":\"{checksum}\""), 1)
}

/// The text of a file of this kind: the header, and a line for each of `lines`.
pub(crate) fn text(kind: &str, settings: impl Serialize, lines: impl Iterator<Item = String>) -> String {
    let header = Header { format: format!("tablut {kind}"), version: VERSION, settings, checksum: String::new() };
    let mut text = json_line(&header);
    text.extend(lines);
    sealed(&text)
}

/// The settings in the header of a text of this kind, if version and checksum are right.
pub(crate) fn settings<S: DeserializeOwned>(kind: &str, text: &str) -> Result<S, String> {
    let first = text.lines().next().unwrap_or_default();
    if first.len() > MAX_HEADER {
        return Err(format!("a header of {} bytes, expected at most {MAX_HEADER}", first.len()));
    }
    let header: Header<S> = serde_json::from_str(first)
        .map_err(|error| format!("expected the header of a file of {kind}: {}", json_fault(&error)))?;
    let Header { format, version, settings, checksum } = header;
    let expected = format!("tablut {kind}");
    if (&format, version) != (&expected, VERSION) {
        return Err(format!("{:?} version {version}, expected {expected:?} version {VERSION}", shown(&format)));
    }
    let unsealed = text.replacen(&format!("\"checksum\":\"{checksum}\""), EMPTY_CHECKSUM, 1);
    if sealed(&unsealed) != text {
        return Err("damaged: the checksum does not match".to_owned());
    }
    Ok(settings)
}
