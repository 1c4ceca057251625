//! Protocols between programs that play Tablut, each in both directions: our program as the engine, and our program as
//! the host of another engine.
//!
//! - [`engine_protocol`]: a line protocol similar to UCI, for graphical programs and scripts.
//! - [`opentafl`]: the protocol of OpenTafl's engines.
//! - [`challenge`]: the protocol of the Tablut Challenge, over TCP.
//! - [`BridgePlayer`]: the player of our program as an engine. [`start_program`]: another program as a player in
//!   matches. [`wire`]: sending and receiving lines.

#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod challenge;
mod clock;
pub mod engine_protocol;
pub mod opentafl;
mod program;
mod start;
pub mod wire;

pub use start::start_program;
pub use wire::BridgePlayer;
