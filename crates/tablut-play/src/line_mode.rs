//! The plain mode, for pipes, scripts and screen readers. It reads lines, and writes the board and all events as text.

use crate::analysis_text::{analysis_text, threat_text};
use crate::options::HumanSides;
use crate::terminal_events::{LineInput, TerminalEvent};
use crate::terminal_game::{Answer, TerminalGame};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};
use tablut_session::board_text::{Colour, Style, board_text, legend_text};
use tablut_session::protocol::Event;
use tablut_session::{Alarm, words};

/// The time until the first notice that the computer is thinking, and between later notices.
const THINKING_NOTICE: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(10)];

#[derive(Copy, Clone, Debug, Default, Eq, PartialEq)]
pub struct LineStyle {
    pub text: Style,
    /// Whether a person plays, and not a script. For a person there are notices while the computer thinks, and the game
    /// is saved when the person leaves it.
    pub is_interactive: bool,
}

#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Exit {
    Asked,
    Signal(u8),
}

pub const INTERRUPTED: u8 = 130;

/// Plays until the player leaves, the input ends or a signal arrives. Invalid input is answered with a message. Only
/// failures of the input and of `output` are errors. A prompt sent to `prompts` requests a line, which arrives as an
/// event.
pub fn run_lines(
    game: &mut TerminalGame,
    events: &Receiver<TerminalEvent>,
    prompts: &Sender<String>,
    output: &mut dyn Write,
    style: LineStyle,
) -> io::Result<Exit> {
    let mut mode = LineMode { game, output, style };
    mode.game.take_events();
    mode.greet()?;
    let mut has_prompted = false;
    loop {
        if !has_prompted && !mode.game.is_awaited() {
            let is_over = mode.game.session().ending().is_some();
            if is_over && mode.game.human_sides() == HumanSides::Neither {
                return Ok(Exit::Asked);
            }
            mode.output.flush()?;
            // If the thread that reads lines has ended, its last event has the reason.
            let _ = prompts.send(mode.prompt());
            has_prompted = true;
        }
        match mode.wait(events)? {
            TerminalEvent::Job(update) => {
                mode.game.update(update);
                mode.show_events()?;
            }
            TerminalEvent::Line(line) => {
                has_prompted = false;
                match line? {
                    LineInput::Line(line) => {
                        if mode.execute(&line)? == Answer::Left {
                            return mode.exit(Exit::Asked);
                        }
                    }
                    LineInput::Interrupted => return mode.exit(Exit::Signal(INTERRUPTED)),
                    LineInput::End => {
                        let plies = mode.game.session().game().ply();
                        mode.say(&format!("End of input; the game was left after ply {plies}."))?;
                        return mode.exit(Exit::Asked);
                    }
                }
            }
            TerminalEvent::Signal(code) => return mode.exit(Exit::Signal(code)),
            TerminalEvent::Key(_) => {}
        }
    }
}

struct LineMode<'a> {
    game: &'a mut TerminalGame,
    output: &'a mut dyn Write,
    style: LineStyle,
}

