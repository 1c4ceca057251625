//! OpenTafl's own rules engine, called through `experiments/opentafl/java/Oracle.java`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use tablut_rules::{Bitboard, Move, Position, Side, Square};

/// Whether and how a game has ended.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum End {
    /// The game is not over.
    None,
    Draw,
    Win(Side),
}

/// OpenTafl's result of a move.
pub struct Answer {
    pub end: End,
    /// The squares of the captured pieces.
    pub captured: Bitboard,
    /// The board after the move.
    pub position: Position,
}

/// The running program.
pub struct Oracle {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Oracle {
    /// Starts the program.
    pub fn start(command: &str) -> Result<Oracle, String> {
        let mut child = Command::new(command);
        child.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = child.spawn().map_err(|error| format!("cannot start {command}: {error}"))?;
        match (process.stdin.take(), process.stdout.take()) {
            (Some(input), Some(output)) => Ok(Oracle { process, input, output: BufReader::new(output) }),
            _ => Err(format!("{command} has no standard input and output")),
        }
    }

    /// Sends a command and returns its answer. A failure is an error.
    fn ask(&mut self, command: &str) -> Result<String, String> {
        let mut answer = String::new();
        let asked = writeln!(self.input, "{command}").and_then(|()| self.output.read_line(&mut answer));
        match (asked, answer.trim_end()) {
            (Err(error), _) => Err(format!("{command}: {error}")),
            (Ok(0), _) => Err(format!("{command}: the program ended")),
            (Ok(_), answer) if answer.starts_with("fail") => Err(format!("{command}: {answer}")),
            (Ok(_), answer) => Ok(answer.to_owned()),
        }
    }

    /// Starts a new game with `rules LINE` or `variant N`. Returns the line of rules as OpenTafl writes it.
    pub fn begin(&mut self, rules: &str) -> Result<String, String> {
        let answer = self.ask(rules)?;
        answer.strip_prefix("ok ").map(str::to_owned).ok_or(answer)
    }

    /// Starts a new game from a position.
    pub fn set_up(&mut self, position: &Position) -> Result<(), String> {
        self.ask(&format!("setup {} {}", position.to_opentafl(), position.side_to_move())).map(|_| ())
    }

    /// The legal moves, in order.
    pub fn moves(&mut self) -> Result<Vec<Move>, String> {
        let answer = self.ask("moves")?;
        let moves: Result<Vec<Move>, _> = answer.split_whitespace().map(str::parse).collect();
        let mut moves = moves.map_err(|error| error.to_string())?;
        moves.sort_unstable();
        Ok(moves)
    }

    /// Plays a move of `mover`. Returns `None` if OpenTafl refuses it as illegal.
    pub fn play(&mut self, mover: Side, mv: Move) -> Result<Option<Answer>, String> {
        let answer = self.ask(&format!("play {mv}"))?;
        let words: Vec<&str> = answer.split(' ').collect();
        let &[result, captured, board] = &words[..] else { return Err(answer) };
        let end = match result {
            "good" => End::None,
            "draw" => End::Draw,
            "illegal" => return Ok(None),
            winner => End::Win(winner.parse().map_err(|error: tablut_rules::SideError| error.to_string())?),
        };
        let squares = captured.split('/').filter(|square| *square != "-");
        let captured: Result<Vec<Square>, _> = squares.map(str::parse).collect();
        let captured = captured.map_err(|error| error.to_string())?.into_iter().collect();
        let position = Position::read(board, Some(mover.opponent())).map_err(|error| error.to_string())?;
        Ok(Some(Answer { end, captured, position }))
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // The process ends after `quit`. If it has already ended, there is nothing to do.
        let _ = writeln!(self.input, "quit");
        let _ = self.process.wait();
    }
}
