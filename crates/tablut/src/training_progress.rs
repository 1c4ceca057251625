//! Progress of a training run on the terminal: what a trainer wants to know while it runs.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use indicatif::{HumanCount, HumanDuration, HumanFloatCount, MultiProgress, ProgressBar, ProgressDrawTarget};
use tablut_fleet::FleetStatus;
use tablut_games::{Counters, FleetReport, GameRecord};
use tablut_games::{GenerationMetrics, LossParts};
use tablut_learn::{Observer, Run, StepReport};
use tablut_net::Model;
use tablut_rules::Side;

use crate::console::Voice;
use crate::progress::{Heartbeat, bars, left, style};

/// Two bars (the run, and the phase under way) and some lines for each generation. Bars are hidden where standard error
/// is no terminal; a phase that lasts says a line now and then there. The lines of generations are written in any case.
pub struct TrainProgress {
    bars: MultiProgress,
    run: ProgressBar,
    phase: ProgressBar,
    voice: Voice,
    /// Whether something else has the terminal, so that nothing may be drawn or said here.
    is_muted: AtomicBool,
    counters: Arc<Counters>,
    heartbeat: Mutex<Option<Heartbeat>>,
    state: Mutex<State>,
    /// Says who plays, where others do.
    fleet: OnceLock<Box<dyn Fn() -> FleetStatus + Send + Sync>>,
}

/// What the phase under way has come to.
struct State {
    phase_start: Instant,
    evaluations_before: u64,
    tally: [usize; 3],
    plies: usize,
    games: usize,
    positions: usize,
    losses: Vec<LossParts>,
    samples_per_step: usize,
    generations: u64,
    /// Generations done by this process, and since when.
    done_here: u64,
    start: Instant,
}

impl TrainProgress {
    /// Progress of `run` from where it stands, with the counters that it is trained with. While it is muted it keeps its counts
    /// and shows nothing.
    pub fn new(run: &Run, counters: &Arc<Counters>, voice: Voice, is_muted: bool) -> Self {
        let bars = if is_muted { MultiProgress::with_draw_target(ProgressDrawTarget::hidden()) } else { bars(voice) };
        let generations = run.config.schedule.generations;
        let whole = bars.add(ProgressBar::new(generations).with_position(run.next_generation));
        whole.set_style(style("{prefix} [{bar:20}] {pos}/{len} generations, {elapsed}{msg}"));
        whole.set_prefix(format!("{:<9}", "run"));
        whole.enable_steady_tick(Duration::from_secs(1));
        let phase = bars.add(ProgressBar::new(0));
        phase.set_style(style("{prefix} [{bar:20}] {pos}/{len} {msg}"));
        phase.enable_steady_tick(Duration::from_secs(1));
        let now = Instant::now();
        Self {
            bars,
            run: whole,
            phase,
            voice,
            is_muted: AtomicBool::new(is_muted),
            counters: counters.clone(),
            heartbeat: Mutex::new(None),
            fleet: OnceLock::new(),
            state: Mutex::new(State {
                phase_start: now,
                evaluations_before: 0,
                tally: [0; 3],
                plies: 0,
                games: 0,
                positions: 0,
                losses: Vec::new(),
                samples_per_step: run.config.learning.batch_size,
                generations,
                done_here: 0,
                start: now,
            }),
        }
    }

