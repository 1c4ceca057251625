//! A request to stop work, or to pause it. The requester and the workers share it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A request to stop or pause work. All clones share it. A [child](Self::child) can also be cancelled without its
/// parent. A pause applies to a token, its children and its parents.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    cancelled: Arc<AtomicBool>,
    pause: Arc<Pause>,
    parent: Option<Arc<CancelToken>>,
}

/// The state of a pause. A token shares it with its children.
#[derive(Debug, Default)]
struct Pause {
    /// Whether the work is paused. It is read before `state` is locked, because it is nearly always false.
    is_on: AtomicBool,
    state: Mutex<PauseState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct PauseState {
    since: Option<Instant>,
    before: Duration,
}

impl Pause {
    fn state(&self) -> MutexGuard<'_, PauseState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CancelToken {
    /// A new token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// A token that is cancelled together with this one, and that can also be cancelled without it.
    pub fn child(&self) -> Self {
        Self { cancelled: Arc::default(), pause: self.pause.clone(), parent: Some(Arc::new(self.clone())) }
    }

    /// Requests the stop. Returns false if this token was already cancelled.
    pub fn cancel(&self) -> bool {
        let first = !self.cancelled.swap(true, Ordering::Relaxed);
        // Wakes the threads that wait for the end of a pause. The lock ensures that no thread is between its check and
        // its wait.
        drop(self.pause.state());
        self.pause.changed.notify_all();
        first
    }

    /// Whether a stop was requested, for this token or for one of its parents.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || self.parent.as_ref().is_some_and(|parent| parent.is_cancelled())
    }

    /// Pauses or resumes the work.
    pub fn pause(&self, paused: bool) {
        let mut state = self.pause.state();
        match (paused, state.since) {
            (true, None) => state.since = Some(Instant::now()),
            (false, Some(since)) => {
                state.before += since.elapsed();
                state.since = None;
            }
            _ => {}
        }
        self.pause.is_on.store(paused, Ordering::Relaxed);
        self.pause.changed.notify_all();
    }

    /// How long the work has been paused so far.
    pub fn paused(&self) -> Duration {
        let state = self.pause.state();
        state.before + state.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Waits while the work is paused. Then returns the same as [`is_cancelled`](Self::is_cancelled).
    pub fn must_stop(&self) -> bool {
        if self.pause.is_on.load(Ordering::Relaxed) {
            let mut state = self.pause.state();
            while state.since.is_some() && !self.is_cancelled() {
                state = self.pause.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
        self.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::CancelToken;
    use std::sync::mpsc::channel;

    #[test]
    fn a_child_is_cancelled_with_its_parent_and_not_the_other_way_round() {
        let parent = CancelToken::new();
        let (first, second) = (parent.child(), parent.child().child());
        assert!(first.clone().cancel() && first.is_cancelled() && !first.cancel());
        assert!(!parent.is_cancelled() && !second.is_cancelled());
        assert!(parent.cancel() && second.is_cancelled() && !parent.cancel());
    }

    #[test]
    fn paused_work_waits_until_it_goes_on_or_is_to_stop() {
        let token = CancelToken::new();
        for ends_by_cancel in [false, true] {
            token.pause(true);
            let child = token.child();
            let (told, heard) = channel();
            let worker = std::thread::spawn(move || {
                told.send(None).unwrap();
                told.send(Some(child.must_stop())).unwrap();
            });
            assert_eq!(heard.recv().unwrap(), None);
            assert!(heard.try_recv().is_err(), "paused work goes on");
            if ends_by_cancel {
                token.cancel();
            } else {
                token.pause(false);
            }
            assert_eq!(heard.recv().unwrap(), Some(ends_by_cancel));
            worker.join().unwrap();
        }
        let before = token.paused();
        token.pause(false);
        assert!(before > std::time::Duration::ZERO && token.paused() == token.paused());
        assert!(!CancelToken::new().must_stop());
    }
}
