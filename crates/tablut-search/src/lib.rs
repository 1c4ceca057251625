//! Search for Tablut: Gumbel `AlphaZero` and PUCT over any [`Evaluator`], with an exact solver in the tree.
//!
//! A [`Search`] is a state machine. [`Search::gather`] says which positions it wants evaluated, someone evaluates
//! them, [`Search::apply`] takes the answers, until [`Search::is_done`]. It has no threads, no clock and no input or
//! output; randomness comes from the generator that it is handed, so that a search is a function of its game, its
//! settings, its seed and its evaluator. A [`Limit`] says how long to think; [`Anytime`] keeps to it, told the time.
//!
//! A search is a tree, or with [`SearchConfig::transpositions`] a graph in which lines of moves meet that lead to the same
//! state of the game. What is proven is exact in both (`src/proof.rs` says why).
//!
//! Values are absolute (+1 attackers win, −1 defenders win) in the tree and in all results; [`turned`] is the one
//! door to the view of the side to move, in which the [`formulas`] are written.

mod anytime;
mod cache;
mod config;
mod evaluator;
mod graph;
mod limit;
mod lines;
mod perspective;
mod proof;
mod search;

pub mod exhaustive;
pub mod formulas;

pub use anytime::{Anytime, FIRST_ROUND};
pub use cache::{CacheCounts, CacheScope, CachedEvaluator, EvaluationCache};
pub use config::{
    ConfigError, GumbelConfig, Interior, Method, MovesLeftConfig, PuctConfig, QScale, Repeats, SearchConfig,
    SigmaConfig, Solver,
};
pub use evaluator::{EvaluateError, Evaluation, Evaluator, Query, UniformEvaluator, check_answers};
pub use limit::{LIMIT_FORMS, Limit, LimitError};
pub use lines::{Branch, Line};
pub use perspective::{turned, value_of};
pub use proof::Proof;
pub use search::{Memory, RootMove, Search, SearchResult, Stop};
