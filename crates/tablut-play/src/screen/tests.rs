//! The screen: its reaction to keys, and its text in a test terminal.

use super::*;
use crate::opponents::WithoutNet;
use crate::options::{HumanSides, Setup};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;
use tablut_rules::Rules;
use tablut_search::UniformEvaluator;
use tablut_session::{Controller, CustomPlayer, HostConfig, JobUpdate};

/// A game against the greedy player, and the updates of its jobs.
fn game(rules: &str, position: &str, people: HumanSides) -> (TerminalGame, Receiver<JobUpdate>) {
    let rules = Arc::new(Rules::named(rules).unwrap());
    let greedy = WithoutNet::new("greedy".parse().unwrap(), &rules).unwrap();
    let opponent = Controller::computer(greedy.name());
    let session = Session::from_position(rules, position.parse().unwrap(), people.players(&opponent)).unwrap();
    let nets = vec!["net".to_owned()];
    let config = HostConfig { nets, custom_players: vec![Arc::new(greedy)], ..HostConfig::default() };
    let evaluator = Box::new(UniformEvaluator);
    let (simulations, notes) = (Some(20), Vec::new());
    let setup = Setup { session, config, evaluator, opponent, simulations, notes, seed: 1 };
    let (sender, updates) = channel();
    let report = move |update| drop(sender.send(update));
    (TerminalGame::new(setup, PathBuf::from("nowhere"), "tablut play".to_owned(), report).unwrap(), updates)
}

const START: &str = "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3 a";

impl Screen<'_> {
    fn key(&mut self, code: KeyCode) -> Option<Exit> {
        self.key_with(code, KeyModifiers::NONE)
    }

    fn key_with(&mut self, code: KeyCode, modifiers: KeyModifiers) -> Option<Exit> {
        let action = press(&mut self.view, self.game.session(), KeyEvent::new(code, modifiers));
        self.act(action)
    }

    fn keys(&mut self, codes: &[KeyCode]) {
        for code in codes {
            assert_eq!(self.key(*code), None);
        }
    }

    fn line(&mut self, text: &str) -> Option<Exit> {
        text.chars().for_each(|letter| assert_eq!(self.key(KeyCode::Char(letter)), None));
        self.key(KeyCode::Enter)
    }

    fn update(&mut self, updates: &Receiver<JobUpdate>) {
        self.game.update(updates.recv().unwrap());
        self.show_events();
    }

    fn wait(&mut self, updates: &Receiver<JobUpdate>) {
        while self.game.is_awaited() {
            self.update(updates);
        }
    }

    fn picture(&self, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, self.game.session(), &self.view)).unwrap();
        terminal.backend().to_string()
    }
}

fn screen(game: &mut TerminalGame) -> Screen<'_> {
    Screen::new(game, Style { colour: true, unicode: true })
}

#[test]
fn the_board_is_drawn_in_windows_of_any_size() {
    let (mut game, _updates) = game("kvasir", START, HumanSides::Attackers);
    let screen = screen(&mut game);
    for (width, height) in [(200, 60), (100, 40), (80, 24), (60, 20), (32, 14)] {
        let picture = screen.picture(width, height);
        let count = |sign: &str| picture.matches(sign).count();
        // The legend shows each sign once more.
        let legend = usize::from(width >= 60);
        let expected = [16, 8, 1].map(|pieces| pieces + legend);
        assert_eq!([count("●"), count("○"), count("◆")], expected, "{width} {height}:\n{picture}");
        assert!(picture.contains("attackers to move") || width < 50, "{picture}");
        // Signs mark the cursor in addition to colours.
        assert!(picture.contains(">◆<"), "{picture}");
        // Before the first move the goal and the signs are next to the board, and the list of keys is never cut.
        let is_wide = width >= 60;
        assert_eq!(picture.contains("Goal") && picture.contains("Signs"), is_wide, "{width} {height}:\n{picture}");
        assert_eq!(picture.contains("You are the attackers."), is_wide, "{width} {height}:\n{picture}");
        assert!(picture.contains("F1: help, Ctrl-C: leave"), "{picture}");
    }
    assert!(screen.picture(30, 10).contains("too small"));
}

#[test]
fn a_piece_is_selected_and_moved_and_the_computer_answers() {
    let (mut game, updates) = game("kvasir", START, HumanSides::Attackers);
    let mut screen = screen(&mut game);
    screen.key(KeyCode::Enter);
    assert!(screen.view.message.contains("does not belong to the side to move"), "{}", screen.view.message);
    screen.keys(&[KeyCode::Left, KeyCode::Down, KeyCode::Down, KeyCode::Down, KeyCode::Down, KeyCode::Down]);
    assert_eq!(screen.view.cursor.to_string(), "d1");
    screen.key(KeyCode::Char(' '));
    let picture = screen.picture(80, 24);
    assert_eq!(picture.matches('•').count(), 6, "{picture}");
    assert!(picture.contains("<●>"), "{picture}");
    screen.keys(&[KeyCode::Right, KeyCode::Enter, KeyCode::Esc]);
    assert_eq!((screen.view.selected, screen.game.session().game().ply()), (None, 0));
    screen.keys(&[KeyCode::Left, KeyCode::Enter, KeyCode::Up, KeyCode::Up, KeyCode::Enter]);
    assert_eq!(screen.game.session().history(), ["d1-d3".parse().unwrap()]);
    screen.wait(&updates);
    assert_eq!(screen.game.session().game().ply(), 2);
    let picture = screen.picture(80, 24);
    assert!(picture.contains("1.  d1-d3") && picture.contains("ply 2"), "{picture}");
    assert!(screen.view.message.ends_with("Attackers to move."), "{}", screen.view.message);
}

