//! Parses one line of OpenTafl's engine protocol.

use super::clock::Clock;
use crate::wire::shorten;
use tablut_rules::{MoveText, Position, Side};

const MAX_SECONDS: u32 = 86_400;

#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Command {
    /// A line that needs no answer.
    Nothing,
    /// A line of rules. A game starts.
    Rules(String),
    /// A board. The side to move of this position has no meaning.
    Position(Position),
    Side(Side),
    Clock(Clock),
    Analyze {
        n_moves: usize,
        seconds: u32,
    },
    Play(Side),
    /// The last move that was sent has been made, and this is the board.
    Moved(Position),
    /// The last move that was sent has not been made.
    Error(i32),
    OpponentMove {
        moves: Vec<MoveText>,
        position: Position,
    },
    Finish,
    Goodbye,
}

impl Command {
    pub(super) fn read(line: &str) -> Result<Self, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            // `dump` asks OpenTafl's own engine for details of its evaluation.
            [] | ["hello" | "dump", ..] => Ok(Self::Nothing),
            ["rules", ref words @ ..] => Ok(Self::Rules(words.join(" "))),
            ["position", board] => Ok(Self::Position(position(board)?)),
            ["side", name] => Ok(Self::Side(side(name)?)),
            ["clock", ref words @ ..] => Ok(Self::Clock(Clock::read(words)?)),
            ["analyze", n_moves, seconds] => analyze(n_moves, seconds),
            ["play", name] => Ok(Self::Play(side(name)?)),
            ["move", board] => Ok(Self::Moved(position(board)?)),
            ["error", code, ..] => {
                code.parse().map(Self::Error).map_err(|_| format!("error {}: expected a number", shorten(code)))
            }
            ["opponent-move", moves, board] => {
                let read = |text: &str| text.parse::<MoveText>().map_err(|error| error.to_string());
                let moves = moves.split('|').map(read).collect::<Result<_, _>>()?;
                Ok(Self::OpponentMove { moves, position: position(board)? })
            }
            ["finish", ..] => Ok(Self::Finish),
            ["goodbye", ..] => Ok(Self::Goodbye),
            [command, ..] => Err(match usage(command) {
                Some(usage) => format!("{}: expected `{usage}`", shorten(line)),
                None => format!("{}: unknown command", shorten(command)),
            }),
        }
    }
}

fn usage(command: &str) -> Option<&'static str> {
    match command {
        "position" => Some("position BOARD"),
        "side" => Some("side attackers|defenders"),
        "analyze" => Some("analyze MOVES SECONDS"),
        "play" => Some("play attackers|defenders"),
        "move" => Some("move BOARD"),
        "error" => Some("error CODE"),
        "opponent-move" => Some("opponent-move MOVES BOARD"),
        _ => None,
    }
}

fn position(text: &str) -> Result<Position, String> {
    if !text.starts_with('/') {
        return Err(format!("{}: expected rows between slashes", shorten(text)));
    }
    Position::read(text, Some(Side::Attackers)).map_err(|error| error.to_string())
}

fn side(name: &str) -> Result<Side, String> {
    name.parse().map_err(|_| format!("{}: expected attackers or defenders", shorten(name)))
}

fn analyze(n_moves: &str, seconds: &str) -> Result<Command, String> {
    let n_moves = n_moves.parse().map_err(|_| format!("analyze {}: expected a number of moves", shorten(n_moves)))?;
    let seconds = seconds
        .parse()
        .ok()
        .filter(|secs| (1..=MAX_SECONDS).contains(secs))
        .ok_or_else(|| format!("analyze … {}: expected whole seconds from 1 to {MAX_SECONDS}", shorten(seconds)))?;
    Ok(Command::Analyze { n_moves, seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: &str = "/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/";

    #[test]
    fn lines_are_read() {
        let read = |line: &str| Command::read(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(read(" "), Command::Nothing);
        assert_eq!(read("dump 3"), Command::Nothing);
        assert_eq!(read("rules dim:9  esc:e"), Command::Rules("dim:9 esc:e".to_owned()));
        assert_eq!(read("play defenders"), Command::Play(Side::Defenders));
        assert_eq!(read("analyze 5 30"), Command::Analyze { n_moves: 5, seconds: 30 });
        assert_eq!(read("error 2"), Command::Error(2));
        assert_eq!(read("finish 0"), Command::Finish);
        let start = Position::start(Side::Attackers);
        assert_eq!(read(&format!("move {BOARD}")), Command::Moved(start));
        let Command::OpponentMove { moves, position } = read(&format!("opponent-move d1-d3|Ke5-e6xd6/f6 {BOARD}"))
        else {
            panic!("expected a move")
        };
        assert_eq!((moves.len(), position), (2, start));
    }

    #[test]
    fn faults_show_what_was_found() {
        for (line, part) in [
            ("castle", "castle: unknown command"),
            ("play", "expected `play attackers|defenders`"),
            ("play white", "white: expected attackers or defenders"),
            ("position 9/9/9", "expected rows between slashes"),
            ("position /9/9/", "rows"),
            ("analyze 5", "expected `analyze MOVES SECONDS`"),
            ("analyze x 5", "expected a number of moves"),
            ("analyze 5 0", "expected whole seconds"),
            ("opponent-move d1-d3", "expected `opponent-move MOVES BOARD`"),
            ("opponent-move d1^d3 /9/", "d1^d3"),
            ("clock 1 2", "expected `clock"),
            ("error x", "expected a number"),
        ] {
            let error = Command::read(line).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
