//! The plain mode: reads lines, writes the board and what happens. For pipes, scripts and screen readers.

use crate::board_text::{Ink, Style, board_text, legend_text};
use crate::happenings::Happening;
use crate::lines::Typed;
use crate::people::People;
use crate::sitting::{Answer, Sitting};
use crate::sitting_text::{analysis_text, threat_text};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};
use tablut_session::protocol::Event;
use tablut_session::{Alarm, words};

/// How long somebody waits before being told that the computer is thinking, and how often it is told again.
const PATIENCE: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(10)];

/// How the plain mode looks.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq)]
pub struct LineStyle {
    /// Colours and symbols.
    pub text: Style,
    /// Whether somebody sits at it, who wants to be told that the computer is thinking, and whose game is kept when it is left.
    pub attended: bool,
}

/// How a game was left.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Leave {
    /// By the person, or at the end of the input.
    Asked,
    /// By a signal: 128 and its number.
    Signal(u8),
}

/// Exit code of Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// Plays until the player leaves, the input ends or a signal comes. Nothing that is typed ends the program with an error; only
/// failures of the input and `output` do. A prompt sent to `prompts` asks for a line, which comes as a happening.
pub fn run_lines(
    sitting: &mut Sitting,
    happenings: &Receiver<Happening>,
    prompts: &Sender<String>,
    output: &mut dyn Write,
    style: LineStyle,
) -> io::Result<Leave> {
    let mut mode = LineMode { sitting, output, style };
    mode.sitting.host.hurries = !style.attended;
    mode.sitting.host.greet();
    mode.sitting.host.news();
    mode.greet()?;
    let mut asked = false;
    loop {
        if !asked && !mode.sitting.host.is_awaited() {
            if mode.is_over_and_watched() {
                return Ok(Leave::Asked);
            }
            mode.output.flush()?;
            // A reader that is gone has said why, or that nothing more will come.
            let _ = prompts.send(mode.prompt());
            asked = true;
        }
        match mode.wait(happenings)? {
            Happening::Told(told) => {
                mode.sitting.host.hear(told);
                mode.tell_news()?;
            }
            Happening::Typed(typed) => {
                asked = false;
                match typed? {
                    Typed::Line(line) => {
                        if mode.obey(&line)? == Answer::Left {
                            return mode.leave(Leave::Asked);
                        }
                    }
                    Typed::Interrupted => return mode.leave(Leave::Signal(INTERRUPTED)),
                    Typed::End => {
                        let plies = mode.sitting.session().game().ply();
                        mode.say(&format!("End of input; the game was left after ply {plies}."))?;
                        return mode.leave(Leave::Asked);
                    }
                }
            }
            Happening::Signal(code) => return mode.leave(Leave::Signal(code)),
            Happening::Key(_) => {}
        }
    }
}

/// A sitting with somewhere to write to.
struct LineMode<'a> {
    sitting: &'a mut Sitting,
    output: &'a mut dyn Write,
    style: LineStyle,
}

impl LineMode<'_> {
    fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "{}", text.trim_end())
    }

    fn is_over_and_watched(&self) -> bool {
        self.sitting.session().ending().is_some() && self.sitting.people() == People::Neither
    }

    fn prompt(&self) -> String {
        let session = self.sitting.session();
        match session.ending() {
            Some(_) => "game over> ".to_owned(),
            None => format!("{}> ", session.game().position().side_to_move()),
        }
    }

    /// The next happening. Who waits for the computer is told now and then that it is thinking.
    fn wait(&mut self, happenings: &Receiver<Happening>) -> io::Result<Happening> {
        let gone = || io::Error::other("nothing can happen any more");
        if !self.style.attended || !self.sitting.host.is_awaited() {
            self.output.flush()?;
            return happenings.recv().map_err(|_| gone());
        }
        let (began, [mut patience, often]) = (Instant::now(), PATIENCE);
        loop {
            self.output.flush()?;
            match happenings.recv_timeout(patience) {
                Ok(happening) => return Ok(happening),
                Err(RecvTimeoutError::Disconnected) => return Err(gone()),
                Err(RecvTimeoutError::Timeout) => {
                    self.say(&format!("thinking for {} s …", began.elapsed().as_secs()))?;
                    patience = often;
                }
            }
        }
    }

    /// Leaves the game; where it could be lost it is kept.
    fn leave(&mut self, how: Leave) -> io::Result<Leave> {
        let may_be_lost = self.style.attended || how != Leave::Asked;
        if let Some(text) = may_be_lost.then(|| self.sitting.keep()).flatten() {
            self.say(&text)?;
        }
        self.output.flush()?;
        Ok(how)
    }

    fn greet(&mut self) -> io::Result<()> {
        let introduction = self.sitting.introduction();
        self.say(&format!("{introduction} `help` lists the commands."))?;
        let legend = legend_text(self.sitting.session().rules(), self.style.text);
        self.say(&legend)?;
        self.show_board()?;
        self.show_ending()
    }

    fn show_board(&mut self) -> io::Result<()> {
        let game = self.sitting.session().game();
        let text = board_text(game.rules(), game.position(), game.moves().next_back(), self.style.text);
        let (ply, side) = (game.ply(), game.position().side_to_move());
        writeln!(self.output)?;
        self.say(&text)?;
        match self.sitting.session().ending() {
            None => self.say(&format!("ply {ply}, {side} to move")),
            Some(_) => Ok(()),
        }
    }

    fn show_ending(&mut self) -> io::Result<()> {
        let Some(ending) = self.sitting.session().ending() else { return Ok(()) };
        let text = words::capitalized(&words::ending(ending)) + ".";
        self.say(&self.style.text.paint(Ink::King, &text))
    }

    fn obey(&mut self, line: &str) -> io::Result<Answer> {
        let answer = match line.parse() {
            Ok(input) => self.sitting.obey(input),
            Err(error) => Answer::Text(error.to_string()),
        };
        // Its own news is in the answer; what is refused later on is told then.
        let refused = self.sitting.host.news().into_iter().find_map(refusal);
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

    /// Tells what the computer has thought.
    fn tell_news(&mut self) -> io::Result<()> {
        for event in self.sitting.host.news() {
            match event {
                Event::State(_) => self.show_move()?,
                Event::Hint { mv, .. } => self.say(&format!("hint: {mv}"))?,
                Event::Threat { analysis, .. } => self.say(&threat_text(&analysis))?,
                Event::Analysis { analysis, done: true, .. } => self.say(&analysis_text(&analysis))?,
                Event::Refused { error, .. } => self.say(&error)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// The board after a move, and what came of it.
    fn show_move(&mut self) -> io::Result<()> {
        self.show_board()?;
        let Some(report) = self.sitting.session().node().report.clone() else { return Ok(()) };
        let style = self.style.text;
        let mut text = format!("{} {}", report.side, report.mv);
        for (square, piece) in &report.captured {
            let _ = write!(text, ", captures the {piece} on {square}");
        }
        self.say(&text)?;
        match report.alarm {
            Some(Alarm::Raichi) => self.say(&style.paint(Ink::Alarm, "Raichi! The king has a way out."))?,
            Some(Alarm::Tuichi) => self.say(&style.paint(Ink::Alarm, "Tuichi! The king has more than one way out."))?,
            None => {}
        }
        match (report.outcome, words::occurrences(report.occurrences)) {
            (Some(_), _) => self.show_ending(),
            (None, Some(text)) => self.say(&text),
            (None, None) => Ok(()),
        }
    }
}

fn refusal(event: Event) -> Option<String> {
    match event {
        Event::Refused { error, .. } => Some(error),
        _ => None,
    }
}