#[test]
fn the_cursor_stays_on_boards_of_all_sizes() {
    let eleven = "3ttttt3/5t5/11/t4T4t/t3TTT3t/tt1TTKTT1tt/t3TTT3t/t4T4t/11/5t5/3ttttt3 a";
    for (rules, position, last) in
        [("brandubh", "3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 a", "g7"), ("copenhagen", eleven, "k11")]
    {
        let (mut game, updates) = game(rules, position, HumanSides::Attackers);
        let mut screen = screen(&mut game);
        let picture = screen.picture(80, 24);
        assert!(picture.contains(">◆<"), "{picture}");
        screen.keys(&[KeyCode::Right, KeyCode::Up].repeat(11));
        assert_eq!(screen.view.cursor.to_string(), last);
        screen.line("d1-b1");
        screen.wait(&updates);
        assert_eq!(screen.game.session().game().ply(), 2, "{}", screen.view.message);
    }
}

#[test]
fn moves_and_commands_are_typed() {
    let (mut game, updates) = game("kvasir", START, HumanSides::Attackers);
    let mut screen = screen(&mut game);
    screen.line("d1-d9");
    assert!(screen.view.message.contains("d1-d9"), "{}", screen.view.message);
    screen.line("castle");
    assert!(screen.view.message.contains("neither a move"), "{}", screen.view.message);
    screen.keys(&[KeyCode::Char('d'), KeyCode::Char('9'), KeyCode::Backspace]);
    assert!(screen.picture(80, 24).contains("> d"));
    screen.line("1-d3");
    screen.wait(&updates);
    assert_eq!(screen.game.session().game().ply(), 2);
    screen.line("level");
    assert!(screen.picture(100, 30).contains("Club") || screen.picture(100, 30).contains("club"));
    screen.key(KeyCode::Esc);
    screen.line("resign");
    assert!(screen.view.message.contains("the attackers have resigned"), "{}", screen.view.message);
    screen.line("undo");
    screen.line("undo");
    assert_eq!(screen.game.session().game().ply(), 0);
    screen.line("side defenders");
    screen.wait(&updates);
    // The computer does not replace a move that was taken back. A new game begins with its move.
    screen.line("new");
    screen.wait(&updates);
    assert_eq!(screen.game.session().game().ply(), 1);
    assert_eq!(screen.line("quit"), Some(Exit::Asked));
    assert_eq!(screen.key_with(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(Exit::Signal(130)));
}

#[test]
fn help_is_read_and_closed() {
    let (mut game, _updates) = game("kvasir", START, HumanSides::Both);
    let mut screen = screen(&mut game);
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
    let (mut game, _updates) = game("imperial", "9/9/4K4/9/4t4/2tT1Tt2/9/9/9 a", HumanSides::Both);
    let mut screen = screen(&mut game);
    screen.keys(&[KeyCode::Enter, KeyCode::Down, KeyCode::Enter]);
    let picture = screen.picture(80, 24);
    assert!(picture.contains("captures d4") && picture.contains("captures f4"), "{picture}");
    screen.keys(&[KeyCode::Down, KeyCode::Enter]);
    let report = screen.game.session().node().report.clone().unwrap();
    assert_eq!(report.mv.to_string(), "e5-e4xf4");
    assert!(screen.view.message.contains("captures the defender on f4"), "{}", screen.view.message);
}

#[test]
fn an_analysis_fills_the_bar_and_the_lines() {
    let (mut game, updates) = game("kvasir", "9/9/9/9/2K5t/9/9/9/4t3t d", HumanSides::Both);
    let mut screen = screen(&mut game);
    assert!(!screen.picture(80, 24).contains("Lines"));
    screen.key(KeyCode::Tab);
    while !screen.view.shown.as_ref().is_some_and(|seen| seen.done) {
        screen.update(&updates);
    }
    let picture = screen.picture(80, 24);
    assert!(picture.contains("the defenders win in 1") && picture.contains(" win c5-"), "{picture}");
    assert!(picture.contains("▒▒") && !picture.contains("██"), "{picture}");
    screen.key(KeyCode::Tab);
    assert!(!screen.picture(80, 24).contains("Lines"));
    screen.line("hint");
    screen.wait(&updates);
    assert!(screen.view.message.starts_with("hint: c5-"), "{}", screen.view.message);
}

#[test]
fn earlier_positions_are_looked_at_without_being_played_again() {
    let (mut game, updates) = game("kvasir", START, HumanSides::Attackers);
    let mut screen = screen(&mut game);
    screen.line("d1-d3");
    screen.wait(&updates);
    let played = screen.game.session().history();
    screen.keys(&[KeyCode::PageUp]);
    assert_eq!((screen.game.session().game().ply(), screen.game.is_awaited()), (1, false));
    screen.keys(&[KeyCode::Home]);
    assert_eq!(screen.game.session().game().ply(), 0);
    screen.keys(&[KeyCode::PageUp]);
    assert!(screen.view.message.contains("no move to take back"), "{}", screen.view.message);
    screen.keys(&[KeyCode::End]);
    assert_eq!(screen.game.session().history(), played);
}
