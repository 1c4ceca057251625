//! The progress of a run, counted from its events, and texts about it.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use indicatif::{HumanCount, HumanDuration, HumanFloatCount};
use tablut_games::{CancelToken, Counters, FleetReport, GenerationMetrics, LossParts};
use tablut_learn::{Run, RunEvent};
use tablut_ratings::Rating;
use tablut_report::rated::progress;
use tablut_rules::{Results, Rules};

use crate::progress::left;

/// Maximum number of messages for the dashboard.
const MESSAGES: usize = 40;
/// Steps over which losses are averaged.
const SMOOTHED_STEPS: usize = 50;

/// Returns a line about the workers.
type Workers = Box<dyn Fn() -> String + Send>;

pub struct RunProgress {
    /// The run's name, shape and rules, for the first line.
    pub title: String,
    pub generations: u64,
    pub done: u64,
    /// Generations that this process has finished.
    done_here: u64,
    start: Instant,
    pub phase: Phase,
    /// The metrics of finished generations, the oldest first.
    pub history: Vec<GenerationMetrics>,
    /// Names and ratings of the newest nets and the fixed opponents, the strongest first.
    pub ladder: Vec<(String, Rating)>,
    /// The last messages, the newest last.
    pub messages: VecDeque<String>,
    pub paused: bool,
    /// Measures the time of pauses.
    cancel: CancelToken,
    counters: Arc<Counters>,
    rules: Vec<Arc<Rules>>,
    workers: Option<Workers>,
    batch_size: usize,
}

pub struct Phase {
    pub name: &'static str,
    /// The unit of `done` and `total`.
    pub unit: &'static str,
    pub generation: u64,
    pub done: u64,
    pub total: u64,
    pub start: Instant,
    /// The number of evaluations before the phase.
    evaluations_before: u64,
    /// Played games by their result.
    pub results: Results,
    /// Plies of all played games.
    pub plies: usize,
    losses: VecDeque<LossParts>,
    learning_rate: f32,
}

impl Phase {
    pub const SELF_PLAY: &str = "self-play";
    pub const LEARNING: &str = "learning";

    /// A phase that begins now, with `total` units to do.
    fn new(name: &'static str, unit: &'static str, generation: u64, total: u64, evaluations_before: u64) -> Self {
        Self {
            name,
            unit,
            generation,
            done: 0,
            total,
            start: Instant::now(),
            evaluations_before,
            results: Results::default(),
            plies: 0,
            losses: VecDeque::new(),
            learning_rate: 0.0,
        }
    }

    /// The mean of the last losses. `None` before the first step.
    pub fn loss(&self) -> Option<LossParts> {
        let losses: Vec<LossParts> = self.losses.iter().copied().collect();
        (!losses.is_empty()).then(|| LossParts::mean(&losses))
    }
}

impl RunProgress {
    /// The progress of a run that was just opened.
    pub fn new(run: &Run, counters: &Arc<Counters>, cancel: &CancelToken) -> Self {
        let rules = match run.rules.as_slice() {
            [one] => one.name().to_owned(),
            many => format!("{} rule sets", many.len()),
        };
        let name = run.folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Self {
            title: format!("{name}: {} on {rules}", run.config.shape),
            generations: run.config.schedule.generations,
            done: run.next_generation,
            done_here: 0,
            start: Instant::now(),
            phase: Phase::new("beginning", "", run.next_generation, 0, 0),
            history: run.metrics.clone(),
            ladder: ladder(&run.metrics),
            messages: VecDeque::new(),
            paused: false,
            cancel: cancel.clone(),
            counters: counters.clone(),
            rules: run.rules.clone(),
            workers: None,
            batch_size: run.config.learning.batch_size,
        }
    }

    /// Calls `workers` from now on for the line about the workers.
    pub fn watch(&mut self, workers: impl Fn() -> String + Send + 'static) {
        self.workers = Some(Box::new(workers));
    }

    /// A line about the workers, empty without workers.
    pub fn workers(&self) -> String {
        self.workers.as_ref().map(|workers| workers()).unwrap_or_default()
    }

