//! Positions from games of random moves, under built-in rule sets.

use std::sync::Arc;

use tablut_net::{InputBatch, encode};
use tablut_rules::{BoardSize, Game, MoveList, Rules, Side};

/// One position of each rule set on boards of this size, some plies into a game. It depends only on `seed`.
pub fn played_batch(size: BoardSize, seed: u64) -> InputBatch {
    let mut batch = InputBatch::default();
    let mut moves = MoveList::default();
    for (index, name) in Rules::names_on(size).enumerate() {
        let rules = Arc::new(Rules::named(name).expect("a built-in rule set"));
        let mut game = Game::new(Arc::clone(&rules), Side::Attackers);
        let mut state = seed + index as u64;
        for _ in 0..10 + 3 * index {
            game.legal_moves(&mut moves);
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let mv = moves[(state >> 33) as usize % moves.len()];
            game.play(mv).expect("a legal move");
            if game.outcome().is_some() {
                game.undo();
                break;
            }
        }
        game.legal_moves(&mut moves);
        encode(&game.situation(&moves), &mut batch);
    }
    batch
}