impl LineMode<'_> {
    fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "{}", text.trim_end())
    }

    fn prompt(&self) -> String {
        let session = self.game.session();
        match session.ending() {
            Some(_) => "game over> ".to_owned(),
            None => format!("{}> ", session.game().position().side_to_move()),
        }
    }

    /// Waits for the next event. Prints notices while the computer thinks.
    fn wait(&mut self, events: &Receiver<TerminalEvent>) -> io::Result<TerminalEvent> {
        let closed = || io::Error::other("all sources of events have ended");
        self.output.flush()?;
        if !self.style.is_interactive || !self.game.is_awaited() {
            return events.recv().map_err(|_| closed());
        }
        let (began, [mut patience, often]) = (Instant::now(), THINKING_NOTICE);
        loop {
            match events.recv_timeout(patience) {
                Ok(event) => return Ok(event),
                Err(RecvTimeoutError::Disconnected) => return Err(closed()),
                Err(RecvTimeoutError::Timeout) => {
                    self.say(&format!("thinking for {} s …", began.elapsed().as_secs()))?;
                    self.output.flush()?;
                    patience = often;
                }
            }
        }
    }

    /// Leaves the game, and saves it unless the end of a script's input has ended it.
    fn exit(&mut self, how: Exit) -> io::Result<Exit> {
        let saves = self.style.is_interactive || how != Exit::Asked;
        if let Some(text) = saves.then(|| self.game.save_on_exit()).flatten() {
            self.say(&text)?;
        }
        self.output.flush()?;
        Ok(how)
    }

    fn greet(&mut self) -> io::Result<()> {
        let introduction = self.game.introduction();
        self.say(&format!("{introduction} `help` lists the commands."))?;
        let legend = legend_text(self.game.session().rules(), self.style.text);
        self.say(&legend)?;
        self.show_board()?;
        self.show_ending()
    }

    fn show_board(&mut self) -> io::Result<()> {
        let game = self.game.session().game();
        let text = board_text(game.rules(), game.position(), game.moves().next_back(), self.style.text);
        let (ply, side) = (game.ply(), game.position().side_to_move());
        writeln!(self.output)?;
        self.say(&text)?;
        match self.game.session().ending() {
            None => self.say(&format!("ply {ply}, {side} to move")),
            Some(_) => Ok(()),
        }
    }

    fn show_ending(&mut self) -> io::Result<()> {
        let Some(ending) = self.game.session().ending() else { return Ok(()) };
        let text = words::capitalize(&words::ending(ending)) + ".";
        self.say(&self.style.text.paint(Colour::King, &text))
    }

    fn execute(&mut self, line: &str) -> io::Result<Answer> {
        let answer = match line.parse() {
            Ok(input) => self.game.execute(input),
            Err(error) => Answer::Text(error),
        };
        // The answer contains the changes. Of the events, only later refusals must be shown.
        let refused = self.game.take_events().into_iter().find_map(|event| match event {
            Event::Refused { error, .. } => Some(error),
            _ => None,
        });
        match &answer {
            Answer::Nothing | Answer::Left => {}
            Answer::Text(text) => self.say(text)?,
            Answer::Board => self.show_board()?,
            Answer::Moved => self.show_move()?,
            Answer::Changed(text) => {
                self.say(text)?;
                self.show_board()?;
            }
            Answer::Begun => self.greet()?,
        }
        refused.map_or(Ok(()), |error| self.say(&error))?;
        Ok(answer)
    }

    fn show_events(&mut self) -> io::Result<()> {
        for event in self.game.take_events() {
            match event {
                Event::State(_) => self.show_move()?,
                Event::Hint { mv, words, .. } => self.say(format!("hint: {mv} {words}").trim_end())?,
                Event::Threat { analysis, .. } => self.say(&threat_text(&analysis))?,
                Event::Analysis { analysis, done: true, .. } => self.say(&analysis_text(&analysis))?,
                Event::Refused { error, .. } => self.say(&error)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn show_move(&mut self) -> io::Result<()> {
        self.show_board()?;
        let Some(report) = self.game.session().node().report.clone() else { return Ok(()) };
        let style = self.style.text;
        let mut text = format!("{} {}", report.side, report.mv);
        for (square, piece) in &report.captured {
            let _ = write!(text, ", captures the {piece} on {square}");
        }
        self.say(&text)?;
        let alarm = report.alarm.map(|alarm| match alarm {
            Alarm::Raichi => "Raichi! The king has one escape route.",
            Alarm::Tuichi => "Tuichi! The king has more than one escape route.",
        });
        alarm.map_or(Ok(()), |text| self.say(&style.paint(Colour::Alarm, text)))?;
        match (report.outcome, words::occurrences(report.occurrences)) {
            (Some(_), _) => self.show_ending(),
            (None, Some(text)) => self.say(&text),
            (None, None) => Ok(()),
        }
    }
}
