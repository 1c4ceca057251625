//! Training inside a browser.
//!
//! A [`Learner`] is a run without files: it orders games, learns from them step by step, and gives and takes checkpoints as
//! bytes. A [`TeachPlayer`] plays games of an order. Several players and one learner are workers of a page, which passes
//! [`TeachMessage`]s between them; so the bits of a run do not depend on the number of workers.
//!
//! The page calls the module through `abi`.

// The program uses this crate too, and has no functions for JavaScript.
#[cfg(any(target_family = "wasm", test))]
mod abi;
mod learner;
mod message;
mod order;
mod plan;
mod player;
mod rating;
mod views;

pub use learner::Learner;
pub use message::TeachMessage;
pub use order::OrderText;
pub use plan::{Plan, Planned};
pub use player::TeachPlayer;
pub use rating::{Match, MatchText};
pub use views::generation_views;