    /// Draws bars and says lines from now on.
    pub fn unmute(&self) {
        if self.is_muted.swap(false, Ordering::Relaxed) {
            self.bars.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// Shows what `fleet` says of the workers with every game from now on.
    pub fn watch(&self, fleet: impl Fn() -> FleetStatus + Send + Sync + 'static) {
        // The first fleet is the only one.
        let _ = self.fleet.set(Box::new(fleet));
    }

    /// Says a line, above the bars where there are some.
    pub fn say(&self, line: impl Display) {
        if self.run.is_hidden() {
            self.voice.say(line);
        } else {
            // A line that the terminal does not take is no reason to stop training.
            let _ = self.bars.println(line.to_string());
        }
    }

    /// One unit of the phase is done.
    pub fn advance(&self) {
        self.phase.inc(1);
    }

    /// Another phase begins, of so many units.
    pub fn begin_phase(&self, name: &str, unit: &'static str, length: u64) {
        self.phase.reset();
        self.phase.set_length(length);
        self.phase.set_prefix(format!("{name:<9}"));
        self.phase.set_message(unit);
        let counters = self.counters.clone();
        let before = counters.evaluations.load(Ordering::Relaxed);
        let name = name.to_owned();
        let line = move |bar: &ProgressBar| {
            let evaluations = counters.evaluations.load(Ordering::Relaxed).saturating_sub(before);
            let evaluated = match evaluations {
                0 => String::new(),
                n => format!(", {} evaluations", HumanCount(n)),
            };
            let (done, all, elapsed) = (bar.position(), bar.length().unwrap_or_default(), HumanDuration(bar.elapsed()));
            format!("{name}: {done}/{all} {unit} after {elapsed}{evaluated}")
        };
        if !self.is_muted.load(Ordering::Relaxed) {
            *self.heartbeat() = Heartbeat::of_bar(&self.phase, self.voice, line);
        }
    }

    /// Counts a generation, and tells of it.
    pub fn end_generation(&self, metrics: &GenerationMetrics) -> String {
        *self.heartbeat() = None;
        let mut state = self.state();
        state.done_here += 1;
        let done = metrics.generation + 1;
        let remaining = left(state.start.elapsed(), state.done_here, state.done_here + state.generations - done);
        drop(state);
        self.run.set_position(done);
        self.run.set_message(format!(", about {remaining} left"));
        summary(metrics)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder of the progress panics")
    }

    fn heartbeat(&self) -> MutexGuard<'_, Option<Heartbeat>> {
        self.heartbeat.lock().expect("no holder of the heartbeat panics")
    }
}

impl Drop for TrainProgress {
    fn drop(&mut self) {
        self.phase.finish_and_clear();
        self.run.finish_and_clear();
    }
}

impl Observer for TrainProgress {
    fn selfplay_begins(&self, _generation: u64, games: usize, _simulations: u32) {
        let mut state = self.state();
        state.phase_start = Instant::now();
        state.evaluations_before = self.counters.evaluations.load(Ordering::Relaxed);
        (state.tally, state.plies, state.games, state.positions) = ([0; 3], 0, 0, 0);
        drop(state);
        self.begin_phase("self-play", "games", games as u64);
    }

    fn game_ends(&self, game: &GameRecord, counters: &Counters) {
        let evaluations = counters.evaluations.load(Ordering::Relaxed);
        let mut state = self.state();
        let result = match game.outcome.winner {
            Some(Side::Attackers) => 0,
            None => 1,
            Some(Side::Defenders) => 2,
        };
        state.tally[result] += 1;
        state.games += 1;
        state.plies += game.plies.len();
        state.positions += game.plies.iter().filter(|ply| ply.search.is_some()).count();
        let elapsed = state.phase_start.elapsed();
        let rate = |count: f64| pace(count, elapsed);
        let message = format!(
            "games, {} left\n{}, {:.0} plies; {} games/s, {} evaluations/s",
            left(elapsed, state.games as u64, self.phase.length().unwrap_or(0)),
            shares(state.tally),
            state.plies as f64 / state.games as f64,
            rate(state.games as f64),
            rate((evaluations - state.evaluations_before) as f64),
        );
        let workers = self.fleet.get().map(|fleet| format!("\n{}", fleet())).unwrap_or_default();
        let games = state.games;
        drop(state);
        self.phase.set_position(games as u64);
        self.phase.set_message(message + &workers);
    }

    fn learning_begins(&self, _generation: u64, steps: u64) {
        let mut state = self.state();
        state.phase_start = Instant::now();
        state.losses.clear();
        drop(state);
        self.begin_phase("learning", "steps", steps);
    }