    /// Positions that the net has evaluated in this phase.
    pub fn evaluations(&self) -> u64 {
        self.counters.evaluations.load(Ordering::Relaxed).saturating_sub(self.phase.evaluations_before)
    }

    pub fn apply(&mut self, event: &RunEvent<'_>) {
        match *event {
            RunEvent::SelfPlayBegan { generation, games } => {
                self.begin(Phase::SELF_PLAY, "games", generation, games as u64);
            }
            RunEvent::LearningBegan { generation, steps } => self.begin(Phase::LEARNING, "steps", generation, steps),
            RunEvent::RatingBegan { generation, games } => self.begin("rating", "games", generation, games),
            RunEvent::GameEnded(game) => {
                if let Some(rules) = self.rules.iter().find(|rules| rules.name() == game.rules) {
                    self.phase.results += game.results(rules);
                }
                self.phase.plies += game.plies.len();
                self.phase.done += 1;
            }
            RunEvent::StepEnded { report, learning_rate } => {
                self.phase.done += 1;
                self.phase.learning_rate = learning_rate;
                self.phase.losses.push_back(report.loss);
                if self.phase.losses.len() > SMOOTHED_STEPS {
                    self.phase.losses.pop_front();
                }
            }
            RunEvent::RatingGameEnded => self.phase.done += 1,
            RunEvent::GenerationEnded(metrics) => {
                self.done = metrics.generation + 1;
                self.done_here += 1;
                self.history.push(metrics.clone());
                self.ladder = ladder(&self.history);
                self.say(&summary(metrics));
            }
            RunEvent::Note(line) => self.say(line),
            RunEvent::Paused(paused) => self.paused = paused,
            RunEvent::ScheduleChanged { generations } => self.generations = generations,
            RunEvent::GamesSaved { .. } => {}
        }
    }

    fn begin(&mut self, name: &'static str, unit: &'static str, generation: u64, total: u64) {
        let evaluations_before = self.counters.evaluations.load(Ordering::Relaxed);
        self.phase = Phase::new(name, unit, generation, total, evaluations_before);
    }

    fn say(&mut self, text: &str) {
        self.messages.extend(text.lines().map(str::to_owned));
        while self.messages.len() > MESSAGES {
            self.messages.pop_front();
        }
    }

    /// The time for the remaining generations at the speed of this process. `None` before it has finished one.
    pub fn left(&self) -> Option<Duration> {
        let worked = self.start.elapsed().saturating_sub(self.cancel.paused());
        let left = self.generations.saturating_sub(self.done) as f64;
        (self.done_here > 0).then(|| worked.mul_f64(left / self.done_here as f64))
    }

    /// The current phase as text: the unit and the time left, then lines with figures.
    pub fn phase_text(&self) -> String {
        let Phase { unit, done, total, results, plies, .. } = self.phase;
        let elapsed = self.phase.start.elapsed();
        let left = left(elapsed, done, total);
        if let Some(loss) = self.phase.loss() {
            let samples = done as f64 * self.batch_size as f64;
            return format!(
                "{unit}, {left} left\nloss: policy {:.3} (min {:.3}), value {:.3}; {} samples/s, learning rate {:.5}",
                loss.policy,
                loss.policy_floor,
                loss.value,
                pace(samples, elapsed),
                self.phase.learning_rate
            );
        }
        let games = results.games() as f64;
        if games == 0.0 {
            return unit.to_owned();
        }
        let mut text = format!(
            "{unit}, {left} left\n{results}, {:.0} plies\n{} games/s, {} evaluations/s",
            plies as f64 / games,
            pace(games, elapsed),
            pace(self.evaluations() as f64, elapsed)
        );
        let workers = self.workers();
        if !workers.is_empty() {
            let _ = write!(text, "\n{workers}");
        }
        text
    }
}

