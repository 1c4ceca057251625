//! Which book of openings a match uses.

use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::Context;
use tablut_arena::OpeningBook;
use tablut_rules::Rules;

/// A book of openings, as `--openings` names it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Book {
    /// The program's own book of even openings.
    Even,
    /// A file that `tablut generate openings` made.
    File(PathBuf),
}

impl Book {
    /// Reads the book for games under `rules`.
    pub fn open(&self, rules: &Arc<Rules>) -> anyhow::Result<OpeningBook> {
        match self {
            Self::Even => OpeningBook::even(rules).with_context(|| {
                let name = rules.name();
                format!("--openings even: there is no such book for {name}, which is not one of the named rule sets; `tablut generate openings` makes one")
            }),
            Self::File(path) => Ok(OpeningBook::read(path, rules)?),
        }
    }
}

impl FromStr for Book {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(if text == "even" { Self::Even } else { Self::File(PathBuf::from(text)) })
    }
}

impl fmt::Display for Book {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Even => formatter.write_str("even"),
            Self::File(path) => path.display().fmt(formatter),
        }
    }
}
