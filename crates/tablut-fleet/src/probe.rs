//! The probe: a hash of a few searches. A trainer and a worker compare it before the worker plays.

use std::sync::{Arc, Mutex};

use tablut_games::{GameOrder, SelfPlayConfig, Task};
use tablut_net::{Architecture, Inference, InputBatch, NetError, NetEvaluator, OutputBatch, Weights};
use tablut_search::{Evaluator, SelfPlaySearch, Situation};

use crate::error::FleetError;
use crate::wire::{OrderSpec, OrderedPlayer, WorkSpec};

/// The seed of the probe's net and games. Its value does not matter.
const SEED: u64 = 0x7ab1_u64;
/// Rule sets that the probe plays.
const MAX_RULES: usize = 4;
const MAX_PLIES: u32 = 16;
const MAX_SIMULATIONS: u32 = 16;

/// Plays the first plies of a game under each of the order's first rule sets, with the search of self-play and an
/// untrained net of each of its architectures. Returns a hash of all outputs of the net, moves and policies.
///
/// Machines with different hashes compute different bits. The generation and the net's weights do not matter, so one
/// probe is enough for a whole run.
pub fn probe(order: &OrderSpec, make_inference: impl Fn(&Weights) -> Box<dyn Inference>) -> Result<String, FleetError> {
    let rules = order.compiled_rules()?;
    let mut hasher = blake3::Hasher::new();
    for (architecture, selfplay, search, simulations) in searches(order)? {
        let weights = Arc::new(Weights::initial(&architecture, SEED));
        let games = GameOrder {
            seed: SEED,
            generation: 0,
            games: rules.len().min(MAX_RULES),
            rules: rules.clone(),
            selfplay: SelfPlayConfig { max_plies: selfplay.max_plies.min(MAX_PLIES), ..selfplay },
            search,
            simulations: simulations.clamp(1, MAX_SIMULATIONS),
            weights: Arc::clone(&weights),
            handicaps: Vec::new(),
        };
        for index in 0..games.games {
            let hash = play_hashed(&games, index, make_inference(&weights))?;
            hasher.update(hash.as_bytes());
        }
    }
    Ok(hasher.finalize().to_hex()[..32].to_owned())
}

/// The architectures of the order's nets, with the settings of the probe's games and searches.
fn searches(order: &OrderSpec) -> Result<Vec<(Architecture, SelfPlayConfig, SelfPlaySearch, u32)>, FleetError> {
    let wrong = |net: usize| FleetError::message("job", format!("net {net} of {}", order.nets.len()));
    let architecture = |net: usize| order.nets.get(net).map(|net| net.architecture).ok_or_else(|| wrong(net));
    match &order.work {
        WorkSpec::SelfPlay { selfplay, search, simulations, .. } => {
            Ok(vec![(architecture(0)?, selfplay.clone(), search.clone(), *simulations)])
        }
        WorkSpec::Match { players, .. } => {
            let nets = players.iter().filter_map(|player| match player {
                OrderedPlayer::Net { net, .. } => Some(architecture(*net)),
                OrderedPlayer::Baseline { .. } => None,
            });
            nets.map(|net| Ok((net?, SelfPlayConfig::default(), SelfPlaySearch::default(), MAX_SIMULATIONS))).collect()
        }
    }
}

/// Plays one game, and hashes the net's outputs and the game.
fn play_hashed(order: &GameOrder, index: usize, net: Box<dyn Inference>) -> Result<blake3::Hash, FleetError> {
    let hasher = Arc::new(Mutex::new(blake3::Hasher::new()));
    let mut evaluator = NetEvaluator::new(Box::new(Hashing { net, hasher: Arc::clone(&hasher) }));
    let mut game = order.game(index);
    let mut requests = Vec::new();
    let record = loop {
        let Ok(ended) = game.gather(&mut requests);
        if let Some(record) = ended {
            break record;
        }
        let queries: Vec<Situation> = requests.drain(..).map(|(_, query)| query).collect();
        game.apply(&evaluator.evaluate(&queries)?);
    };
    let packed = tablut_games::pack_game(&record).map_err(|reason| FleetError::message("probe", reason))?;
    let mut hasher = hasher.lock().map_err(|_| FleetError::Ended)?;
    Ok(hasher.update(&packed).finalize())
}

/// A net that hashes its outputs.
struct Hashing {
    net: Box<dyn Inference>,
    hasher: Arc<Mutex<blake3::Hasher>>,
}

impl Inference for Hashing {
    fn infer(&mut self, input: &InputBatch, output: &mut OutputBatch) -> Result<(), NetError> {
        self.net.infer(input, output)?;
        let values = output.logits.iter().chain(output.wdl.iter().flatten()).chain(&output.moves_left);
        let bytes: Vec<u8> = values.flat_map(|value| value.to_le_bytes()).collect();
        if let Ok(mut hasher) = self.hasher.lock() {
            hasher.update(&bytes);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::Order;
    use tablut_net::Engine;
    use tablut_rules::Rules;

    fn spec() -> OrderSpec {
        let rules = ["kvasir", "masters"].map(|name| Arc::new(Rules::named(name).unwrap()));
        let weights = Arc::new(Weights::initial(&"lines32x1".parse().unwrap(), 1));
        let (selfplay, search, simulations) = (SelfPlayConfig::default(), SelfPlaySearch::default(), 8);
        let rules = rules.to_vec();
        let order = GameOrder {
            seed: 1,
            generation: 0,
            games: 4,
            rules,
            selfplay,
            search,
            simulations,
            weights,
            handicaps: Vec::new(),
        };
        Order::of_generation("run", order).spec
    }

    fn engine(weights: &Weights) -> Box<dyn Inference> {
        Box::new(Engine::new(weights).unwrap())
    }

    /// An engine that flips the last bit of a logit, like a machine with another rounding.
    struct Off(Engine);

    impl Inference for Off {
        fn infer(&mut self, input: &InputBatch, output: &mut OutputBatch) -> Result<(), NetError> {
            self.0.infer(input, output)?;
            let logit = output.logits.last_mut().unwrap();
            *logit = f32::from_bits(logit.to_bits() ^ 1);
            Ok(())
        }
    }

    #[test]
    fn the_probe_is_a_function_of_rules_and_settings_and_sees_one_bit() {
        let here = probe(&spec(), engine).unwrap();
        let mut later = OrderSpec { generation: 9, ..spec() };
        later.nets[0].hash = "other".to_owned();
        assert_eq!(probe(&later, engine).unwrap(), here);
        let off = probe(&spec(), |weights| Box::new(Off(Engine::new(weights).unwrap()))).unwrap();
        assert_ne!(off, here);
    }
}
