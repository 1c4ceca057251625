//! Turns a device's panics into errors. burn and the drivers panic when they fail.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use crate::gradient_backend::StepError;

thread_local! {
    /// Whether this thread runs work whose panics become errors.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs a piece of work on the device with this name. A panic becomes an error, and errors of the device name it.
pub(super) fn guarded<T>(device: &str, run: impl FnOnce() -> Result<T, StepError>) -> Result<T, StepError> {
    let reason = match caught(run) {
        Ok(Err(StepError::Device(reason))) | Err(reason) => reason,
        Ok(result) => return result,
    };
    let reason = shortened(&reason);
    Err(StepError::Device(format!(
        "device {device}: {reason}; the same command continues a run, and other commands also work with `--device cpu`"
    )))
}

/// A value on a device. Values on a broken device may panic once more when they are freed, which is ignored.
pub(super) struct Quiet<T>(Option<T>);

impl<T> Quiet<T> {
    pub fn new(value: T) -> Self {
        Self(Some(value))
    }

    pub fn get(&self) -> &T {
        self.0.as_ref().expect("there until this is dropped")
    }

    pub fn get_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("there until this is dropped")
    }
}

impl<T> Drop for Quiet<T> {
    fn drop(&mut self) {
        let _ = caught(|| drop(self.0.take()));
    }
}

/// Runs `run` and returns the message of its panic, which is not printed.
pub(super) fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let earlier = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !is_quiet() {
                earlier(info);
            }
        }));
    });
    let before = GUARDED.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    GUARDED.set(before);
    result.map_err(|panic| message(&*panic))
}

/// Whether this thread's panics become errors and must not be printed. This holds for guarded work, and for the threads
/// on which burn calls a driver, because burn passes their panics to the caller.
fn is_quiet() -> bool {
    let is_burns = |name: &str| name.starts_with("DSU-") || name.starts_with("DSD-");
    GUARDED.try_with(Cell::get).unwrap_or(false) || std::thread::current().name().is_some_and(is_burns)
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("its driver stopped without a message").to_owned()
}

/// The first lines of a message, as one line. Drivers add backtraces.
fn shortened(reason: &str) -> String {
    const LINES: usize = 4;
    let lines = reason.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.take(LINES).map(tablut_rules::shown).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_and_errors_of_a_device_name_it() {
        let error = guarded::<()>("gpu:0", || panic!("out of {}\n\nBacktrace: …", "memory")).unwrap_err().to_string();
        assert!(error.contains("device gpu:0: out of memory Backtrace") && error.contains("--device cpu"), "{error}");
        let error = guarded::<()>("gpu:0", || Err(StepError::Device("lost".to_owned()))).unwrap_err().to_string();
        assert!(error.contains("gpu:0: lost"), "{error}");
        let diverged = || Err(StepError::Diverged { step: 1, what: "loss", value: f32::NAN });
        assert!(!guarded::<()>("gpu:0", diverged).unwrap_err().to_string().contains("gpu:0"));
    }
}
