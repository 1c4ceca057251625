//! Memory: upper bounds for a run's positions and trees, from its config, and the use of this process.

use std::fmt;

use tablut_games::ReplayWindow;
use tablut_search::Search;

use crate::config::TrainConfig;

/// Upper bounds in bytes. Most runs need far less.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct MemoryBounds {
    /// The replay window with `learning.window_positions` positions. The window always contains the latest generation,
    /// so it is larger if that generation has more positions.
    pub window: u64,
    /// The search trees of all games that are played at the same time.
    pub trees: u64,
}

impl TrainConfig {
    /// The bounds on this machine. If `machine.workers` is 0, they depend on its number of cores.
    pub fn memory_bounds(&self) -> MemoryBounds {
        let concurrency = self.machine.concurrency();
        let most_games = self.schedule.games.iter().map(|step| step.1).max().unwrap_or(1);
        let at_once = concurrency.workers.saturating_mul(concurrency.tasks_per_worker).min(most_games);
        let simulations = self.schedule.simulations.iter().map(|step| step.1).max().unwrap_or(1);
        // A simulation adds one node. Nodes kept from the previous move replace simulations.
        let tree = Search::most_bytes(simulations.saturating_add(1), ReplayWindow::MAX_MOVES);
        // In games with unequal searches each side has a tree. Together they have as many simulations as two equal
        // sides.
        let trees_per_game = if self.selfplay.balance > 0.0 { 2 } else { 1 };
        MemoryBounds {
            window: ReplayWindow::most_bytes(self.learning.window_positions) as u64,
            trees: (at_once as u64).saturating_mul(trees_per_game * tree),
        }
    }
}

impl fmt::Display for MemoryBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [window, trees] = [self.window, self.trees].map(|bytes| bytes.div_ceil(1_000_000));
        write!(f, "at most {window} MB for the replay window and {trees} MB for search trees")
    }
}

/// Resident memory of this process in bytes, if the system reports it.
pub(crate) fn memory_bytes() -> Option<u64> {
    memory_stats::memory_stats().map(|memory| memory.physical_mem as u64)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn bounds_follow_the_keys_that_set_them() {
        let bounds = |overrides: &[&str]| {
            let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
            let text = "rules = [\"kvasir\"]\nshape = \"lines32x2\"\n";
            TrainConfig::parse(text, Path::new("test.toml"), &overrides).unwrap().memory_bounds()
        };
        let workers = ["machine.workers=2", "machine.games_per_worker=8", "schedule.games=100"];
        let small =
            bounds(&[&workers[..], &["learning.window_positions=1000", "schedule.simulations=[[0, 9]]"]].concat());
        let large =
            bounds(&[&workers[..], &["learning.window_positions=2000", "schedule.simulations=[[0, 19]]"]].concat());
        assert_eq!((2 * small.window, 2 * small.trees), (large.window, large.trees));
        assert_eq!(small.trees % (16 * 10), 0, "sixteen games at once, ten nodes each");
        let few = bounds(&[&workers[..], &["schedule.games=4", "schedule.simulations=[[0, 9]]"]].concat());
        assert_eq!(4 * few.trees, small.trees);
    }
}
