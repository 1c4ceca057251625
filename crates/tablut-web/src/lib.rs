//! A host of one game session that runs inside a browser: it has no server, no threads and no clock.
//!
//! - [`BrowserHost`]: answers requests of the protocol and does the work that they start, step by step.
//! - [`HostSettings`]: what the host is told at its start.
//! - [`Output`]: events for the page, and what the host wants from the browser.
//! - `abi`: the functions that the module exports. A Web Worker calls them.

#![allow(missing_docs, clippy::missing_errors_doc, reason = "only the page's scripts use this crate")]

mod abi;
mod host;
mod output;

pub use host::{BrowserHost, HostSettings};
pub use output::Output;
