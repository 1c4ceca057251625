//! Files of opening books: a header and one opening per line, as JSON.

use super::{BookConfig, JudgedOpening};
use crate::openings::{Opening, canonical};
use crate::sealed_file::{self, SealedFileError, json_line};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use tablut_net::StatedRules;
use tablut_rules::{Game, Rules, Side, json_fault};

const KIND: &str = "openings";

/// The program's books of even openings, with the names of their rule sets. `experiments/openings/books.sh` made them.
const BOOKS: [(&str, &str); 20] = [
    ("piecepack", include_str!("../../openings/piecepack.openings")),
    ("piecepack-defenders-first", include_str!("../../openings/piecepack-defenders-first.openings")),
    ("piecepack-open-castle", include_str!("../../openings/piecepack-open-castle.openings")),
    ("imperial", include_str!("../../openings/imperial.openings")),
    ("ludoteka", include_str!("../../openings/ludoteka.openings")),
    ("linnaeus", include_str!("../../openings/linnaeus.openings")),
    ("linnaeus-open-camps", include_str!("../../openings/linnaeus-open-camps.openings")),
    ("masters", include_str!("../../openings/masters.openings")),
    ("masters-edge", include_str!("../../openings/masters-edge.openings")),
    ("masters-weak-king", include_str!("../../openings/masters-weak-king.openings")),
    ("masters-armed-king", include_str!("../../openings/masters-armed-king.openings")),
    ("kvasir", include_str!("../../openings/kvasir.openings")),
    ("tartu", include_str!("../../openings/tartu.openings")),
    ("ashton", include_str!("../../openings/ashton.openings")),
    ("brandubh", include_str!("../../openings/brandubh.openings")),
    ("brandubh-weak-king", include_str!("../../openings/brandubh-weak-king.openings")),
    ("copenhagen", include_str!("../../openings/copenhagen.openings")),
    ("fetlar", include_str!("../../openings/fetlar.openings")),
    ("tawlbwrdd", include_str!("../../openings/tawlbwrdd.openings")),
    ("tawlbwrdd-lewis", include_str!("../../openings/tawlbwrdd-lewis.openings")),
];

/// An opening book, with information about how it was made, which is the file's header.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpeningBook {
    pub rules: StatedRules,
    pub plies: u32,
    /// Whether the openings were [steered](BookConfig::steered). Otherwise all their moves are random.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub steered: bool,
    /// The judge that evaluated the openings as even, such as `alphabeta:4`.
    pub judge: String,
    /// The hash of the weights of the judge's net. `None` if the judge is not a net.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub net: Option<String>,
    /// The largest absolute value, in the judge's unit.
    pub band: f64,
    pub seed: u64,
    #[serde(skip)]
    pub openings: Vec<JudgedOpening>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    first: Side,
    moves: String,
    value: f64,
}

impl OpeningBook {
    /// The book of `openings` from `judge`, whose net has the hash `net`, with the settings `config`.
    pub fn new(config: &BookConfig, judge: String, net: Option<String>, openings: Vec<JudgedOpening>) -> Self {
        let &BookConfig { plies, steered, band, seed, .. } = config;
        Self { rules: StatedRules::of(&config.rules), plies, steered, judge, net, band, seed, openings }
    }

    pub fn write(&self, path: &Path) -> Result<(), SealedFileError> {
        sealed_file::write(KIND, path, &self.text())
    }

    pub(super) fn text(&self) -> String {
        let line = |JudgedOpening { opening, value }: &JudgedOpening| {
            let moves: Vec<String> = opening.moves.iter().map(ToString::to_string).collect();
            json_line(&Line { first: opening.first, moves: moves.join(" "), value: *value })
        };
        sealed_file::text(KIND, self, self.openings.iter().map(line))
    }

    /// Reads a book for games under `rules`.
    pub fn read(path: &Path, rules: &Arc<Rules>) -> Result<Self, SealedFileError> {
        sealed_file::read(KIND, path, |text| Self::parse(text, rules))
    }

    /// Reads a book's text like [`OpeningBook::read`].
    pub fn parse(text: &str, rules: &Arc<Rules>) -> Result<Self, (usize, String)> {
        if is_list(text) {
            return Self::parse_list(text, rules);
        }
        let mut book: Self = sealed_file::settings(KIND, text).map_err(|reason| (1, reason))?;
        check_rules(&book.rules, rules).map_err(|reason| (1, reason))?;
        let mut seen = HashSet::new();
        for (index, line) in text.lines().enumerate().skip(1) {
            let judged = judged(line, book.plies, rules, &mut seen).map_err(|reason| (index + 1, reason))?;
            book.openings.push(judged);
        }
        Ok(book)
    }

