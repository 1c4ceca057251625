//! The ranges of the settings of a search.

use super::{DrawValues, SearchConfig};

/// A setting is out of range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{key} = {found}: expected {expected}")]
pub struct ConfigError {
    /// The setting's path in [`SearchConfig`], with dots between the parts.
    pub key: &'static str,
    /// The value of the setting.
    pub found: f64,
    /// The allowed range.
    pub expected: &'static str,
}

impl SearchConfig {
    /// Checks every range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let within = |key, found: f64, (least, most): (f64, f64), expected| {
            if (least..=most).contains(&found) { Ok(()) } else { Err(ConfigError { key, found, expected }) }
        };
        let integer = |key, found: u32| within(key, found.into(), (1.0, f64::INFINITY), "an integer of at least 1");
        let share = |key, found: f32| within(key, found.into(), (0.0, 1.0), "a number from 0 to 1");
        let factor = |key, found: f32| within(key, found.into(), (0.0, 1000.0), "a number from 0 to 1000");
        let leaves = f64::from(self.leaves_in_flight);
        within("leaves_in_flight", leaves, (1.0, 10_000.0), "an integer from 1 to 10000")?;
        integer("max_nodes", self.max_nodes)?;
        integer("gumbel.max_considered", self.gumbel.max_considered)?;
        integer("gumbel.simulations_per_considered", self.gumbel.simulations_per_considered)?;
        factor("gumbel.gumbel_scale", self.gumbel.gumbel_scale)?;
        let c_visit = f64::from(self.gumbel.sigma.c_visit);
        within("gumbel.sigma.c_visit", c_visit, (0.0, 1e6), "a number from 0 to 1000000")?;
        factor("gumbel.sigma.c_scale", self.gumbel.sigma.c_scale)?;
        factor("puct.c_init", self.puct.c_init)?;
        factor("puct.fpu_reduction", self.puct.fpu_reduction)?;
        let temperature = f64::from(self.puct.policy_temperature);
        within("puct.policy_temperature", temperature, (0.1, 100.0), "a number from 0.1 to 100")?;
        let DrawValues { attackers, defenders } = self.draw_value;
        let key = if attackers == defenders { "draw_value" } else { "draw_value.attackers" };
        within(key, attackers.into(), (-1.0, 1.0), "a number from -1 to 1")?;
        within("draw_value.defenders", defenders.into(), (-1.0, 1.0), "a number from -1 to 1")?;
        share("moves_left", self.moves_left)?;
        factor("puct.temperature", self.puct.temperature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_out_of_range_are_refused() {
        let mut config = SearchConfig { moves_left: 1.5, ..SearchConfig::default() };
        let error = config.validate().expect_err("a share above 1");
        assert_eq!(error.to_string(), "moves_left = 1.5: expected a number from 0 to 1");
        config = SearchConfig { leaves_in_flight: 0, ..SearchConfig::default() };
        assert_eq!(config.validate().expect_err("no leaf at all").key, "leaves_in_flight");
        (config.puct.policy_temperature, config.leaves_in_flight) = (0.1, 1);
        config.validate().expect("the lower ends of the ranges are in them");
        for endless in [f32::INFINITY, f32::NAN, 1e38, -1.0] {
            config = SearchConfig::default();
            config.gumbel.sigma.c_scale = endless;
            assert_eq!(config.validate().expect_err("no factor").key, "gumbel.sigma.c_scale", "{endless}");
        }
        for outside in [-1.01, 1.01, f32::NAN] {
            for (draw_value, side) in [
                (DrawValues { attackers: outside, defenders: 0.0 }, "draw_value.attackers"),
                (DrawValues { attackers: 0.0, defenders: outside }, "draw_value.defenders"),
            ] {
                config = SearchConfig { draw_value, ..SearchConfig::default() };
                assert_eq!(config.validate().expect_err("beyond a loss or a win").key, side, "{outside}");
            }
        }
        config = SearchConfig { draw_value: (-1.01).into(), ..SearchConfig::default() };
        assert_eq!(config.validate().expect_err("below a loss").key, "draw_value");
    }
}
