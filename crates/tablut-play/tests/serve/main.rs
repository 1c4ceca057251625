//! The server from outside: what it serves, whom it refuses, what it bears, and what a kill leaves.

mod abuse;
mod access;
#[expect(dead_code, reason = "only the page's tests stop a server for a while")]
mod host;
mod kills;
mod runs;
mod seats;
