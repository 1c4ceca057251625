//! Files of one JSON object per line whose header has a checksum of the whole text: opening books and puzzles.

use serde::Serialize;
use std::path::{Path, PathBuf};
use tablut_net::durable;
use tablut_rules::shown;

/// The checksum field of a header before the checksum is computed.
pub(crate) const EMPTY_CHECKSUM: &str = "\"checksum\":\"\"";

/// A file of openings or puzzles cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SealedFileError {
    /// It cannot be read or written.
    #[error("{kind} {path}: {error}")]
    Io {
        /// What the file holds.
        kind: &'static str,
        /// The file.
        path: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
    /// Its text is wrong.
    #[error("{kind} {path}, line {line}: {reason}")]
    Line {
        /// What the file holds.
        kind: &'static str,
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The reason.
        reason: String,
    },
    /// A book is too short for the match.
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

/// A value as one line of JSON, with its end.
pub(crate) fn json_line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data has a form in JSON") + "\n"
}

/// Writes a file of this kind, completely or not at all.
pub(crate) fn write(kind: &'static str, path: &Path, text: &str) -> Result<(), SealedFileError> {
    durable::write(path, text.as_bytes()).map_err(|error| SealedFileError::Io { kind, path: path.to_owned(), error })
}

/// What `parse` makes of the text of a file of this kind. Its error is the line and the reason.
pub(crate) fn read<T>(
    kind: &'static str,
    path: &Path,
    parse: impl FnOnce(&str) -> Result<T, (usize, String)>,
) -> Result<T, SealedFileError> {
    let path = path.to_owned();
    match std::fs::read_to_string(&path) {
        Err(error) => Err(SealedFileError::Io { kind, path, error }),
        Ok(text) => parse(&text).map_err(|(line, reason)| SealedFileError::Line { kind, path, line, reason }),
    }
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
