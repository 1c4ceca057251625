//! Matches between players of Tablut: openings, games, files of games and ladders. Also puzzles.
//!
//! - [`openings()`], [`MatchGame`], [`play_match`], [`MatchReport`]: pairs of games from one opening, on all cores.
//! - [`MatchPlan`], [`collect_match`]: the games of a match as a function of data, for matches that workers play.
//! - [`play_pairs`]: many small matches at once.
//! - [`ladder()`]: the ratings of all players of some matches. [`EvaluationReport`]: a net's matches against fixed opponents.
//! - [`puzzles`]: positions with a proven win, and how many of them a search solves.

#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod contest;
mod evaluation;
pub mod games_file;
pub mod ladder;
pub mod many_pairs;
pub mod match_game;
pub mod opening_book;
pub mod openings;
pub mod puzzles;
mod sealed_file;
pub mod tally;

pub use contest::{MatchConfig, MatchError, MatchOutcome, MatchProgress, WantedGames, collect_match, play_match};
pub use evaluation::{EvaluationReport, Tournament};
pub use games_file::{GamesFile, GamesFileError, MatchHeader, PlayerIdentity};
pub use ladder::{AnchorError, Ladder, LadderError, LadderPlayer, NamedAnchor, ladder};
pub use many_pairs::{SmallMatch, play_pairs};
pub use match_game::{MatchGame, MatchPlan};
pub use opening_book::{BookConfig, BookError, Judge, JudgedOpening, Look, OpeningBook, Opinion, make_book};
pub use openings::{DEFAULT_OPENING_PLIES, Opening, OpeningsError, openings};
pub use sealed_file::SealedFileError;
pub use tally::{Forfeit, MatchReport, SideResult, Tally};
