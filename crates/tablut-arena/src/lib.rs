//! Players of Tablut, matches between them, and numbers that mean something.
//!
//! - [`PlayerSpec`]: players named by text; [`Baseline`]: those without a net; [`Nets`]: those with one.
//! - [`openings()`], [`MatchGame`], [`play_match`], [`MatchReport`]: pairs of games from one opening, on all cores.
//! - [`ladder()`]: the ratings of all players that met.

pub mod alphabeta;
pub mod baseline;
pub mod challenge;
pub mod contest;
pub mod ending;
pub mod engine_protocol;
pub mod games_file;
pub mod ladder;
pub mod ladder_svg;
pub mod match_game;
pub mod mind;
pub mod net_player;
pub mod nets;
pub mod opening_book;
pub mod openings;
pub mod opentafl;
pub mod program;
pub mod puzzles;
pub mod report_text;
pub mod rollouts;
pub mod spec;
pub mod tally;
pub mod wire;

pub use baseline::{Baseline, baseline};
pub use contest::{Contestant, MatchConfig, MatchError, MatchOutcome, MatchProgress, Player, play_match, resume_match};
pub use ending::Ending;
pub use games_file::{GameLine, GamePlace, GamesFile, GamesFileError, MatchHeader, PlayerIdentity};
pub use ladder::{AnchorError, Ladder, LadderError, LadderPlayer, NamedAnchor, ladder};
pub use ladder_svg::ladder_svg;
pub use match_game::{GameResult, MatchGame, Seat};
pub use net_player::{NetPlayer, Watch};
pub use nets::{DEFAULT_SIMULATIONS, NetInfo, Nets, NetsError, match_search};
pub use opening_book::{BookConfig, BookError, BookFileError, Judge, JudgedOpening, OpeningBook, make_book};
pub use openings::{DEFAULT_OPENING_PLIES, Opening, OpeningError, openings};
pub use program::{Program, ProgramError};
pub use report_text::{elo_text, endings_text, ladder_table, match_table, sprt_evidence, sprt_text, superiority_table};
pub use spec::{MethodOption, PLAYER_FORMS, PlayerSpec, PlayerSpecError, SearchLimit, SearchOptions};
pub use tally::{MatchReport, SideResult, Tally};
