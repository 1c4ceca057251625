//! Changes to a net's search and precision, for comparisons: `net:FILE@64,puct`.

use std::fmt;
use std::str::FromStr;
use tablut_net::Precision;
use tablut_search::{Method, SearchConfig, Solver};

/// The options that [`SearchOptions::from_str`] reads, for help texts and messages.
pub const OPTION_FORMS: &str = "gumbel, gumbel=M, scale=C, puct, puct=C, fpu=R, solver=off|threats|deep, \
                                precision=f32|bf16|bf16-avx512|bf16-amx|fastest, or KEY=VALUE with a setting of the search";

/// Changes to the search settings of matches ([`SearchConfig::for_play`]). The default has no changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchOptions {
    /// How the search chooses moves in the tree.
    pub method: MethodOption,
    /// What the search proves, and what it finds without an evaluation.
    pub solver: Option<Solver>,
    /// `precision=P`: the precision of the net on the cores. Default f32, under a clock `fastest`; a device has its own.
    pub precision: Option<Precision>,
    /// Any other search settings, by their path in [`SearchConfig`]. The value is JSON or a name. They exist and are in
    /// range.
    settings: Vec<(String, String)>,
}

/// How the search chooses moves in the tree.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub enum MethodOption {
    /// As in every match: Gumbel search with few simulations, PUCT with many, both without noise.
    #[default]
    Usual,
    /// `gumbel`: Gumbel search without noise.
    Gumbel {
        /// `gumbel=M`: how many of the root's moves it considers at first (m in Danihelka et al. 2022), or `None` for
        /// the default.
        max_considered: Option<u32>,
        /// `scale=C`: the weight of Q relative to the policy ([`tablut_search::SigmaConfig::c_scale`]), or `None` for
        /// the default.
        c_scale: Option<f32>,
    },
    /// `puct`: PUCT without noise. It plays the most visited move.
    Puct {
        /// `puct=C`: exploration at few visits ([`tablut_search::PuctConfig::c_init`]), or `None` for the default.
        c_init: Option<f32>,
        /// `fpu=R`: the reduction of an unvisited move's value below its parent's, or `None` for the default.
        fpu_reduction: Option<f32>,
    },
}

impl SearchOptions {
    /// `config` with the changes.
    pub fn apply(&self, mut config: SearchConfig) -> SearchConfig {
        match self.method {
            MethodOption::Usual => {}
            MethodOption::Gumbel { max_considered, c_scale } => {
                config.method = Method::Gumbel;
                if let Some(max_considered) = max_considered {
                    (config.gumbel.max_considered, config.gumbel.simulations_per_considered) = (max_considered, 1);
                }
                config.gumbel.sigma.c_scale = c_scale.unwrap_or(config.gumbel.sigma.c_scale);
            }
            MethodOption::Puct { c_init, fpu_reduction } => {
                config.method = Method::Puct;
                config.puct.c_init = c_init.unwrap_or(config.puct.c_init);
                config.puct.fpu_reduction = fpu_reduction.unwrap_or(config.puct.fpu_reduction);
            }
        }
        config.solver = self.solver.unwrap_or(config.solver);
        for (key, value) in &self.settings {
            // It was in range when it was read.
            config = with_setting(&config, key, value).unwrap_or(config);
        }
        config
    }

