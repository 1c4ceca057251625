//! How the program starts itself in another process.

use std::ffi::OsString;
use std::process::Command;
use std::sync::OnceLock;

static WORDS: OnceLock<Vec<OsString>> = OnceLock::new();

/// Sets the words that start the program: a file, and arguments before the program's own. The Python package sets them,
/// because the file of its process is Python's. Only the first call has an effect.
pub fn restart_with(words: Vec<OsString>) {
    let _ = WORDS.set(words);
}

/// A command that starts the program without arguments.
pub(crate) fn command() -> std::io::Result<Command> {
    let Some((file, arguments)) = WORDS.get().and_then(|words| words.split_first()) else {
        return Ok(Command::new(std::env::current_exe()?));
    };
    let mut command = Command::new(file);
    command.args(arguments);
    Ok(command)
}
