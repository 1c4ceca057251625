//! Where workers that have run out of tasks get some of the others', so that none is idle while two tasks are left.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// How often a waiting worker looks whether it is to stop.
const POLL: Duration = Duration::from_millis(20);

/// Tasks between two workers.
pub(super) struct Exchange<T> {
    state: Mutex<State<T>>,
    change: Condvar,
    /// Workers that wait, readable without the lock.
    hungry: AtomicUsize,
}

struct State<T> {
    given: Vec<T>,
    /// Workers that have not ended.
    workers: usize,
    waiting: usize,
}

impl<T> Exchange<T> {
    pub(super) fn new(workers: usize) -> Self {
        let state = State { given: Vec::new(), workers, waiting: 0 };
        Self { state: Mutex::new(state), change: Condvar::new(), hungry: AtomicUsize::new(0) }
    }

    /// Gives waiting workers their part of `running`, whose last task its owner keeps.
    pub(super) fn share(&self, running: &mut Vec<T>) {
        let hungry = self.hungry.load(Ordering::Relaxed);
        if hungry == 0 || running.len() < 2 {
            return;
        }
        let kept = running.len().div_ceil(hungry + 1);
        self.lock().given.extend(running.drain(kept..));
        self.change.notify_all();
    }

    /// Waits for tasks of the other workers or new ones from `next`; none when there will be no more, or when `stop` says so.
    pub(super) fn take(
        &self,
        stop: impl Fn() -> bool,
        next: impl Fn() -> Option<T>,
        is_open: impl Fn() -> bool,
    ) -> Vec<T> {
        let mut state = self.lock();
        state.waiting += 1;
        self.hungry.store(state.waiting, Ordering::Relaxed);
        let mut taken = Vec::new();
        while state.given.is_empty() && !stop() {
            // Asked first: what came before the source was closed is still to be taken.
            let open = is_open();
            taken.extend(next());
            if !taken.is_empty() || (state.waiting >= state.workers && !open) {
                break;
            }
            state = self.change.wait_timeout(state, POLL).expect("no worker panics while it holds the tasks").0;
        }
        if taken.is_empty() {
            let part = state.given.len().div_ceil(state.waiting);
            taken.extend(state.given.drain(..part));
        }
        if taken.is_empty() {
            // Still counted as waiting, so that the others see that nobody is left to give.
            self.change.notify_all();
        } else {
            state.waiting -= 1;
            self.hungry.store(state.waiting, Ordering::Relaxed);
        }
        taken
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().expect("no worker panics while it holds the tasks")
    }
}

/// A worker's presence; the others hear of its end, also of an end by a panic.
pub(super) struct Presence<'a, T>(pub(super) &'a Exchange<T>);

impl<T> Drop for Presence<'_, T> {
    fn drop(&mut self) {
        // A worker ends in one of two ways. It waited and got nothing: it is still counted as waiting. Or it failed: the rest is abandoned.
        if let Ok(mut state) = self.0.state.lock() {
            state.workers -= 1;
        }
        self.0.change.notify_all();
    }
}
