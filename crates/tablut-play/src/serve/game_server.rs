//! All open games of a server: the interfaces that show them, their jobs, and their files.

use super::nets::NetShelf;
use super::outbox::{Outbox, encode, put};
use super::teaching::Teaching;
use crate::game_files::{SavedGames, new_name};
use crate::shared_jobs::SharedJobs;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use tablut_rules::Side;
use tablut_session::protocol::{Event, GameEntry, Presence, Request};
use tablut_session::{Format, HostConfig, JobUpdate, LiveGame, Response, Session, read_games, words};
use tokio::sync::Semaphore;

const MAX_GAMES: usize = 200;
const MAX_SEARCHED: usize = 60;
const MAX_EXPORTED: usize = 200;
const MAX_LISTENERS: usize = 16;
/// The number of long requests that run at the same time. The other threads answer short ones meanwhile.
pub const LONG_REQUESTS: usize = 2;
/// The time that a game without interfaces stays in memory.
const IDLE: Duration = Duration::from_mins(10);

pub struct GameRoom {
    name: Arc<str>,
    state: Mutex<RoomState>,
}

struct RoomState {
    game: LiveGame,
    listeners: Vec<Listener>,
    touched: Instant,
}

struct Listener {
    number: u64,
    outbox: Outbox,
    seat: Option<Side>,
}

pub struct GameServer {
    config: Mutex<Arc<HostConfig>>,
    nets: Arc<NetShelf>,
    saved: SavedGames,
    jobs: Arc<SharedJobs>,
    rooms: Mutex<HashMap<Arc<str>, Arc<GameRoom>>>,
    next_listener: AtomicU64,
    teaching: Teaching,
    /// The turns of long requests.
    pub long_requests: Arc<Semaphore>,
}

impl GameServer {
    pub fn new(
        config: HostConfig,
        saved: SavedGames,
        jobs: Arc<SharedJobs>,
        teaching: Teaching,
        nets: Arc<NetShelf>,
    ) -> Arc<Self> {
        let rooms = Mutex::default();
        let next_listener = AtomicU64::new(1);
        let config = Mutex::new(Arc::new(with_nets(config, &nets)));
        let long_requests = Arc::new(Semaphore::new(LONG_REQUESTS));
        Arc::new(Self { config, nets, saved, jobs, rooms, next_listener, teaching, long_requests })
    }

    pub fn hello(&self) -> Event {
        Event::Hello(Box::new(self.config().hello()))
    }

