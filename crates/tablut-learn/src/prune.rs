//! The files that a run needs to continue, and the deletion of others.
//!
//! A run needs the state, the net and the games that its next generation is made from. Its rating games need some earlier
//! nets, which are every tenth one (`rating.rs`).

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use tablut_games::{GameRecord, GenerationFile, RunFolder, RunFolderError};

use crate::config::TrainConfig;
use crate::history::GENERATIONS_COUNTED;
use crate::measurements::folder_bytes;
use crate::rating::{KEPT_EVERY, opponent_generation};
use crate::run::{is_held_out, lock_and_clean};
use crate::run_settings::{config_of, load_games};
use crate::survey::complete_generations;
use crate::train_error::TrainError;

/// The files of a run that [`prune`] deletes, or would delete.
#[derive(Clone, Debug, Default)]
pub struct Pruned {
    pub files: Vec<PathBuf>,
    /// Bytes of these files.
    pub bytes: u64,
    /// Bytes of the files that stay.
    pub bytes_left: u64,
    /// The generations whose nets stay.
    pub nets: Vec<u64>,
    /// The generations whose games stay.
    pub games: Range<u64>,
}

/// The files of generations that a run needs to continue.
pub(crate) struct Needed {
    /// The first generation that is not complete.
    next: u64,
    /// The first generation whose games are needed.
    first_games: u64,
    lag: u64,
}

impl Needed {
    pub(crate) fn by(folder: &Path, config: &TrainConfig) -> Result<Self, TrainError> {
        let next = complete_generations(RunFolder(folder))?;
        let mut first_games = window_of(folder, config, next, |_, _| {})?;
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

/// Deletes the files of the run in `folder` that it does not need to continue: old games, nets except every tenth one, and
/// the state before the last. Without `delete` it only lists them.
pub fn prune(folder: &Path, delete: bool) -> Result<Pruned, TrainError> {
    let config = config_of(folder, &[])?;
    let _lock = lock_and_clean(folder)?;
    let needed = Needed::by(folder, &config)?;
    let run = RunFolder(folder);
    let mut pruned = Pruned { games: needed.first_games..needed.next, ..Pruned::default() };
    let nets = run.files(GenerationFile::Model)?;
    pruned.nets = nets.keys().copied().filter(|&generation| needed.has_net(generation)).collect();
    let old = |files: BTreeMap<u64, PathBuf>, is_needed: &dyn Fn(u64) -> bool| {
        files.into_iter().filter(|(generation, _)| !is_needed(*generation)).map(|file| file.1).collect::<Vec<_>>()
    };
    pruned.files = [
        old(run.files(GenerationFile::Games)?, &|generation| needed.has_games(generation)),
        old(nets, &|generation| needed.has_net(generation)),
        old(run.files(GenerationFile::State)?, &|generation| generation + 1 >= needed.next),
    ]
    .concat();
    for path in &pruned.files {
        pruned.bytes += fs::metadata(path).map_err(RunFolderError::io(path))?.len();
        if delete {
            fs::remove_file(path).map_err(RunFolderError::io(path))?;
        }
    }
    pruned.bytes_left = folder_bytes(folder) - if delete { 0 } else { pruned.bytes };
    Ok(pruned)
}

/// Reads the games of the latest generations before `next` that fit into the replay window, the newest first, and passes
/// those that are learnt from. Returns the first generation that was read, which is the one that did not fit.
pub(crate) fn window_of(
    folder: &Path,
    config: &TrainConfig,
    next: u64,
    mut generation_fits: impl FnMut(u64, Vec<GameRecord>),
) -> Result<u64, TrainError> {
    let (mut kept, mut is_first) = (0, true);
    for generation in (0..next).rev() {
        let (share, sets) = (config.learning.held_out_share, config.rules.len());
        let mut games = load_games(folder, generation)?.games;
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
