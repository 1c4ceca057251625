//! A search of a mirrored or rotated board finds the mirrored or rotated move.

use tablut_rules::{Game, Symmetry};
use tablut_search::{GumbelConfig, Method, SearchConfig};

use crate::fakes::{HashEvaluator, quiet, random_game, search};

#[test]
fn results_turn_with_the_board() {
    for (index, rules) in crate::fakes::tablut_rules().enumerate() {
        // After this many random moves the position has no symmetry left, so no two moves are equal. (Wins in one ply
        // would be an exception, because they are found without an evaluation.)
        let position = (0..100)
            .map(|seed| *random_game(&rules, 20, 100 * index as u64 + seed).position())
            .find(|position| !rules.wins_at_once(position, position.side_to_move()))
            .expect("not every random game is about to end");
        let game = Game::from_position(rules.clone(), position).expect("a king");
        for method in [Method::Gumbel, Method::Puct] {
            let config = SearchConfig { method, ..quiet() };
            let here = search(&game, &config, 150, &mut HashEvaluator, 1);
            for symmetry in Symmetry::ALL {
                let turned = Game::from_position(rules.clone(), symmetry.position(&position)).expect("a king");
                let there = search(&turned, &config, 150, &mut HashEvaluator, 1);
                let what = format!("{} {symmetry:?} {method:?}", rules.name());
                assert_eq!(there.chosen, symmetry.mv(rules.size(), here.chosen), "{what}");
                assert!((there.value - here.value).abs() < 1e-4, "{what}");
                for root_move in &here.moves {
                    let mv = symmetry.mv(rules.size(), root_move.mv);
                    let image = there
                        .moves
                        .iter()
                        .find(|root_move| root_move.mv == mv)
                        .expect("the image of a legal move is legal");
                    assert_eq!((image.visits, image.proven), (root_move.visits, root_move.proven), "{what} {mv}");
                    assert!((image.improved - root_move.improved).abs() < 1e-3, "{what} {mv}");
                }
            }
        }
    }
}

/// At the start position some moves are equal. Symmetric moves then have the same prior, the same Q and together the
/// same visits.
#[test]
fn tied_moves_are_told_apart_by_their_order_alone() {
    let game = Game::new(crate::fakes::rules("kvasir"), tablut_rules::Side::Attackers);
    let gumbel = GumbelConfig { max_considered: 80, ..quiet().gumbel };
    let config = SearchConfig { gumbel, ..quiet() };
    let result = search(&game, &config, 80, &mut HashEvaluator, 1);
    for root_move in &result.moves {
        for symmetry in Symmetry::ALL {
            let image = result
                .moves
                .iter()
                .find(|other| other.mv == symmetry.mv(game.rules().size(), root_move.mv))
                .expect("the start is symmetric");
            assert!((image.prior - root_move.prior).abs() < 1e-6 && (image.q - root_move.q).abs() < 1e-6);
            assert_eq!(image.visits, root_move.visits, "with every move visited once none is preferred");
        }
    }
}
