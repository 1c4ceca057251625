//! The panels around the board: the evaluation, lines, moves, messages and the input line.

use super::view::{CaptureChoice, Page, ScreenView};
use crate::analysis_text::{chances_text, moves_of};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Text};
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};
use tablut_rules::Side;
use tablut_search::Chances;
use tablut_session::board_text::{Style as BoardStyle, legend_text};
use tablut_session::view::{Aims, State};
use tablut_session::{NodeValue, Session};

const N_LINES: usize = 5;

/// The position's value: that of the analysis, or else the last known value on the path to the position.
pub fn value(session: &Session, view: &ScreenView) -> Option<NodeValue> {
    let here = session.current();
    if let Some(seen) = view.shown.as_ref().filter(|seen| seen.node == here) {
        let analysis = &seen.analysis;
        let (chances, proven, simulations) = (analysis.chances, analysis.proven, analysis.simulations);
        return Some(NodeValue { chances, proven, simulations });
    }
    if let Some(ending) = session.ending() {
        return Some(NodeValue { chances: Chances::certain(ending.winner), proven: None, simulations: 0 });
    }
    let path = session.tree().path(here);
    path.into_iter().rev().find_map(|id| session.tree().node(id).and_then(|node| node.value))
}

/// The evaluation bar, with the attackers' chances at the top, draws in the middle and the defenders' at the bottom.
pub fn draw_bar(buffer: &mut Buffer, area: Rect, chances: Option<Chances>, unicode: bool) {
    let height = area.height;
    let Some(chances) = chances else {
        return buffer.set_style(area, Style::new().bg(Color::Indexed(236)));
    };
    let attackers = (f32::from(height) * chances.attackers).round() as u16;
    let defenders = ((f32::from(height) * chances.defenders).round() as u16).min(height - attackers.min(height));
    for line in 0..height {
        let (sign, plain, colour) = if line < attackers {
            ("█", "A", Color::LightRed)
        } else if line >= height - defenders {
            ("▒", "D", Color::LightCyan)
        } else {
            ("░", "=", Color::Gray)
        };
        let sign = if unicode { sign } else { plain };
        buffer.set_string(area.x, area.y + line, sign.repeat(area.width.into()), Style::new().fg(colour));
    }
}

pub fn draw_side(frame: &mut Frame<'_>, area: Rect, session: &Session, state: &State, view: &ScreenView) {
    // Before the first move, this column shows the goal.
    if session.tree().is_empty() && session.ending().is_none() && !view.analysing {
        let text = opening_text(session, view);
        return frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
    }
    let n_lines = if view.analysing { N_LINES as u16 + 1 } else { 0 };
    let notes = notes(state);
    let n_notes = notes.lines.len() as u16 * 2;
    let heights = [Constraint::Length(5), Constraint::Length(n_lines), Constraint::Min(3), Constraint::Max(n_notes)];
    let [evaluation, lines, moves, below] = Layout::vertical(heights).areas(area);
    frame.render_widget(Paragraph::new(evaluation_text(session, view)).wrap(Wrap { trim: true }), evaluation);
    frame.render_widget(Paragraph::new(lines_text(session, view)), lines);
    draw_moves(frame, moves, session);
    frame.render_widget(Paragraph::new(notes).wrap(Wrap { trim: true }), below);
}

fn title(text: &str) -> Line<'static> {
    Line::styled(text.to_owned(), Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED))
}

/// The player's side, each side's goal, and the meaning of the signs on the board.
fn opening_text(session: &Session, view: &ScreenView) -> Text<'static> {
    let aims = Aims::new(session.rules().set());
    let players = session.players();
    let mut text = Text::from(title("Goal"));
    for (side, aim) in [(Side::Attackers, aims.attackers), (Side::Defenders, aims.defenders)] {
        let is_you = players.of(side).is_person() && !players.of(side.opponent()).is_person();
        let who = if is_you { format!("You are the {side}. ") } else { format!("The {side}: ") };
        text.push_line(who + &aim);
    }
    text.push_line("");
    text.push_line(title("Signs"));
    let plain = BoardStyle { colour: false, ..view.style };
    for sign in legend_text(session.rules(), plain).split("  ") {
        text.push_line(sign.to_owned());
    }
    text.push_line("");
    text.push_line("Moves stand here later.");
    text
}

fn evaluation_text(session: &Session, view: &ScreenView) -> Text<'static> {
    let mut text = Text::from(title("Evaluation"));
    let Some(value) = value(session, view) else {
        text.push_line("Tab switches the analysis on");
        return text;
    };
    text.push_line(chances_text(value.chances));
    let seen = view.shown.as_ref().filter(|seen| seen.node == session.current());
    text.push_line(match (seen, session.ending()) {
        (Some(seen), _) => {
            let more = if seen.done { "" } else { " …" };
            format!("{}, {} simulations{more}", seen.analysis.words, seen.analysis.simulations)
        }
        (None, Some(_)) => "the game is over".to_owned(),
        (None, None) => "from the computer's last search".to_owned(),
    });
    text
}

