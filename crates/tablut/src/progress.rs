//! Progress of a training run on the terminal: what a trainer wants to know while it runs.

use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use tablut_games::{Counters, GameRecord};
use tablut_learn::{GenerationMetrics, LossParts, Observer, Run, StepReport};
use tablut_net::Model;
use tablut_rules::Side;

/// Two bars (the run, and the phase under way) and a line for each generation. Bars are hidden where standard error
/// is no terminal; the lines are written in any case.
pub struct TrainProgress {
    bars: MultiProgress,
    run: ProgressBar,
    phase: ProgressBar,
    state: Mutex<State>,
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
    /// Progress of `run` from where it stands.
    pub fn new(run: &Run) -> Self {
        let bars = MultiProgress::new();
        let generations = run.config.schedule.generations;
        let whole = bars.add(ProgressBar::new(generations).with_position(run.next_generation));
        whole.set_style(style("{prefix} [{bar:30}] {pos}/{len} generations, {elapsed} so far{msg}"));
        whole.set_prefix(format!("{:<10}", "run"));
        whole.enable_steady_tick(Duration::from_secs(1));
        let phase = bars.add(ProgressBar::new(0));
        phase.set_style(style("{prefix} [{bar:30}] {pos}/{len} {msg}"));
        let now = Instant::now();
        let this = Self {
            bars,
            run: whole,
            phase,
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
        };
        this.announce(run);
        this
    }

    fn announce(&self, run: &Run) {
        let config = &run.config;
        let parameters = config.shape.parameters();
        self.line(&format!(
            "Training {} ({parameters} parameters) on {} in {}",
            config.shape,
            config.rules.join(", "),
            run.folder.display()
        ));
        for change in &run.changed {
            self.line(&format!("config: {} was {}, is {}", change.key, change.before, change.after));
        }
        if run.next_generation > 0 {
            self.line(&format!("Going on after generation {}", run.next_generation - 1));
        }
    }

    /// Ends the bars.
    pub fn finish(&self) {
        self.phase.finish_and_clear();
        self.run.finish_and_clear();
    }

    /// Writes a line above the bars, or plainly where there are none.
    pub fn line(&self, text: &str) {
        if self.run.is_hidden() {
            eprintln!("{text}");
        } else {
            // A line that the terminal does not take is no reason to stop training.
            let _ = self.bars.println(text);
        }
    }

    fn begin_phase(&self, name: &str, length: u64) {
        self.phase.reset();
        self.phase.set_length(length);
        self.phase.set_prefix(format!("{name:<10}"));
        self.phase.set_message("");
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().expect("no holder of the progress panics")
    }
}

impl Observer for TrainProgress {
    fn selfplay_begins(&self, _generation: u64, games: usize, _simulations: u32) {
        let mut state = self.state();
        state.phase_start = Instant::now();
        (state.tally, state.plies, state.games, state.positions) = ([0; 3], 0, 0, 0);
        drop(state);
        self.begin_phase("self-play", games as u64);
    }

    fn game_ends(&self, game: &GameRecord, counters: &Counters) {
        let evaluations = counters.evaluations.load(Ordering::Relaxed);
        let mut state = self.state();
        if state.games == 0 {
            state.evaluations_before = state.evaluations_before.min(evaluations);
        }
        let result = match game.outcome.winner() {
            Some(Side::Attackers) => 0,
            None => 1,
            Some(Side::Defenders) => 2,
        };
        state.tally[result] += 1;
        state.games += 1;
        state.plies += game.plies.len();
        state.positions += game.plies.iter().filter(|ply| ply.search.is_some()).count();
        let seconds = state.phase_start.elapsed().as_secs_f64().max(1e-3);
        let rate = |count: f64| thousands(count / seconds);
        let [attackers, draws, defenders] = state.tally.map(|n| 100.0 * n as f64 / state.games as f64);
        let message = format!(
            "games, {:.1} games/s, {} positions/s, {} evaluations/s | attackers {attackers:.0} % draws {draws:.0} % \
             defenders {defenders:.0} % | {:.0} plies | {} left",
            state.games as f64 / seconds,
            rate(state.positions as f64),
            rate((evaluations - state.evaluations_before) as f64),
            state.plies as f64 / state.games as f64,
            left(seconds, state.games as u64, self.phase.length().unwrap_or(0)),
        );
        let games = state.games;
        drop(state);
        self.phase.set_position(games as u64);
        self.phase.set_message(message);
    }

