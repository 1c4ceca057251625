//! Moves tasks between workers, so that no worker is idle while another has two tasks.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// How often a waiting worker checks whether to stop.
const POLL: Duration = Duration::from_millis(20);

/// Tasks that move from one worker to another.
pub(super) struct Exchange<T> {
    state: Mutex<State<T>>,
    change: Condvar,
    /// The number of waiting workers, readable without the lock.
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

    /// Gives waiting workers their share of `running`. The owner keeps at least one task.
    pub(super) fn share(&self, running: &mut Vec<T>) {
        let hungry = self.hungry.load(Ordering::Relaxed);
        if hungry == 0 || running.len() < 2 {
            return;
        }
        let kept = running.len().div_ceil(hungry + 1);
        self.lock().given.extend(running.drain(kept..));
        self.change.notify_all();
    }

    /// Waits for tasks from other workers or new ones from `next`. Returns nothing if there will be no more, or if
    /// `stop` is true.
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
            // This must come first: a task may have arrived just before the source was closed.
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
            // This worker still counts as waiting, so that the others see that nobody has tasks to give.
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

/// A running worker. It is dropped when the worker ends, even by a panic, so that the other workers notice the end.
pub(super) struct Presence<'a, T>(pub(super) &'a Exchange<T>);

impl<T> Drop for Presence<'_, T> {
    fn drop(&mut self) {
        // A worker that ends because no tasks are left still counts as waiting. A worker that fails ends the whole run.
        if let Ok(mut state) = self.0.state.lock() {
            state.workers -= 1;
        }
        self.0.change.notify_all();
    }
}
