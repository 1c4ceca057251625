//! One game of Tablut without an interface: no input or output, no threads, no clock.
//!
//! - [`Session`]: a game with its variations, comments and players; [`MoveReport`] says what a move brought about;
//!   [`SavedGame`] is the file, with the rules in full.
//! - [`Level`]: how strong the computer plays; [`Thinking`]: one search that a host drives; [`Work`]: everything that is
//!   thought about, in short steps: replies, analysis, reviews with exercises, proofs, the lens, experiments with rules.
//! - [`Table`]: a session with the [`protocol`] on it. A host reads a [`protocol::Call`], hands it to the table, sends
//!   the [`protocol::Event`]s on, and does the work that the table assigns.
//! - [`form`]: a rule set's clauses as data, for a page that edits them.

mod annotation;
mod ending;
pub mod form;
mod level;
mod link;
mod lobby;
pub mod picture;
pub mod protocol;
mod puzzle;
mod record;
mod report;
mod saved;
mod seat;
mod session;
mod table;
mod thinking;
mod training;
mod tree;
mod value;
pub mod view;
pub mod words;
mod work;

pub use ending::GameEnding;
pub use level::{LEVELS, Level, LevelInfo, LevelRatings, SideRating, session_search, vary_opening};
pub use lobby::{Lobby, OwnPlayer, chosen_rules, new_game, set_up};
pub use puzzle::{BookPuzzle, PuzzleBook, PuzzleCounts};
pub use record::Format;
pub use report::{Alarm, MoveReport};
pub use saved::{FORMAT, SavedGame, SavedGameError, SavedPosition, VERSION};
pub use seat::{Seat, Seats};
pub use session::{MAX_COMMENT, MAX_NODES, Session, SessionError};
pub use table::{Assignment, Response, Table, Ticket, Urgency};
pub use thinking::{Analysis, LineView, Thinking, leaning};
pub use training::{GenerationBalance, TrainingState, TrainingView};
pub use tree::{Node, NodeId, Tree};
pub use value::{Chances, NodeValue, Proven};
pub use work::{
    AnalysisWork, Balance, Exercise, Experiment, ExperimentView, Find, Finding, Finds, Glance, Judgement, Lens,
    LensRow, MAX_EXPERIMENT_GAMES, Mistake, N_LINES, Refutation, RefutationBranch, RefutationView, Reply, Review,
    ReviewReport, STRENGTHS, Step, Sufficiency, ThreatWork, Work,
};
