//! Players of Tablut: named by text, made from it, and asked for moves.
//!
//! - [`PlayerSpec`]: a player's text; [`SearchOptions`]: what a net's search does differently.
//! - [`baseline()`]: players without a net, among them the hand-written engine, [`alphabeta`].
//! - [`Nets`], [`NetPlayer`]: nets, loaded once, and one that plays alone.
//! - [`Ending`]: how a game between players ended.

pub mod alphabeta;
pub mod baseline;
pub mod ending;
pub mod net_player;
pub mod nets;
pub mod rollouts;
pub mod spec;

pub use baseline::{Baseline, baseline};
pub use ending::Ending;
pub use net_player::{NetPlayer, Watch};
pub use nets::{DEFAULT_SIMULATIONS, NetInfo, NetSearch, Nets, NetsError, match_search};
pub use spec::{MAX_SIMULATIONS, MethodOption, PLAYER_FORMS, PlayerSpec, PlayerSpecError, SearchLimit, SearchOptions};