    fn set(&mut self, option: &str) -> Result<(), OptionError> {
        let (name, value) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
        let wrong = |expected: &str| OptionError { option: option.to_owned(), expected: expected.to_owned() };
        match (name, value) {
            ("puct", value) => {
                let c_init = value.map(|c| positive(c).ok_or_else(|| wrong(C_FORM))).transpose()?;
                match &mut self.method {
                    MethodOption::Usual => self.method = MethodOption::Puct { c_init, fpu_reduction: None },
                    _ => return Err(wrong("one of puct and gumbel, and that once")),
                }
            }
            ("fpu", value) => match &mut self.method {
                MethodOption::Puct { fpu_reduction: fpu @ None, .. } => {
                    let reduction = value.and_then(|r| r.parse().ok()).filter(|r| (0.0..=2.0).contains(r));
                    *fpu = Some(reduction.ok_or_else(|| wrong("fpu=R with a number from 0 to 2, such as fpu=0.2"))?);
                }
                _ => return Err(wrong("fpu=R once, after puct")),
            },
            ("gumbel", value) => {
                let considered = |m: &str| m.parse().ok().filter(|m| (1..=1000).contains(m));
                let expected = "gumbel, or gumbel=M with 1 to 1000 moves considered";
                let max_considered = value.map(|m| considered(m).ok_or_else(|| wrong(expected))).transpose()?;
                match &mut self.method {
                    MethodOption::Usual => self.method = MethodOption::Gumbel { max_considered, c_scale: None },
                    _ => return Err(wrong("one of puct and gumbel, and that once")),
                }
            }
            ("scale", value) => match &mut self.method {
                MethodOption::Gumbel { c_scale: scale @ None, .. } => {
                    let expected = "scale=C with a number above 0 and at most 100, such as scale=0.1";
                    *scale = Some(value.and_then(positive).ok_or_else(|| wrong(expected))?);
                }
                _ => return Err(wrong("scale=C once, after gumbel")),
            },
            ("solver", value) => {
                let solver =
                    value.and_then(solver).ok_or_else(|| wrong("solver=off, solver=threats or solver=deep"))?;
                if self.solver.replace(solver).is_some() {
                    return Err(wrong("solver once"));
                }
            }
            ("precision", value) => {
                let expected = "precision=f32, bf16, bf16-avx512, bf16-amx or fastest";
                let precision = value.and_then(|p| p.parse().ok()).ok_or_else(|| wrong(expected))?;
                if self.precision.replace(precision).is_some() {
                    return Err(wrong("precision once"));
                }
            }
            ("simulations", _) => {
                return Err(wrong("the number of simulations in its own place, such as net:FILE@800"));
            }
            (key, Some(value)) => {
                with_setting(&SearchConfig::default(), key, value).map_err(|expected| wrong(&expected))?;
                if self.settings.iter().any(|(earlier, _)| earlier == key) {
                    return Err(wrong("each setting once"));
                }
                self.settings.push((key.to_owned(), value.to_owned()));
            }
            _ => return Err(wrong(OPTION_FORMS)),
        }
        Ok(())
    }
}

/// `config` with one setting changed, or what was expected instead.
fn with_setting(config: &SearchConfig, key: &str, value: &str) -> Result<SearchConfig, String> {
    let mut whole = serde_json::to_value(config).expect("settings are plain data");
    let place = key.split('.').try_fold(&mut whole, |place, part| place.get_mut(part));
    *place.ok_or(OPTION_FORMS)? = serde_json::from_str(value).unwrap_or_else(|_| value.into());
    let changed: SearchConfig = serde_json::from_value(whole).map_err(|error| format!("another value: {error}"))?;
    changed.validate().map_err(|error| error.expected)?;
    Ok(changed)
}

const C_FORM: &str = "puct or puct=C with a number above 0 and at most 100, such as puct=1.25";

fn positive(text: &str) -> Option<f32> {
    text.parse().ok().filter(|&c: &f32| c > 0.0 && c <= 100.0)
}

const SOLVERS: [(&str, Solver); 3] = [("off", Solver::Off), ("threats", Solver::Threats), ("deep", Solver::Deep)];

fn solver(text: &str) -> Option<Solver> {
    SOLVERS.iter().find(|(name, _)| *name == text).map(|&(_, solver)| solver)
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

    /// One or more options, separated by commas.
    fn from_str(text: &str) -> Result<Self, OptionError> {
        let mut options = Self::default();
        text.split(',').try_for_each(|option| options.set(option))?;
        Ok(options)
    }
}

/// A comma before each option, in a fixed order.
impl fmt::Display for SearchOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.method {
            MethodOption::Usual => {}
            MethodOption::Gumbel { max_considered, c_scale } => {
                f.write_str(",gumbel")?;
                if let Some(max_considered) = max_considered {
                    write!(f, "={max_considered}")?;
                }
                if let Some(c_scale) = c_scale {
                    write!(f, ",scale={c_scale}")?;
                }
            }
            MethodOption::Puct { c_init, fpu_reduction } => {
                f.write_str(",puct")?;
                if let Some(c_init) = c_init {
                    write!(f, "={c_init}")?;
                }
                if let Some(reduction) = fpu_reduction {
                    write!(f, ",fpu={reduction}")?;
                }
            }
        }
        if let Some((name, _)) = SOLVERS.iter().find(|&&(_, solver)| Some(solver) == self.solver) {
            write!(f, ",solver={name}")?;
        }
        if let Some(precision) = self.precision {
            write!(f, ",precision={precision}")?;
        }
        self.settings.iter().try_for_each(|(key, value)| write!(f, ",{key}={value}"))
    }
}

#[cfg(test)]
mod tests {
    use super::SearchOptions;
    use tablut_search::{DrawValues, Method, SearchConfig, Solver};

