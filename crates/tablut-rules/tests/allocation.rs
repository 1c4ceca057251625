//! Checks that move generation, play and perft do not allocate.

use std::sync::Arc;

use tablut_rules::{Game, MoveList, Rules, Side};

#[test]
fn the_hot_path_does_not_allocate() {
    for name in Rules::names() {
        let rules = Arc::new(Rules::named(name).unwrap_or_else(|e| panic!("{e}")));
        let start = rules.start(Side::Attackers);
        let mut moves = MoveList::new();
        let mut game = Game::new(Arc::clone(&rules), Side::Attackers);
        game.reserve(100);
        let mut leaves = 0;
        let counted = allocation_counter::measure(|| {
            leaves = rules.perft(&start, 3);
            while game.outcome().is_none() && game.ply() < 100 {
                game.legal_moves(&mut moves);
                let mv = moves[game.ply() as usize * 31 % moves.len()];
                game.play_trusted(mv);
                game.undo();
                game.play(mv).expect("a legal move");
                assert_eq!(game.routes(), if game.outcome().is_some() { 0 } else { rules.routes(game.position()) });
                let threats = Side::ALL.map(|side| rules.wins_at_once(game.position(), side));
                assert!(!threats[1] || rules.routes(game.position()) > 0);
            }
        });
        assert!(leaves > 20_000 && game.ply() > 10, "{name}: {leaves} leaves, {} plies", game.ply());
        assert_eq!(counted.count_total, 0, "{name}");
    }
}

#[test]
fn the_counter_counts() {
    let counted = allocation_counter::measure(|| drop(std::hint::black_box(vec![1_u8; 100])));
    assert_eq!(counted.count_total, 1);
}
