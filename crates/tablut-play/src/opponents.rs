//! The terminal's players in addition to the levels: players without a net, and a net with a number of simulations.

use std::sync::Arc;
use std::time::Duration;
use tablut_players::{Baseline, PlayerSpec};
use tablut_rules::{Game, Move, Rules};
use tablut_search::{EvaluateError, Evaluator, Limit, SearchConfig};
use tablut_session::{CustomPlayer, SearchWork, Step, Update, Work, vary_opening};

pub const NET: &str = "net";

#[derive(Debug)]
pub struct BySimulations(pub u32);

impl CustomPlayer for BySimulations {
    fn name(&self) -> &str {
        NET
    }

    fn reply(&self, game: &Game, seed: u64) -> Box<dyn Work> {
        let mut config = SearchConfig::for_play();
        vary_opening(&mut config, game);
        Box::new(SearchWork::best_move(game, &config, Limit::of_simulations(self.0), seed))
    }
}

#[derive(Debug)]
pub struct WithoutNet {
    spec: PlayerSpec,
    name: String,
}

impl WithoutNet {
    /// The player that `spec` names. `None` if it is a net or a program.
    pub fn new(spec: PlayerSpec, rules: &Arc<Rules>) -> Option<Self> {
        Baseline::new(&spec, rules, 0)?;
        Some(Self { name: spec.to_string(), spec })
    }
}

impl CustomPlayer for WithoutNet {
    fn name(&self) -> &str {
        &self.name
    }

    fn reply(&self, game: &Game, seed: u64) -> Box<dyn Work> {
        let player = Baseline::new(&self.spec, game.rules(), seed).expect("`new` has checked the player");
        Box::new(Choice { game: game.clone(), player })
    }
}

struct Choice {
    game: Game,
    player: Baseline,
}

impl Work for Choice {
    fn step(&mut self, _: &mut dyn Evaluator, _: Duration) -> Result<Step, EvaluateError> {
        let mv: Move = self.player.choose(&self.game);
        Ok(Step::Done(vec![Update::Move(mv, None)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_rules::Side;
    use tablut_search::UniformEvaluator;

    fn move_of(player: &dyn CustomPlayer, seed: u64) -> Move {
        let game = Game::new(Arc::new(Rules::named("kvasir").unwrap()), Side::Attackers);
        let mut work = player.reply(&game, seed);
        loop {
            if let Step::Done(updates) = work.step(&mut UniformEvaluator, Duration::ZERO).unwrap() {
                let [Update::Move(mv, _)] = updates.as_slice() else { panic!("{updates:?}") };
                return *mv;
            }
        }
    }

    #[test]
    fn chance_comes_from_the_seed_alone() {
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        let random = WithoutNet::new("random".parse().unwrap(), &rules).unwrap();
        for player in [&random as &dyn CustomPlayer, &BySimulations(20)] {
            let moves: Vec<Move> = (0..12).map(|seed| move_of(player, seed)).collect();
            assert_eq!(moves, (0..12).map(|seed| move_of(player, seed)).collect::<Vec<_>>(), "{player:?}");
            assert!(moves.iter().any(|mv| *mv != moves[0]), "{player:?}: {moves:?}");
        }
        assert!(WithoutNet::new("net:x@5".parse().unwrap(), &rules).is_none());
    }
}
