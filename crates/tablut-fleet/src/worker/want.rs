//! How many jobs a worker asks for.

use crate::wire::Job;

/// How many jobs to ask for.
#[derive(Default)]
pub(super) struct Want {
    /// Games that the players can keep going.
    pub capacity: usize,
    /// Games of the last job.
    pub job_games: usize,
    /// This worker's part of the last job's generation.
    pub part: usize,
}

impl Want {
    /// Takes note of a job: how large jobs are, and what this worker's part of the generation is.
    pub fn learn(&mut self, job: &Job, threads: usize) {
        self.job_games = job.count;
        let all = job.fleet_threads.max(threads);
        self.part = (job.order.games * threads).div_ceil(all).max(1);
    }

    /// Jobs to ask for with so many games in hand: enough to keep the players busy while the next job is on its way, and
    /// not more than this worker's part, so that others have theirs.
    pub fn jobs(&self, holding: usize) -> usize {
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
    fn a_worker_asks_for_what_it_can_use_and_leaves_others_their_part() {
        let want = |part, holding| Want { capacity: 128, job_games: 10, part }.jobs(holding);
        assert_eq!(Want { capacity: 128, ..Want::default() }.jobs(0), 1);
        assert_eq!(Want { capacity: 128, ..Want::default() }.jobs(5), 0);
        assert_eq!(want(1000, 0), 14);
        assert_eq!(want(1000, 128), 1);
        assert_eq!(want(1000, 138), 0);
        assert_eq!(want(20, 10), 1);
        assert_eq!(want(20, 20), 0);
        // A part that is smaller than a job still gets one.
        assert_eq!(want(3, 0), 1);
    }
}
