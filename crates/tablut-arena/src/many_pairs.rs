//! Plays many small matches at once, so that their nets share batches and no core waits for the last game of each
//! match.

use crate::contest::{MatchError, unless_stopped};
use crate::match_game::MatchPlan;
use crate::openings::{Opening, openings};
use crate::tally::Tally;
use tablut_games::{CancelToken, Concurrency, Counters, run_tasks};
use tablut_search::Evaluator;

/// A small match. No contestant may use a clock or be a program, because the games share threads.
#[derive(Clone, Debug)]
pub struct SmallMatch {
    /// The rules, players, limit and seed. Results are those of the first player.
    pub plan: MatchPlan,
    /// Pairs of games. In each pair both players play each side once.
    pub n_pairs: usize,
    /// Random plies at the start of each pair.
    pub opening_plies: u32,
}

/// Plays `matches` and returns the tally of each, equal to those of [`play_match`](crate::play_match). Returns `None`
/// if `cancel` was cancelled.
///
/// `make_evaluators` is called once in each worker thread;
/// [`Contestant::evaluator`](tablut_players::Contestant::evaluator) is an index into its result. `on_game` is called
/// after each game, from any thread.
pub fn play_pairs(
    matches: &[SmallMatch],
    concurrency: Concurrency,
    make_evaluators: impl Fn() -> Vec<Box<dyn Evaluator>> + Sync,
    cancel: &CancelToken,
    on_game: impl Fn() + Sync,
) -> Result<Option<Vec<Tally>>, MatchError> {
    // The match, the pair's number in it, and its opening.
    let mut places: Vec<(usize, usize, Opening)> = Vec::new();
    for (at, small) in matches.iter().enumerate() {
        let drawn = openings(&small.plan.rules, small.n_pairs, small.opening_plies, small.plan.seed)?;
        places.extend(drawn.into_iter().enumerate().map(|(pair, opening)| (at, pair, opening)));
    }
    let game = |index: usize| {
        let (at, pair, opening) = &places[index / 2];
        matches[*at].plan.game(opening, 2 * pair + index % 2)
    };
    let counters = Counters::default();
    let played = run_tasks(2 * places.len(), concurrency, game, make_evaluators, &counters, cancel, |_, _| on_game());
    let Some(games) = unless_stopped(played)? else { return Ok(None) };
    let mut tallies = vec![Tally::default(); matches.len()];
    for ((at, _, _), pair) in places.iter().zip(games.chunks_exact(2)) {
        tallies[*at].record_pair(&matches[*at].plan.rules, &pair[0], &pair[1]);
    }
    Ok(Some(tallies))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::{MatchConfig, play_match};
    use std::sync::Arc;
    use tablut_net::NetPool;
    use tablut_players::{Contestant, NamedPlayer};
    use tablut_ratings::PairTable;
    use tablut_rules::Rules;

    fn small(rules: &str, players: [&str; 2], n_pairs: usize) -> SmallMatch {
        let rules = Arc::new(Rules::named(rules).unwrap());
        let nets = NetPool::default();
        let contestants = players.map(|text| {
            let named: NamedPlayer = text.parse().unwrap();
            Contestant::of(&named, &rules, &nets, |_, _| unreachable!("no program plays here")).unwrap()
        });
        let plan = MatchPlan { rules, contestants, max_plies: 80, seed: 7 };
        SmallMatch { plan, n_pairs, opening_plies: 2 }
    }

    #[test]
    fn the_pairs_of_a_match_do_not_depend_on_other_matches() {
        let matches = [
            small("kvasir", ["greedy", "random"], 6),
            small("ashton", ["random", "greedy"], 4),
            small("kvasir", ["greedy", "greedy"], 3),
        ];
        let play = |workers| {
            let concurrency = Concurrency { workers, tasks_per_worker: 3 };
            let tallies = play_pairs(&matches, concurrency, Vec::new, &CancelToken::new(), || {}).unwrap().unwrap();
            tallies.iter().map(Tally::pairs).collect::<Vec<_>>()
        };
        let tables = play(1);
        assert_eq!(tables.iter().map(PairTable::pairs).collect::<Vec<_>>(), [6, 4, 3]);
        assert_eq!(tables, play(2));
        for (small, table) in matches.iter().zip(&tables) {
            let config = MatchConfig {
                rules: small.plan.rules.clone(),
                n_pairs: small.n_pairs,
                opening_plies: small.opening_plies,
                book: None,
                max_plies: small.plan.max_plies,
                seed: small.plan.seed,
                sequential_test: None,
                concurrency: Concurrency { workers: 1, tasks_per_worker: 2 },
            };
            let alone = play_match(&config, &small.plan.contestants, Vec::new(), Vec::new, &CancelToken::new(), |_| {})
                .unwrap();
            assert_eq!(alone.report.pairs, *table);
        }
        assert!(tables[0].pentanomial().estimate().mean > tables[1].pentanomial().estimate().mean);
        let stopped = CancelToken::new();
        stopped.cancel();
        let concurrency = Concurrency { workers: 1, tasks_per_worker: 1 };
        assert!(play_pairs(&matches, concurrency, Vec::new, &stopped, || {}).unwrap().is_none());
    }
}
