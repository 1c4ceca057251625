//! The server from outside: what it serves, whom it refuses, what it bears, and what a kill leaves.

mod abuse;
mod access;
mod host;
mod kills;
mod runs;
mod seats;
