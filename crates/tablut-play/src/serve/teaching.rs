//! Teaching nets from the page: one run at a time, a queue, and the interfaces that watch.

use super::nets::NetShelf;
use super::outbox::{Outbox, encode, put};
use super::taught_runs::{MOST_BYTES, TaughtRuns};
use super::trainer::{Trainer, Training};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tablut_session::protocol::{Event, Request};
use tablut_session::{TaughtNet, TrainingState, TrainingView, check_teachable};
use tokio::sync::mpsc::WeakSender;

/// The times for which a net can be taught at once, in seconds.
const SECONDS: std::ops::RangeInclusive<u32> = 60..=MOST_SECONDS;
/// Teaching without a limit ends after this time.
const MOST_SECONDS: u32 = 24 * 3600;
const MOST_WAITING: usize = 8;
/// A run is stopped if it takes longer than its time by this share and these seconds, for example on a busy machine.
const PATIENCE: f64 = 1.2;
const PATIENCE_SECONDS: f64 = 20.0;
/// How often the size of the runs is compared with its limit.
const MEASURE_BYTES: Duration = Duration::from_secs(20);

pub struct Teaching {
    trainer: Option<Arc<dyn Trainer>>,
    runs: TaughtRuns,
    nets: Arc<NetShelf>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: Option<Running>,
    queue: VecDeque<Order>,
    /// Why runs of this server have failed.
    failed: BTreeMap<String, String>,
    /// The interfaces that receive the state of the runs.
    watchers: Vec<WeakSender<Arc<str>>>,
}

struct Order {
    run: String,
    /// The name and the file of the rules of a new run.
    rules: Option<(String, String)>,
    seconds: Option<u32>,
}

struct Running {
    run: String,
    training: Box<dyn Training>,
    began: Instant,
    seconds: Option<u32>,
    measured: Instant,
    /// Generation, index and number of moves of the game that was sent last.
    shown: Option<(u32, u64, usize)>,
}

impl Teaching {
    /// The runs in the server's folder of games. Without a `trainer` nothing can be taught.
    pub fn new(trainer: Option<Arc<dyn Trainer>>, games: &Path, nets: Arc<NetShelf>) -> Self {
        let teaching = Self { trainer, runs: TaughtRuns::within(games), nets, state: Mutex::default() };
        teaching.offer_nets();
        teaching
    }

    pub fn is_available(&self) -> bool {
        self.trainer.is_some()
    }