    fn config(&self) -> Arc<HostConfig> {
        self.config.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Searches for new nets. If there are any, all interfaces receive the new `hello`.
    pub fn refresh_nets(&self) {
        if self.nets.refresh() {
            self.announce_nets();
        }
    }

    /// All interfaces receive a new `hello`.
    fn announce_nets(&self) {
        let config = Arc::new(with_nets((*self.config()).clone(), &self.nets));
        *self.config.lock().unwrap_or_else(PoisonError::into_inner) = config.clone();
        let rooms: Vec<_> = self.rooms().values().cloned().collect();
        for room in rooms {
            let mut state = room.lock();
            state.game.set_config(config.clone());
            let all = vec![self.hello()];
            self.send(&mut state, Response { all, ..Response::default() }, None);
        }
    }

    fn rooms(&self) -> MutexGuard<'_, HashMap<Arc<str>, Arc<GameRoom>>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new game for a request that begins one. `present` is the game from which the request was sent.
    pub fn begin(&self, request: &Request, present: Option<&Arc<GameRoom>>) -> Result<Arc<GameRoom>, String> {
        let session = match request {
            Request::OwnPuzzle { game, .. } => Some(self.session(game)?),
            _ => present.map(|room| room.lock().game.session().clone()),
        };
        let name = new_name().map_err(|error| error.to_string())?;
        self.admit(LiveGame::begin(name, request, session.as_ref(), &self.config(), random_seed()?)?)
    }

    /// The current state of a game, read from disk if it is not in memory.
    fn session(&self, name: &str) -> Result<Session, String> {
        let room = self.rooms().get(name).cloned();
        if let Some(room) = room {
            return Ok(room.lock().game.session().clone());
        }
        let none = || format!("there is no game {:?} on this server", words::shorten(name));
        self.saved.load(name)?.ok_or_else(none)
    }

    /// The game of this name, read from disk if it is not in memory.
    pub fn open(&self, name: &str) -> Result<Arc<GameRoom>, String> {
        if let Some(room) = self.rooms().get(name) {
            return Ok(room.clone());
        }
        let session = self.session(name)?;
        self.admit(LiveGame::new(name, session, self.config(), random_seed()?))
    }

    fn admit(&self, game: LiveGame) -> Result<Arc<GameRoom>, String> {
        let name: Arc<str> = game.name().into();
        let mut rooms = self.rooms();
        // Another request may have opened the game in the meantime.
        if let Some(room) = rooms.get(&name) {
            return Ok(room.clone());
        }
        if rooms.len() >= MAX_GAMES {
            let idle = rooms.values().filter_map(|room| room.idle_since().map(|since| (since, room.name.clone())));
            let oldest = idle.min().ok_or("too many games are open; try again later")?;
            rooms.remove(&oldest.1);
        }
        let state = RoomState { game, listeners: Vec::new(), touched: Instant::now() };
        let room = Arc::new(GameRoom { name: name.clone(), state: Mutex::new(state) });
        rooms.insert(name, room.clone());
        Ok(room)
    }

    /// Removes games from memory that no interface has shown for the time `IDLE`. They stay on disk.
    pub fn sweep(&self) {
        self.rooms().retain(|_, room| room.idle_since().is_none_or(|since| since.elapsed() < IDLE));
    }

    /// Adds an interface to a game and sends it the game's state. Returns the interface's number.
    pub fn join(&self, room: &GameRoom, outbox: &Outbox) -> Result<u64, String> {
        let mut state = room.lock();
        if state.listeners.len() >= MAX_LISTENERS {
            return Err(format!("{MAX_LISTENERS} windows show this game, the maximum"));
        }
        let listener = self.next_listener.fetch_add(1, Ordering::Relaxed);
        let response = state.game.greet();
        self.send(&mut state, response, Some(outbox));
        state.listeners.push(Listener { number: listener, outbox: outbox.clone(), seat: None });
        self.tell_presence(&mut state);
        Ok(listener)
    }

    /// Removes an interface from a game. Analysis and background jobs end with the last interface.
    pub fn leave(&self, room: &GameRoom, listener: u64) {
        let mut state = room.lock();
        state.listeners.retain(|known| known.number != listener);
        self.tell_presence(&mut state);
        if state.listeners.is_empty() {
            for request in [Request::Analyse { on: false, net: 0 }, Request::Stop] {
                if let Ok(response) = state.game.answer(request, Vec::new()) {
                    self.send(&mut state, response, None);
                }
            }
        }
    }

    /// Whether `secret` is that of a seat in this game.
    pub fn has_seat(&self, game: &str, secret: &str) -> bool {
        self.session(game).is_ok_and(|session| session.seats().is_some_and(|seats| seats.side_of(secret).is_some()))
    }

    /// Gives an interface of the game a seat. Returns its side.
    pub fn sit(&self, room: &GameRoom, listener: u64, seat: (&str, &str), outbox: &Outbox) -> Result<Side, String> {
        let mut state = room.lock();
        let (side, response) = state.game.sit(seat.0, seat.1)?;
        put(outbox, &encode(&Event::Seat { side }));
        for known in state.listeners.iter_mut().filter(|known| known.number == listener) {
            known.seat = Some(side);
        }
        self.send(&mut state, response, Some(outbox));
        self.tell_presence(&mut state);
        Ok(side)
    }

    fn tell_presence(&self, state: &mut RoomState) {
        let Some(seats) = state.game.session().seats() else { return };
        let presence = |side| match state.listeners.iter().any(|known| known.seat == Some(side)) {
            true => Presence::Here,
            false if seats.is_taken(side) => Presence::Away,
            false => Presence::Free,
        };
        let (attackers, defenders) = (presence(Side::Attackers), presence(Side::Defenders));
        let all = vec![Event::Presence { attackers, defenders }];
        self.send(state, Response { all, ..Response::default() }, None);
    }

    pub fn answer(&self, room: &GameRoom, request: Request, seat: Option<Side>, outbox: &Outbox) -> Result<(), String> {
        // Unknown games are skipped.
        let known = |name: &String| Some((name.clone(), self.session(name).ok()?));
        let most = if matches!(request, Request::FindPuzzles { .. }) { MAX_SEARCHED } else { MAX_EXPORTED };
        let games: Vec<_> = request.games().iter().take(most).filter_map(known).collect();
        let mut state = room.lock();
        state.game.check_seat(&request, seat)?;
        match request {
            Request::ImportGames { text, .. } => {
                drop(state);
                put(outbox, &encode(&Event::ImportedGames { games: self.import(&text, &games)? }));
            }
            request => {
                // The lock is held from the check of the seat until the events are sent. So two requests of one player
                // cannot both be moves of the same turn, and the events stay in order.
                let response = state.game.answer(request, games)?;
                let begins_rematch = response.begins_rematch;
                self.send(&mut state, response, Some(outbox));
                if begins_rematch {
                    drop(state);
                    self.begin_rematch(room)?;
                }
            }
        }
        Ok(())
    }

    /// Begins another game for the two people of a game, and tells them.
    fn begin_rematch(&self, room: &GameRoom) -> Result<(), String> {
        let name = new_name().map_err(|error| error.to_string())?;
        let game = room.lock().game.rematch(name.as_str(), random_seed()?)?;
        let seats = game.session().seats().cloned().ok_or("a rematch has seats")?;
        self.saved.save(&name, game.session())?;
        self.admit(game)?;
        for known in &room.lock().listeners {
            let seat = match known.seat {
                Some(Side::Attackers) => &seats.defenders,
                Some(Side::Defenders) => &seats.attackers,
                None => continue,
            };
            put(&known.outbox, &encode(&Event::Rematch { game: name.clone(), seat: seat.clone() }));
        }
        Ok(())
    }

    /// Saves the games of a list that are not among `known` ones.
    fn import(&self, text: &str, known: &[(String, Session)]) -> Result<Vec<GameEntry>, String> {
        let json = |session: &Session| session.export(Format::Json);
        let known = known.iter().map(|(_, session)| json(session)).collect::<Result<HashSet<_>, _>>()?;
        let mut added = Vec::new();
        for session in read_games(text)? {
            if known.contains(&json(&session)?) {
                continue;
            }
            let game = new_name().map_err(|error| error.to_string())?;
            self.saved.save(&game, &session)?;
            let (rules, players) = (session.rules().name().to_owned(), session.players().clone());
            added.push(GameEntry { game, rules, players, plies: session.game().ply(), ending: session.ending() });
        }
        Ok(added)
    }

    /// Answers a request about teaching. `refusal` says why the interface may not teach.
    pub fn teach(&self, request: Request, refusal: Option<&str>, outbox: &Outbox) -> Result<(), String> {
        if self.teaching.answer(request, refusal, outbox)? {
            self.announce_nets();
        }
        Ok(())
    }

    /// Looks at the nets that are being taught.
    pub fn watch_teaching(&self) {
        if self.teaching.watch() {
            self.announce_nets();
        }
    }

    pub fn update(&self, update: JobUpdate) {
        let Some(room) = self.rooms().get(&update.game).cloned() else { return };
        let mut state = room.lock();
        let response = state.game.update(update);
        self.send(&mut state, response, None);
    }

    /// Does what a response asks for, and sends its events. `asker` is the interface that sent the request.
    fn send(&self, state: &mut RoomState, response: Response, asker: Option<&Outbox>) {
        state.touched = Instant::now();
        let mut events = self.jobs.start(&mut state.game, response);
        if events.changed
            && let Err(error) = self.saved.save(state.game.name(), state.game.session())
        {
            events.all.push(Event::Refused { re: 0, error });
        }
        // An interface that joins is not yet one of the listeners.
        let joining = asker.filter(|asker| !state.listeners.iter().any(|known| known.outbox.same_channel(asker)));
        for (event, asker) in events.one.iter().zip(asker.into_iter().cycle()) {
            put(asker, &encode(event));
        }
        for event in &events.all {
            let text = encode(event);
            if let Some(joining) = joining {
                put(joining, &text);
            }
            state.listeners.retain(|known| put(&known.outbox, &text) || is_repeated(event));
        }
    }
}

impl GameRoom {
    /// Sends the secrets of the seats to the interface that has begun a game with seats.
    pub fn tell_seats(&self, request: &Request, outbox: &Outbox) {
        let state = self.lock();
        if let (Request::New { .. }, Some(seats)) = (request, state.game.session().seats()) {
            let (attackers, defenders) = (seats.attackers.clone(), seats.defenders.clone());
            put(outbox, &encode(&Event::Seats { attackers, defenders }));
        }
    }

