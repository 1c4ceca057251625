//! What only experiments use: the examples of this crate are their programs, and [`Endgames`] has the value of every
//! position with few pieces. The product does not depend on it.

mod endgame;

pub use endgame::{EndgameCounts, EndgameError, EndgameSummary, EndgameValue, Endgames, Material, MaterialError};
