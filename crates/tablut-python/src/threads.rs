//! Threads that stay from call to call.
//!
//! A forked process does not have them, so it starts its own. Their lock is taken only while Python's own lock is held,
//! so no thread holds it while the process forks. Thus a process can fork at any time.

use crate::errors::runtime_error;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Mutex, PoisonError};

static STARTED: Mutex<Option<(u32, &'static ThreadPool)>> = Mutex::new(None);

/// The process's threads, one per core without the calling thread's. A further thread would only look for work and disturb
/// the others.
fn pool(_py: Python<'_>) -> PyResult<&'static ThreadPool> {
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((_, pool)) = started.filter(|&(owner, _)| owner == process) {
        return Ok(pool);
    }
    let n = std::thread::available_parallelism().map_or(1, usize::from).saturating_sub(1).max(1);
    // It is never dropped, because another process's threads cannot be ended.
    let pool = Box::leak(Box::new(ThreadPoolBuilder::new().num_threads(n).build().map_err(runtime_error)?));
    *started = Some((process, pool));
    Ok(pool)
}

/// The calling thread and some of the process's threads.
#[derive(Clone, Copy)]
pub(crate) struct Workers {
    /// `None` for the calling thread alone.
    pool: Option<&'static ThreadPool>,
    n: usize,
}

impl Workers {
    pub(crate) fn new(py: Python<'_>, n: usize) -> PyResult<Self> {
        Ok(Self { pool: if n > 1 { Some(pool(py)?) } else { None }, n })
    }

    pub(crate) fn n(self) -> usize {
        self.n
    }

    /// Does the first job on the calling thread and each other one on another. There must be at most as many jobs as
    /// threads.
    pub(crate) fn run<J: Send>(self, jobs: impl IntoIterator<Item = J>, work: impl Fn(J) + Sync) {
        let mut jobs = jobs.into_iter();
        let (first, work) = (jobs.next(), &work);
        let Some(first) = first else { return };
        if let Some(pool) = self.pool {
            pool.in_place_scope(|scope| {
                for job in jobs {
                    scope.spawn(move |_| work(job));
                }
                work(first);
            });
        } else {
            work(first);
            jobs.for_each(work);
        }
    }
}
