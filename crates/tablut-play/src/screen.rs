//! The screen: the board with a cursor, the evaluation, lines, moves and a line to type on.

mod board;
mod keys;
mod panels;
mod view;

#[cfg(test)]
mod tests;

pub use view::ScreenView;

use crate::board_text::Style;
use crate::happenings::Happening;
use crate::line_mode::{INTERRUPTED, Leave};
use crate::sitting::{Answer, Sitting};
use crate::sitting_text::threat_text;
use keys::{Wish, press};
use ratatui::Frame;
use ratatui::crossterm::event::{Event as Terminal, KeyEventKind};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::widgets::{Paragraph, Wrap};
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use tablut_session::Session;
use tablut_session::protocol::{Event, Request};
use tablut_session::view::State;
use view::{Page, Seen};

/// How often the seconds are counted while somebody waits.
const TICK: Duration = Duration::from_millis(500);
/// Columns of the evaluation bar, with the gap beside it.
const BAR: u16 = 2;
/// Columns beside the board that are worth something.
const SIDE: u16 = 20;

/// Draws the screen of a game.
pub fn draw(frame: &mut Frame<'_>, session: &Session, view: &ScreenView) {
    let area = frame.area();
    let rows = [Constraint::Length(1), Constraint::Min(1), Constraint::Length(2), Constraint::Length(1)];
    let [head, body, message, input] = Layout::vertical(rows).areas(area);
    let state = State::new(session);
    let Some(scale) = board::Scale::fitting(body.width.saturating_sub(BAR), body.height) else {
        let text = "The window is too small for the board: 32 columns and 14 lines are enough. `--plain` needs none.";
        return frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
    };
    panels::draw_head(frame, head, session, view);
    let bar = Rect { width: BAR, height: scale.board_height() - 1, ..body };
    let chances = panels::value(session, view).map(|value| value.chances);
    panels::draw_bar(frame.buffer_mut(), bar, chances, view.style.unicode);
    let place = Rect { x: body.x + BAR, width: scale.board_width(), ..body };
    board::draw(frame.buffer_mut(), place, scale, session, &state, view);
    let side = Rect { x: place.right() + 2, width: body.right().saturating_sub(place.right() + 2), ..body };
    if side.width >= SIDE {
        panels::draw_side(frame, side, session, &state, view);
    }
    panels::draw_foot(frame, message, input, view);
    if let Some(choice) = &view.choice {
        panels::draw_choice(frame, body, choice);
    }
    if let Some(page) = &view.page {
        panels::draw_page(frame, area, page);
    }
}

/// Plays until the player leaves, or a signal comes. `show` draws a picture of the game and the view.
pub fn run_screen(
    sitting: &mut Sitting,
    style: Style,
    notes: &[String],
    happenings: &Receiver<Happening>,
    show: &mut dyn FnMut(&Session, &ScreenView) -> io::Result<()>,
) -> io::Result<Leave> {
    let mut screen = Screen { sitting, view: ScreenView::new(style), waiting_since: None };
    screen.begin();
    if !notes.is_empty() {
        screen.view.message = notes.join(" ");
    }
    loop {
        screen.count_seconds();
        show(screen.sitting.session(), &screen.view)?;
        let happening = match screen.view.waited {
            None => happenings.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(_) => happenings.recv_timeout(TICK),
        };
        match happening {
            Ok(Happening::Key(event)) => match event? {
                Terminal::Key(key) if key.kind != KeyEventKind::Release => {
                    let wish = press(&mut screen.view, screen.sitting.session(), key);
                    if let Some(leave) = screen.grant(wish) {
                        return Ok(leave);
                    }
                }
                _ => {}
            },
            Ok(Happening::Told(told)) => {
                screen.sitting.host.hear(told);
                screen.take_news();
            }
            Ok(Happening::Signal(code)) => return Ok(Leave::Signal(code)),
            Ok(Happening::Typed(_)) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(io::Error::other("nothing can happen any more")),
        }
    }
}

/// A sitting with what the screen shows beside it.
struct Screen<'a> {
    sitting: &'a mut Sitting,
    view: ScreenView,
    waiting_since: Option<Instant>,
}

impl Screen<'_> {
    fn begin(&mut self) {
        self.sitting.host.greet();
        self.sitting.host.news();
        self.view.message = self.sitting.introduction();
    }

    fn count_seconds(&mut self) {
        if !self.sitting.host.is_awaited() {
            (self.waiting_since, self.view.waited) = (None, None);
            return;
        }
        let since = *self.waiting_since.get_or_insert_with(Instant::now);
        self.view.waited = Some(since.elapsed().as_secs());
    }

    /// Does what a key asks for; how the game was left, if it was.
    fn grant(&mut self, wish: Wish) -> Option<Leave> {
        match wish {
            Wish::Nothing => {}
            Wish::Interrupt => return Some(Leave::Signal(INTERRUPTED)),
            Wish::Analyse => self.analyse(),
            Wish::Ask(request) => {
                self.view.let_go();
                if let Err(error) = self.sitting.host.ask(request) {
                    self.view.message = error;
                }
            }
            Wish::Obey(input) => {
                let answer = self.sitting.obey(input);
                // What is answered is said after what has changed.
                self.take_news();
                if answer == Answer::Left {
                    return Some(Leave::Asked);
                }
                self.answer(answer);
            }
        }
        self.take_news();
        None
    }

    fn answer(&mut self, answer: Answer) {
        match answer {
            // The table has said it already.
            Answer::Nothing | Answer::Board | Answer::Moved | Answer::Changed(_) | Answer::Left => {}
            Answer::Text(text) if text.trim_end().lines().count() > 2 => {
                self.view.page = Some(Page { title: "Tablut", text, scroll: 0 });
            }
            Answer::Text(text) => self.view.message = text,
            Answer::Begun => {
                self.view.message = self.sitting.introduction();
                self.view.seen = None;
                self.analyse_again();
            }
        }
    }

    fn analyse(&mut self) {
        match self.sitting.net() {
            Ok(_) => {
                self.view.analysing = !self.view.analysing;
                self.view.seen = None;
                self.analyse_again();
            }
            Err(error) => self.view.message = error,
        }
    }

    /// Tells the table whether to analyse; a new one does not know.
    fn analyse_again(&mut self) {
        if let Err(error) = self.sitting.host.ask(Request::Analyse { on: self.view.analysing }) {
            self.view.message = error;
        }
    }

    fn take_news(&mut self) {
        for event in self.sitting.host.news() {
            match event {
                Event::State(state) => {
                    self.view.let_go();
                    self.view.message = state.said;
                }
                Event::Analysis { node, analysis, done } => {
                    self.view.seen = Some(Seen { node, analysis: *analysis, done });
                }
                Event::Hint { mv, .. } => {
                    self.view.cursor = mv.from;
                    self.view.message = format!("hint: {mv}");
                }
                Event::Threat { analysis, .. } => self.view.message = threat_text(&analysis),
                Event::Refused { error, .. } => self.view.message = error,
                _ => {}
            }
        }
    }
}