fn lines_text(session: &Session, view: &ScreenView) -> Text<'static> {
    let mut text = Text::from(title("Lines"));
    let Some(seen) = view.shown.as_ref().filter(|seen| seen.node == session.current()) else {
        return text;
    };
    let to_move = session.game().position().side_to_move();
    for line in seen.analysis.lines.iter().take(N_LINES) {
        let own = match to_move {
            Side::Attackers => line.chances.attackers,
            Side::Defenders => line.chances.defenders,
        };
        let worth = match line.proven.map(|proven| proven.winner) {
            Some(Some(winner)) if winner == to_move => " win".to_owned(),
            Some(Some(_)) => "loss".to_owned(),
            Some(None) => "draw".to_owned(),
            None => format!("{:>2.0} %", (100.0 * own).min(99.0)),
        };
        text.push_line(format!("{worth} {}", moves_of(line)));
    }
    text
}

/// The moves in pairs, scrolled so that the current one is visible.
fn draw_moves(frame: &mut Frame<'_>, area: Rect, session: &Session) {
    let line = session.tree().line(session.current());
    let here = line.iter().position(|id| *id == session.current()).unwrap_or(0);
    let moves: Vec<String> = line.iter().filter_map(|id| session.tree().mv(*id)).map(|mv| mv.to_string()).collect();
    let mut rows = vec![title("Moves")];
    for (pair, played) in moves.chunks(2).enumerate() {
        let cell = |index: usize| {
            let text = played.get(index).map_or("", String::as_str);
            if 2 * pair + index + 1 == here { format!("[{text}]") } else { format!(" {text} ") }
        };
        rows.push(Line::from(format!("{:>3}. {:<10} {}", pair + 1, cell(0), cell(1)).trim_end().to_owned()));
    }
    let present = 1 + here.saturating_sub(1) / 2;
    let scroll = (present + 2).saturating_sub(usize::from(area.height)).min(rows.len().saturating_sub(1));
    // The title does not scroll.
    rows.drain(1..=scroll.min(rows.len() - 1));
    frame.render_widget(Paragraph::new(rows), area);
}

fn notes(state: &State) -> Text<'static> {
    state.notes.iter().map(|note| Line::from(note.clone())).collect()
}

/// The first line of the screen: rules, ply, the side to move, and the waiting time.
pub fn draw_head(frame: &mut Frame<'_>, area: Rect, session: &Session, view: &ScreenView) {
    let position = session.game().position();
    let turn = match session.ending() {
        Some(_) => "the game is over".to_owned(),
        None => format!("{} to move", position.side_to_move()),
    };
    let waited = view.waited.map_or(String::new(), |seconds| format!(" · thinking, {seconds} s"));
    let who = if session.is_computers_turn() { " (computer)" } else { "" };
    let text =
        format!(" Tablut · {} rules · ply {} · {turn}{who}{waited}", session.rules().name(), session.game().ply());
    let text = if view.style.unicode { text } else { text.replace('·', "-") };
    frame.render_widget(Paragraph::new(text).style(Style::new().add_modifier(Modifier::REVERSED)), area);
}

pub fn draw_foot(frame: &mut Frame<'_>, message: Rect, input: Rect, view: &ScreenView) {
    frame.render_widget(Paragraph::new(view.message.clone()).wrap(Wrap { trim: true }), message);
    if view.typed.is_empty() {
        // The longest list of keys that fits.
        let keys = [
            "> Enter: select, letters: type a move, Tab: analysis, F1: help, Ctrl-C: leave",
            "> Enter: select, Tab: analysis, F1: help, Ctrl-C: leave",
            "> F1: help, Ctrl-C: leave",
        ];
        let fits = |text: &&&str| text.chars().count() <= usize::from(input.width);
        let keys = *keys.iter().find(fits).unwrap_or(&"> F1: help");
        frame.render_widget(Paragraph::new(keys).style(Style::new().add_modifier(Modifier::DIM)), input);
        return;
    }
    // Of a long line the end is shown.
    let room = usize::from(input.width.saturating_sub(3));
    let skipped = view.typed.chars().count().saturating_sub(room);
    let shown: String = view.typed.chars().skip(skipped).collect();
    let at = input.x + 2 + shown.chars().count() as u16;
    frame.render_widget(Paragraph::new(format!("> {shown}")), input);
    frame.set_cursor_position((at.min(input.right().saturating_sub(1)), input.y));
}

pub fn draw_page(frame: &mut Frame<'_>, area: Rect, page: &Page) {
    let widest = page.text.lines().map(|line| line.chars().count()).max().unwrap_or(0) as u16;
    let height = (page.text.lines().count() as u16).saturating_add(2).min(area.height);
    let place = middle(area, widest.saturating_add(4).max(30), height);
    let block = Block::bordered().title(format!(" {} ", page.title)).title_bottom(" ↑ ↓ scroll, Esc closes ");
    let text = Paragraph::new(page.text.clone()).block(block).wrap(Wrap { trim: false }).scroll((page.scroll, 0));
    frame.render_widget(Clear, place);
    frame.render_widget(text, place);
}

pub fn draw_choice(frame: &mut Frame<'_>, area: Rect, choice: &CaptureChoice) {
    let place = middle(area, 34, choice.moves.len() as u16 + 2);
    let line = |(index, mv): (usize, &tablut_rules::Move)| {
        let captured = mv.choice.map_or_else(|| "nothing".to_owned(), |square| square.to_string());
        let mark = if index == choice.at { ">" } else { " " };
        Line::from(format!("{mark} {mv}  captures {captured}"))
    };
    let lines: Text<'_> = choice.moves.iter().enumerate().map(line).collect();
    frame.render_widget(Clear, place);
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(" Which capture? ")), place);
}

fn middle(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height }
}
