//! Parses the lines that a player types.

use crate::options::HumanSides;
use clap::ValueEnum;
use std::path::PathBuf;
use tablut_rules::{Move, MoveText, Square};
use tablut_session::Level;
use tablut_session::words::shorten;

/// A line from the player: an empty line, a move, or a command of [`HELP`].
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    Empty,
    Move(Move),
    Moves(Option<Square>),
    Undo,
    Redo,
    Hint,
    Threat,
    Eval,
    Go,
    Board,
    Rules,
    Position,
    History,
    New,
    Resign,
    Level(Option<&'static Level>),
    Side(HumanSides),
    Save { path: PathBuf, force: bool },
    Load(PathBuf),
    Help,
    Quit,
}

pub const HELP: &str = "\
d1-d3          move the piece on d1 to d3
d1-d3xd4       the same, and capture d4 if the rules let you choose
moves          all legal moves; `moves d1` shows those of the piece on d1
undo           take back your last move and the computer's reply
redo           repeat the moves that were taken back
hint           the best move that a search finds
threat         the opponent's best move if it were its turn
eval           the computer's evaluation of the position
go             let the computer move for you
board          show the board
rules          the rules of this game
position       the position as text, for other commands
history        the moves so far
level          the levels of play; `level club` changes the level
side both      the sides you play: attackers, defenders, both or neither
new            begin another game
resign         resign the game
save FILE      write the game to a file; .otg, .txt and .svg are other
               formats; `save FILE --force` replaces an existing file
load FILE      continue a game from a file
quit           leave the game
";

impl std::str::FromStr for Input {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let wrong = |command: &str, expected: &str| format!("`{command}` {expected}, found {:?}", shorten(rest));
        let plain =
            |input: Self, command| if rest.is_empty() { Ok(input) } else { Err(wrong(command, "takes no argument")) };
        match word.to_ascii_lowercase().as_str() {
            "" => Ok(Self::Empty),
            "undo" | "u" => plain(Self::Undo, "undo"),
            "redo" => plain(Self::Redo, "redo"),
            "hint" => plain(Self::Hint, "hint"),
            "threat" => plain(Self::Threat, "threat"),
            "eval" | "e" => plain(Self::Eval, "eval"),
            "go" => plain(Self::Go, "go"),
            "board" | "b" => plain(Self::Board, "board"),
            "rules" => plain(Self::Rules, "rules"),
            "position" => plain(Self::Position, "position"),
            "history" => plain(Self::History, "history"),
            "help" | "h" | "?" => plain(Self::Help, "help"),
            "quit" | "q" | "exit" => plain(Self::Quit, "quit"),
            "moves" | "m" if rest.is_empty() => Ok(Self::Moves(None)),
            "moves" | "m" => match rest.to_ascii_lowercase().parse() {
                Ok(square) => Ok(Self::Moves(Some(square))),
                Err(_) => Err(wrong("moves", "expects a square such as d1")),
            },
            "new" => plain(Self::New, "new"),
            "resign" => plain(Self::Resign, "resign"),
            "level" | "levels" if rest.is_empty() => Ok(Self::Level(None)),
            "level" => match Level::named(&rest.to_ascii_lowercase()) {
                Some(level) => Ok(Self::Level(Some(level))),
                None => Err(format!("no level {:?}, expected one of {}", shorten(rest), Level::names())),
            },
            "side" => HumanSides::from_str(rest, true)
                .map(Self::Side)
                .map_err(|_| wrong("side", "expects attackers, defenders, both or neither")),
            "save" | "load" if rest.is_empty() => {
                let command = if word.eq_ignore_ascii_case("save") { "save" } else { "load" };
                Err(wrong(command, "expects a file name"))
            }
            "load" => Ok(Self::Load(rest.into())),
            "save" => Ok(match rest.strip_suffix(" --force") {
                Some(path) => Self::Save { path: path.trim().into(), force: true },
                None => Self::Save { path: rest.into(), force: false },
            }),
            _ => read_move(line),
        }
    }
}

fn read_move(line: &str) -> Result<Input, String> {
    let begins_like_a_move = line.chars().nth(1).is_some_and(|c| c.is_ascii_digit());
    match line.parse::<MoveText>().map(|text| Move { choice: text.captured.first(), ..Move::new(text.from, text.to) }) {
        Ok(mv) => Ok(Input::Move(mv)),
        Err(error) if begins_like_a_move => Err(error.to_string()),
        Err(_) => {
            Err(format!("{:?} is neither a move such as d1-d3 nor a command; `help` lists the commands", shorten(line)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{HELP, Input};
    use crate::options::HumanSides;
    use tablut_session::Level;

    #[test]
    fn moves_and_commands_are_read_in_any_case() {
        for text in ["D1-d3", "d1d3", "D1 D3", "d1 - d3"] {
            assert_eq!(text.parse(), Ok(Input::Move("d1-d3".parse().unwrap())), "{text}");
        }
        assert_eq!(" d1-d3xd4 ".parse(), Ok(Input::Move("d1-d3xd4".parse().unwrap())));
        assert_eq!("moves D1".parse(), Ok(Input::Moves(Some("d1".parse().unwrap()))));
        assert_eq!("UNDO".parse(), Ok(Input::Undo));
        assert_eq!("".parse(), Ok(Input::Empty));
        let save = |path: &str, force| Ok(Input::Save { path: path.into(), force });
        assert_eq!("save my game.json".parse(), save("my game.json", false));
        assert_eq!("save my game.json --force".parse(), save("my game.json", true));
        assert_eq!("Level Club".parse(), Ok(Input::Level(Level::named("club"))));
        assert_eq!("side Both".parse(), Ok(Input::Side(HumanSides::Both)));
    }

    #[test]
    fn every_command_of_the_help_is_known() {
        for line in HELP.lines().filter(|line| !line.starts_with(' ')) {
            let text = line.split("  ").next().unwrap();
            assert!(text.parse::<Input>().is_ok(), "{text:?}");
        }
    }

    #[test]
    fn what_is_not_understood_is_shown() {
        for (line, part) in [
            ("d1-e2", "\"d1-e2\" is no move"),
            ("d1d", "\"d1d\" is no move"),
            ("castle", "\"castle\" is neither"),
            ("moves z9", "expects a square such as d1, found \"z9\""),
            ("save", "expects a file name"),
            ("load", "expects a file name"),
            ("level chess", "no level \"chess\", expected one of newcomer"),
            ("side white", "expects attackers, defenders, both or neither, found \"white\""),
            ("undo 3", "takes no argument, found \"3\""),
        ] {
            let error = line.parse::<Input>().unwrap_err();
            assert!(error.contains(part), "{line:?}: {error}");
        }
        let long = "x".repeat(10_000);
        assert!(long.parse::<Input>().unwrap_err().starts_with(&format!("\"{}\" is neither", "x".repeat(40))));
    }
}
