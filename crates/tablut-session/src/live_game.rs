//! One game with the requests about it and the work that they start. Hosts provide connections, threads and a clock.

mod answer;
mod new_game;
mod offers;
mod pause;
mod seat_check;
mod time;

use crate::exercise::Exercise;
use crate::grade::{GradeScale, SideReviews};
use crate::host_config::HostConfig;
use crate::jobs::{JobId, JobUpdate, Priority, SessionJob};
use crate::player::{Offer, OfferView};
use crate::protocol::Event;
use crate::purpose::purpose;
use crate::results::{NextPuzzle, ReviewReport};
use crate::session::Session;
use crate::tree::NodeId;
use crate::view::{RulesView, State};
use crate::work::{AnalysisWork, OpenEnded, Review, SearchWork, Step, Update, Work};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tablut_rules::Move;

pub use answer::{export_games, read_games};
pub use new_game::first_side;

#[derive(Default)]
pub struct Response {
    /// Events for every interface that shows the game.
    pub all: Vec<Event>,
    /// Events for the interface that sent the request.
    pub one: Vec<Event>,
    pub jobs: Vec<SessionJob>,
    pub changed: bool,
    /// Both people want another game, which [`LiveGame::rematch`] makes.
    pub begins_rematch: bool,
}

/// What a job is for. A game has at most one job of each kind.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Ord, PartialOrd)]
enum JobKind {
    Reply,
    BlunderCheck,
    Hint,
    Judgement,
    Analysis,
    Threat,
    Review,
    Lens,
    Experiment,
    Refutation,
    Checkpoints,
    PuzzleSearch,
}

struct RunningJob {
    id: JobId,
    priority: Priority,
    cancelled: Arc<AtomicBool>,
}

pub struct LiveGame {
    name: Arc<str>,
    session: Session,
    config: Arc<HostConfig>,
    /// Whether the first greeting asks the host to save the game.
    is_new: bool,
    analysing: bool,
    /// Index of the net that analyses.
    analysis_net: usize,
    /// The last analysis, with its tree.
    analysis: Option<OpenEnded>,
    exercises: Vec<Exercise>,
    exercise: Option<(Option<usize>, Exercise)>,
    /// A position that a person only looks at: the computer does not move there.
    looked_at: Option<NodeId>,
    /// A position whose last move was judged before the reply, with the words of a blunder.
    judged: Option<(NodeId, Option<String>)>,
    offer: Option<OfferView>,
    jobs: BTreeMap<JobKind, RunningJob>,
    last_job: u64,
    seed: u64,
    /// The seed of the computer's moves. It is separate, so that a hint or an analysis does not change them.
    reply_seed: u64,
}

impl LiveGame {
    /// A game on a host with this configuration, under a name that no other game there has. All random choices depend
    /// on `seed`.
    pub fn new(name: impl Into<Arc<str>>, session: Session, config: Arc<HostConfig>, seed: u64) -> Self {
        Self {
            name: name.into(),
            session,
            config,
            is_new: false,
            analysing: false,
            analysis_net: 0,
            analysis: None,
            exercises: Vec::new(),
            exercise: None,
            looked_at: None,
            judged: None,
            offer: None,
            jobs: BTreeMap::new(),
            last_job: 0,
            seed,
            reply_seed: !seed,
        }
    }

