//! Parses one line of the engine protocol.

use crate::wire::shortened;
use std::time::Duration;
use tablut_players::MAX_SIMULATIONS;
use tablut_rules::Side;

/// The command in a line.
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
    Go {
        nodes: Option<u32>,
        time: Option<Duration>,
    },
}

impl Command {
    /// Parses a line. The error names what was expected.
    pub(super) fn read(line: &str) -> Result<Self, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [] | ["ucinewgame"] => Ok(Self::Nothing),
            ["uci"] => Ok(Self::Uci),
            ["isready"] => Ok(Self::IsReady),
            ["stop"] => Ok(Self::Stop),
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
            _ => Err(format!("unknown command {:?}", shortened(line))),
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

fn go(limits: &[&str]) -> Result<Command, String> {
    let (mut nodes, mut time) = (None, None);
    for limit in limits.chunks(2) {
        match limit {
            ["nodes", n] => nodes = Some(simulations(n)?),
            ["movetime", ms] => {
                let ms = ms.parse().map_err(|_| format!("{ms:?} is no number of milliseconds"))?;
                // A time of zero becomes the smallest time.
                time = Some(Duration::from_millis(ms).max(Duration::from_millis(1)));
            }
            _ => return Err(format!("expected `nodes N` or `movetime MS` after `go`, found {:?}", limit.join(" "))),
        }
    }
    Ok(Command::Go { nodes, time })
}

#[cfg(test)]
mod tests {
    use super::Command;
    use std::time::Duration;

    #[test]
    fn lines_are_read() {
        assert_eq!(Command::read("  "), Ok(Command::Nothing));
        assert_eq!(
            Command::read("setoption name Rules value my rules.toml"),
            Ok(Command::Rules("my rules.toml".into()))
        );
        let time = Some(Duration::from_millis(200));
        assert_eq!(Command::read("go movetime 200 nodes 5"), Ok(Command::Go { nodes: Some(5), time }));
        let Ok(Command::Board { position, moves }) = Command::read("position board 9/9 a moves d1-d3 d3-d4") else {
            panic!("a position was given")
        };
        assert_eq!((position.as_str(), moves.len()), ("9/9 a", 2));
    }

    #[test]
    fn faults_show_what_was_found() {
        for (line, part) in [
            ("castle", "\"castle\""),
            ("go nodes", "found \"nodes\""),
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
