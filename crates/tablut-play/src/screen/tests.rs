//! The screen, by keys and pictures.

use super::*;
use crate::host::Host;
use crate::opponents::WithoutNet;
use crate::people::People;
use crate::serve::workers::Told;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;
use tablut_rules::Rules;
use tablut_search::UniformEvaluator;
use tablut_session::{Lobby, OwnPlayer, Seat};

/// A game against the greedy player, and what is thought about it.
fn sitting(rules: &str, position: &str, people: People) -> (Sitting, Receiver<Told>) {
    let rules = Arc::new(Rules::named(rules).unwrap());
    let greedy = WithoutNet::new("greedy".parse().unwrap(), &rules).unwrap();
    let opponent = Seat::computer(greedy.name());
    let session = Session::from_position(rules, position.parse().unwrap(), people.seats(&opponent)).unwrap();
    let lobby = Lobby { nets: vec!["net".to_owned()], own: vec![Arc::new(greedy)], ..Lobby::default() };
    let (tell, told) = channel();
    let host = Host::new(session, lobby, Box::new(UniformEvaluator), 1, move |word| drop(tell.send(word))).unwrap();
    (Sitting::new(host, opponent, Some(20), PathBuf::from("nowhere"), "tablut play".to_owned()), told)
}

const START: &str = "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3 a";

impl Screen<'_> {
    fn key(&mut self, code: KeyCode) -> Option<Leave> {
        self.key_with(code, KeyModifiers::NONE)
    }

    fn key_with(&mut self, code: KeyCode, modifiers: KeyModifiers) -> Option<Leave> {
        let wish = press(&mut self.view, self.sitting.session(), KeyEvent::new(code, modifiers));
        self.grant(wish)
    }

    fn keys(&mut self, codes: &[KeyCode]) {
        for code in codes {
            assert_eq!(self.key(*code), None);
        }
    }

    fn line(&mut self, text: &str) -> Option<Leave> {
        text.chars().for_each(|letter| assert_eq!(self.key(KeyCode::Char(letter)), None));
        self.key(KeyCode::Enter)
    }

    fn hear(&mut self, told: &Receiver<Told>) {
        self.sitting.host.hear(told.recv().unwrap());
        self.take_news();
    }

    fn wait(&mut self, told: &Receiver<Told>) {
        while self.sitting.host.is_awaited() {
            self.hear(told);
        }
    }

    fn picture(&self, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, self.sitting.session(), &self.view)).unwrap();
        terminal.backend().to_string()
    }
}

fn screen(sitting: &mut Sitting) -> Screen<'_> {
    let style = Style { colour: true, unicode: true };
    let mut screen = Screen { sitting, view: ScreenView::new(style), waiting_since: None };
    screen.begin();
    screen
}

#[test]
fn the_board_is_drawn_in_windows_of_any_size() {
    let (mut sitting, _told) = sitting("kvasir", START, People::Attackers);
    let screen = screen(&mut sitting);
    for (width, height) in [(200, 60), (100, 40), (80, 24), (60, 20), (32, 14)] {
        let picture = screen.picture(width, height);
        let count = |sign: &str| picture.matches(sign).count();
        assert_eq!([count("●"), count("○"), count("◆")], [16, 8, 1], "{width} {height}:\n{picture}");
        assert!(picture.contains("attackers to move") || width < 50, "{picture}");
        // Signs, not colours alone, say where the cursor is.
        assert!(picture.contains(">◆<"), "{picture}");
        assert_eq!(picture.contains("Moves"), width >= 60, "{width} {height}:\n{picture}");
    }
    assert!(screen.picture(30, 10).contains("too small"));
}

#[test]
fn a_piece_is_picked_up_and_put_down_and_the_computer_answers() {
    let (mut sitting, told) = sitting("kvasir", START, People::Attackers);
    let mut screen = screen(&mut sitting);
    screen.key(KeyCode::Enter);
    assert!(screen.view.message.contains("not of the side to move"), "{}", screen.view.message);
    screen.keys(&[KeyCode::Left, KeyCode::Down, KeyCode::Down, KeyCode::Down, KeyCode::Down, KeyCode::Down]);
    assert_eq!(screen.view.cursor.to_string(), "d1");
    screen.key(KeyCode::Char(' '));
    let picture = screen.picture(80, 24);
    assert_eq!(picture.matches('•').count(), 6, "{picture}");
    assert!(picture.contains("<●>"), "{picture}");
    screen.keys(&[KeyCode::Right, KeyCode::Enter, KeyCode::Esc]);
    assert_eq!((screen.view.picked, screen.sitting.session().game().ply()), (None, 0));
    screen.keys(&[KeyCode::Left, KeyCode::Enter, KeyCode::Up, KeyCode::Up, KeyCode::Enter]);
    assert_eq!(screen.sitting.session().history(), ["d1-d3".parse().unwrap()]);
    screen.wait(&told);
    assert_eq!(screen.sitting.session().game().ply(), 2);
    let picture = screen.picture(80, 24);
    assert!(picture.contains("1.  d1-d3") && picture.contains("ply 2"), "{picture}");
    assert!(screen.view.message.ends_with("Attackers to move."), "{}", screen.view.message);
}