    /// Replaces the host's configuration. The checkpoints' analysis is cancelled, because the evaluators' indices may
    /// have changed.
    pub fn set_config(&mut self, config: Arc<HostConfig>) {
        self.config = config;
        self.cancel(JobKind::Checkpoints, &mut Response::default());
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Whether there is nothing to save.
    fn is_untouched(&self) -> bool {
        self.session.tree().is_empty()
            && !self.session.is_study
            && self.exercise.is_none()
            && self.session.seats().is_none()
    }

    /// Whether an interface waits for a job's result: a job of priority [`Priority::Now`] is running.
    pub fn is_awaited(&self) -> bool {
        self.jobs.values().any(|job| job.priority == Priority::Now)
    }

    /// The first events for a new interface. The computer starts to think if it is to move.
    pub fn greet(&mut self) -> Response {
        let changed = std::mem::take(&mut self.is_new) && !self.is_untouched();
        let mut response = Response { changed, ..Response::default() };
        response.one.push(Event::Game { game: self.name.to_string() });
        response.one.push(Event::Rules(Box::new(RulesView::new(self.session.rules()))));
        response.one.push(self.state());
        if let Some((index, exercise)) = &self.exercise {
            response.one.push(exercise_event(*index, exercise));
        }
        if let Some(report) = Review::known(&self.session) {
            let event = self.reviewed(report);
            response.one.push(event);
        }
        if self.jobs.keys().any(|kind| kind.is_thinking()) {
            response.one.push(Event::Thinking { on: true });
        } else {
            self.reply_if_due(&mut response);
        }
        response
    }

    /// Applies an update of one of the game's jobs. Updates of other games and of cancelled jobs are ignored.
    pub fn update(&mut self, JobUpdate { game, job: id, step }: JobUpdate) -> Response {
        let mut response = Response::default();
        let kind = self.jobs.iter().find(|(_, job)| job.id == id && game == self.name).map(|(kind, _)| *kind);
        let Some(kind) = kind else { return response };
        if !matches!(step, Ok(Step::Continue | Step::Progress(_))) {
            self.jobs.remove(&kind);
        }
        match step {
            Ok(Step::Continue) => {}
            Ok(Step::Progress(updates) | Step::Done(updates)) => {
                for update in updates {
                    self.apply(update, kind, &mut response);
                }
            }
            Err(error) => {
                response.all.push(Event::Refused { re: 0, error: format!("the search failed: {error}") });
                if kind.is_thinking() {
                    response.all.push(Event::Thinking { on: false });
                }
            }
        }
        response.changed &= !self.is_untouched();
        response
    }

    fn apply(&mut self, update: Update, kind: JobKind, response: &mut Response) {
        match update {
            Update::Reviewed(report) if kind == JobKind::BlunderCheck => self.judge_move(report, response),
            Update::Event(_) if kind == JobKind::BlunderCheck => {}
            Update::Move(mv, value) => {
                let node = self.session.current();
                if let Some(value) = value {
                    self.session.note_value(node, value);
                }
                if kind == JobKind::Hint {
                    let words = purpose(self.session.game(), mv);
                    return response.all.push(Event::Hint { node, mv, words });
                }
                response.all.push(Event::Thinking { on: false });
                match self.session.play(mv) {
                    Ok(_) => self.changed(response),
                    Err(error) => response.all.push(Event::Refused { re: 0, error: error.to_string() }),
                }
            }
            Update::Reviewed(report) => {
                for (node, reviewed) in &report.reviewed {
                    self.session.note_review(*node, reviewed.clone());
                }
                response.changed = true;
                response.all.push(self.state());
                response.all.push(self.reviewed(report));
            }
            Update::PlayAnswer { mv, next } => self.play_answer(mv, next, response),
            Update::Event(event) => {
                match event {
                    Event::Value { node, value } => self.session.note_value(node, value),
                    Event::CheckpointAnalysis { checkpoint, .. } => self.ask_checkpoint(checkpoint + 1, response),
                    _ => {}
                }
                response.all.push(event);
            }
        }
    }

    fn reviewed(&mut self, report: ReviewReport) -> Event {
        self.exercises = report.exercises;
        let (accuracy, scale) = (Box::new(SideReviews::new(&self.session)), GradeScale::of(self.session.players()));
        Event::Review { mistakes: report.mistakes, positions: report.positions, accuracy, scale }
    }

    /// Plays the right answer to a puzzle or lesson. In a puzzle it then plays the defence and sets the next task.
    fn play_answer(&mut self, mv: Move, next: Option<NextPuzzle>, response: &mut Response) {
        let Some((index, exercise)) = self.exercise.take() else { return };
        let replied =
            self.session.play(mv).is_ok() && next.as_ref().is_some_and(|next| self.session.play(next.reply).is_ok());
        response.all.push(self.state());
        self.exercise = Some((index, exercise));
        if let (true, Some(next)) = (replied, next) {
            let exercise = Exercise::of_puzzle(&self.session, next.distance, next.solutions);
            response.all.push(exercise_event(index, &exercise));
            self.exercise = Some((index, exercise));
        }
    }

    /// Starts an analysis with a fixed number of simulations and priority [`Priority::Now`].
    pub fn evaluate(&mut self, simulations: u32) -> Result<Response, String> {
        self.session.check_open()?;
        let mut response = Response::default();
        let seed = self.next_seed();
        let work = AnalysisWork::new(self.session.current(), self.session.game(), simulations, seed);
        self.start(JobKind::Analysis, Priority::Now, work, &mut response);
        Ok(response)
    }

    fn state(&self) -> Event {
        let mut state = State::new(&self.session);
        state.computer_to_move = self.is_reply_due();
        state.offer = self.offer;
        state.pause = self.pause().map(str::to_owned);
        Event::State(Box::new(state))
    }

    /// The position has changed: cancels work on the old position and starts work on the new one.
    fn changed(&mut self, response: &mut Response) {
        for kind in [
            JobKind::Reply,
            JobKind::BlunderCheck,
            JobKind::Hint,
            JobKind::Judgement,
            JobKind::Analysis,
            JobKind::Threat,
            JobKind::Refutation,
            JobKind::Checkpoints,
        ] {
            self.cancel(kind, response);
        }
        // Another move, or the end, answers an offer about the game.
        self.offer = self.offer.filter(|offer| offer.what == Offer::Rematch);
        response.changed = true;
        response.all.push(self.state());
        self.reply_if_due(response);
        self.analyse_if_on(response);
    }

    /// Whether the computer has to move: it is its turn, and no move was played from this position. A person who goes
    /// back to an earlier position does not want a different move there.
    fn is_reply_due(&self) -> bool {
        let is_new = self.session.node().children.is_empty() && self.looked_at != Some(self.session.current());
        self.session.is_computers_turn() && is_new && self.exercise.is_none()
    }

    fn reply_if_due(&mut self, response: &mut Response) {
        if !self.is_reply_due() || self.pause().is_some() || self.judges_first(response) {
            return;
        }
        let seed = advance(&mut self.reply_seed);
        let player = self.session.turn();
        if let Some((net, work)) = player.and_then(|player| self.config.reply(player, self.session.game(), seed)) {
            let delay = if self.session.players().are_computers() { self.config.demo_pause } else { Duration::ZERO };
            self.start_with_net(JobKind::Reply, Priority::Now, net, delay, work, response);
            response.all.push(Event::Thinking { on: true });
        }
    }

    fn analyse_if_on(&mut self, response: &mut Response) {
        if self.analysing && self.session.ending().is_none() {
            let seed = self.next_seed();
            let game = self.session.game();
            let search = self.analysis.take().filter(|search| search.is_about(game));
            let search = search.unwrap_or_else(|| OpenEnded::new(game, &self.config.analysis_memory, seed));
            let work = AnalysisWork::going_on(self.session.current(), &search);
            self.analysis = Some(search);
            let net = self.analysis_net;
            self.start_with_net(JobKind::Analysis, Priority::Soon, net, Duration::ZERO, Box::new(work), response);
        }
    }

    /// Asks the net of a checkpoint about the current position, if there is such a checkpoint.
    fn ask_checkpoint(&mut self, checkpoint: usize, response: &mut Response) {
        if checkpoint < self.config.checkpoints.len() {
            let seed = self.next_seed();
            let work = SearchWork::checkpoint(self.session.current(), self.session.game(), checkpoint, seed);
            let net = self.config.nets.len() + checkpoint;
            let work = Box::new(work);
            self.start_with_net(JobKind::Checkpoints, Priority::Soon, net, Duration::ZERO, work, response);
        }
    }

    fn start(&mut self, kind: JobKind, priority: Priority, work: impl Work + 'static, response: &mut Response) {
        self.start_with_net(kind, priority, 0, Duration::ZERO, Box::new(work), response);
    }

    fn start_with_net(
        &mut self,
        kind: JobKind,
        priority: Priority,
        net: usize,
        delay: Duration,
        work: Box<dyn Work>,
        response: &mut Response,
    ) {
        self.cancel(kind, response);
        self.last_job += 1;
        let (id, game) = (JobId(self.last_job), self.name.clone());
        let cancelled = Arc::new(AtomicBool::new(false));
        self.jobs.insert(kind, RunningJob { id, priority, cancelled: cancelled.clone() });
        response.jobs.push(SessionJob { game, id, priority, net, delay, cancelled, work, began: None });
    }

    fn cancel(&mut self, kind: JobKind, response: &mut Response) {
        if let Some(job) = self.jobs.remove(&kind) {
            job.cancelled.store(true, Ordering::Relaxed);
            if kind.is_thinking() {
                response.all.push(Event::Thinking { on: false });
            }
        }
    }

    fn next_seed(&mut self) -> u64 {
        advance(&mut self.seed)
    }
}

impl Drop for LiveGame {
    fn drop(&mut self) {
        for job in self.jobs.values() {
            job.cancelled.store(true, Ordering::Relaxed);
        }
    }
}

fn exercise_event(index: Option<usize>, exercise: &Exercise) -> Event {
    Event::Exercise { index, task: exercise.task(), lesson: exercise.lesson().cloned().map(Box::new) }
}

fn advance(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed
}
