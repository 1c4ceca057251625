//! A game on the terminal of this process: on a screen where somebody sits at it, else line by line.

use crate::board_text::Style;
use crate::happenings::{Happening, MakeLines, listen_for_signals, read_keys, read_lines, row};
use crate::host::Host;
use crate::line_mode::{Leave, LineStyle, run_lines};
use crate::lines::{Edited, LineSource, Piped};
use crate::options::{PlayArgs, PlayError, Setup, setup};
use crate::screen::{self, ScreenView, run_screen};
use crate::serve::store::data_folder;
use crate::sitting::Sitting;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use tablut_session::Session;

/// Where a game is played.
pub struct Console<'a> {
    /// What the player types, made in the thread that reads it.
    pub lines: MakeLines,
    /// What the player sees.
    pub output: &'a mut dyn Write,
    /// Whether colours may be used.
    pub colour: bool,
    /// Whether somebody sits at it.
    pub attended: bool,
    /// Whether Ctrl-C and its kin are listened for; once in a process.
    pub signals: bool,
    /// Where a game is kept that is left in the middle.
    pub keep_in: PathBuf,
    /// The command that plays, for advice on how to go on.
    pub program: String,
}

/// Plays on the process's own input and output. `program` is the command that plays, for advice on how to go on with a game.
pub fn play_here(args: &PlayArgs, program: &str) -> Result<(), PlayError> {
    let terminal = io::stdout().is_terminal();
    let attended = terminal && io::stdin().is_terminal();
    let lines: MakeLines = if attended {
        Box::new(|| Ok(Box::new(Edited::new()?) as Box<dyn LineSource>))
    } else {
        Box::new(|| Ok(Box::new(Piped(io::stdin().lock())) as Box<dyn LineSource>))
    };
    let console = Console {
        lines,
        output: &mut BufWriter::new(io::stdout()),
        colour: terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        attended,
        signals: true,
        keep_in: data_folder(),
        program: program.to_owned(),
    };
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    if attended && !args.plain && !is_dumb { play_on_screen(args, console) } else { play(args, console) }
}

/// Plays on a screen that takes the whole terminal until the game is left.
fn play_on_screen(args: &PlayArgs, console: Console<'_>) -> Result<(), PlayError> {
    let setup = setup(args)?;
    let notes = setup.notes.clone();
    let (happen, happenings) = row();
    let mut sitting = sit_down(setup, happen.clone(), console.keep_in, console.program).map_err(PlayError::Io)?;
    listen_for_signals(happen.clone()).map_err(PlayError::Io)?;
    let mut terminal = ratatui::try_init().map_err(PlayError::Io)?;
    let style = Style { colour: console.colour, unicode: !args.ascii };
    let result = {
        let mut show = |session: &Session, view: &ScreenView| {
            terminal.draw(|frame| screen::draw(frame, session, view)).map(|_| ())
        };
        read_keys(happen).and_then(|()| run_screen(&mut sitting, style, &notes, &happenings, &mut show))
    };
    // It shows the cursor again.
    drop(terminal);
    ratatui::try_restore().map_err(PlayError::Io)?;
    // A terminal that is gone is no reason to lose the game.
    if let Some(text) = sitting.keep() {
        let _ = writeln!(console.output, "{text}");
        let _ = console.output.flush();
    }
    outcome(result)
}

/// Plays a game line by line on `console` as `args` ask. A reader that closes the output ends the game without an error.
pub fn play(args: &PlayArgs, console: Console<'_>) -> Result<(), PlayError> {
    let setup = setup(args)?;
    for note in &setup.notes {
        writeln!(console.output, "Note: {note}").map_err(PlayError::Io)?;
    }
    let (happen, happenings) = row();
    let mut sitting = sit_down(setup, happen.clone(), console.keep_in, console.program).map_err(PlayError::Io)?;
    if console.signals {
        listen_for_signals(happen.clone()).map_err(PlayError::Io)?;
    }
    let prompts = read_lines(console.lines, happen).map_err(PlayError::Io)?;
    let text = Style { colour: console.colour, unicode: !args.ascii };
    let style = LineStyle { text, attended: console.attended };
    outcome(run_lines(&mut sitting, &happenings, &prompts, console.output, style))
}

fn outcome(left: io::Result<Leave>) -> Result<(), PlayError> {
    match left {
        Ok(Leave::Asked) => Ok(()),
        Ok(Leave::Signal(exit_code)) => Err(PlayError::Interrupted { exit_code }),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(PlayError::Io(error)),
    }
}

/// The board with everything that plays at it.
fn sit_down(setup: Setup, happen: Sender<Happening>, keep_in: PathBuf, program: String) -> io::Result<Sitting> {
    // Who has left wants to hear nothing more.
    let tell = move |told| drop(happen.send(Happening::Told(told)));
    let host = Host::new(setup.session, setup.lobby, setup.evaluator, setup.seed, tell)?;
    Ok(Sitting::new(host, setup.opponent, setup.simulations, keep_in, program))
}
