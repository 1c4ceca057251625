//! Playing Tablut against a net.
//!
//! - [`Session`]: a game between people and the computer, independent of any interface; [`MoveReport`] says what a move
//!   brought about, [`Opinion`] what the computer thinks.
//! - [`Thinker`]: the computer's side, a net or a baseline.
//! - [`Analysis`]: what a net and its search say about a position, as text and as data.
//! - [`serve()`]: the page, for browsers on this machine; its protocol and its game are `tablut-session`.
//! - [`run_terminal`]: the terminal, on any reader and writer; [`PlayArgs`], [`play`]: the command.

mod analysis;
mod board_text;
mod events;
mod input;
mod options;
mod serve;
mod session;
mod shipped;
mod terminal;
mod thinker;

pub use analysis::{Analysis, LineView, NetView, Proven, SearchView, analysis_text};
pub use board_text::{Style, board_text, legend_text};
pub use events::{Alarm, MoveReport};
pub use input::{HELP, Input, InputError};
pub use options::{Console, PeopleArg, PlayArgs, PlayError, SideArg, play, session};
pub use serve::{
    AddedPage, PORT, RenderPage, ServeArgs, ServeError, ServedNetError, Trainer, Training, link_to, serve, serve_pages,
    serve_with,
};
pub use session::{People, SavedGame, Session, SessionError, describe};
pub use shipped::{SHIPPED_NET, shipped_net};
pub use terminal::{TerminalStyle, run_terminal};
pub use thinker::{MoveOpinion, NetThinker, Opinion, Thinker, engine_opinion};
