//! Players of Tablut: their names, their creation, and their moves.
//!
//! - [`PlayerSpec`], [`NamedPlayer`]: a player's text. [`SearchOptions`]: changes to a net's search.
//! - [`Player`]: one side of a game, implemented by every player. [`Contestant::of`] turns a text into a
//!   [`Contestant`], which creates players for games.
//! - [`Baseline`]: players without a net, including the hand-written engine, [`alphabeta`].
//! - [`NetSearch`]: how a net plays. [`SearchPlayer`] plays one of many games at once, [`Searcher`] searches one game at
//!   a time.

#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod alphabeta;
pub mod baseline;
pub mod contestant;
pub mod named;
pub mod net_search;
pub mod player;
pub mod rollouts;
pub mod searcher;
pub mod spec;

pub use baseline::Baseline;
pub use contestant::{Contestant, Demand, StartProgram};
pub use named::{NamedPlayer, is_name};
pub use net_search::{NetSearch, net_of, play_simulations};
pub use player::{Fault, Player, PlayerError};
pub use searcher::{SearchPlayer, Searcher};
pub use spec::{MAX_SIMULATIONS, PLAYER_FORMS, PlayerSpec, PlayerSpecError, SearchLimit, SearchOptions};