    fn trainer(&self) -> Result<&Arc<dyn Trainer>, String> {
        self.trainer.as_ref().ok_or_else(|| "this program cannot teach nets; `tablut serve` can".to_owned())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The nets of all runs become nets of the server. Returns whether its nets change.
    fn offer_nets(&self) -> bool {
        let runs = self.runs.names().into_iter();
        self.nets.set_trained(runs.map(|run| (run.clone(), self.runs.place(&run))).collect());
        self.nets.refresh()
    }

    /// Answers a request about teaching. `refusal` says why the interface may not teach. Returns whether the server's nets
    /// have changed.
    pub fn answer(&self, request: Request, refusal: Option<&str>, outbox: &Outbox) -> Result<bool, String> {
        let trainer = self.trainer()?.clone();
        let may_change =
            !matches!(request, Request::TaughtNets | Request::ShowTaught { .. } | Request::DownloadNet { .. });
        if let Some(refusal) = refusal.filter(|_| may_change) {
            return Err(refusal.to_owned());
        }
        let mut state = self.state();
        match request {
            Request::Teach { rules, seconds } => {
                let rules = rules.compiled()?;
                check_teachable(&rules)?;
                let waiting = state.queue.iter().filter(|order| order.rules.is_some());
                self.runs.check_room(waiting.count())?;
                let run = self.runs.new_name(rules.name(), state.active().iter().map(String::as_str));
                let rules = Some((rules.name().to_owned(), rules.set().to_toml()));
                return self.enqueue(&mut state, Order { run, rules, seconds: checked(seconds)? });
            }
            Request::TeachOn { run, seconds } => {
                self.runs.path(&run)?;
                if state.has(&run) {
                    return Err(format!("{run} is running or waiting already"));
                }
                return self.enqueue(&mut state, Order { run, rules: None, seconds: checked(seconds)? });
            }
            Request::StopTeaching { run } => {
                state.queue.retain(|order| order.run != run);
                if let Some(running) = state.running.as_mut().filter(|running| running.run == run) {
                    running.training.stop();
                }
            }
            Request::ForgetTaught { run } => {
                if state.has(&run) {
                    return Err(format!("{run} is running or waiting; stop it first"));
                }
                self.runs.delete(&run)?;
                state.failed.remove(&run);
                let are_new = self.offer_nets();
                let list = self.list(&state, None);
                state.tell(&list);
                return Ok(are_new);
            }
            Request::TaughtNets => {
                let outbox_known =
                    |known: &WeakSender<_>| known.upgrade().is_some_and(|known| known.same_channel(outbox));
                if !state.watchers.iter().any(outbox_known) {
                    state.watchers.push(outbox.downgrade());
                }
                put(outbox, &encode(&self.list(&state, refusal)));
                if let Some(running) = &mut state.running {
                    // The next look sends the game again.
                    running.shown = None;
                }
                for run in state.active() {
                    put(outbox, &encode(&Event::Training(Box::new(self.view(&state, &run)?))));
                }
                return Ok(false);
            }
            Request::ShowTaught { run } => {
                let view = self.view(&state, &run)?;
                put(outbox, &encode(&Event::Training(Box::new(view))));
                return Ok(false);
            }
            Request::DownloadNet { run } => {
                let base64 = BASE64_STANDARD.encode(trainer.model_file(&self.runs.path(&run)?)?);
                put(outbox, &encode(&Event::NetFile { name: format!("{run}.tablut"), base64 }));
                return Ok(false);
            }
            _ => return Err("this request is not about teaching".to_owned()),
        }
        Ok(self.step(&mut state, true))
    }

    fn enqueue(&self, state: &mut State, order: Order) -> Result<bool, String> {
        if state.queue.len() >= MOST_WAITING {
            return Err(format!("{MOST_WAITING} nets are waiting to be taught already, the maximum"));
        }
        let run = order.run.clone();
        state.failed.remove(&run);
        state.queue.push_back(order);
        let are_new = self.step(state, true);
        match state.failed.get(&run) {
            Some(failure) => Err(failure.clone()),
            None => Ok(are_new),
        }
    }

    /// Looks at the runs, starts the next one, and tells the watchers. The server calls this once a second. Returns
    /// whether the server's nets have changed.
    pub fn watch(&self) -> bool {
        let mut state = self.state();
        (state.running.is_some() || !state.queue.is_empty()) && self.step(&mut state, false)
    }

    fn step(&self, state: &mut State, queue_changed: bool) -> bool {
        let mut ended = None;
        if let Some(running) = &mut state.running {
            let (taken, now) = (running.began.elapsed().as_secs_f64(), running.training.state());
            let late = |seconds| PATIENCE * f64::from(seconds) + PATIENCE_SECONDS;
            let most = running.seconds.map_or(f64::from(MOST_SECONDS), late);
            let mut failure = None;
            if now == TrainingState::Running && running.measured.elapsed() > MEASURE_BYTES {
                running.measured = Instant::now();
                failure = self.runs.check_bytes().err();
            }
            if let TrainingState::Failed(words) = &now {
                failure = Some(words.clone());
            }
            if taken > most || failure.is_some() {
                running.training.stop();
            }
            if taken > most || failure.is_some() || now != TrainingState::Running {
                let run = running.run.clone();
                state.running = None;
                if let Some(failure) = failure {
                    state.failed.insert(run.clone(), failure);
                }
                ended = Some(run);
            }
        }
        let started = state.running.is_none() && self.start_next(state);
        let are_new = ended.is_some() && self.offer_nets();
        if ended.is_some() || started || queue_changed {
            let list = self.list(state, None);
            state.tell(&list);
        }
        for run in state.active().into_iter().chain(ended.clone()) {
            if let Ok(view) = self.view(state, &run) {
                state.tell(&Event::Training(Box::new(view)));
            }
        }
        self.tell_game(state);
        are_new
    }

    /// Starts the first run of the queue that can start.
    fn start_next(&self, state: &mut State) -> bool {
        let Ok(trainer) = self.trainer() else { return false };
        let mut is_new = false;
        while let Some(Order { run, rules, seconds }) = state.queue.pop_front() {
            is_new = true;
            let place = self.runs.place(&run);
            let training = match &rules {
                Some((_, rules)) => trainer.begin(&place, rules, seconds),
                None => trainer.go_on(&place, seconds),
            };
            match training {
                Ok(training) => {
                    let now = Instant::now();
                    state.failed.remove(&run);
                    state.running = Some(Running { run, training, began: now, seconds, measured: now, shown: None });
                    break;
                }
                Err(error) => {
                    state.failed.insert(run, error);
                }
            }
        }
        is_new
    }

    fn view(&self, state: &State, run: &str) -> Result<TrainingView, String> {
        let running = state.running.as_ref().filter(|running| running.run == run);
        let waiting = state.queue.iter().position(|order| order.run == run);
        let new = waiting.and_then(|place| state.queue[place].rules.clone());
        let mut view = match new {
            Some((rules, toml)) => TrainingView::new(rules, toml),
            None => self.trainer()?.view(&self.runs.place(run), running.is_some())?,
        };
        view.state = match (running, waiting, state.failed.get(run)) {
            (Some(_), _, _) => TrainingState::Running,
            (None, Some(place), _) => TrainingState::Waiting(place + 1),
            (None, None, Some(failure)) => TrainingState::Failed(failure.clone()),
            (None, None, None) => TrainingState::Ended,
        };
        view.seconds_left = running
            .and_then(|running| Some((f64::from(running.seconds?) - running.began.elapsed().as_secs_f64()).max(0.0)));
        if view.rules.is_empty() {
            // It has failed before it had a folder.
            run.clone_into(&mut view.rules);
        }
        view.net = self.nets.nets().index_of_trained(run);
        run.clone_into(&mut view.run);
        Ok(view)
    }

    fn list(&self, state: &State, refusal: Option<&str>) -> Event {
        let taught = |run: String| {
            let view = self.view(state, &run).ok()?;
            let (bytes, changed, generations) = (self.runs.bytes(&run), self.runs.changed(&run), view.n_generations);
            let TrainingView { rules, state, seconds, .. } = view;
            Some(TaughtNet { run, rules, state, seconds, changed, bytes, generations })
        };
        let known = self.runs.names();
        let without_folder = state.active().into_iter().filter(|run| !known.contains(run));
        let runs: Vec<TaughtNet> = without_folder.chain(known.iter().rev().cloned()).filter_map(taught).collect();
        let bytes = runs.iter().map(|run| run.bytes).sum();
        Event::TaughtNets { runs, bytes, most_bytes: MOST_BYTES, refused: refusal.map(str::to_owned) }
    }

    fn tell_game(&self, state: &mut State) {
        let Some(running) = &mut state.running else { return };
        let game = self.trainer().ok().and_then(|trainer| trainer.game(&self.runs.place(&running.run)));
        let Some(mut game) = game else { return };
        let shown = Some((game.generation, game.index, game.moves.len()));
        if running.shown == shown {
            return;
        }
        running.shown = shown;
        running.run.clone_into(&mut game.run);
        state.tell(&Event::TrainingGame(Box::new(game)));
    }
}

impl State {
    /// The run that runs and those that wait.
    fn active(&self) -> Vec<String> {
        let running = self.running.iter().map(|running| &running.run);
        running.chain(self.queue.iter().map(|order| &order.run)).cloned().collect()
    }

    /// Sends an event to all interfaces that watch. One that is slow may miss it.
    fn tell(&mut self, event: &Event) {
        let text = encode(event);
        self.watchers.retain(|watcher| {
            let outbox = watcher.upgrade();
            if let Some(outbox) = &outbox {
                put(outbox, &text);
            }
            outbox.is_some()
        });
    }

    fn has(&self, run: &str) -> bool {
        self.active().iter().any(|active| active == run)
    }
}

fn checked(seconds: Option<u32>) -> Result<Option<u32>, String> {
    match seconds {
        Some(seconds) if !SECONDS.contains(&seconds) => {
            Err(format!("{seconds} seconds, expected {} to {MOST_SECONDS}", SECONDS.start()))
        }
        seconds => Ok(seconds),
    }
}

#[cfg(test)]
mod tests;
