//! Turns a device's panics into errors. burn and the drivers panic when they fail.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Once, OnceLock};

use super::fault::{Fault, Work};

thread_local! {
    /// Whether this thread runs work whose panics become errors.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// The state of a device: working or failed. After a failure every further use fails with the same message.
pub(super) struct Health {
    name: String,
    failure: OnceLock<String>,
    fault: Fault,
}

impl Health {
    /// A working device, which fails at `fault`.
    pub fn new(name: String, fault: Fault) -> Self {
        Self { name, failure: OnceLock::new(), fault }
    }

    /// The device's name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the failure if the device has failed.
    pub fn check(&self) -> Result<(), String> {
        self.failure.get().map_or(Ok(()), |failure| Err(failure.clone()))
    }

    /// Runs a piece of work on the device. A panic and an error both mean that the device has failed.
    pub fn run<T>(&self, work: Work, run: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
        self.check()?;
        let run = || {
            self.fault.strike(work);
            run()
        };
        caught(run).flatten().map_err(|reason| self.fail(&reason))
    }

    /// Records the first failure and returns its message.
    fn fail(&self, reason: &str) -> String {
        let message = || {
            format!(
                "device {}: {}; the same command continues a run, and other commands also work with `--device cpu`",
                self.name,
                shortened(reason)
            )
        };
        self.failure.get_or_init(message).clone()
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
    let of_burn = |name: &str| name.starts_with("DSU-") || name.starts_with("DSD-");
    GUARDED.try_with(Cell::get).unwrap_or(false) || std::thread::current().name().is_some_and(of_burn)
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
    fn a_panic_is_an_error_and_the_device_stays_failed() {
        let health = Health::new("gpu:0".to_owned(), Fault::default());
        assert_eq!(health.run(Work::Evaluate, || Ok(3)), Ok(3));
        let error = health.run::<()>(Work::Evaluate, || panic!("out of {}\n\nBacktrace: …", "memory")).unwrap_err();
        assert!(error.contains("gpu:0: out of memory") && error.contains("--device cpu"), "{error}");
        assert_eq!(health.run(Work::Learn, || Ok(3)), Err(error.clone()));
        assert_eq!(health.check(), Err(error));
    }

    #[test]
    fn an_error_counts_as_a_panic() {
        let health = Health::new("gpu:0".to_owned(), Fault::default());
        let error = health.run::<()>(Work::Learn, || Err("lost".to_owned())).unwrap_err();
        assert!(error.contains("lost") && health.check().is_err());
    }

    #[test]
    fn an_injected_fault_strikes_once_the_count_is_reached() {
        let health = Health::new("gpu:0".to_owned(), Fault::parse("learn:2").unwrap());
        assert!(health.run(Work::Evaluate, || Ok(())).is_ok() && health.run(Work::Evaluate, || Ok(())).is_ok());
        assert!(health.run(Work::Learn, || Ok(())).is_ok());
        let error = health.run(Work::Learn, || Ok(())).unwrap_err();
        assert!(error.contains("TABLUT_DEVICE_FAULT"), "{error}");
    }
}
