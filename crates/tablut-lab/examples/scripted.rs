//! Scripted people play series against levels, and after each game the level's ease changes as on the page.
//! The program prints a JSON line for each series: `scripted RULES PERSON LEVEL N_GAMES`.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde_json::json;
use std::sync::Arc;
use tablut_games::shipped_net;
use tablut_net::{Engine, Model, NetEvaluator};
use tablut_rules::{Game, Move, MoveList, Rules, Side};
use tablut_search::{Evaluator, Search};
use tablut_session::Level;

const MAX_PLIES: u32 = 200;

/// A person who moves at random, or takes what can be taken at once and otherwise moves at random.
fn scripted(game: &Game, takes: bool, rng: &mut ChaCha8Rng) -> Move {
    let mut moves = MoveList::new();
    game.legal_moves(&mut moves);
    let worth = |mv: &Move| {
        let applied = game.rules().apply(game.position(), *mv);
        let wins = applied.winner == Some(game.position().side_to_move());
        (wins, applied.captured.len())
    };
    let best = if takes { moves.iter().map(worth).max() } else { None };
    let wanted: Vec<Move> = moves.iter().copied().filter(|mv| best.is_none_or(|best| worth(mv) == best)).collect();
    wanted[rng.random_range(0..wanted.len())]
}

fn of_level(game: &Game, level: &Level, ease: i16, net: &mut NetEvaluator, rng: &mut ChaCha8Rng) -> Move {
    let mut search = Search::seeded(game.clone(), &level.search(game), level.simulations, rng.random());
    let mut situations = Vec::new();
    while !search.is_done() {
        search.gather(&mut situations);
        search.apply(&net.evaluate(&situations).expect("the net evaluates"));
        situations.clear();
    }
    level.choose(&search.result(), game.position().side_to_move(), ease, rng)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rules, person, level, n_games] = arguments.as_slice() else {
        return Err("expected RULES PERSON LEVEL N_GAMES".into());
    };
    let (rules, n_games) = (Arc::new(Rules::named(rules)?), n_games.parse::<u64>()?);
    let level = Level::named(level).ok_or("no such level")?;
    let bytes = shipped_net().ok_or("this program was built without its net")?;
    let engine = Engine::new(&Model::from_bytes(bytes)?.weights)?;
    let mut net = NetEvaluator::new(Box::new(engine.share(1)?));
    for side in Side::ALL {
        let (mut ease, mut points, mut plies) = (0, Vec::new(), 0);
        for number in 0..n_games {
            let mut rng = ChaCha8Rng::seed_from_u64(number);
            let mut game = Game::new(rules.clone(), rules.set().first.side().unwrap_or(Side::Attackers));
            while game.outcome().is_none() && game.ply() < MAX_PLIES {
                let is_person = game.position().side_to_move() == side;
                let mv = match Level::named(person) {
                    _ if !is_person => of_level(&game, level, ease, &mut net, &mut rng),
                    Some(person) => of_level(&game, person, 0, &mut net, &mut rng),
                    None => scripted(&game, person == "taker", &mut rng),
                };
                game.play(mv).expect("a legal move");
            }
            let winner = game.outcome().and_then(|outcome| outcome.winner);
            let point = winner.map_or(0.5, |winner| if winner == side { 1.0 } else { 0.0 });
            ease = level.next_ease(ease, number as usize, point);
            points.push(point);
            plies += game.ply();
        }
        let late = &points[points.len() / 2..];
        println!(
            "{}",
            json!({
                "rules": rules.name(), "person": person, "side": side.to_string(), "level": level.name, "games": n_games,
                "score": points.iter().sum::<f64>() / points.len() as f64,
                "second_half": late.iter().sum::<f64>() / late.len() as f64,
                "ease": ease, "plies": f64::from(plies) / n_games as f64,
            })
        );
    }
    Ok(())
}
