//! The screen: the board with a cursor, the evaluation, lines, moves and an input line.

mod board;
mod keys;
mod panels;
mod view;

#[cfg(test)]
mod tests;

pub use view::ScreenView;

use crate::analysis_text::threat_text;
use crate::line_mode::{Exit, INTERRUPTED};
use crate::terminal_events::TerminalEvent;
use crate::terminal_game::{Answer, TerminalGame};
use keys::{KeyAction, press};
use ratatui::Frame;
use ratatui::crossterm::event::{Event as Terminal, KeyEventKind};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::widgets::{Paragraph, Wrap};
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use tablut_session::Session;
use tablut_session::board_text::Style;
use tablut_session::protocol::{Event, Request};
use tablut_session::view::State;
use view::{Page, ShownAnalysis};

const TICK: Duration = Duration::from_millis(500);
/// Columns of the evaluation bar, including the gap next to it.
const BAR: u16 = 2;
/// The minimum number of columns for the panels next to the board.
const SIDE: u16 = 20;

pub fn draw(frame: &mut Frame<'_>, session: &Session, view: &ScreenView) {
    let area = frame.area();
    let rows = [Constraint::Length(1), Constraint::Min(1), Constraint::Length(2), Constraint::Length(1)];
    let [head, body, message, input] = Layout::vertical(rows).areas(area);
    let state = State::new(session);
    let Some(scale) = board::Scale::fitting(session.rules().size(), body.width.saturating_sub(BAR), body.height) else {
        let width = session.rules().size().width();
        let text = format!(
            "The window is too small for the board: it needs {} columns and {} lines. `--plain` works in any window.",
            3 * width + 5,
            width + 5
        );
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

/// Plays until the player leaves or a signal arrives. `show` draws the game and the view.
pub fn run_screen(
    game: &mut TerminalGame,
    style: Style,
    notes: &[String],
    events: &Receiver<TerminalEvent>,
    show: &mut dyn FnMut(&Session, &ScreenView) -> io::Result<()>,
) -> io::Result<Exit> {
    let mut screen = Screen::new(game, style);
    if !notes.is_empty() {
        screen.view.message = notes.join(" ");
    }
    loop {
        screen.count_seconds();
        show(screen.game.session(), &screen.view)?;
        let event = match screen.view.waited {
            None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(_) => events.recv_timeout(TICK),
        };
        match event {
            Ok(TerminalEvent::Key(event)) => match event? {
                Terminal::Key(key) if key.kind != KeyEventKind::Release => {
                    let action = press(&mut screen.view, screen.game.session(), key);
                    if let Some(exit) = screen.act(action) {
                        return Ok(exit);
                    }
                }
                _ => {}
            },
            Ok(TerminalEvent::Job(update)) => {
                screen.game.update(update);
                screen.show_events();
            }
            Ok(TerminalEvent::Signal(code)) => return Ok(Exit::Signal(code)),
            Ok(TerminalEvent::Line(_)) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(io::Error::other("all sources of events have ended")),
        }
    }
}

struct Screen<'a> {
    game: &'a mut TerminalGame,
    view: ScreenView,
    waiting_since: Option<Instant>,
}

impl<'a> Screen<'a> {
    fn new(game: &'a mut TerminalGame, style: Style) -> Self {
        game.take_events();
        let centre = game.session().rules().size().centre();
        let view = ScreenView { message: game.introduction(), ..ScreenView::new(style, centre) };
        Self { game, view, waiting_since: None }
    }

    fn count_seconds(&mut self) {
        if !self.game.is_awaited() {
            (self.waiting_since, self.view.waited) = (None, None);
            return;
        }
        let since = *self.waiting_since.get_or_insert_with(Instant::now);
        self.view.waited = Some(since.elapsed().as_secs());
    }

    /// Does the action of a key. Returns a reason if the game was left.
    fn act(&mut self, action: KeyAction) -> Option<Exit> {
        match action {
            KeyAction::Nothing => {}
            KeyAction::Interrupt => return Some(Exit::Signal(INTERRUPTED)),
            KeyAction::Analyse => self.analyse(),
            KeyAction::Request(request) => {
                self.view.deselect();
                if let Err(error) = self.game.request(request) {
                    self.view.message = error;
                }
            }
            KeyAction::Execute(input) => {
                let answer = self.game.execute(input);
                // The answer is shown after the changes.
                self.show_events();
                if answer == Answer::Left {
                    return Some(Exit::Asked);
                }
                self.answer(answer);
            }
        }
        self.show_events();
        None
    }

    fn answer(&mut self, answer: Answer) {
        match answer {
            // The game's events have already updated the screen.
            Answer::Nothing | Answer::Board | Answer::Moved | Answer::Changed(_) | Answer::Left => {}
            Answer::Text(text) if text.trim_end().lines().count() > 2 => {
                self.view.page = Some(Page { title: "Tablut", text, scroll: 0 });
            }
            Answer::Text(text) => self.view.message = text,
            Answer::Begun => {
                self.view.message = self.game.introduction();
                self.view.shown = None;
                self.request_analysis();
            }
        }
    }

    fn analyse(&mut self) {
        match self.game.net() {
            Ok(_) => {
                self.view.analysing = !self.view.analysing;
                self.view.shown = None;
                self.request_analysis();
            }
            Err(error) => self.view.message = error,
        }
    }

    /// Switches the game's analysis on or off. A new game begins without analysis.
    fn request_analysis(&mut self) {
        if let Err(error) = self.game.request(Request::Analyse { on: self.view.analysing, net: 0 }) {
            self.view.message = error;
        }
    }

    fn show_events(&mut self) {
        for event in self.game.take_events() {
            match event {
                Event::State(state) => {
                    self.view.deselect();
                    self.view.message = state.said;
                }
                Event::Analysis { node, analysis, done } => {
                    self.view.shown = Some(ShownAnalysis { node, analysis: *analysis, done });
                }
                Event::Hint { mv, words, .. } => {
                    self.view.cursor = mv.from;
                    let hint = format!("hint: {mv} {words}");
                    self.view.message.clear();
                    self.view.message.push_str(hint.trim_end());
                }
                Event::Threat { analysis, .. } => self.view.message = threat_text(&analysis),
                Event::Refused { error, .. } => self.view.message = error,
                _ => {}
            }
        }
    }
}
