//! Nets that are taught from the page, with the whole program: through the protocol, and in a real browser.

#[expect(dead_code, reason = "these tests use only a part of the browser's functions")]
#[path = "../../../tablut-play/tests/page/browser.rs"]
mod browser;
#[expect(dead_code, reason = "these tests use only a part of the server's functions")]
#[path = "../../../tablut-play/tests/serve/host.rs"]
mod host;

mod page;
mod requests;

/// The program that serves.
const PROGRAM: &str = env!("CARGO_BIN_EXE_tablut");
