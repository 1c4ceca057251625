//! A text that parses as a position reads back the same after writing, and every rule set of its board can play it.
#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use tablut_rules::{Game, MoveList, Position, Rules, Side};

static ALL: LazyLock<Vec<Arc<Rules>>> =
    LazyLock::new(|| Rules::names().map(|name| Arc::new(Rules::named(name).expect("a built-in rule set"))).collect());

fuzz_target!(|text: &str| {
    let Ok(position) = Position::read(text, Some(Side::Attackers)) else { return };
    assert_eq!(position.to_string().parse(), Ok(position));
    assert_eq!(Position::read(&position.to_opentafl(), Some(position.side_to_move())), Ok(position));
    assert_eq!(position.hash(), position.hash_from_scratch());
    let mut moves = MoveList::new();
    for rules in ALL.iter().filter(|rules| rules.size() == position.size()) {
        rules.legal_moves(&position, &mut moves);
        assert_eq!(rules.count_legal_moves(&position) as usize, moves.len());
        assert_eq!(rules.has_legal_move(&position), !moves.is_empty());
        for &mv in &moves {
            assert_eq!(rules.check_legal(&position, mv), Ok(()));
            let after = rules.apply(&position, mv).position;
            assert_eq!(after.hash(), after.hash_from_scratch());
        }
        let wins = moves.iter().any(|&mv| rules.apply(&position, mv).winner == Some(position.side_to_move()));
        assert_eq!(rules.wins_at_once(&position, position.side_to_move()), wins);
        if let Ok(game) = Game::from_position(Arc::clone(rules), position) {
            assert_eq!(game.outcome().is_some(), moves.is_empty());
        }
    }
});
