//! A table: one game, the requests about it, and the thinking that is under way for it. Hosts bring connections, threads and
//! a clock.

mod answer;
mod begin;

use crate::lobby::Lobby;
use crate::protocol::Event;
use crate::session::Session;
use crate::tree::NodeId;
use crate::value::NodeValue;
use crate::view::{RulesView, State};
use crate::work::{Exercise, Finding, Glance, Step, Work};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Names one piece of work of a table.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Ord, PartialOrd, Hash)]
pub struct Ticket(pub u64);

/// What work is done first.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Ord, PartialOrd)]
pub enum Urgency {
    /// Somebody waits for a move or a verdict.
    Now,
    /// Somebody looks at it.
    Soon,
    /// It goes on in the background.
    Background,
}

/// Work that a table wants done.
pub struct Assignment {
    /// By which the table knows it.
    pub ticket: Ticket,
    /// How soon.
    pub urgency: Urgency,
    /// Which of the host's nets thinks.
    pub net: usize,
    /// What is found is not to be told before so much time has passed, so that people can follow a game.
    pub pause: Duration,
    /// The work.
    pub work: Box<dyn Work>,
}

/// What came of a request or a finding.
#[derive(Default)]
pub struct Response {
    /// For every interface at the table.
    pub all: Vec<Event>,
    /// For the one that asked.
    pub one: Vec<Event>,
    /// Work to do.
    pub work: Vec<Assignment>,
    /// Work that nobody needs any more.
    pub cancelled: Vec<Ticket>,
    /// Whether the game has changed and is to be saved.
    pub changed: bool,
}

/// What a piece of work is for; there is one of each at most.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Ord, PartialOrd)]
enum Task {
    Reply,
    Hint,
    Judgement,
    Analysis,
    Threat,
    Review,
    Lens,
    Experiment,
    Refutation,
    Glances,
    Finds,
}

/// Time between two moves where nobody plays and somebody watches.
const WATCHED_PAUSE: Duration = Duration::from_millis(700);

/// One game with everything around it.
pub struct Table {
    session: Session,
    lobby: Arc<Lobby>,
    analysing: bool,
    /// The review's exercises.
    exercises: Vec<Exercise>,
    /// The one that is being done, and its number in the review.
    exercise: Option<(Option<usize>, Exercise)>,
    /// A position that somebody only looks at: the computer does not move there.
    looked_at: Option<NodeId>,
    tasks: BTreeMap<Task, Ticket>,
    last_ticket: u64,
    seed: u64,
    /// The computer's own moves have seeds of their own, so that a hint or an analysis does not change them.
    reply_seed: u64,
}

impl Table {
    /// A table with a game on it. `seed` is the source of all chance.
    pub fn new(session: Session, lobby: Arc<Lobby>, seed: u64) -> Self {
        Self {
            session,
            lobby,
            analysing: false,
            exercises: Vec::new(),
            exercise: None,
            looked_at: None,
            tasks: BTreeMap::new(),
            last_ticket: 0,
            seed,
            reply_seed: !seed,
        }
    }

    /// The game.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Whether there is anything worth saving.
    pub fn is_untouched(&self) -> bool {
        self.session.tree().is_empty() && self.exercise.is_none()
    }

    /// What a new interface is told, and work that may have to begin: the computer may be to move.
    pub fn greet(&mut self, name: &str) -> Response {
        let mut response = Response::default();
        response.one.push(Event::Game { game: name.to_owned() });
        response.one.push(Event::Rules(Box::new(RulesView::new(self.session.rules()))));
        response.one.push(self.state());
        if let Some((index, exercise)) = &self.exercise {
            response.one.push(Event::Exercise { index: *index, task: exercise.task() });
        }
        if self.tasks.contains_key(&Task::Reply) {
            response.one.push(Event::Thinking { on: true });
        } else {
            self.reply_if_due(&mut response);
        }
        response
    }

    /// What a piece of work has found; what nobody waits for any more is dropped.
    pub fn take(&mut self, ticket: Ticket, step: Step) -> Response {
        let mut response = Response::default();
        let Some(task) = self.tasks.iter().find(|(_, known)| **known == ticket).map(|(task, _)| *task) else {
            return response;
        };
        let (findings, done) = match step {
            Step::GoesOn => return response,
            Step::News(findings) => (findings, false),
            Step::Done(findings) => (findings, true),
        };
        if done {
            self.tasks.remove(&task);
        }
        for finding in findings {
            self.tell(finding, task, done, &mut response);
        }
        if done && task == Task::Lens {
            response.all.push(Event::LensDone);
        }
        response
    }

    /// A piece of work could not go on.
    pub fn fail(&mut self, ticket: Ticket, error: &str) -> Response {
        let mut response = Response::default();
        let task = self.tasks.iter().find(|(_, known)| **known == ticket).map(|(task, _)| *task);
        if let Some(task) = task {
            self.tasks.remove(&task);
            response.all.push(Event::Refused { re: 0, error: format!("the computer cannot think: {error}") });
            if task == Task::Reply {
                response.all.push(Event::Thinking { on: false });
            }
        }
        response
    }

