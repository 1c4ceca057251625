//! The files of a run that its next generation needs.

use std::path::Path;

use tablut_games::{GameRecord, GenerationFile, RunFolder, RunFolderError};

use crate::config::TrainConfig;
use crate::history::GENERATIONS_COUNTED;
use crate::rating::{KEPT_EVERY, opponent_generation};
use crate::run_settings::load_games;
use crate::train_error::TrainError;

/// The files of generations that a run needs to continue.
pub(crate) struct Needed {
    /// The first generation that is not complete.
    pub(crate) next: u64,
    /// The first generation whose games are needed.
    pub(crate) first_games: u64,
    lag: u64,
}

impl Needed {
    pub(crate) fn by(folder: &Path, config: &TrainConfig) -> Result<Self, TrainError> {
        let next = complete_generations(RunFolder(folder))?;
        let mut first_games =
            window_of(config, next, |generation| Ok(load_games(folder, generation)?.games), |_, _| {})?;
        if config.selfplay.balance > 0.0 {
            first_games = first_games.min(next.saturating_sub(GENERATIONS_COUNTED));
        }
        Ok(Self { next, first_games, lag: config.schedule.lag })
    }

    pub(crate) fn has_games(&self, generation: u64) -> bool {
        generation >= self.first_games
    }

    pub(crate) fn has_net(&self, generation: u64) -> bool {
        let is_opponent = opponent_generation(self.next).is_some_and(|first| generation >= first);
        generation + 1 + self.lag >= self.next
            || generation > 0 && generation.is_multiple_of(KEPT_EVERY)
            || generation < KEPT_EVERY && is_opponent
    }
}

/// The number of generations with a state, which is written last.
pub(crate) fn complete_generations(run: RunFolder<'_>) -> Result<u64, RunFolderError> {
    Ok(run.files(GenerationFile::State)?.last_key_value().map_or(0, |(generation, _)| generation + 1))
}

/// Reads the games of the latest generations before `next` that fit into the replay window, the newest first, and passes
/// those that are learnt from. Returns the first generation that was read, which is the one that did not fit.
pub(crate) fn window_of(
    config: &TrainConfig,
    next: u64,
    mut games_of: impl FnMut(u64) -> Result<Vec<GameRecord>, TrainError>,
    mut generation_fits: impl FnMut(u64, Vec<GameRecord>),
) -> Result<u64, TrainError> {
    let (mut kept, mut is_first) = (0, true);
    for generation in (0..next).rev() {
        let (share, sets) = (config.learning.held_out_share, config.rules.len());
        let mut games = games_of(generation)?;
        games.retain(|game| !is_held_out(game.index, sets, share));
        let positions = games.iter().flat_map(|game| &game.plies).filter(|ply| ply.search.is_some()).count();
        if kept + positions > config.learning.window_positions && !is_first {
            return Ok(generation);
        }
        (kept, is_first) = (kept + positions, false);
        generation_fits(generation, games);
    }
    Ok(0)
}

/// Whether the game with this index is held out. `share` of each rule set's games are held out. The `sets` rule sets
/// take turns.
pub(crate) fn is_held_out(index: u64, sets: usize, share: f32) -> bool {
    let of_set = index / sets.max(1) as u64;
    let share = f64::from(share);
    ((of_set + 1) as f64 * share).floor() > (of_set as f64 * share).floor()
}

#[cfg(test)]
mod tests {
    use super::is_held_out;

    #[test]
    fn a_fixed_share_of_each_rule_sets_games_is_held_out() {
        let held_out = |sets, share| (0..400).filter(|&index| is_held_out(index, sets, share)).collect::<Vec<u64>>();
        assert_eq!(held_out(3, 0.0), [] as [u64; 0]);
        assert_eq!(held_out(1, 0.25).len(), 100);
        let of_two = held_out(2, 0.5);
        assert_eq!(of_two.len(), 200);
        assert_eq!(of_two.iter().filter(|index| *index % 2 == 0).count(), 100);
    }
}
