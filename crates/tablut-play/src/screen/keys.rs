//! What each key means on the screen.

use super::view::{CaptureChoice, Page, ScreenView};
use crate::input::{HELP, Input};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tablut_rules::{Move, Square};
use tablut_session::protocol::Request;
use tablut_session::{Session, Tree};

/// Letters of a line.
const MAX_TYPED: usize = 300;

/// The keys, for help.
const KEYS: &str = "\
arrows         move the cursor
Enter, Space   pick a piece up, and put it down where the cursor is
letters        type a move such as d1-d3, or a command; Enter ends it
Tab            analyse the position, and every one that follows
PgUp, PgDn     look at the position before, and after
Home, End      look at the beginning, and the end
Ctrl-Z, Ctrl-Y take a move back, and play it again
Esc            never mind
F1, ?          this help
Ctrl-C         leave; the game is kept
";

/// What a key asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
    /// Nothing but another picture.
    Nothing,
    /// What a line that was typed asks for.
    Obey(Input),
    /// Something of the table.
    Ask(Request),
    /// Analysis on or off.
    Analyse,
    /// To leave at once.
    Interrupt,
}

/// Takes a key: changes the view, and tells what is asked for.
pub fn press(view: &mut ScreenView, session: &Session, key: KeyEvent) -> Wish {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            KeyCode::Char('c') => Wish::Interrupt,
            KeyCode::Char('z') => Wish::Obey(Input::Undo),
            KeyCode::Char('y') => Wish::Obey(Input::Redo),
            _ => Wish::Nothing,
        };
    }
    if view.page.is_some() {
        turn_page(view, key.code);
        return Wish::Nothing;
    }
    if view.choice.is_some() {
        return choose(view, key.code);
    }
    match key.code {
        KeyCode::Left => view.step(-1, 0),
        KeyCode::Right => view.step(1, 0),
        KeyCode::Up => view.step(0, 1),
        KeyCode::Down => view.step(0, -1),
        KeyCode::Enter if view.typed.trim().is_empty() => return act(view, session),
        KeyCode::Char(' ') if view.typed.is_empty() => return act(view, session),
        KeyCode::Enter => return read(view),
        KeyCode::Tab => return Wish::Analyse,
        KeyCode::PageUp => return Wish::Ask(Request::Back),
        KeyCode::PageDown => return Wish::Ask(Request::Forward),
        KeyCode::Home => return Wish::Ask(Request::GoTo { node: Tree::ROOT }),
        KeyCode::End => {
            let line = session.tree().line(session.here());
            return line.last().map_or(Wish::Nothing, |node| Wish::Ask(Request::GoTo { node: *node }));
        }
        KeyCode::F(1) => view.page = Some(help()),
        KeyCode::Char('?') if view.typed.is_empty() => view.page = Some(help()),
        KeyCode::Backspace => drop(view.typed.pop()),
        KeyCode::Esc => {
            view.typed.clear();
            view.let_go();
        }
        KeyCode::Char(letter) if view.typed.chars().count() < MAX_TYPED => view.typed.push(letter),
        _ => {}
    }
    Wish::Nothing
}

/// The help.
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

fn choose(view: &mut ScreenView, code: KeyCode) -> Wish {
    let Some(choice) = &mut view.choice else { return Wish::Nothing };
    let n = choice.moves.len();
    match code {
        KeyCode::Up | KeyCode::Left => choice.at = (choice.at + n - 1) % n,
        KeyCode::Down | KeyCode::Right => choice.at = (choice.at + 1) % n,
        KeyCode::Enter | KeyCode::Char(' ') => {
            let mv = choice.moves[choice.at];
            view.let_go();
            return Wish::Obey(Input::Move(mv));
        }
        KeyCode::Esc => view.let_go(),
        _ => {}
    }
    Wish::Nothing
}

/// Reads the line that was typed.
fn read(view: &mut ScreenView) -> Wish {
    let typed = std::mem::take(&mut view.typed);
    match typed.parse() {
        Ok(Input::Help) => view.page = Some(help()),
        Ok(Input::Eval) => return Wish::Analyse,
        Ok(input) => {
            view.let_go();
            return Wish::Obey(input);
        }
        Err(error) => view.message = error.to_string(),
    }
    Wish::Nothing
}

/// Picks up the piece under the cursor, or puts down there the one that was picked.
fn act(view: &mut ScreenView, session: &Session) -> Wish {
    let Some(from) = view.picked else {
        pick(view, session);
        return Wish::Nothing;
    };
    if from == view.cursor {
        view.let_go();
        return Wish::Nothing;
    }
    let moves = to(session, from, view.cursor);
    match moves.as_slice() {
        [] if session.moves_from(view.cursor).is_ok() => pick(view, session),
        // The rules say why not.
        [] => return Wish::Obey(Input::Move(Move::new(from, view.cursor))),
        [mv] => {
            view.let_go();
            return Wish::Obey(Input::Move(*mv));
        }
        _ => view.choice = Some(CaptureChoice { moves, at: 0 }),
    }
    Wish::Nothing
}

fn pick(view: &mut ScreenView, session: &Session) {
    match session.moves_from(view.cursor) {
        Ok(_) => {
            view.picked = Some(view.cursor);
            view.message = format!("{}: where to?", view.cursor);
        }
        Err(error) => view.message = error.to_string(),
    }
}

/// The legal moves from one square to another.
fn to(session: &Session, from: Square, to: Square) -> Vec<Move> {
    let moves = session.moves_from(from).unwrap_or_default();
    moves.into_iter().filter(|mv| mv.to == to).collect()
}