    fn step_ends(&self, report: &StepReport, learning_rate: f32) {
        const SMOOTHED_STEPS: usize = 50;
        let mut state = self.state();
        state.losses.push(report.loss);
        let steps = state.losses.len();
        let loss = LossParts::mean(&state.losses[steps.saturating_sub(SMOOTHED_STEPS)..]);
        let elapsed = state.phase_start.elapsed();
        let message = format!(
            "steps, {} left\nloss: policy {:.3} (floor {:.3}), value {:.3}; {} samples/s, rate {learning_rate:.5}",
            left(elapsed, steps as u64, self.phase.length().unwrap_or(0)),
            loss.policy,
            loss.policy_floor,
            loss.value,
            pace((steps * state.samples_per_step) as f64, elapsed),
        );
        drop(state);
        self.phase.set_position(steps as u64);
        self.phase.set_message(message);
    }

    fn generation_ends(&self, metrics: &GenerationMetrics, _model: &Model) {
        self.say(self.end_generation(metrics));
    }
}

/// One generation in three lines of less than 80 characters.
fn summary(metrics: &GenerationMetrics) -> String {
    let (play, learning) = (&metrics.selfplay, &metrics.learning);
    format!(
        "generation {}: {}, {:.0} plies\n  \
         {} games, {} simulations, {} evaluations/s (net {:.0} %), {}\n  \
         loss: policy {:.3} (floor {:.3}), value {:.3}; {} samples/s, {}",
        metrics.generation,
        shares([play.attackers_won, play.drawn, play.defenders_won]),
        play.mean_plies,
        HumanCount(play.games as u64),
        metrics.simulations,
        pace(play.evaluations as f64, Duration::from_secs_f64(play.seconds)),
        100.0 * play.net_share,
        HumanDuration(Duration::from_secs_f64(play.seconds)),
        learning.loss.policy,
        learning.loss.policy_floor,
        learning.loss.value,
        pace(learning.samples_per_second, Duration::from_secs(1)),
        HumanDuration(Duration::from_secs_f64(learning.seconds)),
    ) + &metrics.fleet.as_ref().map(workers).unwrap_or_default()
}

/// Who played a generation, in a line of less than 80 characters where nothing went wrong.
fn workers(fleet: &FleetReport) -> String {
    let threads: usize = fleet.workers.iter().map(|worker| worker.threads).sum();
    let n = fleet.workers.len();
    let plural = if n == 1 { "" } else { "s" };
    let pace: f64 = fleet.workers.iter().map(|worker| worker.games_per_second).sum();
    let waited = HumanDuration(Duration::from_secs_f64(fleet.waited_seconds));
    let mut line = format!("\n  {n} worker{plural} ({threads} threads), {pace:.1} games/s, waited {waited}");
    for (count, what) in [
        (fleet.redeliveries, "jobs again"),
        (fleet.duplicates, "games twice"),
        (fleet.refused, "refused"),
        (fleet.lag, "parcels behind"),
    ] {
        if count > 0 {
            line.extend([", ", &count.to_string(), " ", what]);
        }
    }
    line
}

/// Results of games by their winner, in words.
fn shares(tally: [usize; 3]) -> String {
    let games = tally.iter().sum::<usize>().max(1) as f64;
    let [attackers, draws, defenders] = tally.map(|n| 100.0 * n as f64 / games);
    format!("attackers {attackers:.0} %, draws {draws:.0} %, defenders {defenders:.0} %")
}

/// So many a second, with a decimal where it matters.
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
    fn a_generation_is_told_in_words_that_fit_a_terminal() {
        let selfplay = SelfPlayMetrics {
            games: 1000,
            attackers_won: 30,
            drawn: 235,
            defenders_won: 735,
            evaluations: 12_345_678,
            mean_plies: 123.4,
            seconds: 259.0,
            net_share: 0.712,
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
        assert!(text.contains("attackers 3 %, draws 24 %, defenders 74 %, 123 plies\n"), "{text}");
        assert!(
            text.contains("  1,000 games, 128 simulations, 47,667 evaluations/s (net 71 %), 4 minutes\n"),
            "{text}"
        );
        assert!(text.ends_with("2,860 samples/s, 6 minutes"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() < 80), "{text}");
    }
}
