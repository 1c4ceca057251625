//! A net's layers and their parameters, in one place: what everything that holds, runs, learns or exports a net walks.
//!
//! [`Layers`] is the description: which layers an [`Architecture`](crate::Architecture) has, and the names, sizes and
//! initial values of their tensors. [`Trunk`] and [`Heads`] are the layers packed for the kernels in some
//! [`Arithmetic`], with their forward pass; [`adjoint`] is the way back, for learning. The engine and the learner run
//! the same code and differ in where activations go: the engine writes over them, the learner keeps them.

pub mod adjoint;
mod bfloat16;
mod description;
mod float32;
mod heads;
mod kept;
mod packing;
mod parameter;
mod trunk;

pub(crate) use bfloat16::{Bf16, Bf16Workspace};
pub use description::{Block, Layers, PolicyHead, ValueHead};
pub(crate) use float32::Overwritten;
pub use float32::{F32, Float32, Room, Store};
pub use heads::{HeadSpace, Heads, MOVES_LEFT_UNIT, softplus};
pub use kept::Kept;
pub use packing::{Arithmetic, Values};
pub use parameter::{Convolution, Linear, Parameter, ParameterId, Parameters, Start};
pub use trunk::{Activations, Place, Step, Trunk};
