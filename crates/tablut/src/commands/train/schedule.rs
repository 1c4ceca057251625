//! `tablut train --time T`: chooses generations and games for a time on this machine.

use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use tablut_games::{CancelToken, SHIPPED, shipped_net};
use tablut_learn::{MachinePace, TrainConfig};
use tablut_report::figures::{count, duration};

use crate::console::Voice;
use crate::forecast_text::measure_pace;
use crate::nets::load_model;

/// The allowed times of a run, in seconds.
const SECONDS: std::ops::RangeInclusive<f64> = 60.0..=2_592_000.0;
/// The benchmark's share of a run's time, and the limits of its time in seconds.
const BENCHMARK_SHARE: f64 = 0.03;
const BENCHMARK_SECONDS: (f64, f64) = (2.5, 12.0);

#[derive(Clone, Debug, PartialEq)]
pub struct RunTime {
    pub time: Duration,
    /// The time as it was typed, such as `90s`, `10m`, `2h` or `7d`.
    pub text: String,
}

impl FromStr for RunTime {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let units = [("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86_400.0)];
        let seconds = units.into_iter().find_map(|(unit, seconds)| {
            let digits = text.strip_suffix(unit)?;
            // Only digits and a point: numbers can also be written `1e9`, `inf` or `+1`.
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            digits.parse::<f64>().ok().filter(|_| plain).map(|number| number * seconds)
        });
        seconds
            .filter(|seconds| SECONDS.contains(seconds))
            .map(|seconds| Self { time: Duration::from_secs_f64(seconds), text: text.to_owned() })
            .ok_or_else(|| "expected a time from 1m to 30d, such as 90s, 10m, 2h or 7d".to_owned())
    }
}

/// Measures this machine, and makes the config for a run of `time` on `rules`. The run begins with the shipped net if
/// there is one, unless `from_scratch` is set.
pub fn recipe_for(
    rules: &str,
    from_scratch: bool,
    time: &RunTime,
    cancel: &CancelToken,
    voice: Voice,
) -> anyhow::Result<TrainConfig> {
    let mut config = TrainConfig::new(vec![rules.to_owned()]);
    if !from_scratch && shipped_net().is_some() {
        config.shape = load_model(None)?.weights.architecture();
        config.start = Some(SHIPPED.into());
    }
    let (pace, seconds) = (pace_of(&config, None, time, cancel, voice)?, time.time.as_secs_f64());
    Ok(config.recipe(&pace, seconds).fit(&pace, seconds))
}

/// Measures this machine, and adapts the schedule of `config` to `time`.
pub fn fitted(
    config: TrainConfig,
    kept: Option<&Path>,
    time: &RunTime,
    cancel: &CancelToken,
    voice: Voice,
) -> anyhow::Result<TrainConfig> {
    let pace = pace_of(&config, kept, time, cancel, voice)?;
    Ok(config.fit(&pace, time.time.as_secs_f64()))
}

fn pace_of(
    config: &TrainConfig,
    kept: Option<&Path>,
    time: &RunTime,
    cancel: &CancelToken,
    voice: Voice,
) -> anyhow::Result<MachinePace> {
    let (least, most) = BENCHMARK_SECONDS;
    let seconds = (BENCHMARK_SHARE * time.time.as_secs_f64()).clamp(least, most);
    measure_pace(config, kept, Duration::from_secs_f64(seconds), cancel, voice)
}

/// Prints the chosen settings.
pub fn say(config: &TrainConfig, time: &RunTime, voice: Voice) {
    let simulations: Vec<_> = config.schedule.simulations.iter().map(|step| step.1.to_string()).collect();
    voice.say(format_args!(
        "Settings for {}: {} generations of {} games with {} simulations a move.",
        duration(time.time.as_secs_f64()),
        count(config.schedule.generations as f64),
        count(config.schedule.games_at(0) as f64),
        simulations.join(", then ")
    ));
    voice.say("After each generation it plans the games again, so that the run keeps to the time.");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit_and_a_range() {
        for (text, seconds) in
            [("60s", 60), ("90s", 90), ("10m", 600), ("1.5h", 5400), ("7d", 604_800), ("30d", 2_592_000)]
        {
            let time: RunTime = text.parse().unwrap();
            assert_eq!((time.time, &*time.text), (Duration::from_secs(seconds), text));
        }
        for text in ["", "m", "10", "59s", "31d", "-5m", "1e2m", "infd", "10 m", "+5m", "5min", "."] {
            assert!(text.parse::<RunTime>().is_err_and(|error| error.contains("10m")), "{text}");
        }
    }
}
