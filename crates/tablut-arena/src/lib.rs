//! Matches between players of Tablut: openings, games, files of games, ladders.
//!
//! - [`openings()`], [`MatchGame`], [`play_match`], [`MatchReport`]: pairs of games from one opening, on all cores.
//! - [`ladder()`]: the ratings of all players that met.

pub mod contest;
pub mod games_file;
pub mod ladder;
pub mod ladder_svg;
pub mod match_game;
pub mod opening_book;
pub mod openings;
pub mod report_text;
pub mod tally;

pub use contest::{Contestant, MatchConfig, MatchError, MatchOutcome, MatchProgress, Player, play_match, resume_match};
pub use games_file::{GameLine, GamePlace, GamesFile, GamesFileError, MatchHeader, PlayerIdentity};
pub use ladder::{AnchorError, Ladder, LadderError, LadderPlayer, NamedAnchor, ladder};
pub use ladder_svg::ladder_svg;
pub use match_game::{GameResult, MatchGame, Seat};
pub use opening_book::{BookConfig, BookError, BookFileError, Judge, JudgedOpening, OpeningBook, make_book};
pub use openings::{DEFAULT_OPENING_PLIES, Opening, OpeningError, openings};
pub use report_text::{elo_text, endings_text, ladder_table, match_table, sprt_evidence, sprt_text, superiority_table};
pub use tally::{MatchReport, SideResult, Tally};
