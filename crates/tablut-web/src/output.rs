//! What the host tells its Web Worker, as JSON.

use serde::Serialize;
use tablut_session::protocol::Event;

/// A message of the host.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Output {
    /// An event for the page.
    Event(Event),
    /// A wish that the Web Worker fulfils. The page does not see it.
    Wish(Wish),
}

/// What the host wants from the browser.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Wish {
    /// The game of this name has changed. `text` is its file.
    Save {
        /// The game's name.
        game: String,
        /// The file.
        text: String,
    },
}
