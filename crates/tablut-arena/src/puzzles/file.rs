//! Files of puzzles: a header and one puzzle per line, as JSON.

use super::{DISTANCES, Puzzle};
use crate::sealed_file::{self, SealedFileError, json_line};
use serde::{Deserialize, Serialize};
use std::path::Path;
use tablut_net::StatedRules;
use tablut_rules::{Game, json_fault, shown};

const KIND: &str = "puzzles";

/// Puzzles of one rule set, with information about their source, which is the file's header.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct PuzzleSet {
    pub rules: StatedRules,
    /// The hash of the weights of the net that played the games.
    pub net: String,
    /// Simulations per move in those games.
    pub simulations: u32,
    pub seed: u64,
    /// Number of games that were played and searched for puzzles.
    pub games: u64,
    /// The puzzles, short wins first.
    #[serde(skip)]
    pub puzzles: Vec<Puzzle>,
}

impl PuzzleSet {
    pub fn write(&self, path: &Path) -> Result<(), SealedFileError> {
        let text = sealed_file::text(KIND, self, self.puzzles.iter().map(json_line));
        sealed_file::write(KIND, path, &text)
    }

    /// Reads a file. It does not check that the solutions win; the solver does that.
    pub fn read(path: &Path) -> Result<Self, SealedFileError> {
        sealed_file::read(KIND, path, Self::parse)
    }

    /// Reads a file's text like [`PuzzleSet::read`].
    pub fn parse(text: &str) -> Result<Self, (usize, String)> {
        parse(text).map_err(|(line, reason)| (line, shown(&reason)))
    }
}

/// The set, or the line with its error.
fn parse(text: &str) -> Result<PuzzleSet, (usize, String)> {
    let at = |line: usize| move |error: &dyn std::fmt::Display| (line, error.to_string());
    let mut set: PuzzleSet = sealed_file::settings(KIND, text).map_err(|reason| at(1)(&reason))?;
    let rules = set.rules.rules();
    for (index, line) in text.lines().enumerate().skip(1) {
        let at = at(index + 1);
        let puzzle: Puzzle = serde_json::from_str(line).map_err(|error| at(&json_fault(&error)))?;
        if !DISTANCES.contains(&puzzle.distance) {
            let (least, most) = DISTANCES.into_inner();
            return Err(at(&format!("the distance is {}, expected {least} to {most}", puzzle.distance)));
        }
        if puzzle.solutions.len() != 1 {
            return Err(at(&format!("the puzzle has {} solutions, expected one", puzzle.solutions.len())));
        }
        let game = Game::from_position(rules.clone(), puzzle.position).map_err(|error| at(&error))?;
        if let Some(outcome) = game.outcome() {
            return Err(at(&format!("the game is over in this position: {outcome}")));
        }
        for mv in &puzzle.solutions {
            rules.check_legal(&puzzle.position, *mv).map_err(|error| at(&error))?;
        }
        set.puzzles.push(puzzle);
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sealed_file::{EMPTY_CHECKSUM, sealed};

    fn set() -> PuzzleSet {
        let position = "3t5/9/9/t2K4t/9/9/9/9/3t5 d".parse().unwrap();
        let solutions = vec!["d6-d5".parse().unwrap()];
        let puzzles = vec![Puzzle { position, distance: 2, solutions, game: 3, ply: 40 }];
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
            (text.replace("d6-d5", "d6-d4"), "line 1: damaged"),
            (resealed(&body.replace("d6-d5", "d6-e5")), "line 2: "),
            (resealed(&body.replace("d6-d5", "e5-e4")), "line 2: e5-e4 is illegal"),
            (resealed(&body.replace("\"distance\":2", "\"distance\":9")), "line 2: the distance is 9, expected 2 to 5"),
            (resealed(&body.replace("d6-d5", "d6-d5\",\"d6-d4")), "line 2: the puzzle has 2 solutions, expected one"),
            (text.replace("\"version\":2", "\"version\":7"), "version 7, expected"),
            (
                "{}".to_owned(),
                "line 1: expected the header of a file of puzzles: column 2: the key `format` is missing",
            ),
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
