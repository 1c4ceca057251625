//! Playing Tablut against a net: the page's server and the terminal, two hosts of the game in `tablut-session`.
//!
//! - [`serve()`]: the page, for browsers on this machine.
//! - [`play_here`]: the terminal of this process; [`play`]: the plain mode on any lines and writer; [`PlayArgs`]: the command's options.
//! - [`Sitting`]: somebody at the board, whatever the board looks like; [`Host`]: the table, and the thread that thinks for it.
//! - [`read_game`], [`write_game`]: games in files, in all the forms that people have them.
//! - [`PositionReport`]: what a net and its search say about a position, as text and as data.

mod board_text;
mod happenings;
mod here;
mod host;
mod input;
mod kept;
mod line_mode;
mod lines;
mod opponents;
mod options;
mod people;
mod position_report;
mod report_text;
mod screen;
mod serve;
mod shipped;
mod sitting;
mod sitting_text;

pub use board_text::{Style, board_text, legend_text};
pub use happenings::MakeLines;
pub use here::{Console, play, play_here};
pub use host::Host;
pub use input::{HELP, Input, InputError};
pub use kept::{GameRead, read as read_game, write as write_game};
pub use lines::{Edited, LineSource, Piped, Typed};
pub use options::{PlayArgs, PlayError, Setup, SideArg, setup};
pub use people::People;
pub use position_report::{NetView, PositionReport, ReportLine, SearchView};
pub use report_text::report_text;
pub use serve::{
    AddedPage, PORT, RenderPage, ServeArgs, ServeError, ServedNetError, Trainer, Training, link_to, serve, serve_pages,
    serve_with,
};
pub use shipped::{SHIPPED_NET, shipped_net};
pub use sitting::{Answer, Sitting};
