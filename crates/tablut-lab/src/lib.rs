//! Code that only experiments use. The examples of this crate are the experiments' programs. [`Endgames`] has the value
//! of every position with few pieces. The product does not depend on this crate.

mod endgame;

pub use endgame::{EndgameCounts, EndgameError, EndgameSummary, EndgameValue, Endgames, Material, MaterialError};
