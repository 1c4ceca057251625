//! One game of Tablut without an interface: no input or output, no threads, no clock.
//!
//! - [`Session`]: a game with its variations, comments and players. [`MoveReport`] describes a move, and [`SavedGame`]
//!   is the file of a game, with the rules in full.
//! - [`Level`]: how strong the computer plays. [`Thinking`]: one search that a host drives.
//! - [`Work`]: everything that takes time, in short steps: replies, analysis, reviews with exercises, proofs, the lens,
//!   experiments with rules.
//! - [`LiveGame`]: a session with the [`protocol`]. A host passes each [`protocol::Request`] to the game, sends the
//!   [`protocol::Event`]s to its interfaces, runs the [`SessionJob`]s and reports their steps.
//! - [`board_text`], [`picture`]: a position as text and as an SVG file.
//! - [`form`]: a rule set's clauses as data, for a page that edits them.

#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod annotation;
pub mod board_text;
mod clock;
mod exercise;
pub mod form;
mod grade;
mod host_config;
mod jobs;
mod lesson;
mod level;
mod link;
mod live_game;
pub mod picture;
mod player;
pub mod protocol;
mod purpose;
mod puzzle;
mod record;
mod report;
mod results;
mod saved;
mod session;
mod shared_search;
mod teaching;
mod thinking;
mod tree;
pub mod view;
pub mod words;
mod work;

pub use clock::{Clock, ClockView, TimeControl};
pub use exercise::{Exercise, Judgement, LessonStep, Sufficiency};
pub use grade::{Grade, GradeScale, SideReview, SideReviews};
pub use host_config::{CustomPlayer, DEMO_PAUSE, HostConfig};
pub use jobs::{JobId, JobName, JobQueue, JobTask, JobUpdate, Priority, SessionJob};
pub use level::{LEVELS, Level, LevelInfo, vary_opening};
pub use live_game::{LiveGame, Response, export_games, first_side, read_games};
pub use player::{Controller, Offer, OfferView, Players, Seats};
pub use puzzle::{BookPuzzle, PuzzleBook, PuzzleCounts};
pub use record::Format;
pub use report::{Alarm, GameEnding, MoveReport};
pub use results::{
    Balance, ExperimentView, FoundPuzzle, LensRow, Mistake, NextPuzzle, RefutationBranch, RefutationView, ReviewReport,
    Share, Shares,
};
pub use saved::{FORMAT, SavedGame, SavedGameError, SavedPosition, SavedReview, VERSION};
pub use session::{MAX_COMMENT, MAX_COMMENT_BYTES, MAX_NODES, Session, SessionError};
pub use shared_search::{SearchOrder, SharedSearch};
pub use teaching::{
    GenerationView, RecentScore, ScoreView, TaughtNet, TrainingGame, TrainingPhase, TrainingState, TrainingView,
    check_teachable, pool_scores,
};
pub use thinking::{Analysis, LineView, Thinking, report_search};
pub use tree::{Node, NodeId, NodeValue, Reviewed, Tree};
pub use work::{AnalysisMemory, Experiment, Review, SearchWork, Step, Update, Work};
