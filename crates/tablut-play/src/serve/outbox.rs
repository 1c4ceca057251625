//! The events that wait for an interface.

use std::sync::Arc;
use tablut_session::protocol::Event;
use tokio::sync::mpsc;

pub type Outbox = mpsc::Sender<Arc<str>>;

pub fn encode(event: &Event) -> Arc<str> {
    serde_json::to_string(event).expect("events are plain data").into()
}

/// Puts a message into an outbox. Returns false if the outbox is full or closed.
pub fn put(outbox: &Outbox, text: &Arc<str>) -> bool {
    outbox.try_send(text.clone()).is_ok()
}
