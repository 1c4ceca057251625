//! Search for Tablut: Gumbel `AlphaZero` and PUCT over any [`Evaluator`], with an exact solver in the tree.
//!
//! A [`Search`] is a state machine. [`Search::gather`] returns the positions that it needs evaluated. The caller
//! evaluates them and passes the answers to [`Search::apply`]. This repeats until [`Search::is_done`]. The search has
//! no threads, no clock, and no input or output. All randomness comes from the generator that it is given. So the
//! result depends only on the game, the settings, the seed and the evaluator. A [`Limit`] bounds the simulations or the
//! time. With a time limit the caller reads the clock and calls [`Search::goes_on`].
//!
//! Proven results are exact. `src/proof.rs` explains why.
//!
//! In the tree and in all results, values are absolute: +1 if the attackers win, −1 if the defenders win. The
//! [`formulas`] use the view of the side to move. Only [`turned`] converts between the two.

#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![warn(missing_docs, clippy::missing_errors_doc)]

mod chances;
mod config;
mod evaluator;
mod leaf;
mod limit;
mod lines;
mod perspective;
mod proof;
mod search;
mod tree;

pub mod exhaustive;
pub mod formulas;

pub use chances::Chances;
pub use config::{
    ConfigError, DrawValues, GumbelConfig, Method, PuctConfig, QScale, Repeats, SearchConfig, SelfPlaySearch,
    SigmaConfig, Solver,
};
pub use evaluator::{EvaluateError, Evaluation, Evaluator, UniformEvaluator};
pub use leaf::LeafSolver;
pub use limit::{LIMIT_FORMS, Limit, LimitError, Stop};
pub use lines::{Branch, Line};
pub use perspective::{turned, value_of};
pub use proof::Proof;
pub use search::{RootMove, Search, SearchResult};
pub use tablut_rules::Situation;
pub use tree::Memory;
