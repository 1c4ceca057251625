//! What the dashboard shows: the run so far, and the phase under way.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use tablut_games::GameRecord;
use tablut_games::{GenerationMetrics, LossParts};
use tablut_learn::{Run, StepReport};
use tablut_ratings::Rating;
use tablut_report::rated::progress;
use tablut_rules::Side;

/// Lines that are kept to be shown.
const MESSAGES: usize = 40;
/// Steps over which losses are averaged.
const SMOOTHED_STEPS: usize = 50;

/// The whole run.
pub struct DashboardState {
    /// What is trained, for the first line.
    pub title: String,
    /// Generations in all, and done.
    pub generations: u64,
    /// See `generations`.
    pub done: u64,
    /// Generations done by this process, and since when.
    done_here: u64,
    start: Instant,
    /// The phase under way.
    pub phase: Phase,
    /// Finished generations, the oldest first.
    pub history: Vec<GenerationMetrics>,
    /// Ratings of the newest nets and of the players that stay the same, the strongest first: name, Elo, ends of the interval.
    pub ladder: Vec<(String, Rating)>,
    /// What was said, the newest last.
    pub messages: VecDeque<String>,
    /// Whether the run is paused.
    pub paused: bool,
    /// How long it was.
    pub paused_for: Duration,
}

/// Self-play or learning.
pub struct Phase {
    /// Its name.
    pub name: &'static str,
    /// What is counted.
    pub unit: &'static str,
    /// Units done, and in all.
    pub done: u64,
    /// See `done`.
    pub total: u64,
    /// When it began.
    pub start: Instant,
    /// What had been evaluated when it began.
    pub evaluations_before: u64,
    /// Its games: won by the attackers, drawn, won by the defenders.
    pub results: [usize; 3],
    /// Their plies.
    pub plies: usize,
    /// The last losses of its steps.
    losses: VecDeque<LossParts>,
}

impl Phase {
    fn new(name: &'static str, unit: &'static str, total: u64, evaluations_before: u64) -> Self {
        let (start, losses) = (Instant::now(), VecDeque::new());
        Self { name, unit, done: 0, total, start, evaluations_before, results: [0; 3], plies: 0, losses }
    }

    /// The mean of the last losses, once there are some.
    pub fn loss(&self) -> Option<LossParts> {
        let losses: Vec<LossParts> = self.losses.iter().copied().collect();
        (!losses.is_empty()).then(|| LossParts::mean(&losses))
    }
}

impl DashboardState {
    /// The run as it is opened.
    pub fn new(run: &Run) -> Self {
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
            phase: Phase::new("beginning", "", 0, 0),
            history: run.metrics.clone(),
            ladder: ladder(&run.metrics),
            messages: VecDeque::new(),
            paused: false,
            paused_for: Duration::ZERO,
        }
    }

    /// Self-play begins, when so much had been evaluated.
    pub fn selfplay_begins(&mut self, games: usize, evaluations: u64) {
        self.phase = Phase::new("self-play", "games", games as u64, evaluations);
    }

    /// A game has ended.
    pub fn game_ends(&mut self, game: &GameRecord) {
        let result = match game.outcome.winner {
            Some(Side::Attackers) => 0,
            None => 1,
            Some(Side::Defenders) => 2,
        };
        self.phase.results[result] += 1;
        self.phase.done += 1;
        self.phase.plies += game.plies.len();
    }

    /// Learning begins.
    pub fn learning_begins(&mut self, steps: u64) {
        self.phase = Phase::new("learning", "steps", steps, 0);
    }

    /// Games that rate the net begin.
    pub fn rating_begins(&mut self, games: u64) {
        self.phase = Phase::new("rating", "games", games, 0);
    }

    /// A step is done.
    pub fn step_ends(&mut self, report: &StepReport) {
        self.phase.done += 1;
        self.phase.losses.push_back(report.loss);
        if self.phase.losses.len() > SMOOTHED_STEPS {
            self.phase.losses.pop_front();
        }
    }

    /// A generation is done.
    pub fn generation_ends(&mut self, metrics: &GenerationMetrics) {
        self.done = metrics.generation + 1;
        self.done_here += 1;
        self.history.push(metrics.clone());
        self.ladder = ladder(&self.history);
    }

    /// A line was said.
    pub fn say(&mut self, text: &str) {
        self.messages.extend(text.lines().map(str::to_owned));
        while self.messages.len() > MESSAGES {
            self.messages.pop_front();
        }
    }

    /// What the generations that are left take at the pace of those that this process did; none before the first.
    pub fn left(&self) -> Option<Duration> {
        let worked = self.start.elapsed().saturating_sub(self.paused_for);
        let left = self.generations.saturating_sub(self.done) as f64;
        (self.done_here > 0).then(|| worked.mul_f64(left / self.done_here as f64))
    }
}

/// The ladder that a run's rating games give.
fn ladder(history: &[GenerationMetrics]) -> Vec<(String, Rating)> {
    let found = progress(history, None);
    let mut ladder = found.frozen;
    if let Some(newest) = found.stretches.last() {
        ladder.push((format!("nets from {}", newest.generations.0), newest.rating));
    }
    ladder.sort_by(|a, b| b.1.elo.total_cmp(&a.1.elo));
    ladder
}