    /// Reads a list of openings that a person wrote: the moves of one opening in each line. Empty lines and lines that
    /// begin with `#` are skipped.
    fn parse_list(text: &str, rules: &Arc<Rules>) -> Result<Self, (usize, String)> {
        let mut seen = HashSet::new();
        let mut openings = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let words = line.trim();
            if words.is_empty() || words.starts_with('#') {
                continue;
            }
            let first = rules.set().first.side().unwrap_or(Side::Attackers);
            let opening = opening(first, words, rules, &mut seen).map_err(|reason| (index + 1, reason))?;
            openings.push(JudgedOpening { opening, value: 0.0 });
        }
        let plies = openings.iter().map(|judged| judged.opening.moves.len() as u32).max();
        let plies = plies.ok_or_else(|| (1, "expected a line of moves such as `d1-d3 e3-g3`".to_owned()))?;
        let judge = "a person".to_owned();
        Ok(Self {
            rules: StatedRules::of(rules),
            plies,
            steered: false,
            judge,
            net: None,
            band: 0.0,
            seed: 0,
            openings,
        })
    }

    /// The rules that the book in `path` was made for. `None` for a list that a person wrote.
    pub fn rules_of(path: &Path) -> Result<Option<StatedRules>, SealedFileError> {
        sealed_file::read(KIND, path, |text| {
            let book = (!is_list(text)).then(|| sealed_file::settings::<Self>(KIND, text));
            Ok(book.transpose().map_err(|reason| (1, reason))?.map(|book| book.rules))
        })
    }

    /// The program's book of even openings under `rules`. `None` if they are not the rules of a named set.
    pub fn even(rules: &Arc<Rules>) -> Option<Self> {
        let (_, text) = BOOKS.iter().find(|(name, _)| *name == rules.name())?;
        // Other rules of the same name give an error.
        Self::parse(text, rules).ok()
    }

    /// `n` openings of the book, drawn with `seed`. A longer draw starts like a shorter one.
    pub fn draw(&self, n: usize, seed: u64, name: &impl Display) -> Result<Vec<Opening>, SealedFileError> {
        let found = self.openings.len();
        if found < n {
            return Err(SealedFileError(format!(
                "openings {name}: the book has {found} openings, expected {n} or more, one for each pair of games"
            )));
        }
        let mut openings: Vec<Opening> = self.openings.iter().map(|judged| judged.opening.clone()).collect();
        openings.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        openings.truncate(n);
        Ok(openings)
    }
}

/// Whether the text is a list of openings that a person wrote. A book begins with an object of JSON.
fn is_list(text: &str) -> bool {
    !text.trim_start().starts_with('{')
}

fn check_rules(stated: &StatedRules, rules: &Rules) -> Result<(), String> {
    let named = stated.name();
    if stated.is(rules.set()) {
        return Ok(());
    }
    if named != rules.name() {
        return Err(format!("the book is for the rules {named}, but the match has {}", rules.name()));
    }
    let changes: Vec<String> = stated.set().differences(rules.set()).iter().map(ToString::to_string).collect();
    Err(format!("the book is for other rules with the name {named}, in which {}", changes.join(", ")))
}

fn judged(line: &str, plies: u32, rules: &Arc<Rules>, seen: &mut HashSet<u64>) -> Result<JudgedOpening, String> {
    let line: Line =
        serde_json::from_str(line).map_err(|error| format!("expected an opening: {}", json_fault(&error)))?;
    if rules.set().first.side().is_some_and(|side| side != line.first) {
        return Err(format!("the {} move first, but these rules give the other side the first move", line.first));
    }
    let opening = opening(line.first, &line.moves, rules, seen)?;
    if opening.moves.len() != plies as usize {
        return Err(format!("found {} plies, expected {plies}", opening.moves.len()));
    }
    Ok(JudgedOpening { opening, value: line.value })
}

/// The opening with these moves. `seen` has the positions of the openings before it.
fn opening(first: Side, text: &str, rules: &Arc<Rules>, seen: &mut HashSet<u64>) -> Result<Opening, String> {
    let mut game = Game::new(rules.clone(), first);
    let mut moves = Vec::new();
    for text in text.split_whitespace() {
        let mv = text.parse().map_err(|error| format!("{error}"))?;
        game.play(mv).map_err(|error| error.to_string())?;
        moves.push(mv);
    }
    if let Some(outcome) = game.outcome() {
        return Err(format!("the game is over after the opening: {outcome}"));
    }
    if !seen.insert(canonical(game.position())) {
        return Err("an earlier opening leads to the same position or a mirror image of it".to_owned());
    }
    Ok(Opening { first, moves })
}

#[cfg(test)]
mod tests {
    use super::{BOOKS, OpeningBook};
    use std::sync::Arc;
    use tablut_rules::Rules;

    #[test]
    fn every_named_rule_set_has_a_complete_book() {
        assert_eq!(BOOKS.map(|(name, _)| name).to_vec(), Rules::names().collect::<Vec<_>>());
        for (name, text) in BOOKS {
            let rules = Arc::new(Rules::named(name).unwrap());
            let book =
                OpeningBook::parse(text, &rules).unwrap_or_else(|(line, error)| panic!("{name}, line {line}: {error}"));
            assert!(book.openings.len() >= 100, "{name}");
            assert!(book.openings.iter().all(|judged| judged.value.abs() <= book.band), "{name}");
            assert_eq!(OpeningBook::even(&rules), Some(book));
        }
    }
}
