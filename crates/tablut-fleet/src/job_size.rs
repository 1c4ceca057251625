//! How many games a job has.

/// Seconds that a job should take its worker: long beside a message's way, short beside a generation.
const JOB_SECONDS: f64 = 4.0;
/// Jobs that each worker gets of a generation at least, so that a slow one does not hold up the end.
const JOBS_PER_WORKER: usize = 4;
/// Workers that are expected before any has shown itself.
const EXPECTED_WORKERS: usize = 4;
const MAX_GAMES: usize = 256;

/// The workers that show themselves.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Fleet {
    /// How many.
    pub workers: usize,
    /// Their threads together.
    pub threads: usize,
    /// Their games a second together; 0 while none has played.
    pub games_per_second: f64,
}

/// Games of one job in a generation of `games`: four seconds of a worker's play, and at most a quarter of its part of the
/// generation.
///
/// The size changes no game, only how many travel together.
pub fn job_size(games: usize, fleet: &Fleet) -> usize {
    let workers = if fleet.workers == 0 { EXPECTED_WORKERS } else { fleet.workers };
    let part = games.div_ceil(workers * JOBS_PER_WORKER);
    let timed = if fleet.games_per_second > 0.0 {
        (JOB_SECONDS * fleet.games_per_second / workers as f64).round() as usize
    } else {
        part
    };
    timed.min(part).clamp(1, MAX_GAMES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_last_some_seconds_and_leave_every_worker_several() {
        let fleet = |workers, games_per_second| Fleet { workers, threads: 2 * workers, games_per_second };
        // (games, workers, games a second together) → games of a job
        let table = [
            ((200, 0, 0.0), 13),   // nobody yet: sixteen jobs
            ((200, 1, 0.0), 50),   // one worker that has not played
            ((200, 1, 12.0), 48),  // four seconds of it
            ((200, 10, 120.0), 5), // a quarter of its part
            ((20_000, 10, 120.0), 48),
            ((20_000, 1, 10_000.0), 256),
            ((10, 40, 40.0), 1),
            ((100, 2, 0.01), 1), // games of minutes: one at a time
        ];
        for ((games, workers, rate), expected) in table {
            let found = job_size(games, &fleet(workers, rate));
            assert_eq!(found, expected, "{games} games, {workers} workers, {rate} games/s");
        }
    }
}
