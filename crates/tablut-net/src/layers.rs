//! A net's layers and their parameters in one place. All code that stores, runs, trains or exports a net uses them.
//!
//! [`Layers`] is the description: the layers of an [`Architecture`](crate::Architecture), and the names, sizes and
//! initial values of their tensors. `Trunk` and `Heads` are the layers packed for the kernels, each convolution in
//! the [`Arithmetic`] of the net, with their forward pass. [`adjoint`] is the backward pass, for training. The engine
//! and the learner run the same code. They differ only in the storage of activations: the engine overwrites them, the
//! learner keeps them.

pub mod adjoint;
mod bfloat16;
mod description;
mod heads;
mod kept;
mod packing;
mod parameter;
mod trunk;
mod winograd;

pub(crate) use bfloat16::Bf16Workspace;
pub use description::{Block, Layers, PolicyHead, ValueHead};
pub use heads::MOVES_LEFT_UNIT;
pub(crate) use heads::{HeadSpace, Heads, softplus};
pub(crate) use kept::{row, row_mut};
pub use packing::{Arithmetic, Values};
pub use parameter::{Convolution, Linear, Parameter, ParameterId, Parameters, Start};
pub(crate) use trunk::{Activations, Trunk};
pub(crate) use winograd::{Overwritten, Points, Room};
