//! How a net plays: which net, its limit per move, and its search.

use crate::spec::PlayerSpec;
use std::sync::Arc;
use tablut_net::{NetPool, PooledNet, TrainingSummary};
use tablut_search::{Limit, SearchConfig, Solver};

/// Simulations per move for a net whose file does not recommend a number.
const DEFAULT_SIMULATIONS: u32 = 64;

/// The settings without any search, even without the solver's check for wins in one move.
fn policy_alone() -> SearchConfig {
    SearchConfig { solver: Solver::Off, ..SearchConfig::for_play() }
}

/// The recommended simulations per move for a net, from the information about its training.
pub fn play_simulations(training: &TrainingSummary) -> u32 {
    match training.play_simulations {
        0 => DEFAULT_SIMULATIONS,
        simulations => simulations,
    }
}

/// A net's settings in a match.
#[derive(Clone, Debug, PartialEq)]
pub struct NetSearch {
    /// The index of its evaluator in [`NetPool::evaluators`].
    pub evaluator: usize,
    /// The limit per move.
    pub limit: Limit,
    /// The search settings.
    pub config: SearchConfig,
}

impl NetSearch {
    /// The settings of the net that `spec` names, or `None` for other kinds of players and if its model file was not
    /// loaded.
    pub fn of(spec: &PlayerSpec, nets: &NetPool) -> Option<Self> {
        let (limit, config) = match spec {
            PlayerSpec::Net { limit, options, .. } => (*limit, options.apply(SearchConfig::for_play())),
            PlayerSpec::Policy { .. } => (Limit::of_simulations(0), policy_alone()),
            _ => return None,
        };
        Some(Self { evaluator: nets.place(spec.model_file()?)?, limit, config })
    }
}

/// The net that `spec` plays with, or `None` for other kinds of players and if its model file was not loaded.
pub fn net_of<'a>(spec: &PlayerSpec, nets: &'a NetPool) -> Option<&'a Arc<PooledNet>> {
    nets.get(spec.model_file()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_net::{Model, ModelFileError, StatedRules, Weights};

    #[test]
    fn a_policy_does_not_search() {
        let weights = Weights::initial(&"lines32x1".parse().unwrap(), 1);
        let rules = vec![StatedRules::of(&tablut_rules::Rules::named("kvasir").unwrap())];
        let model = Model { weights, rules, training: TrainingSummary::default(), card: None };
        let mut nets = NetPool::default();
        nets.get_or_load::<ModelFileError>("net.tablut".as_ref(), || Ok(model)).unwrap();
        let player = |text: &str| {
            let search = NetSearch::of(&text.parse().unwrap(), &nets).unwrap();
            (search.evaluator, search.limit.to_string(), search.config.solver)
        };
        assert_eq!(player("net:net.tablut@8"), (0, "8".to_owned(), Solver::Deep));
        assert_eq!(player("policy:net.tablut"), (0, "0".to_owned(), Solver::Off));
        assert!(NetSearch::of(&"policy:other.tablut".parse().unwrap(), &nets).is_none());
    }
}
