//! The second generator's games. The whole history is a list of boards, searched again at every ply.

use crate::board::Board;
use crate::slow::{self, Name, Step};

/// Winner (`a`, `d`, or `-` for a draw) and the reason in the commands' words.
pub type Ending = (char, &'static str);

pub struct SlowGame {
    pub name: Name,
    pub boards: Vec<Board>,
    pub quiet: Vec<bool>,
    pub ending: Option<Ending>,
}

fn other(side: char) -> char {
    if side == 'a' { 'd' } else { 'a' }
}

/// The end of a game by its position.
fn decided(name: Name, board: &Board) -> Ending {
    match board.find_king() {
        None => ('a', "king-captured"),
        Some(king) if slow::is_escape(name, king) => ('d', "king-escaped"),
        Some(_) if slow::enclosed(name, board) == 'a' => ('a', "encirclement"),
        Some(_) => ('d', "exit-fort"),
    }
}

impl SlowGame {
    pub fn new(name: Name, board: &Board) -> SlowGame {
        let mut game = SlowGame { name, boards: vec![*board], quiet: Vec::new(), ending: None };
        if slow::is_over(name, board) {
            game.ending = Some(decided(name, board));
        } else if slow::legal(name, board).is_empty() {
            game.ending = Some((other(board.turn), "no-moves"));
        }
        game
    }

    pub fn board(&self) -> &Board {
        self.boards.last().expect("a start")
    }

    /// Indices of the earlier boards that equal the current one and count under the rule set.
    pub fn earlier(&self) -> Vec<usize> {
        let last = self.boards.len() - 1;
        // AS10: the start position is not in the list.
        let first = usize::from(self.name == Name::Ashton);
        (first..last).filter(|&i| self.boards[i] == self.boards[last]).collect()
    }

    pub fn plies_since_capture(&self) -> u32 {
        self.quiet.iter().rev().take_while(|&&quiet| quiet).count() as u32
    }

    /// Plays a legal move and checks in the order of C12.
    pub fn play(&mut self, step: Step) {
        let (after, captured, winner) = slow::play(self.name, self.board(), step);
        self.boards.push(after);
        self.quiet.push(captured.is_empty());
        self.ending = if winner == '-' { self.history_ending() } else { Some(decided(self.name, &after)) };
    }

    fn history_ending(&self) -> Option<Ending> {
        let board = self.board();
        let seen = self.earlier();
        let mover = other(board.turn);
        if self.name == Name::Ashton {
            if !seen.is_empty() {
                return Some(('-', "repetition")); // AS10
            }
        } else if seen.len() == 2 {
            return Some(match self.name {
                Name::Tartu => (other(mover), "repetition"), // TA7
                Name::Kvasir => self.aggressor(seen[1], mover),
                Name::Copenhagen => ('a', "repetition"), // CO9
                _ => ('-', "repetition"),                // C9
            });
        }
        if self.name == Name::Tartu && self.plies_since_capture() == 200 {
            return Some(('-', "no-captures")); // TA7
        }
        if slow::legal(self.name, board).is_empty() {
            return Some((mover, "no-moves")); // C8
        }
        if self.name == Name::Tartu && self.quiet.len() == 512 {
            return Some(('-', "ply-limit")); // TA7
        }
        None
    }

    /// KV9, for the boards from the second occurrence up to, but not including, the third.
    fn aggressor(&self, second: usize, mover: char) -> Ending {
        let mut had_choice = [false; 2];
        for board in &self.boards[second..self.boards.len() - 1] {
            let compelled = slow::wins_at_once(self.name, board, other(board.turn));
            if !compelled {
                had_choice[usize::from(board.turn == 'd')] = true;
            }
        }
        match had_choice {
            [false, false] => ('-', "repetition"),
            [true, false] => ('d', "aggressor"),
            [false, true] => ('a', "aggressor"),
            [true, true] => (other(mover), "aggressor"),
        }
    }
}
