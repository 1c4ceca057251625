//! Lines for analysis.

use rand::{SeedableRng, rngs::ChaCha8Rng};
use tablut_rules::Side;
use tablut_search::{Search, SearchConfig, UniformEvaluator};

use crate::fakes::{HashEvaluator, all_rules, finish, game, plain, random_game};

#[test]
fn lines_are_legal_and_in_order() {
    for rules in all_rules() {
        let game = random_game(&rules, 18, 7);
        let config = SearchConfig { stop_when_decided: false, ..plain() };
        let mut search = Search::new(game.clone(), &config, 200, ChaCha8Rng::seed_from_u64(1));
        let result = finish(&mut search, &mut HashEvaluator, usize::MAX);
        let lines = search.lines(5);
        assert!((1..=5).contains(&lines.len()));
        for line in &lines {
            let mut game = game.clone();
            for mv in &line.moves {
                game.play(*mv).expect("a line is legal");
            }
            let root_move = result.moves.iter().find(|root_move| root_move.mv == line.moves[0]).expect("a root move");
            assert_eq!(
                (line.root.visits, line.root.q, line.root.proven),
                (root_move.visits, root_move.q, root_move.proven)
            );
        }
        for pair in lines.windows(2).filter(|pair| pair.iter().all(|line| line.root.proven.is_none())) {
            assert!(pair[0].root.visits >= pair[1].root.visits);
        }
    }
}

#[test]
fn a_proven_win_stands_first_and_a_proven_loss_last() {
    // The king can escape along either open line. One more attacker could close only one of them.
    let game = game("kvasir", "9/9/9/2K6/9/9/9/9/t7t d");
    let mut search = Search::new(game, &plain(), 50, ChaCha8Rng::seed_from_u64(1));
    finish(&mut search, &mut UniformEvaluator, usize::MAX);
    let lines = search.lines(100);
    let winner = |index: usize| lines[index].root.proven.and_then(|proof| proof.winner);
    assert_eq!(winner(0), Some(Side::Defenders));
    assert_eq!(lines[0].root.proven.map(|proof| proof.plies), Some(1));
    let plies: Vec<u16> = lines.iter().filter_map(|line| line.root.proven).map(|proof| proof.plies).collect();
    assert!(plies.is_sorted(), "shortest wins first: {plies:?}");
}
