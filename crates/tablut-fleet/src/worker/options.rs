//! How a worker works, and what it has done.

use tablut_games::Concurrency;

/// How a worker works.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// Its name, unique in the fleet.
    pub name: String,
    /// Threads, and games that each keeps going.
    pub concurrency: Concurrency,
}

/// What a worker has done.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct WorkerSummary {
    /// Games played.
    pub games: u64,
    /// Jobs done.
    pub jobs: u64,
    /// Seconds that it was there.
    pub seconds: f64,
}
