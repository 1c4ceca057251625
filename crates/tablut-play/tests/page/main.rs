//! The page in a real browser: Debian's `chromium` with `chromium-driver`. If they are missing, the tests are skipped.

mod browser;
#[expect(dead_code, reason = "these tests reach the server only through the browser")]
#[path = "../serve/host.rs"]
mod host;

mod access;
mod boards;
mod first_minutes;
mod games;
mod hands;
mod keeping;
mod messages;
mod study;
mod welcome;
mod windows;

/// The program that serves.
const PROGRAM: &str = env!("CARGO_BIN_EXE_tablut-play");
