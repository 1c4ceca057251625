//! Parses one line of the engine protocol.

use crate::clock::{MOVES_TO_COME, SAFE, time_to_use};
use crate::wire::shorten;
use std::time::Duration;
use tablut_players::MAX_SIMULATIONS;
use tablut_rules::Side;

const LONGEST: Duration = Duration::from_hours(24);
const LIMITS: &str = "`nodes N`, `depth PLIES`, `movetime MS`, `atime MS`, `dtime MS`, `ainc MS`, `dinc MS`, `movestogo N`, \
                      `infinite` or `ponder`";

#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Command {
    /// An empty line, or one that needs no answer.
    Nothing,
    Uci,
    IsReady,
    Stop,
    Quit,
    Rules(String),
    Simulations(u32),
    Start {
        first: Option<Side>,
        moves: Vec<String>,
    },
    Board {
        position: String,
        moves: Vec<String>,
    },
    Go(Go),
    PonderHit,
}

/// The limits of a `go` command. The limit that is reached first counts.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Go {
    pub nodes: Option<u32>,
    /// The number of plies of the expected line.
    pub plies: Option<usize>,
    pub move_time: Option<Duration>,
    /// The remaining time of each side, by [`Side::index`].
    pub left: [Option<Duration>; 2],
    /// The time that each side gets with every move, by [`Side::index`].
    pub increment: [Duration; 2],
    /// The number of moves for which the remaining time must last.
    pub moves_left: Option<u32>,
    /// The best move is given after `stop` only.
    pub infinite: bool,
    /// The position contains a move that the opponent has not made yet. Time counts from `ponderhit` on.
    pub ponder: bool,
}

impl Go {
    /// The time for a move of `side`: `movetime`, or a share of the clock.
    pub(super) fn time(&self, side: Side) -> Option<Duration> {
        let clock = self.left[side.index()].map(|left| {
            let share = left / self.moves_left.unwrap_or(MOVES_TO_COME).max(1);
            time_to_use(share + self.increment[side.index()].mul_f64(SAFE), left)
        });
        [self.move_time, clock].into_iter().flatten().min()
    }
}

impl Command {
    pub(super) fn read(line: &str) -> Result<Self, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [] | ["ucinewgame"] => Ok(Self::Nothing),
            ["uci"] => Ok(Self::Uci),
            ["isready"] => Ok(Self::IsReady),
            ["stop"] => Ok(Self::Stop),
            ["ponderhit"] => Ok(Self::PonderHit),
            ["quit"] => Ok(Self::Quit),
            ["setoption", "name", name, "value", ref value @ ..] => option(name, &value.join(" ")),
            ["position", "startpos", ref rest @ ..] => {
                let (first, rest) = match rest {
                    ["attackers", rest @ ..] => (Some(Side::Attackers), rest),
                    ["defenders", rest @ ..] => (Some(Side::Defenders), rest),
                    rest => (None, rest),
                };
                Ok(Self::Start { first, moves: moves(rest)? })
            }
            ["position", "board", rows, side, ref rest @ ..] => {
                Ok(Self::Board { position: format!("{rows} {side}"), moves: moves(rest)? })
            }
            ["go", ref limits @ ..] => go(limits),
            _ => Err(format!("unknown command {:?}", shorten(line))),
        }
    }
}

fn option(name: &str, value: &str) -> Result<Command, String> {
    match name.to_ascii_lowercase().as_str() {
        "rules" => Ok(Command::Rules(value.to_owned())),
        "simulations" => Ok(Command::Simulations(simulations(value)?)),
        _ => Err(format!("unknown option {name:?}, expected Rules or Simulations")),
    }
}

fn simulations(text: &str) -> Result<u32, String> {
    let count = text.parse().ok().filter(|&n| n <= MAX_SIMULATIONS);
    count.ok_or_else(|| format!("{text:?} is no number of simulations from 0 to {MAX_SIMULATIONS}"))
}

fn moves(words: &[&str]) -> Result<Vec<String>, String> {
    match words {
        [] => Ok(Vec::new()),
        ["moves", moves @ ..] => Ok(moves.iter().map(|&mv| mv.to_owned()).collect()),
        [word, ..] => Err(format!("expected `moves` after the position, found {word:?}")),
    }
}

