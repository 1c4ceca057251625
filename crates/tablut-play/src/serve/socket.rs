//! One interface: its requests in order, at a bounded rate, and the events for it.

use super::house::{House, Outbox, TableRoom, encoded};
use axum::extract::ws::{Message, WebSocket};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tablut_session::protocol::{Call, Event, Request};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};

/// Bytes of one message.
pub const MAX_MESSAGE: usize = 256 << 10;
/// Events that wait for an interface to read them; one that lags further behind is let go.
const OUTBOX: usize = 256;
/// How long an interface may take to read an event.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is asked whether it is there.
const PING: Duration = Duration::from_secs(15);
/// Requests that may come at once, and then each second.
const BURST: f64 = 40.0;
const RATE: f64 = 20.0;
/// What a request that begins a game counts.
const NEW_GAME: f64 = 8.0;

/// Requests let through at a bounded rate.
struct Tap {
    level: f64,
    since: Instant,
}

impl Tap {
    fn new() -> Self {
        Self { level: BURST, since: Instant::now() }
    }

    /// Waits until so much may pass.
    async fn pass(&mut self, amount: f64) {
        let now = Instant::now();
        self.level = (self.level + RATE * now.duration_since(self.since).as_secs_f64()).min(BURST);
        self.since = now;
        if self.level < amount {
            sleep(Duration::from_secs_f64((amount - self.level) / RATE)).await;
        }
        self.level -= amount;
    }
}

/// An interface's place at a table; leaving it is never forgotten.
struct Place {
    house: Arc<House>,
    room: Arc<TableRoom>,
    listener: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.house.leave(&self.room, self.listener);
    }
}

/// Serves one interface until it leaves.
pub async fn serve(mut socket: WebSocket, house: Arc<House>) {
    let (outbox, mut inbox): (Outbox, _) = mpsc::channel(OUTBOX);
    let (mut place, mut tap) = (None, Tap::new());
    let mut ping = interval(PING);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let hello = encoded(&house.hello());
    if !put(&mut socket, Message::text(&*hello)).await {
        return;
    }
    loop {
        let sent = tokio::select! {
            event = inbox.recv() => match event {
                Some(text) => put(&mut socket, Message::text::<&str>(&text)).await,
                None => false,
            },
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => {
                    answer(&house, &mut place, &outbox, &mut tap, text.as_str()).await
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => true,
                Some(Ok(Message::Binary(_) | Message::Close(_)) | Err(_)) | None => false,
            },
            _ = ping.tick() => put(&mut socket, Message::Ping(axum::body::Bytes::new())).await,
        };
        if !sent {
            break;
        }
    }
    // Leaving may wait for a lock, and must not hold the runtime up.
    let _ = tokio::task::spawn_blocking(move || drop(place)).await;
}

/// Sends a message; false when the reader is gone or too slow.
async fn put(socket: &mut WebSocket, message: Message) -> bool {
    timeout(PATIENCE, socket.send(message)).await.is_ok_and(|sent| sent.is_ok())
}

/// Reads a request and has it done; false when the interface does not take what it is told.
async fn answer(house: &Arc<House>, place: &mut Option<Place>, outbox: &Outbox, tap: &mut Tap, text: &str) -> bool {
    let call: Call = match serde_json::from_str(text) {
        Ok(call) => call,
        Err(error) => {
            tap.pass(1.0).await;
            let re = serde_json::from_str::<Value>(text).ok().and_then(|value| value["id"].as_u64()).unwrap_or(0);
            let error = format!("not a request: {error}");
            return outbox.try_send(encoded(&Event::Refused { re: re as u32, error })).is_ok();
        }
    };
    let opens = call.request.begins_a_game() || matches!(call.request, Request::Open { .. });
    tap.pass(if opens { NEW_GAME } else { 1.0 }).await;
    let (house, taken, outbox) = (house.clone(), place.take(), outbox.clone());
    let task = tokio::task::spawn_blocking(move || {
        let (place, result) = obey(&house, taken, call.request, &outbox);
        let told = match result {
            Ok(()) => Event::Done { re: call.id },
            Err(error) => Event::Refused { re: call.id, error },
        };
        (place, outbox.try_send(encoded(&told)).is_ok())
    });
    match task.await {
        Ok((kept, told)) => {
            *place = kept;
            told
        }
        Err(_) => false,
    }
}

/// Does a request; gives the place at which the interface sits then.
fn obey(
    house: &Arc<House>,
    place: Option<Place>,
    request: Request,
    outbox: &Outbox,
) -> (Option<Place>, Result<(), String>) {
    let room = match &request {
        Request::Open { game } => house.open(game),
        request if request.begins_a_game() => house.begin(request, place.as_ref().map(|place| &place.room)),
        _ => {
            let result = match &place {
                Some(place) => house.ask(&place.room, request, outbox),
                None => Err("no game is open: begin with `new` or `open`".to_owned()),
            };
            return (place, result);
        }
    };
    match room.and_then(|room| house.join(&room, outbox).map(|listener| (room, listener))) {
        Ok((room, listener)) => {
            drop(place);
            (Some(Place { house: house.clone(), room, listener }), Ok(()))
        }
        Err(error) => (place, Err(error)),
    }
}