    fn lock(&self) -> MutexGuard<'_, RoomState> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.game.set_time(SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default());
        state
    }

    /// The time since which no interface has shown the game. `None` if an interface shows it or is about to join. The
    /// caller must hold the lock of the rooms, so that no interface can join meanwhile.
    fn idle_since(self: &Arc<Self>) -> Option<Instant> {
        (Arc::strong_count(self) == 1).then(|| self.lock().touched)
    }
}

fn with_nets(config: HostConfig, nets: &NetShelf) -> HostConfig {
    let nets = nets.nets();
    HostConfig { nets: nets.names(), about_nets: nets.about(), checkpoints: nets.checkpoints(), ..config }
}

fn random_seed() -> Result<u64, String> {
    getrandom::u64().map_err(|error| error.to_string())
}

/// Whether a later event of the same kind replaces this one, so that a slow interface may miss it.
fn is_repeated(event: &Event) -> bool {
    matches!(event, Event::Analysis { done: false, .. } | Event::Value { .. } | Event::ReviewProgress { .. })
}

#[cfg(test)]
mod tests {
    use super::super::nets::NetSources;
    use super::*;
    use tablut_session::protocol::RequestedRules;

    #[test]
    fn a_game_that_an_interface_is_about_to_join_stays_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let saved = SavedGames::lock(folder.path()).unwrap();
        let nets = Arc::new(NetShelf::new(NetSources::default(), None).unwrap());
        let teaching = Teaching::new(None, folder.path(), nets.clone());
        let server = GameServer::new(HostConfig::default(), saved, Arc::default(), teaching, nets);
        let rules = RequestedRules::Name("kvasir".to_owned());
        let request =
            Request::New { rules, first: None, players: None, seats: None, pauses_on_blunders: None, clock: None };
        let room = server.begin(&request, None).unwrap();
        room.lock().touched = Instant::now().checked_sub(IDLE).unwrap();
        server.sweep();
        assert!(server.rooms().contains_key(&room.name));
        drop(room);
        server.sweep();
        assert!(server.rooms().is_empty());
    }
}
