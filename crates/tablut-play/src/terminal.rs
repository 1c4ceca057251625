//! A game on the terminal of this process: on the whole screen, or line by line.

use crate::line_mode::{Exit, LineStyle, run_lines};
use crate::options::{PlayArgs, PlayError, Setup, setup};
use crate::screen::{self, ScreenView, run_screen};
use crate::terminal_events::{
    Edited, LineSource, MakeLines, Piped, TerminalEvent, listen_for_signals, read_keys, read_lines,
};
use crate::terminal_game::TerminalGame;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;
use tablut_session::board_text::Style;
use tablut_session::{DEMO_PAUSE, Session};

pub struct Console<'a> {
    pub lines: MakeLines,
    pub output: &'a mut dyn Write,
    pub colour: bool,
    /// Whether a person plays, and not a script.
    pub is_interactive: bool,
    /// Whether to handle Ctrl-C, SIGTERM and SIGHUP. A process may do this once.
    pub signals: bool,
    pub saved_games: PathBuf,
    pub program: String,
}

/// Plays on the process's own input and output. `program` is the command that continues a saved game, for messages.
pub fn play_in_terminal(args: &PlayArgs, program: &str) -> Result<(), PlayError> {
    let terminal = io::stdout().is_terminal();
    let is_interactive = terminal && io::stdin().is_terminal();
    let lines: MakeLines = if is_interactive {
        Box::new(|| Ok(Box::new(Edited::new()?) as Box<dyn LineSource>))
    } else {
        Box::new(|| Ok(Box::new(Piped(io::stdin().lock())) as Box<dyn LineSource>))
    };
    let mut console = Console {
        lines,
        output: &mut BufWriter::new(io::stdout()),
        colour: terminal && colour_is_wanted(),
        is_interactive,
        signals: true,
        saved_games: crate::game_files::data_folder(),
        program: program.to_owned(),
    };
    if is_interactive && !args.plain && !is_dumb() {
        play_on_screen(args, &mut console)
    } else {
        play_lines(args, console)
    }
}

fn play_on_screen(args: &PlayArgs, console: &mut Console<'_>) -> Result<(), PlayError> {
    let setup = setup(args)?;
    let notes = setup.notes.clone();
    let (sender, events) = channel();
    let mut game = start(setup, console, sender.clone()).map_err(PlayError::Io)?;
    listen_for_signals(sender.clone()).map_err(PlayError::Io)?;
    let mut terminal = ratatui::try_init().map_err(PlayError::Io)?;
    let style = Style { colour: console.colour, unicode: !args.ascii };
    let result = {
        let mut show = |session: &Session, view: &ScreenView| {
            terminal.draw(|frame| screen::draw(frame, session, view)).map(|_| ())
        };
        read_keys(sender).and_then(|()| run_screen(&mut game, style, &notes, &events, &mut show))
    };
    // Dropping the terminal makes the cursor visible again.
    drop(terminal);
    ratatui::try_restore().map_err(PlayError::Io)?;
    // The game is saved even if the terminal is closed.
    if let Some(text) = game.save_on_exit() {
        let _ = writeln!(console.output, "{text}");
        let _ = console.output.flush();
    }
    outcome(result)
}

/// Plays line by line. The game ends without an error if the reader of the output closes it.
pub fn play_lines(args: &PlayArgs, console: Console<'_>) -> Result<(), PlayError> {
    let setup = setup(args)?;
    for note in &setup.notes {
        writeln!(console.output, "Note: {note}").map_err(PlayError::Io)?;
    }
    let (sender, events) = channel();
    let mut game = start(setup, &console, sender.clone()).map_err(PlayError::Io)?;
    if console.signals {
        listen_for_signals(sender.clone()).map_err(PlayError::Io)?;
    }
    let prompts = read_lines(console.lines, sender).map_err(PlayError::Io)?;
    let text = Style { colour: console.colour, unicode: !args.ascii };
    let style = LineStyle { text, is_interactive: console.is_interactive };
    outcome(run_lines(&mut game, &events, &prompts, console.output, style))
}

fn start(mut setup: Setup, console: &Console<'_>, events: Sender<TerminalEvent>) -> io::Result<TerminalGame> {
    setup.config.demo_pause = if console.is_interactive { DEMO_PAUSE } else { Duration::ZERO };
    // After the game the channel is closed, and updates are dropped.
    let report = move |update| drop(events.send(TerminalEvent::Job(update)));
    TerminalGame::new(setup, console.saved_games.clone(), console.program.clone(), report)
}

fn outcome(exit: io::Result<Exit>) -> Result<(), PlayError> {
    match exit {
        Ok(Exit::Asked) => Ok(()),
        Ok(Exit::Signal(exit_code)) => Err(PlayError::Interrupted { exit_code }),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(PlayError::Io(error)),
    }
}

/// Whether the environment allows colours in a terminal: `NO_COLOR` is not set, and `TERM` is not `dumb`.
pub fn colour_is_wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) && !is_dumb()
}

fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}
