//! The order of a generation's games as text, for players. The net goes with it as a model file, which has the rules.

use serde::{Deserialize, Serialize};
use std::path::Path;
use tablut_games::{GameOrder, Handicap};
use tablut_learn::TrainConfig;
use tablut_net::{Model, StatedRules};

/// What an order has beside the net and the rules.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct OrderText {
    /// The run's config, as TOML.
    pub config: String,
    /// The generation, from 0.
    pub generation: u64,
    /// The handicaps by rule set, as in [`GameOrder`].
    pub handicaps: Vec<Handicap>,
}

impl OrderText {
    /// The text of `order` in a run with `config`.
    pub fn new(config: &TrainConfig, order: &GameOrder) -> Self {
        Self { config: config.to_toml(), generation: order.generation, handicaps: order.handicaps.clone() }
    }

    /// The order, which the net of `model` plays.
    ///
    /// # Errors
    /// If the config is not valid or the model has other rules than it names.
    pub fn order(self, model: Model) -> Result<GameOrder, String> {
        let config =
            TrainConfig::parse(&self.config, Path::new("of the order"), &[]).map_err(|error| error.to_string())?;
        let named = model.rules.iter().map(StatedRules::name);
        if !named.eq(config.rules.iter().map(String::as_str)) {
            return Err(format!("the net of the order has other rules than {}", config.rules.join(", ")));
        }
        let rules: Vec<_> = model.rules.iter().map(StatedRules::rules).collect();
        let order = config.order(&rules, self.generation, model.weights);
        Ok(GameOrder { handicaps: self.handicaps, ..order })
    }
}
