//! The one door from a command's result to an exit code.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | done, or whoever read the output wanted no more of it |
//! | 2 | an error, said on standard error |
//! | 130, 143 | stopped by Ctrl-C, by SIGTERM |

use std::process::ExitCode;

use crate::console::{OutputError, complain};
use crate::hints;
use crate::interrupt::Interrupted;

/// Says what went wrong, and gives the exit code.
pub fn code(result: anyhow::Result<()>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    if let Some(interrupted) = error.downcast_ref::<Interrupted>() {
        return ExitCode::from(interrupted.exit_code);
    }
    if OutputError::find(&error).is_some_and(OutputError::reader_has_gone) {
        return ExitCode::SUCCESS;
    }
    if let Some(usage) = error.downcast_ref::<clap::Error>() {
        // With its colours; standard error may be closed.
        let _ = usage.print();
    } else {
        complain(format_args!("error: {error:#}"));
        if let Some(hint) = hints::for_error(&error) {
            complain(format_args!("hint: {hint}"));
        }
    }
    ExitCode::from(2)
}
