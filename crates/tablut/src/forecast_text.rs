//! An estimate of a run's time, memory and disk space on this machine, from a short benchmark.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use tablut_games::{CancelToken, GenerationMetrics, RunFolder};
use tablut_learn::{
    ComputeDevice, Forecast, GenerationPace, MachinePace, TrainConfig, TrainError, benchmark, free_bytes,
};
use tablut_report::figures::{bytes, count, duration};

use crate::console::Voice;
use crate::interrupt::Interrupted;
use crate::nets::net_maker;
use crate::progress::Progress;

/// The approximate time of the benchmark.
const BENCHMARK: Duration = Duration::from_secs(12);

/// Measures this machine with the nets and the device of `config` for about `time`. A run's folder in `kept` has rule
/// sets.
pub fn measure_pace(
    config: &TrainConfig,
    kept: Option<&Path>,
    time: Duration,
    cancel: &CancelToken,
    voice: Voice,
) -> anyhow::Result<MachinePace> {
    let (device, rules) = (ComputeDevice::open(config.machine.device)?, config.load_rules(kept)?);
    let make_net = net_maker()?;
    let progress = Progress::waiting(voice, "running a short benchmark of games, evaluations and learning");
    let pace = match benchmark(config, &rules, &device, &*make_net, time, cancel) {
        Err(TrainError::Stopped) => return Err(Interrupted::now().into()),
        pace => pace?,
    };
    drop(progress);
    Ok(pace)
}

/// The estimate for a run with `config` in `folder`. If the run exists, the estimate is for its rest.
pub fn forecast_text(
    config: &TrainConfig,
    folder: &Path,
    kept: Option<&Path>,
    cancel: &CancelToken,
    voice: Voice,
) -> anyhow::Result<String> {
    let metrics = RunFolder(folder).read_metrics()?;
    if let Some(pace) = GenerationPace::of(&metrics) {
        return Ok(rest(config, &metrics, pace));
    }
    let pace = measure_pace(config, kept, BENCHMARK, cancel, voice)?;
    // The run's folder does not exist yet, so the free space is that of the nearest folder above it.
    let there = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
    Ok(text(config, &pace, &config.forecast(&pace), free_bytes(there)))
}

/// The estimate for the rest of a run, from its speed so far.
fn rest(config: &TrainConfig, metrics: &[GenerationMetrics], pace: GenerationPace) -> String {
    let (done, all) = (metrics.len() as u64, config.schedule.generations);
    let final_seconds = config.final_seconds(metrics);
    let mut text = format!(
        "finished  {} of {} generations in {}\n",
        count(done as f64),
        count(all as f64),
        duration(metrics.iter().map(GenerationMetrics::seconds).sum())
    );
    let seconds = pace.rest(&config.schedule, done) + final_seconds;
    let _ = writeln!(text, "the rest  about {}, at the speed of the last generations", duration(seconds));
    if final_seconds > 0.0 {
        let _ = writeln!(text, "          including {} to evaluate the net at the end", duration(final_seconds));
    }
    text
}

fn text(config: &TrainConfig, pace: &MachinePace, forecast: &Forecast, free: Option<u64>) -> String {
    let [games, models, states] = forecast.disk_bytes;
    let disk = games + models + states;
    let mut rows = vec![
        ("in all", format!("about {}", duration(forecast.seconds()))),
        (
            "self-play",
            format!(
                "{}: {} games, {} evaluations at {}/s",
                duration(forecast.selfplay_seconds),
                count(forecast.games as f64),
                count(forecast.evaluations),
                count(pace.evaluations_per_second)
            ),
        ),
        (
            "learning",
            format!(
                "{}: {} steps of {} positions at {} positions/s",
                duration(forecast.learning_seconds),
                count(forecast.steps.max(1.0)),
                config.learning.batch_size,
                count(pace.samples_per_second)
            ),
        ),
    ];
    if forecast.rating_games >= 1.0 {
        let seconds = duration(forecast.rating_seconds);
        rows.push(("rating", format!("{seconds} plus the opponents' time: {} games", count(forecast.rating_games))));
    }
    if forecast.final_evaluations > 0.0 {
        let games = f64::from(config.evaluation.games) * config.evaluation.against.len() as f64;
        let seconds = duration(forecast.final_seconds);
        rows.push(("evaluating", format!("{seconds} plus the opponents' time: {} games at the end", count(games))));
    }
    rows.push((
        "disk",
        format!("{}: games {}, models {}, states {}", bytes(disk), bytes(games), bytes(models), bytes(states)),
    ));
    if let Some(free) = free {
        let warning = if disk as f64 > 0.9 * free as f64 { ", which is too little" } else { "" };
        rows.push(("free disk", format!("{}{warning}", bytes(free))));
    }
    let window = forecast.window_positions * pace.window_bytes_per_position;
    rows.push((
        "memory",
        format!("about {}, including {} for the replay window", bytes(forecast.memory_bytes), bytes(window as u64)),
    ));
    let (window, trees) = (bytes(forecast.bounds.window), bytes(forecast.bounds.trees));
    rows.push(("", format!("(at most {window} for the replay window, {trees} for search trees)")));
    let mut text = String::new();
    for (name, value) in rows {
        let _ = writeln!(text, "{name:<11}{value}");
    }
    let plies = pace.plies_per_game;
    let note = if config.start.is_some() {
        format!("\nThe estimate assumes games of {plies:.0} plies, as the net plays them at the start.\n")
    } else {
        format!(
            "\nThe estimate assumes games of {plies:.0} plies, as a search without a net plays them.\n\
             With a trained net they have about 46 plies. If the games stay longer, the run\n\
             takes longer. Repeat the estimate when the run has begun.\n"
        )
    };
    text.push_str(&note);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forecast_fits_a_terminal_and_reports_too_small_a_disk() {
        let config = "rules = [\"kvasir\"]\nshape = \"lines32x2\"\n[evaluation]\ngames = 200\nagainst = [\"random\"]\n";
        let config = TrainConfig::parse(config, Path::new("test.toml"), &[]).unwrap();
        let pace = MachinePace {
            plies_per_game: 97.3,
            positions_per_game: 94.0,
            evaluations_per_simulation: 0.8,
            evaluations_per_second: 47_900.0,
            samples_per_second: 9_100.0,
            bytes_per_position: 30.0,
            window_bytes_per_position: 210.0,
            model_bytes: 378_000,
            state_bytes: 1_500_000,
            memory_bytes: 90_000_000,
        };
        let forecast = config.forecast(&pace);
        let said = text(&config, &pace, &forecast, Some(100_000_000_000));
        assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
        for part in ["4,760 games", "evaluations at 47,900/s", "200 games at the end", "97 plies"] {
            assert!(said.contains(part), "{part} is not in\n{said}");
        }
        assert!(
            !said.contains("too little") && text(&config, &pace, &forecast, Some(1_000_000)).contains("too little")
        );
    }
}
