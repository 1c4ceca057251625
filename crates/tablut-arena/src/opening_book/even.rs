//! The books of even openings that come with the program, one for each named rule set.
//!
//! Each was made by `sh experiments/openings/books.sh`.

use super::OpeningBook;
use std::sync::Arc;
use tablut_rules::Rules;

/// Each rule set's name, and its book.
const BOOKS: [(&str, &str); 14] = [
    ("piecepack", include_str!("../../openings/piecepack.openings")),
    ("piecepack-open-castle", include_str!("../../openings/piecepack-open-castle.openings")),
    ("piecepack-defenders-first", include_str!("../../openings/piecepack-defenders-first.openings")),
    ("imperial", include_str!("../../openings/imperial.openings")),
    ("ludoteka", include_str!("../../openings/ludoteka.openings")),
    ("linnaeus", include_str!("../../openings/linnaeus.openings")),
    ("linnaeus-open-camps", include_str!("../../openings/linnaeus-open-camps.openings")),
    ("masters", include_str!("../../openings/masters.openings")),
    ("masters-weak-king", include_str!("../../openings/masters-weak-king.openings")),
    ("masters-armed-king", include_str!("../../openings/masters-armed-king.openings")),
    ("masters-edge", include_str!("../../openings/masters-edge.openings")),
    ("kvasir", include_str!("../../openings/kvasir.openings")),
    ("tartu", include_str!("../../openings/tartu.openings")),
    ("ashton", include_str!("../../openings/ashton.openings")),
];

impl OpeningBook {
    /// The even openings under `rules` that come with the program; `None` if these are not the rules of a named set.
    pub fn even(rules: &Arc<Rules>) -> Option<Self> {
        let (_, text) = BOOKS.iter().find(|(name, _)| *name == rules.name())?;
        // Other rules of the same name are refused by the book.
        Self::parse(text, rules).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{BOOKS, OpeningBook};
    use std::sync::Arc;
    use tablut_rules::{RULE_SET_NAMES, Rules};

    #[test]
    fn every_named_rule_set_has_a_whole_book() {
        assert_eq!(BOOKS.len(), RULE_SET_NAMES.len());
        for (name, text) in BOOKS {
            let rules = Arc::new(Rules::named(name).unwrap());
            let book =
                OpeningBook::parse(text, &rules).unwrap_or_else(|(line, error)| panic!("{name}, line {line}: {error}"));
            assert_eq!(book.openings.len(), 250, "{name}");
            assert!(book.openings.iter().all(|judged| judged.value.abs() <= book.band), "{name}");
            assert_eq!(OpeningBook::even(&rules), Some(book));
        }
    }
}
