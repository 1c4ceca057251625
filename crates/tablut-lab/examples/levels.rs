//! Measures the levels of play: each level plays matches against its neighbours and fixed opponents. The program prints
//! a JSON line for the net and for each match. `experiments/levels` computes ratings from them.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use std::sync::Arc;
use tablut_arena::{MatchConfig, play_match};
use tablut_games::{CancelToken, Concurrency, shipped_net};
use tablut_net::{Engine, Model, NetEvaluator};
use tablut_players::{Contestant, Demand, Fault, Player, PlayerSpec};
use tablut_rules::{Game, Move, Rules};
use tablut_search::{Evaluation, Evaluator, Search, Situation};
use tablut_session::Level;

/// Players of each match and its number of game pairs. Strong players take more time, so they play fewer games.
const MATCHES: [(&str, &str, usize); 18] = [
    ("random", "newcomer", 60),
    ("random", "greedy", 60),
    ("greedy", "newcomer", 60),
    ("greedy", "beginner", 60),
    ("newcomer", "beginner", 60),
    ("beginner", "casual", 60),
    ("beginner", "alphabeta:2", 40),
    ("casual", "alphabeta:2", 40),
    ("casual", "club", 40),
    ("club", "alphabeta:2", 40),
    ("club", "strong", 40),
    ("alphabeta:2", "alphabeta:4", 30),
    ("strong", "alphabeta:4", 30),
    ("club", "adaptive", 30),
    ("casual", "adaptive", 30),
    ("club", "alphabeta:4", 30),
    ("strong", "expert", 40),
    ("expert", "full", 40),
];

/// A level as a player of matches, with the search and the move choice of the page. It keeps no state between moves.
struct LevelPlayer {
    level: &'static Level,
    seed: u64,
    search: Option<Search>,
}

impl LevelPlayer {
    fn stream(&self, number: u64) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(number);
        rng
    }
}

impl Player for LevelPlayer {
    fn poll(&mut self, game: &Game, queries: &mut Vec<Situation>) -> Result<Option<Move>, Fault> {
        let ply = u64::from(game.ply());
        let mut search = self.search.take().unwrap_or_else(|| {
            Search::new(game.clone(), &self.level.search(game), self.level.simulations, self.stream(ply))
        });
        while !search.is_done() {
            if search.gather(queries) > 0 {
                self.search = Some(search);
                return Ok(None);
            }
        }
        let mut rng = self.stream(u64::MAX - ply);
        Ok(Some(self.level.choose(&search.result(), game.position().side_to_move(), 0, &mut rng)))
    }

    fn apply(&mut self, evaluations: &[Evaluation]) {
        if let Some(search) = &mut self.search {
            search.apply(evaluations);
        }
    }
}

fn contestant(name: &str) -> Result<Contestant, String> {
    if let Some(level) = Level::named(name) {
        let sit = move |_: &Arc<Rules>, _, seed| Box::new(LevelPlayer { level, seed, search: None }) as Box<dyn Player>;
        return Ok(Contestant::new(name.to_owned(), Some(0), Demand::Shared, sit));
    }
    let spec: PlayerSpec = name.parse().map_err(|error| format!("{name}: {error}"))?;
    Contestant::baseline(name.to_owned(), &spec).ok_or_else(|| format!("{name} needs a model file"))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rules = Arc::new(Rules::named("kvasir")?);
    let bytes = shipped_net().ok_or("this program was built without its net")?;
    let weights = Model::from_bytes(bytes)?.weights;
    let engine = Engine::new(&weights)?;
    println!("{}", serde_json::json!({ "net": weights.hash() }));
    // An argument `FIRST=SECOND` selects that match.
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    for (first, second, n_pairs) in MATCHES {
        if !wanted.is_empty() && !wanted.contains(&format!("{first}={second}")) {
            continue;
        }
        let config = MatchConfig {
            rules: rules.clone(),
            n_pairs,
            opening_plies: 4,
            book: None,
            max_plies: 200,
            seed: 1,
            sequential_test: None,
            concurrency: Concurrency::default(),
        };
        let evaluators = || {
            let engine = engine.share(1).expect("the engine runs on this machine already");
            vec![Box::new(NetEvaluator::new(Box::new(engine))) as Box<dyn Evaluator>]
        };
        let players = [contestant(first)?, contestant(second)?];
        let outcome = play_match(&config, &players, Vec::new(), evaluators, &CancelToken::new(), |_| {})?;
        println!("{}", serde_json::to_string(&outcome.report)?);
    }
    Ok(())
}
