//! Puzzles: positions with a proven shortest win and all first moves that reach it.

use crate::words::shorten;
use serde::{Deserialize, Serialize};
use tablut_rules::{Move, Position, json_fault};

/// A set of puzzles for one rule set, as `tablut generate puzzles` writes it.
#[derive(Clone, Debug, PartialEq)]
pub struct PuzzleBook {
    pub rules: String,
    pub puzzles: Vec<BookPuzzle>,
}

/// The first line. It has the rules in full, of which only their name is used.
#[derive(Deserialize)]
struct Header {
    #[serde(default)]
    format: String,
    rules: HeaderRules,
}

#[derive(Deserialize)]
struct HeaderRules {
    set: HeaderRuleSet,
}

#[derive(Deserialize)]
struct HeaderRuleSet {
    name: String,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct BookPuzzle {
    pub position: Position,
    pub distance: u32,
    pub solutions: Vec<Move>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PuzzleCounts {
    pub rules: String,
    /// The number of puzzles by distance, from 1.
    pub by_distance: Vec<usize>,
}

impl PuzzleBook {
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines();
        let header = lines.next().ok_or("an empty text, expected puzzles")?;
        let header: Header = serde_json::from_str(header).map_err(|error| format!("line 1: {}", json_fault(&error)))?;
        let Header { format, rules } = header;
        if format != "tablut puzzles" {
            return Err(format!("line 1: format {:?}, expected \"tablut puzzles\"", shorten(&format)));
        }
        let read = |(index, line): (usize, &str)| {
            serde_json::from_str(line).map_err(|error| format!("line {}: {}", index + 2, json_fault(&error)))
        };
        let puzzles = lines.enumerate().map(read).collect::<Result<Vec<BookPuzzle>, String>>()?;
        Ok(Self { rules: rules.set.name, puzzles })
    }

    pub fn counts(&self) -> PuzzleCounts {
        let longest = self.puzzles.iter().map(|puzzle| puzzle.distance as usize).max().unwrap_or(0);
        let mut by_distance = vec![0; longest];
        for puzzle in &self.puzzles {
            if let Some(count) = by_distance.get_mut((puzzle.distance as usize).wrapping_sub(1)) {
                *count += 1;
            }
        }
        PuzzleCounts { rules: self.rules.clone(), by_distance }
    }

    /// The puzzle with index `number`, modulo their count, among those of a distance. `None` if there are none.
    pub fn pick(&self, distance: Option<u32>, number: usize) -> Option<&BookPuzzle> {
        let fits = |puzzle: &&BookPuzzle| distance.is_none_or(|distance| puzzle.distance == distance);
        let count = self.puzzles.iter().filter(fits).count();
        self.puzzles.iter().filter(fits).nth(number.checked_rem(count)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "{\"format\":\"tablut puzzles\",\"version\":2,\"rules\":{\"set\":{\"name\":\"kvasir\"}}}\n\
        {\"position\":\"9/9/9/9/2K5t/9/9/9/4t3t d\",\"distance\":1,\"solutions\":[\"c5-c9\"]}\n\
        {\"position\":\"9/9/9/2K6/9/9/9/9/t7t a\",\"distance\":3,\"solutions\":[\"a1-a2\"]}\n";

    #[test]
    fn puzzles_are_read_and_picked() {
        let book = PuzzleBook::parse(TEXT).unwrap();
        assert_eq!(book.counts(), PuzzleCounts { rules: "kvasir".to_owned(), by_distance: vec![1, 0, 1] });
        let distance = |distance, number| book.pick(distance, number).map(|puzzle| puzzle.distance);
        assert_eq!(distance(None, 3), Some(3));
        assert_eq!(distance(Some(1), 7), Some(1));
        assert_eq!(distance(Some(2), 0), None);
    }

    #[test]
    fn faults_are_told_with_their_line() {
        for (text, part) in [("", "empty"), ("{}", "line 1"), (&TEXT.replace("c5-c9", "c5-z9"), "line 2")] {
            let error = PuzzleBook::parse(text).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
