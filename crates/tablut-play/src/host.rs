//! The terminal's host of a game: the table, and the thread that thinks for it.

use crate::serve::workers::{self, Queue, QueuedWork, Told};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tablut_search::{EvaluateError, Evaluator};
use tablut_session::protocol::{Event, Request};
use tablut_session::{
    Assignment, Finding, Lobby, NodeId, Response, Session, Step, Table, Thinking, Ticket, Urgency, Work,
};

/// The host's own work, which no table has given.
const EVALUATION: Ticket = Ticket(u64::MAX);
/// Moves that an evaluation shows.
const N_LINES: usize = 8;

/// A table with somebody who thinks for it.
pub struct Host {
    table: Table,
    lobby: Arc<Lobby>,
    queue: Arc<Queue>,
    /// Work under way, and whether somebody waits for it.
    working: BTreeMap<Ticket, (bool, Arc<AtomicBool>)>,
    /// Tables so far: what was thought for another one is not for this.
    tables: u64,
    seed: u64,
    news: Vec<Event>,
    /// Moves are told as soon as they are found, although nobody plays and somebody may watch.
    pub hurries: bool,
}

impl Host {
    /// A host of `session`. `tell` hears of what is thought, in the thinking thread; it is to be handed to [`Host::hear`].
    pub fn new(
        session: Session,
        lobby: Lobby,
        mut evaluator: Box<dyn Evaluator>,
        seed: u64,
        tell: impl Fn(Told) + Send + 'static,
    ) -> io::Result<Self> {
        let (lobby, queue) = (Arc::new(lobby), Arc::new(Queue::default()));
        let work = {
            let queue = queue.clone();
            move || workers::work(&queue, std::slice::from_mut(&mut evaluator), &tell)
        };
        std::thread::Builder::new().name("thinker".to_owned()).spawn(work)?;
        let table = Table::new(session, lobby.clone(), seed);
        let (working, news) = (BTreeMap::new(), Vec::new());
        Ok(Self { table, lobby, queue, working, tables: 0, seed, news, hurries: false })
    }

    /// The game.
    pub fn session(&self) -> &Session {
        self.table.session()
    }

    /// What there is to play against.
    pub fn lobby(&self) -> &Lobby {
        &self.lobby
    }

    /// Whether the computer's move, or something else that was asked for, is being thought about.
    pub fn is_awaited(&self) -> bool {
        self.working.values().any(|(awaited, _)| *awaited)
    }

    /// What the table has told since this was last asked.
    pub fn news(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.news)
    }

    /// Sits down: the computer may be to move.
    pub fn greet(&mut self) {
        let response = self.table.greet("terminal");
        self.settle(response);
    }

    /// Another game takes this one's place.
    pub fn take_up(&mut self, session: Session) {
        self.leave();
        self.tables += 1;
        self.table = Table::new(session, self.lobby.clone(), self.seed.wrapping_add(self.tables));
        self.greet();
    }

    /// Does what is asked for, or says why not.
    pub fn ask(&mut self, request: Request) -> Result<(), String> {
        let response = self.table.answer(request)?;
        self.settle(response);
        Ok(())
    }

    /// Begins to look at the present position with so many simulations; the news will be an analysis that is done.
    ///
    /// # Panics
    /// If the game is over.
    pub fn evaluate(&mut self, simulations: u32) {
        let session = self.table.session();
        let thinking = Thinking::by_simulations(session.game(), simulations, self.seed);
        let work = Box::new(Evaluating { node: session.here(), thinking });
        let (ticket, urgency, pause) = (EVALUATION, Urgency::Now, Duration::ZERO);
        self.assign(Assignment { ticket, urgency, net: 0, pause, work });
    }

    /// Takes what the thinking thread has told.
    pub fn hear(&mut self, told: Told) {
        // What was thought for an earlier table, or is not wanted any more, is too late.
        if *told.table != *self.name() || !self.working.contains_key(&told.ticket) {
            return;
        }
        if !matches!(told.step, Ok(Step::GoesOn | Step::News(_))) {
            self.working.remove(&told.ticket);
        }
        let response = match told.step {
            Ok(Step::Done(findings)) if told.ticket == EVALUATION => {
                return self.news.extend(findings.into_iter().filter_map(seen));
            }
            Err(error) if told.ticket == EVALUATION => return self.news.push(Event::Refused { re: 0, error }),
            Ok(step) => self.table.take(told.ticket, step),
            Err(error) => self.table.fail(told.ticket, &error),
        };
        self.settle(response);
    }

    fn name(&self) -> Arc<str> {
        self.tables.to_string().into()
    }

    fn settle(&mut self, response: Response) {
        for ticket in &response.cancelled {
            if let Some((_, flag)) = self.working.remove(ticket) {
                flag.store(true, Ordering::Relaxed);
            }
        }
        self.news.extend(response.one);
        self.news.extend(response.all);
        for assignment in response.work {
            self.assign(assignment);
        }
    }

    /// Hands work over; where it cannot be taken that is news.
    fn assign(&mut self, mut assignment: Assignment) {
        if self.hurries {
            assignment.pause = Duration::ZERO;
        }
        let (ticket, flag) = (assignment.ticket, Arc::new(AtomicBool::new(false)));
        self.working.insert(ticket, (assignment.urgency == Urgency::Now, flag.clone()));
        if let Err(error) = self.queue.push(QueuedWork::new(self.name(), assignment, flag)) {
            self.working.remove(&ticket);
            self.news.extend(self.table.fail(ticket, &error.to_string()).all);
        }
    }

    fn leave(&mut self) {
        for (_, flag) in std::mem::take(&mut self.working).into_values() {
            flag.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.leave();
        self.queue.close();
    }
}

/// A look at a position.
struct Evaluating {
    node: NodeId,
    thinking: Thinking,
}

impl Work for Evaluating {
    fn step(&mut self, evaluator: &mut dyn Evaluator, elapsed: Duration) -> Result<Step, EvaluateError> {
        if self.thinking.step(evaluator, elapsed)? {
            return Ok(Step::GoesOn);
        }
        Ok(Step::Done(vec![Finding::Analysis(self.node, self.thinking.analysis(N_LINES))]))
    }
}

fn seen(finding: Finding) -> Option<Event> {
    match finding {
        Finding::Analysis(node, analysis) => Some(Event::Analysis { node, analysis: Box::new(analysis), done: true }),
        _ => None,
    }
}
