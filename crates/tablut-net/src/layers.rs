//! A net's layers and their parameters in one place. All code that stores, runs, trains or exports a net uses them.
//!
//! [`Layers`] is the description of a residual net: the layers of an [`Architecture`](crate::Architecture), and the
//! names, sizes and initial values of their tensors. `network` is its forward pass on the cores. It learns on devices
//! only, with burn. [`lines`](crate::lines) has the layers of nets of lines.

mod description;
mod network;
mod outputs;
mod packing;
mod parameter;

pub use description::{Block, Layers, PolicyHead, ValueHead};
pub(crate) use network::{ResidualNet, ResidualSpace};
pub use outputs::MOVES_LEFT_UNIT;
pub(crate) use outputs::{ValueOutput, softplus};
pub use packing::Values;
pub(crate) use packing::{Dense, matrix, row, row_mut};
pub use parameter::{Convolution, Linear, Parameter, ParameterId, Parameters, Start};
