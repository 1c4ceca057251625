//! The ranges of the settings of a search.

use super::{DrawValues, SearchConfig, SelfPlaySearch};

/// A setting is out of range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{key} = {found}: expected {expected}")]
#[expect(missing_docs, reason = "the names say what the other fields are")]
pub struct ConfigError {
    /// The setting's path, with dots between the parts.
    pub key: &'static str,
    pub found: f64,
    pub expected: &'static str,
}

fn within(key: &'static str, found: f64, (least, most): (f64, f64), expected: &'static str) -> Result<(), ConfigError> {
    if (least..=most).contains(&found) { Ok(()) } else { Err(ConfigError { key, found, expected }) }
}

fn integer(key: &'static str, found: u32) -> Result<(), ConfigError> {
    within(key, found.into(), (1.0, f64::INFINITY), "an integer of at least 1")
}

fn factor(key: &'static str, found: f32) -> Result<(), ConfigError> {
    within(key, found.into(), (0.0, 1000.0), "a number from 0 to 1000")
}

fn visits(key: &'static str, found: f32) -> Result<(), ConfigError> {
    within(key, found.into(), (0.0, 1e6), "a number from 0 to 1000000")
}

impl SelfPlaySearch {
    /// Checks the ranges of all settings.
    ///
    /// # Errors
    /// If a setting is out of range. The error names the first one.
    pub fn validate(&self) -> Result<(), ConfigError> {
        integer("max_considered", self.max_considered)?;
        factor("c_scale", self.c_scale)
    }
}

impl SearchConfig {
    /// Checks the ranges of all settings.
    ///
    /// # Errors
    /// If a setting is out of range. The error names the first one.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let Self { gumbel, puct, draw_value: DrawValues { attackers, defenders }, .. } = self;
        integer("gumbel.max_considered", gumbel.max_considered)?;
        integer("gumbel.simulations_per_considered", gumbel.simulations_per_considered)?;
        visits("gumbel.sigma.c_visit", gumbel.sigma.c_visit)?;
        factor("gumbel.sigma.c_scale", gumbel.sigma.c_scale)?;
        factor("puct.c_init", puct.c_init)?;
        factor("puct.fpu_reduction", puct.fpu_reduction)?;
        let temperature = f64::from(puct.policy_temperature);
        within("puct.policy_temperature", temperature, (0.1, 100.0), "a number from 0.1 to 100")?;
        factor("puct.temperature", puct.temperature)?;
        within("moves_left", self.moves_left.into(), (0.0, 1.0), "a number from 0 to 1")?;
        let key = if attackers == defenders { "draw_value" } else { "draw_value.attackers" };
        within(key, (*attackers).into(), (-1.0, 1.0), "a number from -1 to 1")?;
        within("draw_value.defenders", (*defenders).into(), (-1.0, 1.0), "a number from -1 to 1")?;
        let leaves = f64::from(self.leaves_in_flight);
        within("leaves_in_flight", leaves, (1.0, 10_000.0), "an integer from 1 to 10000")?;
        integer("max_nodes", self.max_nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_out_of_range_are_refused() {
        let play = SearchConfig::for_play;
        let fault = |config: SearchConfig| config.validate().expect_err("out of range");
        let error = fault(SearchConfig { moves_left: 1.5, ..play() });
        assert_eq!(error.to_string(), "moves_left = 1.5: expected a number from 0 to 1");
        assert_eq!(fault(SearchConfig { leaves_in_flight: 0, ..play() }).key, "leaves_in_flight");
        let mut config = play();
        config.puct.policy_temperature = 0.1;
        config.validate().expect("the lower end of the range is in it");
        for endless in [f32::INFINITY, f32::NAN, 1e38, -1.0] {
            config = play();
            config.gumbel.sigma.c_scale = endless;
            assert_eq!(fault(config).key, "gumbel.sigma.c_scale", "{endless}");
            let selfplay = SelfPlaySearch { c_scale: endless, ..SelfPlaySearch::default() };
            assert_eq!(selfplay.validate().expect_err("out of range").key, "c_scale", "{endless}");
        }
        for outside in [-1.01, 1.01, f32::NAN] {
            for (draw_value, side) in [
                (DrawValues { attackers: outside, defenders: 0.0 }, "draw_value.attackers"),
                (DrawValues { attackers: 0.0, defenders: outside }, "draw_value.defenders"),
            ] {
                assert_eq!(fault(SearchConfig { draw_value, ..play() }).key, side, "{outside}");
            }
        }
        assert_eq!(fault(SearchConfig { draw_value: (-1.01).into(), ..play() }).key, "draw_value");
    }
}
