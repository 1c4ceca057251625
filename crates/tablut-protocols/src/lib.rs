//! Protocols between programs that play Tablut, each in both directions: spoken by us, and by a program that plays with us.
//!
//! - [`engine_protocol`]: lines in the manner of UCI, for graphical programs and scripts.
//! - [`opentafl`]: the protocol of OpenTafl's engines.
//! - [`challenge`]: the Tablut Challenge's, over TCP.
//! - [`start_program`]: another program as a player of matches; [`wire`]: lines that go to and fro.

pub mod challenge;
pub mod engine_protocol;
pub mod mind;
pub mod opentafl;
mod process;
pub mod program;
mod start;
pub mod wire;

pub use start::start_program;
