//! The options in a net's text: settings of its search.

use std::fmt;
use std::str::FromStr;
use tablut_rules::json_fault;
use tablut_search::SearchConfig;

/// The forms of options, for help texts and messages.
pub const OPTION_FORMS: &str = "KEY=VALUE with a setting of the search, such as method=puct, solver=off or \
                                draw_value=0";

/// Changes to the search settings of matches ([`SearchConfig::for_play`]). The default has no changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchOptions {
    /// Search settings, by their path in [`SearchConfig`]. The value is JSON or a name. All of them exist and are in
    /// range.
    settings: Vec<(String, String)>,
}

impl SearchOptions {
    /// `config` with the changes.
    pub fn apply(&self, mut config: SearchConfig) -> SearchConfig {
        for (key, value) in &self.settings {
            // It was in range when it was read.
            config = with_setting(&config, key, value).unwrap_or(config);
        }
        config
    }

    fn set(&mut self, option: &str) -> Result<(), OptionError> {
        let wrong = |expected: &str| OptionError { option: option.to_owned(), expected: expected.to_owned() };
        let (key, value) = option.split_once('=').ok_or_else(|| wrong(OPTION_FORMS))?;
        with_setting(&SearchConfig::for_play(), key, value).map_err(|expected| wrong(&expected))?;
        if self.settings.iter().any(|(earlier, _)| earlier == key) {
            return Err(wrong("each setting once"));
        }
        self.settings.push((key.to_owned(), value.to_owned()));
        Ok(())
    }
}

/// `config` with one setting changed, or what was expected instead.
fn with_setting(config: &SearchConfig, key: &str, value: &str) -> Result<SearchConfig, String> {
    let mut whole = serde_json::to_value(config).expect("settings are plain data");
    let place = key.split('.').try_fold(&mut whole, |place, part| place.get_mut(part));
    *place.ok_or(OPTION_FORMS)? = serde_json::from_str(value).unwrap_or_else(|_| value.into());
    let changed: SearchConfig =
        serde_json::from_value(whole).map_err(|error| format!("another value: {}", json_fault(&error)))?;
    changed.validate().map_err(|error| error.expected)?;
    Ok(changed)
}

/// An option cannot be read.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("option {option:?}: expected {expected}")]
pub struct OptionError {
    /// The given option.
    pub option: String,
    /// What was expected.
    pub expected: String,
}

impl FromStr for SearchOptions {
    type Err = OptionError;

    fn from_str(text: &str) -> Result<Self, OptionError> {
        let mut options = Self::default();
        text.split(',').try_for_each(|option| options.set(option))?;
        Ok(options)
    }
}

/// Writes the settings of the search in the order in which they were given, each after a comma.
impl fmt::Display for SearchOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.iter().try_for_each(|(key, value)| write!(f, ",{key}={value}"))
    }
}

#[cfg(test)]
mod tests {
    use super::SearchOptions;
    use tablut_search::{DrawValues, Method, SearchConfig, Solver};

    #[test]
    fn any_setting_can_be_changed_by_its_path_and_nothing_else_changes() {
        let usual = SearchConfig::for_play();
        let apply = |text: &str| text.parse::<SearchOptions>().unwrap().apply(usual.clone());
        assert_eq!(SearchOptions::default().apply(usual.clone()), usual);
        let mut expected =
            SearchConfig { method: Method::Puct, solver: Solver::Threats, leaves_in_flight: 8, ..usual.clone() };
        expected.moves_left = 0.0;
        assert_eq!(apply("method=puct,solver=threats,leaves_in_flight=8,moves_left=0"), expected);
        let (both, defenders) = (apply("draw_value=-0.4"), apply("draw_value.defenders=-0.4"));
        assert_eq!(both.draw_value, (-0.4).into());
        assert_eq!(defenders.draw_value, DrawValues { defenders: -0.4, ..usual.draw_value });
    }

    #[test]
    fn options_are_written_back_as_they_were_given() {
        let text = |text: &str| text.parse::<SearchOptions>().unwrap().to_string();
        assert_eq!(text("solver=off,method=puct"), ",solver=off,method=puct");
        assert_eq!(SearchOptions::default().to_string(), "");
    }

    #[test]
    fn wrong_options_are_shown_with_what_was_expected() {
        for (text, part) in [
            ("puct", "KEY=VALUE"),
            ("method=puct,", "KEY=VALUE"),
            ("gumbel.nonsense=1", "KEY=VALUE"),
            ("method=fast", "another value: unknown variant `fast`"),
            ("solver=fast", "another value: unknown variant `fast`"),
            ("solver=off,puct.c_init=many", "another value: found the text \"many\", expected a number"),
            ("solver=off,solver=deep", "each setting once"),
            ("draw_value=none", "a number, or numbers for `attackers` and `defenders`"),
            ("draw_value.defenders=-2", "a number from -1 to 1"),
            ("leaves_in_flight=0", "an integer from 1 to 10000"),
            ("puct.policy_temperature=0", "a number from 0.1 to 100"),
            ("gumbel.sigma.c_scale=1e38", "a number from 0 to 1000"),
            ("simulations=800", "KEY=VALUE"),
            ("precision=f32", "KEY=VALUE"),
        ] {
            let error = text.parse::<SearchOptions>().unwrap_err();
            assert!(text.contains(&error.option) && error.to_string().contains(part), "{text}: {error}");
        }
    }
}
