//! The searched positions of games. A game is replayed once: the replay window, the statistics and the examination of a
//! net read its samples.

use std::num::NonZeroU16;
use std::sync::Arc;

use rayon::prelude::*;
use tablut_net::{InputBatch, encode_symmetric};
use tablut_rules::{MoveList, Position, Reason, Results, Rules, Side, Situation, Symmetry};
use tablut_search::Chances;

use crate::record::{GameRecord, Handicap, ReplayError};

/// A packed searched position. Its legal moves are generated again when it is encoded.
#[derive(Clone, Debug)]
pub struct Sample {
    position: Position,
    pub(crate) rules: u32,
    occurrences: u8,
    /// Whether the game's result measures the position's value, as in [`GameRecord::result_counts`].
    pub(crate) result_counts: bool,
    plies_since_capture: u16,
    /// Plies played before it.
    pub(crate) ply: u16,
    /// Plies to the end of the game. `None` if the game is unfinished.
    pub(crate) moves_left: Option<NonZeroU16>,
    /// How the game ended, or an estimate if its result does not count.
    pub(crate) outcome: Chances,
    pub(crate) search: Chances,
    pub(crate) policy: Box<[u16]>,
}

impl Sample {
    pub(crate) fn side(&self) -> Side {
        self.position.side_to_move()
    }

    /// Appends the position to `input`, with the board transformed by `symmetry`. `sets` are the rule sets with which
    /// the game was replayed.
    pub(crate) fn encode(&self, sets: &[Arc<Rules>], symmetry: Symmetry, input: &mut InputBatch) {
        let rules = sets[self.rules as usize].as_ref();
        let mut moves = MoveList::new();
        rules.legal_moves(&self.position, &mut moves);
        let (position, occurrences) = (self.position, u32::from(self.occurrences));
        let plies_since_capture = u32::from(self.plies_since_capture);
        let moves = &moves[..];
        encode_symmetric(&Situation { rules, position, occurrences, plies_since_capture, moves }, symmetry, input);
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.policy)
    }
}

/// A replayed game: its searched positions, and what the statistics count of it.
#[derive(Clone, Debug)]
pub struct ReplayedGame {
    /// The game's number in its generation.
    pub index: u64,
    /// The searched positions, in order.
    pub samples: Vec<Sample>,
    /// Index of the rule set.
    pub(crate) rules: usize,
    pub(crate) result: Results,
    pub(crate) reason: Reason,
    pub(crate) handicap: Handicap,
    pub(crate) plies: usize,
    /// The number of pieces that each side captured, by the side's index.
    pub(crate) captures: [usize; 2],
}

impl ReplayedGame {
    /// Replays `games` on all cores.
    ///
    /// # Errors
    /// If a record cannot be replayed under its rules.
    pub fn replay_all(rules: &[Arc<Rules>], games: &[GameRecord]) -> Result<Vec<Self>, ReplayError> {
        games.par_iter().map(|game| Self::replay(rules, game)).collect()
    }

    fn replay(sets: &[Arc<Rules>], game: &GameRecord) -> Result<Self, ReplayError> {
        let place = game.place_among(sets)?;
        let rules = &sets[place];
        let result_counts = game.result_counts(rules);
        let is_finished = !game.is_unfinished(rules);
        let last = game.plies.iter().rev().find_map(|ply| ply.search.as_ref()).map(|last| last.chances);
        let mut samples = Vec::new();
        let end = game.replay(rules, |state, _, ply| {
            let Some(search) = &ply.search else { return };
            // The result of a game with unequal sides depends on the searches, so each search estimates it. An
            // unfinished game is estimated by its last search.
            let outcome = match last {
                _ if result_counts => Chances::certain(game.outcome.winner),
                Some(last) if game.handicap.is_none() => last,
                _ => search.chances,
            };
            let moves_left = u16::try_from(game.plies.len() - state.ply() as usize).unwrap_or(u16::MAX);
            samples.push(Sample {
                position: *state.position(),
                rules: place as u32,
                // The net cannot distinguish larger numbers.
                occurrences: u8::try_from(state.occurrences()).unwrap_or(u8::MAX),
                result_counts,
                plies_since_capture: u16::try_from(state.plies_since_capture()).unwrap_or(u16::MAX),
                ply: u16::try_from(state.ply()).unwrap_or(u16::MAX),
                moves_left: NonZeroU16::new(moves_left).filter(|_| is_finished),
                outcome,
                search: search.chances,
                policy: search.policy.clone().into(),
            });
        })?;
        let captures = |side: Side| {
            let pieces = |position: &Position| position.pieces(side.opponent()).len();
            pieces(&game.start) - pieces(end.position())
        };
        Ok(Self {
            index: game.index,
            samples,
            rules: place,
            result: game.results(rules),
            reason: game.outcome.reason,
            handicap: game.handicap,
            plies: game.plies.len(),
            captures: Side::ALL.map(captures),
        })
    }
}