    #[test]
    fn options_change_what_they_name_and_nothing_else() {
        let usual = SearchConfig::for_play(32);
        let apply = |text: &str| text.parse::<SearchOptions>().unwrap().apply(usual.clone());
        assert_eq!(SearchOptions::default().apply(usual.clone()), usual);
        let mut expected = SearchConfig { method: Method::Gumbel, ..usual.clone() };
        assert_eq!(apply("gumbel"), expected);
        (expected.gumbel.max_considered, expected.gumbel.simulations_per_considered) = (32, 1);
        assert_eq!(apply("gumbel=32"), expected);
        expected.gumbel.sigma.c_scale = 0.25;
        assert_eq!(apply("gumbel=32,scale=0.25"), expected);
        expected = usual.clone();
        (expected.method, expected.puct.c_init, expected.puct.fpu_reduction) = (Method::Puct, 2.5, 0.0);
        expected.solver = Solver::Threats;
        assert_eq!(apply("solver=threats,puct=2.5,fpu=0"), expected);
    }

    #[test]
    fn any_setting_can_be_changed_by_its_path() {
        let usual = SearchConfig::for_play(32);
        let apply = |text: &str| text.parse::<SearchOptions>().unwrap().apply(usual.clone());
        let mut expected = usual.clone();
        expected.leaves_in_flight = 8;
        (expected.moves_left.max_effect, expected.method) = (0.0, Method::Puct);
        let text = "puct,leaves_in_flight=8,moves_left.max_effect=0";
        assert_eq!(apply(text), expected);
        assert_eq!(text.parse::<SearchOptions>().unwrap().to_string(), format!(",{text}"));
        let (both, defenders) = (apply("draw_value=-0.4"), apply("draw_value.defenders=-0.4"));
        assert_eq!(both.draw_value, (-0.4).into());
        assert_eq!(defenders.draw_value, DrawValues { defenders: -0.4, ..usual.draw_value });
        for (text, part) in [
            ("draw_value=none", "a number, or numbers for `attackers` and `defenders`"),
            ("draw_value.defenders=-2", "a number from -1 to 1"),
            ("repeats=fast", "another value: unknown variant `fast`"),
            ("gumbel=8,puct.c_init=many", "another value: invalid type"),
            ("gumbel.nonsense=1", "KEY=VALUE"),
            ("leaves_in_flight=0", "an integer from 1 to 10000"),
            ("puct.policy_temperature=0", "a number from 0.1 to 100"),
            ("gumbel.sigma.c_scale=1e38", "a number from 0 to 1000"),
            ("simulations=800", "net:FILE@800"),
            ("gumbel_up_to=1,gumbel_up_to=2", "each setting once"),
        ] {
            let error = text.parse::<SearchOptions>().unwrap_err();
            assert!(text.contains(&error.option) && error.to_string().contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn options_are_written_back_in_their_order() {
        let text = |text: &str| text.parse::<SearchOptions>().unwrap().to_string();
        assert_eq!(text("solver=off,puct=1.5,fpu=0.25"), ",puct=1.5,fpu=0.25,solver=off");
        assert_eq!(text("gumbel=8"), ",gumbel=8");
        assert_eq!(text("gumbel,scale=0.5"), ",gumbel,scale=0.5");
        assert_eq!(text("precision=bf16,puct"), ",puct,precision=bf16");
        assert_eq!(SearchOptions::default().to_string(), "");
    }

    #[test]
    fn wrong_options_are_shown_with_what_was_expected() {
        for (text, part) in [
            ("pucd", "puct, puct=C"),
            ("puct,", "puct, puct=C"),
            ("puct=0", "above 0"),
            ("puct=NaN", "above 0"),
            ("puct,gumbel=8", "one of puct and gumbel"),
            ("puct,puct=2", "one of puct and gumbel"),
            ("scale=2", "after gumbel"),
            ("gumbel,scale=0", "above 0"),
            ("gumbel=0", "1 to 1000"),
            ("fpu=0.1", "after puct"),
            ("puct,fpu=0.1,fpu=0.2", "once"),
            ("puct,fpu=-1", "0 to 2"),
            ("solver=fast", "solver=off"),
            ("solver=off,solver=deep", "once"),
            ("precision=f64", "bf16-avx512, bf16-amx or fastest"),
            ("precision=f32,precision=bf16", "once"),
        ] {
            let error = text.parse::<SearchOptions>().unwrap_err();
            assert!(text.contains(&error.option) && error.to_string().contains(part), "{text}: {error}");
        }
    }
}
