//! All tables of a server: who sits at them, what is thought about for them, and where they are kept.

use super::store::{GameStore, fresh_name};
use super::training::TrainingPlace;
use super::workers::{Queue, QueuedWork, Told};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use tablut_rules::Rules;
use tablut_session::form::RuleCheck;
use tablut_session::protocol::{Event, Request};
use tablut_session::{Lobby, Response, Session, Table, Ticket, TrainingView};
use tokio::sync::mpsc;

/// Tables in memory.
const MAX_TABLES: usize = 200;
/// Games that one search for puzzles looks through.
const MAX_SEARCHED: usize = 60;
/// Interfaces at one table.
const MAX_LISTENERS: usize = 16;
/// How long a table without interfaces stays in memory.
const IDLE: Duration = Duration::from_mins(10);

/// Where an interface's messages go.
pub type Outbox = mpsc::Sender<Arc<str>>;

/// One table and its interfaces.
pub struct TableRoom {
    name: Arc<str>,
    inside: Mutex<Inside>,
}

struct Inside {
    table: Table,
    listeners: Vec<(u64, Outbox)>,
    working: HashMap<Ticket, Arc<AtomicBool>>,
    touched: Instant,
}

/// All tables.
pub struct House {
    lobby: Arc<Lobby>,
    store: GameStore,
    queue: Arc<Queue>,
    rooms: Mutex<HashMap<Arc<str>, Arc<TableRoom>>>,
    next_listener: AtomicU64,
    training: TrainingPlace,
    /// Itself, for those who work on after a request.
    this: Weak<Self>,
}

impl House {
    /// A house over a folder of games; its work goes to `queue`.
    pub fn new(lobby: Lobby, store: GameStore, queue: Arc<Queue>, training: TrainingPlace) -> Arc<Self> {
        let (lobby, rooms, next_listener) = (Arc::new(lobby), Mutex::default(), AtomicU64::new(1));
        Arc::new_cyclic(|this| Self { lobby, store, queue, rooms, next_listener, training, this: this.clone() })
    }

    /// What an interface is told first.
    pub fn hello(&self) -> Event {
        Event::Hello(Box::new(self.lobby.hello()))
    }

    fn rooms(&self) -> MutexGuard<'_, HashMap<Arc<str>, Arc<TableRoom>>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new table for a request that begins a game.
    pub fn begin(&self, request: &Request, present: Option<&Arc<TableRoom>>) -> Result<Arc<TableRoom>, String> {
        let mut seed = [0; 8];
        getrandom::fill(&mut seed).map_err(|error| error.to_string())?;
        let session = match request {
            Request::OwnPuzzle { game, .. } => Some(self.session(game)?),
            _ => present.map(|room| room.inside().table.session().clone()),
        };
        let table = Table::begin(request, session.as_ref(), &self.lobby, u64::from_le_bytes(seed))?;
        let name = fresh_name().map_err(|error| error.to_string())?;
        // A game that comes from a text is worth keeping before its next move.
        if !table.is_untouched() && !matches!(request, Request::Puzzle { .. } | Request::OwnPuzzle { .. }) {
            self.store.save(&name, &table.session().saved())?;
        }
        self.admit(name.into(), table)
    }

    /// A game as it stands, read from disk where it is not in memory.
    fn session(&self, name: &str) -> Result<Session, String> {
        let room = self.rooms().get(name).cloned();
        if let Some(room) = room {
            return Ok(room.inside().table.session().clone());
        }
        let none = || format!("there is no game {:?} here", name.chars().take(40).collect::<String>());
        self.store.load(name)?.ok_or_else(none)
    }

    /// The table of a game, read from disk where it is not in memory.
    pub fn open(&self, name: &str) -> Result<Arc<TableRoom>, String> {
        if let Some(room) = self.rooms().get(name) {
            return Ok(room.clone());
        }
        let session = self.session(name)?;
        let mut seed = [0; 8];
        getrandom::fill(&mut seed).map_err(|error| error.to_string())?;
        self.admit(name.into(), Table::new(session, self.lobby.clone(), u64::from_le_bytes(seed)))
    }

    fn admit(&self, name: Arc<str>, table: Table) -> Result<Arc<TableRoom>, String> {
        let mut rooms = self.rooms();
        // Somebody else may have opened it in the meantime.
        if let Some(room) = rooms.get(&name) {
            return Ok(room.clone());
        }
        if rooms.len() >= MAX_TABLES {
            let idle = rooms.values().filter_map(|room| room.idle_since().map(|since| (since, room.name.clone())));
            let oldest = idle.min().ok_or("too many games are open; try again later")?;
            rooms.remove(&oldest.1);
        }
        let inside = Inside { table, listeners: Vec::new(), working: HashMap::new(), touched: Instant::now() };
        let room = Arc::new(TableRoom { name: name.clone(), inside: Mutex::new(inside) });
        rooms.insert(name, room.clone());
        Ok(room)
    }

    /// Lets go of tables that nobody has sat at for a while; their games are on disk.
    pub fn sweep(&self) {
        self.rooms().retain(|_, room| room.idle_since().is_none_or(|since| since.elapsed() < IDLE));
    }

    /// An interface sits down, and is told how things stand. Returns the number by which it is known.
    pub fn join(&self, room: &TableRoom, outbox: &Outbox) -> Result<u64, String> {
        let mut inside = room.inside();
        if inside.listeners.len() >= MAX_LISTENERS {
            return Err(format!("{MAX_LISTENERS} windows show this game already"));
        }
        let listener = self.next_listener.fetch_add(1, Ordering::Relaxed);
        let response = inside.table.greet(&room.name);
        self.settle(room, &mut inside, response, outbox);
        inside.listeners.push((listener, outbox.clone()));
        Ok(listener)
    }