#[test]
fn moves_and_commands_are_typed() {
    let (mut sitting, told) = sitting("kvasir", START, People::Attackers);
    let mut screen = screen(&mut sitting);
    screen.line("d1-d9");
    assert!(screen.view.message.contains("d1-d9"), "{}", screen.view.message);
    screen.line("castle");
    assert!(screen.view.message.contains("neither a move"), "{}", screen.view.message);
    screen.keys(&[KeyCode::Char('d'), KeyCode::Char('9'), KeyCode::Backspace]);
    assert!(screen.picture(80, 24).contains("> d"));
    screen.line("1-d3");
    screen.wait(&told);
    assert_eq!(screen.sitting.session().game().ply(), 2);
    screen.line("level");
    assert!(screen.picture(100, 30).contains("Club") || screen.picture(100, 30).contains("club"));
    screen.key(KeyCode::Esc);
    screen.line("resign");
    assert!(screen.view.message.contains("the attackers have resigned"), "{}", screen.view.message);
    screen.line("undo");
    screen.line("undo");
    assert_eq!(screen.sitting.session().game().ply(), 0);
    screen.line("side defenders");
    screen.wait(&told);
    // The move that was taken back is not played differently; a new game begins with the computer's.
    screen.line("new");
    screen.wait(&told);
    assert_eq!(screen.sitting.session().game().ply(), 1);
    assert_eq!(screen.line("quit"), Some(Leave::Asked));
    assert_eq!(screen.key_with(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(Leave::Signal(130)));
}

#[test]
fn help_is_read_and_closed() {
    let (mut sitting, _told) = sitting("kvasir", START, People::Both);
    let mut screen = screen(&mut sitting);
    screen.key(KeyCode::Char('?'));
    let before = screen.picture(80, 24);
    assert!(before.contains("Help") && before.contains("move the cursor"), "{before}");
    screen.keys(&[KeyCode::PageDown, KeyCode::PageDown]);
    let after = screen.picture(80, 24);
    assert!(!after.contains("move the cursor") && after.contains("load FILE"), "{after}");
    screen.key(KeyCode::Esc);
    assert!(!screen.picture(80, 24).contains("load FILE"));
}

#[test]
fn a_choice_of_captures_is_offered() {
    let (mut sitting, _told) = sitting("imperial", "9/9/4K4/9/4t4/2tT1Tt2/9/9/9 a", People::Both);
    let mut screen = screen(&mut sitting);
    screen.keys(&[KeyCode::Enter, KeyCode::Down, KeyCode::Enter]);
    let picture = screen.picture(80, 24);
    assert!(picture.contains("captures d4") && picture.contains("captures f4"), "{picture}");
    screen.keys(&[KeyCode::Down, KeyCode::Enter]);
    let report = screen.sitting.session().node().report.clone().unwrap();
    assert_eq!(report.mv.to_string(), "e5-e4xf4");
    assert!(screen.view.message.contains("captures the defender on f4"), "{}", screen.view.message);
}

#[test]
fn an_analysis_fills_the_bar_and_the_lines() {
    let (mut sitting, told) = sitting("kvasir", "9/9/9/9/2K5t/9/9/9/4t3t d", People::Both);
    let mut screen = screen(&mut sitting);
    assert!(!screen.picture(80, 24).contains("Lines"));
    screen.key(KeyCode::Tab);
    while !screen.view.seen.as_ref().is_some_and(|seen| seen.done) {
        screen.hear(&told);
    }
    let picture = screen.picture(80, 24);
    assert!(picture.contains("the defenders win in 1") && picture.contains(" win c5-"), "{picture}");
    assert!(picture.contains("▒▒") && !picture.contains("██"), "{picture}");
    screen.key(KeyCode::Tab);
    assert!(!screen.picture(80, 24).contains("Lines"));
    screen.line("hint");
    screen.wait(&told);
    assert!(screen.view.message.starts_with("hint: c5-"), "{}", screen.view.message);
}

#[test]
fn earlier_positions_are_looked_at_without_being_played_again() {
    let (mut sitting, told) = sitting("kvasir", START, People::Attackers);
    let mut screen = screen(&mut sitting);
    screen.line("d1-d3");
    screen.wait(&told);
    let played = screen.sitting.session().history();
    screen.keys(&[KeyCode::PageUp]);
    assert_eq!((screen.sitting.session().game().ply(), screen.sitting.host.is_awaited()), (1, false));
    screen.keys(&[KeyCode::Home]);
    assert_eq!(screen.sitting.session().game().ply(), 0);
    screen.keys(&[KeyCode::PageUp]);
    assert!(screen.view.message.contains("no move to take back"), "{}", screen.view.message);
    screen.keys(&[KeyCode::End]);
    assert_eq!(screen.sitting.session().history(), played);
}
