//! Files of puzzles: a header and one puzzle per line, as JSON.

use super::{MAX_DISTANCE, Puzzle};
use crate::sealed_file::{self, SealedFileError, json_line, sealed};
use serde::{Deserialize, Serialize};
use std::path::Path;
use tablut_net::StatedRules;
use tablut_rules::{Game, shown};

const KIND: &str = "puzzles";
const FORMAT: &str = "tablut puzzles";
const VERSION: u32 = 2;

/// Puzzles of one rule set, with information about their source.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PuzzleSet {
    /// The rule set.
    pub rules: StatedRules,
    /// The hash of the weights of the net that played the games.
    pub net: String,
    /// Simulations per move in those games.
    pub simulations: u32,
    /// Seed of those games.
    pub seed: u64,
    /// Number of games that were played and searched for puzzles.
    pub games: u64,
    /// The puzzles, short wins first.
    pub puzzles: Vec<Puzzle>,
}

/// The file's first line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: String,
    version: u32,
    rules: StatedRules,
    net: String,
    simulations: u32,
    seed: u64,
    games: u64,
    puzzles: usize,
    /// The first 16 digits of the BLAKE3 hash of the whole text without this value.
    checksum: String,
}

impl PuzzleSet {
    /// Writes the file, completely or not at all.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), SealedFileError> {
        let header = Header {
            format: FORMAT.to_owned(),
            version: VERSION,
            rules: self.rules.clone(),
            net: self.net.clone(),
            simulations: self.simulations,
            seed: self.seed,
            games: self.games,
            puzzles: self.puzzles.len(),
            checksum: String::new(),
        };
        let mut text = json_line(&header);
        text.extend(self.puzzles.iter().map(json_line));
        sealed_file::write(KIND, path, &sealed(&text))
    }

    /// Reads a file. It does not check that the solutions win; the solver does that.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged or of another version, or has an illegal position or solution.
    pub fn read(path: &Path) -> Result<Self, SealedFileError> {
        sealed_file::read(KIND, path, Self::parse)
    }

    /// Reads a file's text like [`PuzzleSet::read`].
    ///
    /// # Errors
    /// The number of the line and the reason.
    pub fn parse(text: &str) -> Result<Self, (usize, String)> {
        parse(text).map_err(|(line, reason)| (line, shown(&reason)))
    }
}

/// The set, or the line with its error.
fn parse(text: &str) -> Result<PuzzleSet, (usize, String)> {
    let at = |line: usize| move |error: &dyn std::fmt::Display| (line, error.to_string());
    let (first, body) = text.split_once('\n').unwrap_or((text, ""));
    let header: Header = serde_json::from_str(first).map_err(|error| at(1)(&error))?;
    sealed_file::check(text, (&header.format, header.version), (FORMAT, VERSION), &header.checksum)
        .map_err(|reason| (1, reason))?;
    let rules = header.rules.rules();
    let mut puzzles = Vec::new();
    for (index, line) in body.lines().enumerate() {
        let at = at(index + 2);
        let puzzle: Puzzle = serde_json::from_str(line).map_err(|error| at(&error))?;
        if !(1..=MAX_DISTANCE).contains(&puzzle.distance) {
            return Err(at(&format!("the distance is {}, expected 1 to {MAX_DISTANCE}", puzzle.distance)));
        }
        let game = Game::from_position(rules.clone(), puzzle.position).map_err(|error| at(&error))?;
        if let Some(outcome) = game.outcome() {
            return Err(at(&format!("the game is over in this position: {outcome}")));
        }
        for mv in &puzzle.solutions {
            rules.check_legal(&puzzle.position, *mv).map_err(|error| at(&error))?;
        }
        puzzles.push(puzzle);
    }
    if puzzles.len() != header.puzzles {
        return Err((1, format!("the file has {} puzzles, expected {}", puzzles.len(), header.puzzles)));
    }
    let Header { rules, net, simulations, seed, games, .. } = header;
    Ok(PuzzleSet { rules, net, simulations, seed, games, puzzles })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sealed_file::EMPTY_CHECKSUM;

    fn set() -> PuzzleSet {
        let position = "9/9/9/9/2K5t/9/9/9/4t3t d".parse().unwrap();
        let solutions = ["c5-c9", "c5-c1", "c5-a5"].map(|mv| mv.parse().unwrap()).to_vec();
        let puzzles = vec![Puzzle { position, distance: 1, solutions, game: 3, ply: 40 }];
        PuzzleSet {
            rules: StatedRules::of(&tablut_rules::Rules::named("kvasir").unwrap()),
            net: "abc".to_owned(),
            simulations: 32,
            seed: 1,
            games: 4,
            puzzles,
        }
    }

    #[test]
    fn a_file_is_read_as_written() {
        let path = tempfile::tempdir().unwrap().path().join("kvasir.jsonl");
        set().write(&path).unwrap();
        assert_eq!(PuzzleSet::read(&path).unwrap(), set());
    }

    #[test]
    fn faults_name_file_and_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kvasir.jsonl");
        set().write(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let resealed = |body: &str| {
            let header = text.lines().next().unwrap().split_once("\"checksum\"").unwrap().0;
            sealed(&format!("{header}{EMPTY_CHECKSUM}}}\n{body}"))
        };
        let body = text.split_once('\n').unwrap().1;
        for (text, part) in [
            (text.replace("c5-c9", "c5-c8"), "line 1: damaged"),
            (resealed(&body.replace("c5-c9", "c5-d9")), "line 2: "),
            (resealed(&body.replace("c5-c9", "d5-d9")), "line 2: d5-d9 is illegal"),
            (resealed(&body.replace("\"distance\":1", "\"distance\":9")), "line 2: the distance is 9, expected 1 to 4"),
            (resealed(""), "the file has 0 puzzles, expected 1"),
            (text.replace("\"version\":2", "\"version\":7"), "version 7, expected"),
            ("{}".to_owned(), "line 1: missing field"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = PuzzleSet::read(&path).unwrap_err().to_string();
            assert!(error.contains("kvasir.jsonl") && error.contains(part), "{error}");
        }
        for at in 0..text.len() {
            let mut damaged = text.clone().into_bytes();
            damaged[at] ^= 1 << (at % 7);
            if let Ok(damaged) = String::from_utf8(damaged) {
                assert!(PuzzleSet::parse(&damaged).is_err(), "a flipped bit in byte {at} is no error");
            }
            assert!(PuzzleSet::parse(&text[..at]).is_err(), "{at} bytes were read as puzzles");
        }
        let missing = PuzzleSet::read(&folder.path().join("none.jsonl")).unwrap_err().to_string();
        assert!(missing.contains("none.jsonl"), "{missing}");
    }
}
