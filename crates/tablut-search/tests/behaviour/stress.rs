//! Drives searches with random calls: it gathers batches of any size, interrupts, reconfigures and advances the search,
//! and limits its memory. Nothing may panic, and the invariants of every search must hold.

use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};
use tablut_rules::{Game, Side};
use tablut_search::{Evaluator, GumbelConfig, Method, PuctConfig, Repeats, Search, SearchConfig, Solver};

use crate::exhaustive::{Exhaustive, Goal};
use crate::fakes::{HashEvaluator, all_rules, finish, plain, random_game, sparse_game};

struct Dice(ChaCha8Rng);

impl Dice {
    fn below(&mut self, n: u32) -> u32 {
        self.0.next_u32() % n
    }

    fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u32) as usize]
    }

    fn simulations(&mut self) -> u32 {
        self.one_of(&[0, 1, 2, 17, 60])
    }

    fn config(&mut self) -> SearchConfig {
        let gumbel = GumbelConfig {
            max_considered: self.one_of(&[1, 2, 3, 16, 500]),
            simulations_per_considered: self.one_of(&[1, 2, 5]),
            noise: self.below(2) == 0,
            ..plain().gumbel
        };
        let puct = PuctConfig {
            temperature: self.one_of(&[0.0, 0.5, 1.0]),
            policy_temperature: self.one_of(&[1.0, 1.8]),
            ..PuctConfig::default()
        };
        SearchConfig {
            method: self.one_of(&[Method::Gumbel, Method::Puct, Method::Auto]),
            gumbel,
            puct,
            moves_left: self.one_of(&[0.0, 0.1]),
            repeats: self.one_of(&[Repeats::Evaluated, Repeats::Drawn]),
            draw_value: self.one_of(&[0.0, 0.0, -0.3, 1.0]).into(),
            solver: self.one_of(&[Solver::Off, Solver::Threats, Solver::Deep]),
            stop_when_decided: self.below(2) == 0,
            leaves_in_flight: self.one_of(&[1, 1, 3, 16]),
            max_nodes: self.one_of(&[1, 10, 70, 1_000_000]),
        }
    }
}

fn check(search: &Search, what: &str) {
    let result = search.result();
    assert!(result.moves.iter().any(|root_move| root_move.mv == result.chosen), "{what}");
    assert!(search.game().rules().check_legal(search.game().position(), result.chosen).is_ok(), "{what}");
    let sum: f32 = result.moves.iter().map(|root_move| root_move.improved).sum();
    assert!((sum - 1.0).abs() < 1e-3, "{what}: the target sums to {sum}");
    assert!((-1.0..=1.0).contains(&result.value), "{what}: value {}", result.value);
    assert!(
        result.moves.iter().all(|root_move| (-1.0..=1.0).contains(&root_move.q) && root_move.improved >= 0.0),
        "{what}"
    );
    assert!(!search.lines(3).is_empty(), "{what}");
}

#[test]
fn whatever_is_done_to_a_search_it_stays_whole() {
    for (index, rules) in all_rules().enumerate() {
        for seed in 0..12 {
            let what = format!("{} seed {seed}", rules.name());
            let mut dice = Dice(ChaCha8Rng::seed_from_u64(1000 * index as u64 + seed));
            let game = if dice.below(2) == 0 { random_game(&rules, 20, seed) } else { sparse_game(&rules, 5, 2, seed) };
            let config = dice.config();
            let mut search =
                Search::new(game.with_max_plies(80), &config, dice.simulations(), ChaCha8Rng::seed_from_u64(seed));
            let mut situations = Vec::new();
            for _ in 0..60 {
                if search.game().outcome().is_some() {
                    break;
                }
                match dice.below(8) {
                    0 => search.configure(&dice.config(), dice.simulations()),
                    1 => {
                        let mv = search.result().chosen;
                        search.advance(mv);
                        continue;
                    }
                    // Interrupts the search while situations are in flight.
                    2 => {
                        search.gather(&mut situations);
                        match dice.below(3) {
                            0 => search.stop(),
                            1 => search.configure(&dice.config(), dice.simulations()),
                            _ => {
                                let mv = search.result().chosen;
                                search.advance(mv);
                                situations.clear();
                                continue;
                            }
                        }
                    }
                    _ => {
                        let limit = 1 + dice.below(20) as usize;
                        let n = search.gather_at_most(&mut situations, limit);
                        assert!(n == situations.len() && n <= limit, "{what}");
                        assert_eq!(n == 0, search.is_done(), "{what}");
                        search.apply(&HashEvaluator.evaluate(&situations).expect("a fake"));
                    }
                }
                situations.clear();
                check(&search, &what);
            }
        }
    }
}

/// Proofs in subtrees that were kept from earlier moves hold in the current game, including its longer history.
#[test]
fn proofs_in_kept_trees_hold() {
    let mut checked = 0;
    for rules in all_rules() {
        for seed in 0..6 {
            let game: Game = sparse_game(&rules, 3, 1, 700 + seed).with_max_plies(14);
            let config = SearchConfig { stop_when_decided: false, ..plain() };
            let mut search = Search::new(game, &config, 120, ChaCha8Rng::seed_from_u64(seed));
            while search.game().outcome().is_none() {
                let result = finish(&mut search, &mut HashEvaluator, usize::MAX);
                if let Some(proof) = result.proven.filter(|proof| proof.plies <= 3) {
                    let mut solver = Exhaustive::new(search.game(), 200_000);
                    let sides = proof.winner.map_or(vec![Side::Attackers, Side::Defenders], |side| vec![side]);
                    let goal = if proof.winner.is_some() { Goal::Win } else { Goal::NotLose };
                    for side in sides {
                        if let Ok(forced) = solver.forces(side, goal, proof.plies.into()) {
                            assert!(forced, "{} seed {seed}: {proof:?} in\n{}", rules.name(), search.game().position());
                            checked += 1;
                        }
                    }
                }
                search.advance(result.chosen);
            }
        }
    }
    assert!(checked > 50, "only {checked} proofs were checked");
}
