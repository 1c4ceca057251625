//! One interface's connection: its requests in order and at a limited rate, and the events for it.

use super::game_server::{GameRoom, GameServer};
use super::outbox::{Outbox, encode};
use axum::extract::ws::{Message, WebSocket};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tablut_rules::Side;
use tablut_session::protocol::{Call, Event, Request, read_call};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};

/// The maximum number of events that wait for an interface. A slower interface is disconnected.
const OUTBOX: usize = 256;
const SEND_TIMEOUT: Duration = Duration::from_secs(10);
const PING: Duration = Duration::from_secs(15);
const BURST: f64 = 40.0;
const RATE: f64 = 20.0;
/// A request that opens a game counts as this many requests.
const OPEN_COST: f64 = 8.0;
/// The maximum number of messages that are kept while an earlier request waits for its turn.
const MAX_EARLY: usize = 2;
/// A longer message is read only in the turn of a long request.
const LARGE: usize = 16 << 10;

struct RateLimiter {
    tokens: f64,
    since: Instant,
}

impl RateLimiter {
    fn new() -> Self {
        Self { tokens: BURST, since: Instant::now() }
    }

    async fn wait(&mut self, cost: f64) {
        let now = Instant::now();
        self.tokens = (self.tokens + RATE * now.duration_since(self.since).as_secs_f64()).min(BURST);
        self.since = now;
        if self.tokens < cost {
            sleep(Duration::from_secs_f64((cost - self.tokens) / RATE)).await;
        }
        self.tokens -= cost;
    }
}

/// The game that an interface shows. Dropping it removes the interface from the game.
struct JoinedGame {
    server: Arc<GameServer>,
    room: Arc<GameRoom>,
    listener: u64,
    seat: Option<Side>,
}

impl Drop for JoinedGame {
    fn drop(&mut self) {
        self.server.leave(&self.room, self.listener);
    }
}

/// What an interface may do.
#[derive(Clone, Default)]
pub struct Permission {
    /// The game of an interface that may see no other one.
    pub only: Option<Arc<str>>,
    /// Why it may not teach nets. `None` if it may.
    pub no_teaching: Option<&'static str>,
}

/// Serves an interface.
pub async fn serve(mut socket: WebSocket, server: Arc<GameServer>, permission: Permission) {
    let (outbox, mut inbox): (Outbox, _) = mpsc::channel(OUTBOX);
    // After joining a game only its room holds the sender. The inbox ends when the room removes a slow interface.
    let (sender, mut before_joining) = (outbox.downgrade(), Some(outbox));
    let mut joined = None;
    let mut limiter = RateLimiter::new();
    let mut early = VecDeque::new();
    let mut ping = interval(PING);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let hello = encode(&server.hello());
    if !send(&mut socket, Message::text(&*hello)).await {
        return;
    }
    loop {
        let is_connected = tokio::select! {
            event = inbox.recv() => match event {
                Some(text) => send(&mut socket, Message::text::<&str>(&text)).await,
                None => false,
            },
            message = next_message(&mut socket, &mut early) => match message {
                Some(Ok(Message::Text(text))) => {
                    let permission = &permission;
                    let mut waiting = Waiting { server: &server, socket: &mut socket, early: &mut early, permission };
                    match sender.upgrade() {
                        Some(outbox) => answer(&mut waiting, &mut joined, outbox, &mut limiter, text.as_str()).await,
                        None => false,
                    }
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => true,
                Some(Ok(Message::Binary(_) | Message::Close(_)) | Err(_)) | None => false,
            },
            _ = ping.tick() => send(&mut socket, Message::Ping(axum::body::Bytes::new())).await,
        };
        if joined.is_some() {
            drop(before_joining.take());
        }
        if !is_connected {
            break;
        }
    }
    // Leaving the game may wait for a lock, which must not block the runtime.
    let _ = tokio::task::spawn_blocking(move || drop(joined)).await;
}

/// Sends a message. Returns false if the receiver is gone or too slow.
async fn send(socket: &mut WebSocket, message: Message) -> bool {
    timeout(SEND_TIMEOUT, socket.send(message)).await.is_ok_and(|sent| sent.is_ok())
}

/// The next message. Those that arrived while a request waited come first.
async fn next_message(socket: &mut WebSocket, early: &mut VecDeque<Message>) -> Option<Result<Message, axum::Error>> {
    match early.pop_front() {
        Some(message) => Some(Ok(message)),
        None => socket.recv().await,
    }
}

/// Whether a request reads games from text or from disk, which takes up to tens of milliseconds each.
fn is_long(request: &Request) -> bool {
    matches!(request, Request::Import { .. } | Request::ImportGames { .. } | Request::Open { .. })
        || !request.games().is_empty()
}

/// Whether a request concerns no other game than this one.
fn is_within(request: &Request, game: &str) -> bool {
    match request {
        Request::Open { game: asked } => asked == game,
        Request::ImportGames { .. } => false,
        request if request.is_about_teaching() => false,
        request => !request.begins_a_game() && request.games().iter().all(|asked| asked == game),
    }
}

/// A connection whose request may have to wait for its turn.
struct Waiting<'a> {
    server: &'a Arc<GameServer>,
    socket: &'a mut WebSocket,
    /// Messages that arrive meanwhile.
    early: &'a mut VecDeque<Message>,
    permission: &'a Permission,
}