fn go(words: &[&str]) -> Result<Command, String> {
    let mut go = Go::default();
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        match word {
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            "nodes" => go.nodes = Some(simulations(number_of(word, words.next())?)?),
            "depth" => go.plies = Some(count(number_of(word, words.next())?)? as usize),
            "movestogo" => go.moves_left = Some(count(number_of(word, words.next())?)?),
            "movetime" => go.move_time = Some(millis(number_of(word, words.next())?)?),
            "atime" => go.left[Side::Attackers.index()] = Some(millis(number_of(word, words.next())?)?),
            "dtime" => go.left[Side::Defenders.index()] = Some(millis(number_of(word, words.next())?)?),
            "ainc" => go.increment[Side::Attackers.index()] = millis(number_of(word, words.next())?)?,
            "dinc" => go.increment[Side::Defenders.index()] = millis(number_of(word, words.next())?)?,
            _ => return Err(format!("expected {LIMITS} after `go`, found {word:?}")),
        }
    }
    Ok(Command::Go(go))
}

fn number_of<'a>(name: &str, word: Option<&&'a str>) -> Result<&'a str, String> {
    word.copied().ok_or_else(|| format!("expected a number after {name:?}, found the end of the line"))
}

fn count(text: &str) -> Result<u32, String> {
    let count = text.parse().ok().filter(|&n| n > 0);
    count.ok_or_else(|| format!("{text:?} is not a number from 1 to {}", u32::MAX))
}

/// A time in milliseconds. A negative time, which a clock may show, and zero become the smallest time.
fn millis(text: &str) -> Result<Duration, String> {
    let millis: i64 = text.parse().map_err(|_| format!("{text:?} is not a number of milliseconds"))?;
    Ok(Duration::from_millis(millis.max(1).unsigned_abs()).min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::{Command, Go};
    use std::time::Duration;
    use tablut_rules::Side;

    #[test]
    fn lines_are_read() {
        assert_eq!(Command::read("  "), Ok(Command::Nothing));
        assert_eq!(
            Command::read("setoption name Rules value my rules.toml"),
            Ok(Command::Rules("my rules.toml".into()))
        );
        let move_time = Some(Duration::from_millis(200));
        let go = Go { nodes: Some(5), move_time, ..Go::default() };
        assert_eq!(Command::read("go movetime 200 nodes 5"), Ok(Command::Go(go)));
        let Ok(Command::Board { position, moves }) = Command::read("position board 9/9 a moves d1-d3 d3-d4") else {
            panic!("a position was given")
        };
        assert_eq!((position.as_str(), moves.len()), ("9/9 a", 2));
    }

    #[test]
    fn a_move_takes_its_share_of_the_clock() {
        let time = |line: &str, side| {
            let Ok(Command::Go(go)) = Command::read(line) else { panic!("{line}") };
            go.time(side).map(|time| time.as_millis())
        };
        let line = "go atime 60000 dtime 3000 ainc 1000 dinc 0";
        assert_eq!([Side::Attackers, Side::Defenders].map(|side| time(line, side)), [Some(2800), Some(50)]);
        assert_eq!(time("go dtime 60000 movestogo 2", Side::Defenders), Some(29_900));
        // Some time is left for communication, whatever the increment is.
        assert_eq!(time("go atime 1000 ainc 10000", Side::Attackers), Some(800));
        assert_eq!(time("go atime -5", Side::Attackers), Some(1));
        assert_eq!(time("go atime 60000", Side::Defenders), None);
        assert_eq!(time("go atime 60000 movetime 30", Side::Attackers), Some(30));
    }

    #[test]
    fn faults_show_what_was_found() {
        for (line, part) in [
            ("castle", "\"castle\""),
            ("go nodes", "number after \"nodes\""),
            ("go depth 0", "\"0\""),
            ("go wtime 5", "found \"wtime\""),
            ("go atime soon", "\"soon\""),
            ("go nodes -4", "\"-4\""),
            ("go movetime soon", "\"soon\""),
            ("position startpos d1-d3", "found \"d1-d3\""),
            ("setoption name Hash value 5", "\"Hash\""),
            ("setoption name Simulations value 9999999999", "9999999999"),
        ] {
            let error = Command::read(line).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