    fn learning_begins(&self, _generation: u64, steps: u64) {
        let mut state = self.state();
        state.phase_start = Instant::now();
        state.losses.clear();
        drop(state);
        self.begin_phase("learning", steps);
    }

    fn step_ends(&self, report: &StepReport, learning_rate: f32) {
        const SMOOTHED_STEPS: usize = 50;
        let mut state = self.state();
        state.losses.push(report.loss.clone());
        let steps = state.losses.len();
        let loss = LossParts::mean(&state.losses[steps.saturating_sub(SMOOTHED_STEPS)..]);
        let seconds = state.phase_start.elapsed().as_secs_f64().max(1e-3);
        let message = format!(
            "steps, {} samples/s | policy {:.3} (floor {:.3}) value {:.3} moves left {:.3} | rate {learning_rate:.5} | \
             {} left",
            thousands((steps * state.samples_per_step) as f64 / seconds),
            loss.policy,
            loss.policy_floor,
            loss.value,
            loss.moves_left,
            left(seconds, steps as u64, self.phase.length().unwrap_or(0)),
        );
        drop(state);
        self.phase.set_position(steps as u64);
        self.phase.set_message(message);
    }

    fn generation_ends(&self, metrics: &GenerationMetrics, model: &Model) {
        let mut state = self.state();
        state.done_here += 1;
        state.evaluations_before = u64::MAX;
        let done = metrics.generation + 1;
        let seconds = state.start.elapsed().as_secs_f64();
        let remaining = left(seconds, state.done_here, state.done_here + state.generations - done);
        drop(state);
        self.line(&summary(metrics, model));
        self.run.set_position(done);
        self.run.set_message(format!(", about {remaining} left"));
    }
}

/// One generation in one line.
fn summary(metrics: &GenerationMetrics, model: &Model) -> String {
    let (play, learning) = (&metrics.selfplay, &metrics.learning);
    let share = |n: usize| 100.0 * n as f64 / play.games.max(1) as f64;
    format!(
        "generation {:>3}: {} games of {:.0} plies, {} simulations, A {:.0} % = {:.0} % D {:.0} %, {:.0} s, {} evals/s \
         (net {:.0} %) | loss policy {:.3} (floor {:.3}) value {:.3}, {} steps, {} samples/s, {:.0} s | {} positions so far",
        metrics.generation,
        play.games,
        play.mean_plies,
        metrics.simulations,
        share(play.attackers_won),
        share(play.drawn),
        share(play.defenders_won),
        play.seconds,
        thousands(play.evaluations as f64 / play.seconds.max(1e-3)),
        100.0 * play.net_share,
        learning.loss.policy,
        learning.loss.policy_floor,
        learning.loss.value,
        learning.steps,
        thousands(learning.samples_per_second),
        learning.seconds,
        thousands(model.training.positions as f64),
    )
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is well formed").progress_chars("=> ")
}

/// Whole numbers in groups of three digits.
pub fn thousands(value: f64) -> String {
    let digits = format!("{:.0}", value.max(0.0));
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// The time that the rest will take at the pace so far.
pub fn left(seconds: f64, done: u64, total: u64) -> String {
    let rest = seconds * total.saturating_sub(done) as f64 / done.max(1) as f64;
    let rest = rest.round() as u64;
    match rest {
        0..60 => format!("{rest} s"),
        60..3600 => format!("{} min {:02} s", rest / 60, rest % 60),
        _ => format!("{} h {:02} min", rest / 3600, rest % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_read_well() {
        assert_eq!(thousands(1_234_567.0), "1,234,567");
        assert_eq!(thousands(999.4), "999");
        assert_eq!(left(60.0, 1, 3), "2 min 00 s");
        assert_eq!(left(10.0, 10, 10), "0 s");
    }
}
