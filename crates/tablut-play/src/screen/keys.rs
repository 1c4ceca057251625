//! The keys of the screen.

use super::view::{CaptureChoice, Page, ScreenView};
use crate::input::{HELP, Input};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tablut_rules::{Move, Square};
use tablut_session::protocol::Request;
use tablut_session::{Session, Tree};

const MAX_TYPED: usize = 300;

const KEYS: &str = "\
arrows         move the cursor
Enter, Space   select the piece at the cursor, or move the selected one
letters        type a move such as d1-d3, or a command; then press Enter
Tab            switch the analysis on or off
PgUp, PgDn     go to the previous or the next position
Home, End      go to the start or the end of the game
Ctrl-Z, Ctrl-Y take back moves, or repeat them
Esc            cancel
F1, ?          this help
Ctrl-C         leave; the game is saved
";

#[derive(Clone, Debug, PartialEq)]
pub enum KeyAction {
    /// Nothing. Only the screen has changed.
    Nothing,
    Execute(Input),
    Request(Request),
    Analyse,
    Interrupt,
}

pub fn press(view: &mut ScreenView, session: &Session, key: KeyEvent) -> KeyAction {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            KeyCode::Char('c') => KeyAction::Interrupt,
            KeyCode::Char('z') => KeyAction::Execute(Input::Undo),
            KeyCode::Char('y') => KeyAction::Execute(Input::Redo),
            _ => KeyAction::Nothing,
        };
    }
    if view.page.is_some() {
        turn_page(view, key.code);
        return KeyAction::Nothing;
    }
    if view.choice.is_some() {
        return choose(view, key.code);
    }
    let board = session.rules().size();
    match key.code {
        KeyCode::Left => view.step(board, -1, 0),
        KeyCode::Right => view.step(board, 1, 0),
        KeyCode::Up => view.step(board, 0, 1),
        KeyCode::Down => view.step(board, 0, -1),
        KeyCode::Enter if view.typed.trim().is_empty() => return act(view, session),
        KeyCode::Char(' ') if view.typed.is_empty() => return act(view, session),
        KeyCode::Enter => return read(view),
        KeyCode::Tab => return KeyAction::Analyse,
        KeyCode::PageUp => return KeyAction::Request(Request::Back),
        KeyCode::PageDown => return KeyAction::Request(Request::Forward),
        KeyCode::Home => return KeyAction::Request(Request::GoTo { node: Tree::ROOT }),
        KeyCode::End => {
            let line = session.tree().line(session.current());
            return line.last().map_or(KeyAction::Nothing, |node| KeyAction::Request(Request::GoTo { node: *node }));
        }
        KeyCode::F(1) => view.page = Some(help()),
        KeyCode::Char('?') if view.typed.is_empty() => view.page = Some(help()),
        KeyCode::Backspace => drop(view.typed.pop()),
        KeyCode::Esc => {
            view.typed.clear();
            view.deselect();
        }
        KeyCode::Char(letter) if view.typed.chars().count() < MAX_TYPED => view.typed.push(letter),
        _ => {}
    }
    KeyAction::Nothing
}

pub fn help() -> Page {
    Page { title: "Help", text: format!("{KEYS}\n{HELP}"), scroll: 0 }
}

fn turn_page(view: &mut ScreenView, code: KeyCode) {
    let Some(page) = &mut view.page else { return };
    let lines = page.text.lines().count() as u16;
    match code {
        KeyCode::Up => page.scroll = page.scroll.saturating_sub(1),
        KeyCode::Down => page.scroll = (page.scroll + 1).min(lines),
        KeyCode::PageUp => page.scroll = page.scroll.saturating_sub(10),
        KeyCode::PageDown => page.scroll = (page.scroll + 10).min(lines),
        _ => view.page = None,
    }
}

fn choose(view: &mut ScreenView, code: KeyCode) -> KeyAction {
    let Some(choice) = &mut view.choice else { return KeyAction::Nothing };
    let n = choice.moves.len();
    match code {
        KeyCode::Up | KeyCode::Left => choice.at = (choice.at + n - 1) % n,
        KeyCode::Down | KeyCode::Right => choice.at = (choice.at + 1) % n,
        KeyCode::Enter | KeyCode::Char(' ') => {
            let mv = choice.moves[choice.at];
            view.deselect();
            return KeyAction::Execute(Input::Move(mv));
        }
        KeyCode::Esc => view.deselect(),
        _ => {}
    }
    KeyAction::Nothing
}

fn read(view: &mut ScreenView) -> KeyAction {
    let typed = std::mem::take(&mut view.typed);
    match typed.parse() {
        Ok(Input::Help) => view.page = Some(help()),
        Ok(Input::Eval) => return KeyAction::Analyse,
        Ok(input) => {
            view.deselect();
            return KeyAction::Execute(input);
        }
        Err(error) => view.message = error,
    }
    KeyAction::Nothing
}

/// Selects the piece under the cursor, or moves the selected piece there.
fn act(view: &mut ScreenView, session: &Session) -> KeyAction {
    let Some(from) = view.selected else {
        select(view, session);
        return KeyAction::Nothing;
    };
    if from == view.cursor {
        view.deselect();
        return KeyAction::Nothing;
    }
    let moves = moves_between(session, from, view.cursor);
    match moves.as_slice() {
        [] if session.moves_from(view.cursor).is_ok() => select(view, session),
        // The move is illegal. The game returns the reason.
        [] => return KeyAction::Execute(Input::Move(Move::new(from, view.cursor))),
        [mv] => {
            view.deselect();
            return KeyAction::Execute(Input::Move(*mv));
        }
        _ => view.choice = Some(CaptureChoice { moves, at: 0 }),
    }
    KeyAction::Nothing
}

fn select(view: &mut ScreenView, session: &Session) {
    match session.moves_from(view.cursor) {
        Ok(_) => {
            view.selected = Some(view.cursor);
            view.message = format!("{} is selected; choose a target square", view.cursor);
        }
        Err(error) => view.message = error.to_string(),
    }
}

fn moves_between(session: &Session, from: Square, to: Square) -> Vec<Move> {
    let moves = session.moves_from(from).unwrap_or_default();
    moves.into_iter().filter(|mv| mv.to == to).collect()
}