fn ladder(history: &[GenerationMetrics]) -> Vec<(String, Rating)> {
    let found = progress(history, None, None);
    let mut ladder = found.frozen;
    if let Some(newest) = found.stretches.last() {
        ladder.push((format!("nets from {}", newest.generations.0), newest.rating));
    }
    ladder.sort_by(|a, b| b.1.elo.total_cmp(&a.1.elo));
    ladder
}

/// A summary of a generation in three lines of less than 80 characters, and one about the workers if there are any.
pub fn summary(metrics: &GenerationMetrics) -> String {
    let (play, learning) = (&metrics.selfplay, &metrics.learning);
    // The time is unknown for games that were on disk when the run was resumed.
    let pace_of_play = match Duration::from_secs_f64(play.seconds) {
        Duration::ZERO => "played before the run was resumed".to_owned(),
        time => {
            format!("{} evaluations/s, {}", pace(play.evaluations as f64, time), HumanDuration(time))
        }
    };
    format!(
        "generation {}: {}\n  \
         {} games of {:.0} plies, {} simulations, {pace_of_play}\n  \
         loss: policy {:.3} (min {:.3}), value {:.3}; {} samples/s, {}",
        metrics.generation,
        play.results,
        HumanCount(play.games as u64),
        play.mean_plies,
        metrics.simulations,
        learning.loss.policy,
        learning.loss.policy_floor,
        learning.loss.value,
        pace(learning.samples_per_second, Duration::from_secs(1)),
        HumanDuration(Duration::from_secs_f64(learning.seconds)),
    ) + &metrics.fleet.as_ref().map(workers).unwrap_or_default()
}

/// A line about the workers of a generation. It has less than 80 characters if there were no problems.
fn workers(fleet: &FleetReport) -> String {
    let threads: usize = fleet.workers.iter().map(|worker| worker.threads).sum();
    let n = fleet.workers.len();
    let plural = if n == 1 { "" } else { "s" };
    let pace: f64 = fleet.workers.iter().map(|worker| worker.games_per_second).sum();
    let waited = HumanDuration(Duration::from_secs_f64(fleet.waited_seconds));
    let mut line = format!("\n  {n} worker{plural} ({threads} threads), {pace:.1} games/s, waited {waited}");
    for (count, what) in [
        (fleet.redeliveries, "jobs reassigned"),
        (fleet.duplicates, "games received twice"),
        (fleet.refused, "games and messages rejected"),
        (fleet.lag, "results waiting"),
    ] {
        if count > 0 {
            line.extend([", ", &count.to_string(), " ", what]);
        }
    }
    line
}

/// A number per second, with one decimal below 10.
fn pace(count: f64, elapsed: Duration) -> String {
    match count / elapsed.as_secs_f64().max(1e-3) {
        few if few < 10.0 => format!("{few:.1}"),
        many => format!("{:.0}", HumanFloatCount(many)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_games::{LearningMetrics, SelfPlayMetrics};

    #[test]
    fn the_summary_of_a_generation_fits_a_terminal() {
        let selfplay = SelfPlayMetrics {
            games: 1000,
            results: Results { attackers: 30, draws: 135, defenders: 735, unfinished: 100 },
            evaluations: 12_345_678,
            mean_plies: 123.4,
            seconds: 259.0,
            ..SelfPlayMetrics::default()
        };
        let loss = LossParts { policy: 2.3456, policy_floor: 1.2, value: 0.45, ..LossParts::default() };
        let learning = LearningMetrics {
            steps: 4000,
            loss,
            samples_per_second: 2860.4,
            seconds: 360.0,
            ..LearningMetrics::default()
        };
        let text = summary(&GenerationMetrics {
            generation: 123,
            simulations: 128,
            selfplay,
            learning,
            ..GenerationMetrics::default()
        });
        assert!(text.contains("attackers 3 %, draws 14 %, defenders 74 %, unfinished 10 %\n"), "{text}");
        assert!(
            text.contains("  1,000 games of 123 plies, 128 simulations, 47,667 evaluations/s, 4 minutes\n"),
            "{text}"
        );
        assert!(text.ends_with("2,860 samples/s, 6 minutes"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() < 80), "{text}");
    }
}
