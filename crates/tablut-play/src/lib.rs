//! Playing Tablut against a net: the page's server and the terminal. Both are hosts of the game in `tablut-session`.
//!
//! - [`serve()`]: the page, for browsers on this machine.
//! - [`play_in_terminal`]: a game on the terminal of this process. [`play_lines`]: the plain mode on any input and
//!   output. [`PlayArgs`]: the command's options.
//! - [`read_game`], [`write_game`]: games in files, in several formats.
//! - [`PositionReport`]: the result of a search of a position, as text and as data.

mod analysis_text;
mod game_files;
mod input;
mod line_mode;
mod opponents;
mod options;
mod position_report;
mod screen;
mod serve;
mod shared_jobs;
mod terminal;
mod terminal_events;
mod terminal_game;

pub use game_files::{GameRead, read_game, read_text, text_of, write_game};
pub use options::{HumanSides, PlayArgs, PlayError};
pub use position_report::{NetView, PositionReport, SearchView};
pub use serve::{AddedPage, PORT, RenderPage, ServeArgs, ServeError, Trainer, Training, link_to, serve, serve_pages};
pub use tablut_session::board_text::{Style, board_text, legend_text};
pub use terminal::{Console, colour_is_wanted, play_in_terminal, play_lines};
pub use terminal_events::{LineInput, LineSource, MakeLines, Piped, exit_on_signals};
