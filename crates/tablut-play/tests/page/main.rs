//! The page in a real browser: Debian's `chromium` with `chromium-driver`. Where they are missing the tests say that they skip.

mod browser;
#[expect(dead_code, reason = "these tests speak to the server through the browser alone")]
#[path = "../serve/host.rs"]
mod host;

mod access;
mod games;
mod keeping;
mod messages;
mod study;
mod welcome;
mod windows;