    fn tell(&mut self, finding: Finding, task: Task, done: bool, response: &mut Response) {
        let node = self.session.here();
        match finding {
            Finding::Reply(mv, value) if task == Task::Hint => {
                self.note(value);
                response.all.push(Event::Hint { node, mv });
            }
            Finding::Reply(mv, value) => {
                self.note(value);
                response.all.push(Event::Thinking { on: false });
                match self.session.play(mv) {
                    Ok(_) => self.changed(response),
                    Err(error) => response.all.push(Event::Refused { re: 0, error: error.to_string() }),
                }
            }
            Finding::Analysis(node, analysis) => {
                response.all.push(Event::Analysis { node, analysis: Box::new(analysis), done });
            }
            Finding::Threat(node, analysis) => {
                response.all.push(Event::Threat { node, analysis: Box::new(analysis) });
            }
            Finding::Value(node, value) => {
                self.session.note_value(node, value);
                response.all.push(Event::Value { node, value });
            }
            Finding::ReviewProgress(done, of) => response.all.push(Event::ReviewProgress { done, of }),
            Finding::Review(report) => {
                self.exercises = report.exercises;
                response.all.push(Event::Review { mistakes: report.mistakes, positions: report.positions });
            }
            Finding::Lens(row) => response.all.push(Event::Lens(Box::new(row))),
            Finding::Judgement(judgement) => response.all.push(Event::Judgement(Box::new(judgement))),
            Finding::Refutation(view) => response.all.push(Event::Refutation(Box::new(view))),
            Finding::Glance(node, checkpoint, analysis) => {
                response.all.push(Event::Glance { node, checkpoint, analysis: Box::new(analysis) });
                self.glance(checkpoint + 1, response);
            }
            Finding::Finds(puzzles, looked, of) => response.all.push(Event::FoundPuzzles { puzzles, looked, of }),
            Finding::Experiment(experiment) => {
                response.all.push(Event::Experiment { experiment: Box::new(experiment), done });
            }
        }
    }

    fn note(&mut self, value: Option<NodeValue>) {
        if let Some(value) = value {
            self.session.note_value(self.session.here(), value);
        }
    }

    fn state(&self) -> Event {
        let mut state = State::new(&self.session);
        state.computer_to_move = self.is_reply_due();
        Event::State(Box::new(state))
    }

    /// The position has changed: thinking about the old one ends, thinking about the new one begins.
    fn changed(&mut self, response: &mut Response) {
        for task in
            [Task::Reply, Task::Hint, Task::Judgement, Task::Analysis, Task::Threat, Task::Refutation, Task::Glances]
        {
            self.cancel(task, response);
        }
        response.changed = true;
        response.all.push(self.state());
        self.reply_if_due(response);
        self.analyse_if_on(response);
    }

    /// The computer moves where it is its turn and nothing was played from here yet: who looks back at an earlier position
    /// does not want it played differently.
    fn is_reply_due(&self) -> bool {
        let is_fresh = self.session.node().children.is_empty() && self.looked_at != Some(self.session.here());
        self.session.is_computers_turn() && is_fresh && self.exercise.is_none()
    }

    fn reply_if_due(&mut self, response: &mut Response) {
        if !self.is_reply_due() {
            return;
        }
        let seed = advance(&mut self.reply_seed);
        let seat = self.session.turn();
        if let Some((net, work)) = seat.and_then(|seat| self.lobby.reply(seat, self.session.game(), seed)) {
            let pause = if self.session.seats().is_watched() { WATCHED_PAUSE } else { Duration::ZERO };
            self.assign(Task::Reply, Urgency::Now, net, pause, work, response);
            response.all.push(Event::Thinking { on: true });
        }
    }

    fn analyse_if_on(&mut self, response: &mut Response) {
        if self.analysing && self.session.ending().is_none() {
            let seed = self.next_seed();
            let work = crate::work::AnalysisWork::new(self.session.here(), self.session.game(), seed);
            self.assign(Task::Analysis, Urgency::Soon, 0, Duration::ZERO, Box::new(work), response);
        }
    }

    /// Has the net of a checkpoint look at the present position, if there are so many.
    fn glance(&mut self, checkpoint: usize, response: &mut Response) {
        if checkpoint < self.lobby.checkpoints.len() {
            let seed = self.next_seed();
            let work = Box::new(Glance::new(self.session.here(), self.session.game(), checkpoint, seed));
            let net = self.lobby.nets.len() + checkpoint;
            self.assign(Task::Glances, Urgency::Soon, net, Duration::ZERO, work, response);
        }
    }

    fn assign(
        &mut self,
        task: Task,
        urgency: Urgency,
        net: usize,
        pause: Duration,
        work: Box<dyn Work>,
        response: &mut Response,
    ) {
        self.cancel(task, response);
        self.last_ticket += 1;
        let ticket = Ticket(self.last_ticket);
        self.tasks.insert(task, ticket);
        response.work.push(Assignment { ticket, urgency, net, pause, work });
    }

    fn cancel(&mut self, task: Task, response: &mut Response) {
        if let Some(ticket) = self.tasks.remove(&task) {
            response.cancelled.push(ticket);
            if task == Task::Reply {
                response.all.push(Event::Thinking { on: false });
            }
        }
    }

    /// Seeds differ from one piece of work to the next.
    fn next_seed(&mut self) -> u64 {
        advance(&mut self.seed)
    }
}

/// The next of a row of seeds.
fn advance(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed
}
