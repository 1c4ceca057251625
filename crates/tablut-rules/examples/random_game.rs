//! Plays a random game and prints its moves and its end: `cargo run -p tablut-rules --example random_game -- masters
//! 7`.

use std::sync::Arc;

use tablut_rules::{First, Game, MoveList, Rules, Side};

/// A small generator of random numbers (Marsaglia's xorshift), so that the example needs no other crate.
struct Random(u64);

impl Random {
    /// A number below `n`.
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let rules = words.next().unwrap_or_else(|| "kvasir".to_owned());
    let seed: u64 = words.next().unwrap_or_else(|| "1".to_owned()).parse()?;

    let rules = Arc::new(Rules::load(&rules)?);
    // If the rules draw the side that moves first, this example lets the attackers move first.
    let first = if rules.set().first == First::Defenders { Side::Defenders } else { Side::Attackers };
    let mut game = Game::new(rules, first).with_max_plies(200);
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut moves = MoveList::new();
    let outcome = loop {
        if let Some(outcome) = game.outcome() {
            break outcome;
        }
        game.legal_moves(&mut moves);
        let mv = moves[random.below(moves.len())];
        let applied = game.play(mv)?;
        let captured: Vec<_> = applied.captured.iter().map(|square| square.to_string()).collect();
        println!("{mv} {}", captured.join(" "));
    };
    println!("{outcome} after {} plies: {}", game.moves().len(), game.position());
    Ok(())
}
