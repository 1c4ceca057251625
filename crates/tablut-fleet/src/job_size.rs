//! The number of games of a job, and the number of jobs that a worker fetches.

use crate::wire::Job;

/// The target duration of a job in seconds. It is long compared with sending a message, and short compared with a
/// generation.
const JOB_SECONDS: f64 = 4.0;
/// Each worker gets at least this many jobs of a generation, so that a slow worker does not delay its end.
const JOBS_PER_WORKER: usize = 4;
/// The number of workers that is assumed before the first heartbeat.
const EXPECTED_WORKERS: usize = 4;
const MAX_GAMES: usize = 256;

/// The number of games of one job in a generation of `games`, for `workers` with this speed together. A job takes about
/// four seconds of one worker, and has at most a quarter of the worker's part of the generation. A speed of 0 means
/// that it is unknown.
///
/// The size of jobs does not change the games.
pub fn job_size(games: usize, workers: usize, games_per_second: f64) -> usize {
    let workers = if workers == 0 { EXPECTED_WORKERS } else { workers };
    let part = games.div_ceil(workers * JOBS_PER_WORKER);
    let timed =
        if games_per_second > 0.0 { (JOB_SECONDS * games_per_second / workers as f64).round() as usize } else { part };
    timed.min(part).clamp(1, MAX_GAMES)
}

/// Determines the number of jobs that a worker fetches.
pub struct FetchPlan {
    /// Games that the worker can play at the same time.
    capacity: usize,
    /// Games of the last job; 0 before the first job.
    job_games: usize,
    /// This worker's part of the last job's generation, in games.
    part: usize,
}

impl FetchPlan {
    /// The plan of a worker that can play `capacity` games at the same time.
    pub fn new(capacity: usize) -> Self {
        Self { capacity, job_games: 0, part: 0 }
    }

    /// Stores the size of jobs and this worker's part of their generation.
    pub fn learn(&mut self, job: &Job, threads: usize) {
        self.job_games = job.count;
        let all = job.fleet_threads.max(threads);
        self.part = (job.order.games * threads).div_ceil(all).max(1);
    }

    /// The number of jobs to fetch when `holding` games are not finished. It keeps the threads busy until the next job
    /// arrives, and does not exceed this worker's part.
    pub fn n_jobs(&self, holding: usize) -> usize {
        if self.job_games == 0 {
            return usize::from(holding == 0);
        }
        let most = (self.capacity + self.job_games).min(self.part.max(self.job_games));
        most.saturating_sub(holding).div_ceil(self.job_games).min(16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_last_some_seconds_and_leave_every_worker_several() {
        // (games, workers, games per second together) → games of a job
        let table = [
            ((200, 0, 0.0), 13),   // no worker yet: sixteen jobs
            ((200, 1, 0.0), 50),   // one worker that has not played
            ((200, 1, 12.0), 48),  // four seconds
            ((200, 10, 120.0), 5), // a quarter of its part
            ((20_000, 10, 120.0), 48),
            ((20_000, 1, 10_000.0), 256),
            ((10, 40, 40.0), 1),
            ((100, 2, 0.01), 1), // games take minutes, so each job has one
        ];
        for ((games, workers, rate), expected) in table {
            let found = job_size(games, workers, rate);
            assert_eq!(found, expected, "{games} games, {workers} workers, {rate} games/s");
        }
    }

    #[test]
    fn a_worker_fetches_what_it_can_use_and_leaves_others_their_part() {
        let plan = |part, holding| FetchPlan { capacity: 128, job_games: 10, part }.n_jobs(holding);
        assert_eq!(FetchPlan::new(128).n_jobs(0), 1);
        assert_eq!(FetchPlan::new(128).n_jobs(5), 0);
        assert_eq!(plan(1000, 0), 14);
        assert_eq!(plan(1000, 128), 1);
        assert_eq!(plan(1000, 138), 0);
        assert_eq!(plan(20, 10), 1);
        assert_eq!(plan(20, 20), 0);
        // A part that is smaller than a job still gets one.
        assert_eq!(plan(3, 0), 1);
    }
}