impl Waiting<'_> {
    /// Waits until a long request may run. `None` if the interface leaves meanwhile.
    async fn turn(&mut self) -> Option<OwnedSemaphorePermit> {
        let permit = self.server.long_requests.clone().acquire_owned();
        tokio::pin!(permit);
        loop {
            tokio::select! {
                permit = &mut permit => return permit.ok(),
                message = self.socket.recv(), if self.early.len() < MAX_EARLY => match message {
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                    Some(Ok(message)) => self.early.push_back(message),
                },
            }
        }
    }
}

/// Answers a request. Returns false if the interface does not receive its events, or leaves before its turn.
async fn answer(
    waiting: &mut Waiting<'_>,
    joined: &mut Option<JoinedGame>,
    outbox: Outbox,
    limiter: &mut RateLimiter,
    text: &str,
) -> bool {
    let is_large = text.len() > LARGE;
    let mut turn = None;
    if is_large {
        limiter.wait(OPEN_COST).await;
        turn = waiting.turn().await;
        if turn.is_none() {
            return false;
        }
    }
    let call = read_call::<Call>(text);
    if !is_large {
        let request = call.as_ref().ok().map(|call| &call.request);
        let opens = request.is_some_and(|request| request.begins_a_game() || matches!(request, Request::Open { .. }));
        limiter.wait(if opens { OPEN_COST } else { 1.0 }).await;
        if request.is_some_and(is_long) {
            turn = waiting.turn().await;
            if turn.is_none() {
                return false;
            }
        }
    }
    let call = match call {
        Ok(call) => call,
        Err(refused) => return outbox.try_send(encode(&refused)).is_ok(),
    };
    if waiting.permission.only.as_ref().is_some_and(|only| !is_within(&call.request, only)) {
        let reason = Err("your link is for one game; the person who sent it can begin others".to_owned());
        return outbox.try_send(encode(&Event::end(call.id, reason))).is_ok();
    }
    let (server, taken) = (waiting.server.clone(), joined.take());
    let no_teaching = waiting.permission.no_teaching;
    let task = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let (joined, result) = execute(&server, taken, call.request, no_teaching, &outbox);
        (joined, outbox.try_send(encode(&Event::end(call.id, result))).is_ok())
    });
    match task.await {
        Ok((now_joined, is_sent)) => {
            *joined = now_joined;
            is_sent
        }
        Err(_) => false,
    }
}

/// Executes a request. Returns the game that the interface shows afterwards.
fn execute(
    server: &Arc<GameServer>,
    joined: Option<JoinedGame>,
    request: Request,
    no_teaching: Option<&str>,
    outbox: &Outbox,
) -> (Option<JoinedGame>, Result<(), String>) {
    let room = match &request {
        Request::Open { game } => server.open(game),
        request if request.begins_a_game() => server.begin(request, joined.as_ref().map(|joined| &joined.room)),
        request if request.is_about_teaching() => {
            let result = server.teach(request.clone(), no_teaching, outbox);
            return (joined, result);
        }
        Request::Sit { seat, key } => {
            let Some(mut joined) = joined else {
                return (None, Err("no game is open; send `new` or `open` first".to_owned()));
            };
            let side = server.sit(&joined.room, joined.listener, (seat, key), outbox);
            joined.seat = side.as_ref().ok().copied();
            return (Some(joined), side.map(|_| ()));
        }
        _ => {
            let result = match &joined {
                Some(joined) => server.answer(&joined.room, request, joined.seat, outbox),
                None => Err("no game is open; send `new` or `open` first".to_owned()),
            };
            return (joined, result);
        }
    };
    match room.and_then(|room| server.join(&room, outbox).map(|listener| (room, listener))) {
        Ok((room, listener)) => {
            drop(joined);
            room.tell_seats(&request, outbox);
            (Some(JoinedGame { server: server.clone(), room, listener, seat: None }), Ok(()))
        }
        Err(error) => (joined, Err(error)),
    }
}
