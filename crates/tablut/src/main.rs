//! The `tablut` binary.

use std::process::ExitCode;

/// musl's own allocator makes self-play 4 % slower.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(tablut::run(std::env::args_os()))
}
