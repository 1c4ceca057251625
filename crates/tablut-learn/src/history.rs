//! What the games of the last generations say of the next ones: results by rule set, and positions to start from.
//!
//! It is a function of the files of games, so a resumed run computes it again.

use std::collections::VecDeque;
use std::sync::Arc;

use tablut_games::{Endings, GameRecord, ReplayError, StartPosition};
use tablut_rules::Rules;

/// Generations that are remembered.
pub(crate) const GENERATIONS_KEPT: u64 = 8;
/// Generations whose results say how even a rule set is: the latest ones.
const GENERATIONS_COUNTED: usize = 4;
/// Most start positions of a rule set, and of all together, because they travel with every job of a fleet.
const STARTS_OF_A_SET: usize = 64;
const STARTS_OF_ALL: usize = 512;

/// The last generations, oldest first.
#[derive(Debug, Default)]
pub(crate) struct GameHistory {
    generations: VecDeque<Vec<SetHistory>>,
}

/// One rule set in one generation.
#[derive(Clone, Debug, Default)]
struct SetHistory {
    /// The results of ordinary games.
    results: Endings,
    /// Positions with the net's correction there, the greatest first.
    corrected: Vec<(u16, StartPosition)>,
}

/// The most start positions that are kept of each of so many rule sets.
fn starts_of_each(n_sets: usize) -> usize {
    (STARTS_OF_ALL / n_sets.max(1)).clamp(1, STARTS_OF_A_SET)
}

impl GameHistory {
    /// Adds the games of `generation`, which is the next one, and forgets the oldest generation. Positions are taken only
    /// from games that are `learnt` from.
    pub(crate) fn push(
        &mut self,
        generation: u64,
        rules: &[Arc<Rules>],
        games: &[GameRecord],
        learnt: &dyn Fn(&GameRecord) -> bool,
    ) -> Result<(), ReplayError> {
        let mut sets = vec![SetHistory::default(); rules.len()];
        for (set, rules_of_set) in sets.iter_mut().zip(rules) {
            let of_set = || games.iter().filter(move |game| game.rules == rules_of_set.name());
            for game in of_set().filter(|game| game.notes.is_ordinary()) {
                set.results.count(game.outcome.winner);
            }
            let corrected = |game: &&GameRecord| game.notes.correction.is_some_and(|found| found.thousandths > 0);
            let mut best: Vec<&GameRecord> = of_set().filter(corrected).filter(|game| learnt(game)).collect();
            // The order of equals is that of the games.
            best.sort_by_key(|game| std::cmp::Reverse(game.notes.correction.map(|found| found.thousandths)));
            for game in best.into_iter().take(starts_of_each(rules.len())) {
                set.corrected.extend(corrected_position(generation, game, rules_of_set)?);
            }
        }
        self.generations.push_back(sets);
        if self.generations.len() as u64 > GENERATIONS_KEPT {
            self.generations.pop_front();
        }
        Ok(())
    }

    /// The results of the rule set at `place` in the ordinary games of the latest generations.
    pub(crate) fn results(&self, place: usize) -> Endings {
        let latest = self.generations.iter().rev().take(GENERATIONS_COUNTED).filter_map(|sets| sets.get(place));
        latest.fold(Endings::default(), |sum, set| sum.plus(set.results))
    }

    /// The positions of the rule set at `place` at which the net was corrected most, the greatest first and of equals the
    /// newest; no position twice.
    pub(crate) fn starts(&self, place: usize) -> Vec<StartPosition> {
        let newest_first = self.generations.iter().rev().filter_map(|sets| sets.get(place));
        let mut all: Vec<&(u16, StartPosition)> = newest_first.flat_map(|set| &set.corrected).collect();
        all.sort_by_key(|found| std::cmp::Reverse(found.0));
        let most = starts_of_each(self.generations.back().map_or(1, Vec::len));
        let mut starts: Vec<StartPosition> = Vec::new();
        for (_, start) in all {
            if starts.len() < most && !starts.iter().any(|known| known.position() == start.position()) {
                starts.push(*start);
            }
        }
        starts
    }
}

/// The position of `game` at which the net was corrected, if the record has its ply.
fn corrected_position(
    generation: u64,
    game: &GameRecord,
    rules: &Arc<Rules>,
) -> Result<Option<(u16, StartPosition)>, ReplayError> {
    let Some(correction) = game.notes.correction else { return Ok(None) };
    let mut found = None;
    game.replay(rules, |state, _, _| {
        if state.ply() == correction.ply {
            found = StartPosition::new(generation, *state.position()).ok();
        }
    })?;
    Ok(found.map(|start| (correction.thousandths, start)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_games::{Correction, GameNotes, PlyRecord};
    use tablut_rules::{Game, MoveList, Side};

    /// A game of one ply, the legal move of that number, whose end corrected the net so much.
    fn game(rules: &Arc<Rules>, index: u64, mv: usize, ply: u32, thousandths: u16) -> GameRecord {
        let mut game = Game::new(Arc::clone(rules), Side::Attackers).with_max_plies(1);
        let start = *game.position();
        let mut moves = MoveList::new();
        game.legal_moves(&mut moves);
        game.play_trusted(moves[mv]);
        GameRecord {
            index,
            rules: rules.name().to_owned(),
            max_plies: 1,
            start,
            plies: vec![PlyRecord { mv: moves[mv], search: None }],
            outcome: game.outcome().expect("one ply is the limit"),
            notes: GameNotes { correction: Some(Correction { ply, thousandths }), ..GameNotes::default() },
        }
    }

    #[test]
    fn the_greatest_corrections_of_the_last_generations_are_kept_once() {
        let rules = [Arc::new(Rules::named("kvasir").unwrap())];
        let mut history = GameHistory::default();
        let positions =
            |history: &GameHistory| -> Vec<u64> { history.starts(0).iter().map(StartPosition::generation).collect() };
        history.push(0, &rules, &[game(&rules[0], 0, 0, 0, 900), game(&rules[0], 1, 1, 0, 0)], &|_| true).unwrap();
        history.push(1, &rules, &[game(&rules[0], 0, 2, 0, 900), game(&rules[0], 1, 3, 9, 1900)], &|_| true).unwrap();
        // Both are the start position, and the newer one counts; of ply 9 nothing is known.
        assert_eq!(positions(&history), [1]);
        assert_eq!(history.starts(0)[0].position(), tablut_rules::Position::start(Side::Attackers));
        for generation in 2..9 {
            history.push(generation, &rules, &[], &|_| true).unwrap();
        }
        assert_eq!(positions(&history), [1]);
        history.push(9, &rules, &[], &|_| true).unwrap();
        assert_eq!(positions(&history), [] as [u64; 0], "forgotten after eight generations");
    }

    #[test]
    fn only_ordinary_games_of_the_latest_generations_are_counted() {
        let rules = [Arc::new(Rules::named("kvasir").unwrap())];
        let mut history = GameHistory::default();
        let ordinary = game(&rules[0], 0, 0, 0, 0);
        let mut uneven = ordinary.clone();
        uneven.notes.simulations = Some([9, 3]);
        for generation in 0..6 {
            history.push(generation, &rules, &[ordinary.clone(), uneven.clone()], &|_| true).unwrap();
        }
        assert_eq!(history.results(0), Endings { drawn: 4, ..Endings::default() });
        assert_eq!(history.results(1), Endings::default());
        history.push(6, &rules, &[game(&rules[0], 0, 0, 0, 900)], &|_| false).unwrap();
        assert!(history.starts(0).is_empty(), "held-out games give no position");
    }
}
