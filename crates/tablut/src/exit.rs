//! Turns a command's result into an exit code.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | success, or the reader has closed standard output |
//! | 2 | an error, whose message is on standard error |
//! | 130 | stopped by Ctrl-C |
//! | 143 | stopped by SIGTERM |

use crate::console::{OutputError, complain};
use crate::hints;
use crate::interrupt::Interrupted;

/// Prints the error, if any, and returns the exit code.
pub fn code(result: anyhow::Result<()>) -> u8 {
    let Err(error) = result else { return 0 };
    if let Some(interrupted) = error.downcast_ref::<Interrupted>() {
        return interrupted.exit_code;
    }
    if OutputError::find(&error).is_some_and(OutputError::reader_has_gone) {
        return 0;
    }
    if let Some(usage) = error.downcast_ref::<clap::Error>() {
        // This keeps clap's colours. Standard error may be closed.
        let _ = usage.print();
    } else {
        complain(format_args!("error: {error:#}"));
        if let Some(hint) = hints::for_error(&error) {
            complain(format_args!("hint: {hint}"));
        }
    }
    2
}
