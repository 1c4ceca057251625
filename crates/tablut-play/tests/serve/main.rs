//! Tests of the server from outside: files, access control, abuse, and kills.

mod abuse;
mod access;
#[expect(dead_code, reason = "only the page's tests stop a server for a while")]
mod host;
mod kills;
mod runs;
mod seats;

/// The program that serves.
const PROGRAM: &str = env!("CARGO_BIN_EXE_tablut-play");
