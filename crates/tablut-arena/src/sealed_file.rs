//! Files of one JSON object per line whose header has a checksum of the whole text: opening books and puzzles.

use serde::Serialize;
use std::path::Path;
use tablut_net::durable;
use tablut_rules::shown;

/// The checksum field of a header before the checksum is computed.
pub(crate) const EMPTY_CHECKSUM: &str = "\"checksum\":\"\"";

/// A file of openings or puzzles cannot be used, or a book is too short for a match.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SealedFileError(pub(crate) String);

/// A value as one line of JSON, with its end.
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
    let text = std::fs::read(path).and_then(tablut_rules::decode).map_err(|error| wrong(format!(": {error}")))?;
    parse(&text).map_err(|(line, reason)| wrong(format!(", line {line}: {reason}")))
}

/// A text whose header has an empty checksum, with the checksum inserted: the first 16 digits of its BLAKE3 hash.
pub(crate) fn sealed(text: &str) -> String {
    let checksum = &blake3::hash(text.as_bytes()).to_hex()[..16];
    text.replacen(EMPTY_CHECKSUM, &format!("\"checksum\":\"{checksum}\""), 1)
}

/// Checks format and version of a header, and its checksum of the whole `text`.
pub(crate) fn check(
    text: &str,
    (format, version): (&str, u32),
    expected: (&str, u32),
    checksum: &str,
) -> Result<(), String> {
    if (format, version) != expected {
        let (format, expected_format, expected) = (shown(format), expected.0, expected.1);
        return Err(format!("{format:?} version {version}, expected {expected_format:?} version {expected}"));
    }
    let unsealed = text.replacen(&format!("\"checksum\":\"{checksum}\""), EMPTY_CHECKSUM, 1);
    if sealed(&unsealed) != text {
        return Err("damaged: the checksum does not match".to_owned());
    }
    Ok(())
}
