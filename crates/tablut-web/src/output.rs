//! What the host tells its Web Worker, as JSON.

use serde::Serialize;
use tablut_session::SearchOrder;
use tablut_session::protocol::Event;

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Output {
    Event(Event),
    /// A wish that the Web Worker fulfils. The page does not see it.
    Wish(Wish),
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Wish {
    /// The game of this name has changed. `text` is its file.
    Save { game: String, text: String },
    /// Other workers should begin this search, or end the last one if it is `None`.
    Search { number: u32, order: Option<Box<SearchOrder>> },
}