    /// An interface leaves; what only somebody who looks needs ends with the last.
    pub fn leave(&self, room: &TableRoom, listener: u64) {
        let mut inside = room.inside();
        inside.listeners.retain(|(known, _)| *known != listener);
        if inside.listeners.is_empty() {
            for request in [Request::Analyse { on: false }, Request::Stop] {
                if let Ok(response) = inside.table.answer(request) {
                    self.settle_quietly(room, &mut inside, response);
                }
            }
        }
    }

    /// Does what an interface asks for.
    pub fn ask(&self, room: &TableRoom, request: Request, outbox: &Outbox) -> Result<(), String> {
        // One lock holds from the answer until everybody has heard it, so that events keep their order.
        match request {
            Request::Train { set } => self.train(room, &set)?,
            Request::StopTraining => self.training.stop(),
            Request::FindPuzzles { games } => {
                // Games that are gone, or were never here, are left out.
                let known = |name: &String| Some((name.clone(), self.session(name).ok()?));
                let games = games.iter().take(MAX_SEARCHED).filter_map(known).collect();
                let mut inside = room.inside();
                let response = inside.table.find_puzzles(games);
                self.settle(room, &mut inside, response, outbox);
            }
            request => {
                let mut inside = room.inside();
                let response = inside.table.answer(request)?;
                self.settle(room, &mut inside, response, outbox);
            }
        }
        Ok(())
    }

    /// Begins a training on the form's rules, of which the table hears until its end.
    fn train(&self, room: &TableRoom, set: &Value) -> Result<(), String> {
        let rules = Rules::new(RuleCheck::read(set)?).map_err(|error| error.to_string())?;
        let (house, name) = (self.this.clone(), room.name.clone());
        let tell = move |view: TrainingView| {
            if let Some(house) = house.upgrade() {
                house.announce(&name, Event::Training(Box::new(view)));
            }
        };
        self.training.begin(&rules.set().to_toml(), tell)
    }

    /// Tells everybody at a table, if it is there.
    fn announce(&self, name: &str, event: Event) {
        let Some(room) = self.rooms().get(name).cloned() else { return };
        let mut inside = room.inside();
        self.settle_quietly(&room, &mut inside, Response { all: vec![event], ..Response::default() });
    }

    /// Hears what a worker has found.
    pub fn hear(&self, told: Told) {
        let Some(room) = self.rooms().get(&told.table).cloned() else { return };
        let mut inside = room.inside();
        let response = match told.step {
            Ok(step) => {
                if matches!(step, tablut_session::Step::Done(_)) {
                    inside.working.remove(&told.ticket);
                }
                inside.table.take(told.ticket, step)
            }
            Err(error) => {
                inside.working.remove(&told.ticket);
                inside.table.fail(told.ticket, &error)
            }
        };
        self.settle_quietly(&room, &mut inside, response);
    }

    fn settle(&self, room: &TableRoom, inside: &mut Inside, mut response: Response, asker: &Outbox) {
        for event in std::mem::take(&mut response.one) {
            send(asker, &encoded(&event));
        }
        let at_table = inside.listeners.iter().any(|(_, outbox)| outbox.same_channel(asker));
        if !at_table {
            for event in &response.all {
                send(asker, &encoded(event));
            }
        }
        self.settle_quietly(room, inside, response);
    }

    /// Saves, tells everybody, and sees to the work.
    fn settle_quietly(&self, room: &TableRoom, inside: &mut Inside, mut response: Response) {
        inside.touched = Instant::now();
        if response.changed
            && !inside.table.is_untouched()
            && let Err(error) = self.store.save(&room.name, &inside.table.session().saved())
        {
            response.all.push(Event::Refused { re: 0, error });
        }
        for ticket in &response.cancelled {
            if let Some(flag) = inside.working.remove(ticket) {
                flag.store(true, Ordering::Relaxed);
            }
        }
        for event in &response.all {
            let text = encoded(event);
            inside.listeners.retain(|(_, outbox)| send(outbox, &text) || is_stream(event));
        }
        for assignment in response.work {
            let (ticket, flag) = (assignment.ticket, Arc::new(AtomicBool::new(false)));
            inside.working.insert(ticket, flag.clone());
            if let Err(error) = self.queue.push(QueuedWork::new(room.name.clone(), assignment, flag)) {
                inside.working.remove(&ticket);
                let failed = inside.table.fail(ticket, &error.to_string());
                for event in &failed.all {
                    let text = encoded(event);
                    inside.listeners.retain(|(_, outbox)| send(outbox, &text));
                }
            }
        }
    }
}

impl TableRoom {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Since when nobody has sat here; none while somebody does.
    fn idle_since(&self) -> Option<Instant> {
        let inside = self.inside();
        inside.listeners.is_empty().then_some(inside.touched)
    }
}

/// An event as the text of a message.
///
/// # Panics
/// Never: events are plain data.
pub fn encoded(event: &Event) -> Arc<str> {
    serde_json::to_string(event).expect("plain data").into()
}

/// Whether a later event of the same kind makes this one worthless, so that a slow reader may miss it.
fn is_stream(event: &Event) -> bool {
    matches!(event, Event::Analysis { done: false, .. } | Event::Value { .. } | Event::ReviewProgress { .. })
}

/// Puts a message into an outbox; false when there is no room, or nobody to read it.
fn send(outbox: &Outbox, text: &Arc<str>) -> bool {
    outbox.try_send(text.clone()).is_ok()
}
