//! Parameters of layers, packed weights, and a net's outputs. `src/lines/description.rs` lists a net's layers.

mod outputs;
mod packing;
mod parameter;

pub use outputs::MOVES_LEFT_UNIT;
pub(crate) use outputs::{ValueOutput, softplus};
pub use packing::Values;
pub(crate) use packing::{Dense, matrix, row, row_mut};
pub use parameter::{Linear, Parameter, ParameterId, Parameters, Start};
