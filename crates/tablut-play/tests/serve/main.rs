//! Tests of the server from outside: files, access control, abuse, and kills.

mod abuse;
mod access;
mod host;
mod kills;
mod runs;
mod seats;
