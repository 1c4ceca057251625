//! Faults that tests inject into a device.

use std::sync::atomic::{AtomicU64, Ordering};

use super::error::DeviceError;

/// The environment variable with a fault: `evaluate:N` or `learn:N`. The device's N-th batch or step fails, counted
/// from 1.
const VARIABLE: &str = "TABLUT_DEVICE_FAULT";

/// Kinds of work on a device.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub(super) enum Work {
    /// Evaluating a batch.
    Evaluate,
    /// A training step.
    Learn,
    /// Moving values to or from the device, or querying it. Faults are not injected here.
    Move,
}

/// A fault that will be injected, or none.
#[derive(Debug, Default)]
pub(super) struct Fault {
    work: Option<Work>,
    /// Pieces of this work until the fault. 0 after it.
    left: AtomicU64,
}

impl Fault {
    /// The fault in the environment.
    pub fn from_env() -> Result<Self, DeviceError> {
        match std::env::var_os(VARIABLE) {
            None => Ok(Self::default()),
            Some(text) => Self::parse(&text.to_string_lossy()),
        }
    }

    pub fn parse(text: &str) -> Result<Self, DeviceError> {
        let wrong = || DeviceError::Fault(text.to_owned());
        let (work, number) = text.split_once(':').ok_or_else(wrong)?;
        let work = match work {
            "evaluate" => Work::Evaluate,
            "learn" => Work::Learn,
            _ => return Err(wrong()),
        };
        let number: u64 = number.parse().ok().filter(|&number| number > 0).ok_or_else(wrong)?;
        Ok(Self { work: Some(work), left: number.into() })
    }

    /// Counts a piece of work.
    ///
    /// # Panics
    /// If the fault is due. Drivers fail with a panic too.
    pub fn strike(&self, work: Work) {
        if self.work != Some(work) {
            return;
        }
        let before = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        assert_ne!(before, Ok(1), "a fault injected by {VARIABLE}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_that_cannot_be_read_are_named() {
        for text in ["", "learn", "learn:0", "learn:x", "sleep:1"] {
            let error = Fault::parse(text).unwrap_err().to_string();
            assert!(error.contains(&format!("`{text}`")) && error.contains("evaluate:N"), "{error}");
        }
    }
}
