//! Players as text, as in commands: `greedy`, `alphabeta:4`, `net:FILE@64`.

mod search_options;

pub use search_options::{OPTION_FORMS, OptionError, SearchOptions};

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;
use tablut_rules::shown;
use tablut_search::Limit;

/// The forms that [`PlayerSpec::from_str`] reads, for help texts and messages.
pub const PLAYER_FORMS: &str = "random, greedy, alphabeta:DEPTH, alphabeta:200ms, rollouts:N, \
     net:FILE@SIMULATIONS[,OPTION…], net:FILE@200ms[,OPTION…], policy:FILE, engine:COMMAND[@LIMIT], \
     opentafl:COMMAND[@5s] or challenge:COMMAND[@60s]";

/// The largest accepted depth. Deeper searches would take far too long.
pub const MAX_DEPTH: u32 = 64;
/// The largest number of simulations or playouts per move.
pub const MAX_SIMULATIONS: u32 = 1_000_000;

const CHALLENGE_SECONDS: u32 = 60;
const OPENTAFL_SECONDS: u32 = 5;

/// The limit of an alpha-beta search.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub enum SearchLimit {
    /// A depth in plies, 1 to [`MAX_DEPTH`].
    Depth(u32),
    /// A time per move, with iterative deepening.
    Time(Duration),
}

impl fmt::Display for SearchLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Depth(depth) => write!(f, "{depth}"),
            Self::Time(time) if time.subsec_millis() == 0 => write!(f, "{}s", time.as_secs()),
            Self::Time(time) => write!(f, "{}ms", time.as_millis()),
        }
    }
}

/// A player as on a command line. [`fmt::Display`] writes the text in its canonical form. Limits and times are per
/// move. Commands are split into words as by a shell.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names say what the other fields are")]
pub enum PlayerSpec {
    /// Any legal move, all equally likely.
    Random,
    /// A move that wins at once if there is one, otherwise a capture if there is one, otherwise any move.
    Greedy,
    /// Alpha-beta search with a hand-written evaluation.
    AlphaBeta(SearchLimit),
    /// Plain Monte-Carlo tree search with random playouts.
    Rollouts { playouts: u32 },
    /// A net with search.
    Net { file: PathBuf, limit: Limit, options: SearchOptions },
    /// The move with the highest policy of a net, without search.
    Policy { file: PathBuf },
    /// A program that uses tablut's engine protocol on its standard input and output. Without a limit it decides when to
    /// move.
    Engine { command: String, limit: Option<Limit> },
    /// An engine for OpenTafl.
    OpenTafl { command: String, seconds: u32 },
    /// A client for the Tablut Challenge.
    Challenge { command: String, seconds: u32 },
}

/// The text does not name a player. The error shows the text and what was expected.
#[derive(Debug, thiserror::Error, Eq, PartialEq)]
#[error("{0}")]
pub struct PlayerSpecError(String);

impl PlayerSpecError {
    pub(crate) fn new(text: &str, reason: impl fmt::Display) -> Self {
        Self(format!("cannot read player \"{}\": {reason}", shown(text)))
    }
}

impl PlayerSpec {
    /// The model file that the player needs, if it is a net.
    pub fn model_file(&self) -> Option<&std::path::Path> {
        match self {
            Self::Net { file, .. } | Self::Policy { file } => Some(file),
            _ => None,
        }
    }

    /// Whether the same seed always gives the same moves. It is false for players that use a clock.
    pub fn is_reproducible(&self) -> bool {
        match self {
            Self::AlphaBeta(limit) => !matches!(limit, SearchLimit::Time(_)),
            Self::Net { limit, .. } => limit.is_reproducible(),
            Self::Engine { .. } | Self::OpenTafl { .. } | Self::Challenge { .. } => false,
            Self::Random | Self::Greedy | Self::Rollouts { .. } | Self::Policy { .. } => true,
        }
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => write!(f, "random"),
            Self::Greedy => write!(f, "greedy"),
            Self::AlphaBeta(limit) => write!(f, "alphabeta:{limit}"),
            Self::Rollouts { playouts } => write!(f, "rollouts:{playouts}"),
            Self::Net { file, limit, options } => write!(f, "net:{}@{limit}{options}", file.display()),
            Self::Policy { file } => write!(f, "policy:{}", file.display()),
            Self::Engine { command, limit: None } => write!(f, "engine:{command}"),
            Self::Engine { command, limit: Some(limit) } => write!(f, "engine:{command}@{limit}"),
            Self::OpenTafl { command, seconds } => write!(f, "opentafl:{command}@{seconds}s"),
            Self::Challenge { command, seconds } => write!(f, "challenge:{command}@{seconds}s"),
        }
    }
}

impl FromStr for PlayerSpec {
    type Err = PlayerSpecError;

    /// ```
    /// use tablut_players::PlayerSpec;
    /// let player: PlayerSpec = "net:models/quickstart.tablut@64".parse()?;
    /// assert_eq!(player.to_string(), "net:models/quickstart.tablut@64");
    /// assert!("alphabeta".parse::<PlayerSpec>().is_err());
    /// # Ok::<(), tablut_players::PlayerSpecError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, PlayerSpecError> {
        let wrong = |expected: &str| PlayerSpecError::new(text, format!("expected {expected}"));
        let (kind, argument) = text.split_once(':').map_or((text, None), |(kind, argument)| (kind, Some(argument)));
        match (kind, argument) {
            ("random", None) => Ok(Self::Random),
            ("greedy", None) => Ok(Self::Greedy),
            ("random" | "greedy", Some(_)) => Err(wrong("nothing after the player's name")),
            ("alphabeta", argument) => {
                let expected =
                    "alphabeta:DEPTH with a depth from 1 to 64, or a time such as alphabeta:200ms or alphabeta:2s";
                argument.and_then(search_limit).map(Self::AlphaBeta).ok_or_else(|| wrong(expected))
            }
            ("rollouts", argument) => argument
                .and_then(count)
                .map(|playouts| Self::Rollouts { playouts })
                .ok_or_else(|| wrong("rollouts:N with 1 to 1000000 playouts a move")),
            ("net", argument) => net(text, argument.unwrap_or_default()),
            ("policy", argument) => argument
                .filter(|file| !file.is_empty())
                .map(|file| Self::Policy { file: file.into() })
                .ok_or_else(|| wrong("policy:FILE")),
            ("engine", argument) => {
                let (command, limit) = command_and_limit(argument.unwrap_or_default());
                let usable = !command.is_empty() && limit.is_none_or(|limit| limit.simulations() != Some(0));
                usable.then(|| Self::Engine { command: command.to_owned(), limit }).ok_or_else(|| {
                    wrong("engine:COMMAND, engine:COMMAND@SIMULATIONS or engine:COMMAND@TIME with a time such as 2s")
                })
            }
            ("opentafl", argument) => command_and_seconds(argument.unwrap_or_default(), OPENTAFL_SECONDS)
                .map(|(command, seconds)| Self::OpenTafl { command, seconds })
                .ok_or_else(|| wrong("opentafl:COMMAND or opentafl:COMMAND@5s with whole seconds a move")),
            ("challenge", argument) => command_and_seconds(argument.unwrap_or_default(), CHALLENGE_SECONDS)
                .map(|(command, seconds)| Self::Challenge { command, seconds })
                .ok_or_else(|| wrong("challenge:COMMAND or challenge:COMMAND@5s with whole seconds a move")),
            _ => Err(PlayerSpecError(format!("unknown player \"{}\", expected {PLAYER_FORMS}", shown(text)))),
        }
    }
}

/// The player of `argument`, which is the part of `text` after `net:`.
fn net(text: &str, argument: &str) -> Result<PlayerSpec, PlayerSpecError> {
    const EXPECTED: &str = "expected net:FILE@SIMULATIONS with 1 to 1000000 simulations a move, \
                            net:FILE@TIME with a time such as 200ms or 2s, or both as net:FILE@800/2s";
    let wrong = || PlayerSpecError::new(text, EXPECTED);
    let (file, rest) = argument.rsplit_once('@').filter(|(file, _)| !file.is_empty()).ok_or_else(wrong)?;
    let (limit, options) = rest.split_once(',').map_or((rest, None), |(limit, options)| (limit, Some(options)));
    let limit: Limit = limit.parse().map_err(|_| wrong())?;
    if limit.simulations().is_some_and(|n| !(1..=MAX_SIMULATIONS).contains(&n)) {
        return Err(wrong());
    }
    let options = options.map_or(Ok(SearchOptions::default()), str::parse);
    let options = options.map_err(|reason| PlayerSpecError::new(text, reason))?;
    Ok(PlayerSpec::Net { file: file.into(), limit, options })
}

/// A command, and the limit after its last `@` if there is one.
fn command_and_limit(argument: &str) -> (&str, Option<Limit>) {
    let split = argument.rsplit_once('@').and_then(|(command, limit)| Some((command, limit.parse().ok()?)));
    split.map_or((argument.trim(), None), |(command, limit)| (command.trim(), Some(limit)))
}

/// A command, and the whole seconds per move after its last `@`.
fn command_and_seconds(argument: &str, default: u32) -> Option<(String, u32)> {
    let (command, limit) = command_and_limit(argument);
    let seconds = limit.map_or(Some(default), whole_seconds)?;
    (!command.is_empty()).then(|| (command.to_owned(), seconds))
}

fn whole_seconds(limit: Limit) -> Option<u32> {
    let time = limit.time().filter(|time| time.subsec_nanos() == 0 && limit.simulations().is_none())?;
    u32::try_from(time.as_secs()).ok()
}

fn count(text: &str) -> Option<u32> {
    text.parse().ok().filter(|n| (1..=MAX_SIMULATIONS).contains(n))
}

/// A depth, or a time in the usual form.
fn search_limit(text: &str) -> Option<SearchLimit> {
    let limit: Limit = text.parse().ok()?;
    match (limit.simulations(), limit.time()) {
        (Some(depth), None) => (1..=MAX_DEPTH).contains(&depth).then_some(SearchLimit::Depth(depth)),
        (None, Some(time)) => Some(SearchLimit::Time(time)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::PlayerSpec;

    #[test]
    fn every_form_is_read_and_written_back() {
        for text in [
            "random",
            "greedy",
            "alphabeta:2",
            "alphabeta:200ms",
            "rollouts:200",
            "net:runs/a@b/net.tablut@32",
            "net:a,b.tablut@32,method=puct,puct.c_init=2,solver=off",
            "net:a.tablut@32,gumbel.max_considered=32",
            "net:a.tablut@2s",
            "net:a.tablut@800/150ms,method=puct",
            "policy:x:y.tablut",
            "engine:./engine --net a@b",
            "engine:./engine 'an argument'@800/2s",
            "opentafl:./engine --silent@2s",
            "challenge:java -jar player.jar {role}@5s",
        ] {
            assert_eq!(text.parse::<PlayerSpec>().unwrap().to_string(), text);
        }
        assert_eq!("challenge:./player".parse::<PlayerSpec>().unwrap().to_string(), "challenge:./player@60s");
        assert_eq!("opentafl:./engine".parse::<PlayerSpec>().unwrap().to_string(), "opentafl:./engine@5s");
        // Times have the same canonical form for all players.
        for (text, canonical) in [("2000ms", "2s"), ("1.5s", "1500ms"), ("2m", "120s")] {
            let texts = ["alphabeta:", "net:a.tablut@", "engine:x@"].map(|player| {
                let read: PlayerSpec = format!("{player}{text}").parse().unwrap();
                read.to_string().strip_prefix(player).unwrap().to_owned()
            });
            assert_eq!(texts, [canonical; 3]);
        }
    }

    #[test]
    fn faults_show_the_text_and_what_was_expected() {
        for (text, expected) in [
            ("rnadom", "alphabeta:DEPTH"),
            ("", "greedy"),
            ("random:3", "nothing after"),
            ("alphabeta", "depth from 1 to 64"),
            ("alphabeta:0", "depth from 1 to 64"),
            ("alphabeta:65", "depth from 1 to 64"),
            ("alphabeta:0ms", "200ms"),
            ("alphabeta:99999999999999999999s", "200ms"),
            ("rollouts:-1", "rollouts:N"),
            ("net:file", "net:FILE@SIMULATIONS"),
            ("net:@5", "net:FILE@SIMULATIONS"),
            ("net:file@0", "1 to 1000000"),
            ("net:file@0/2s", "1 to 1000000"),
            ("net:file@0s", "200ms or 2s"),
            ("net:file@2x", "200ms or 2s"),
            ("net:file@8,pucd", "option \"pucd\": expected KEY=VALUE"),
            ("net:file@8,", "option \"\": expected KEY=VALUE"),
            ("policy:", "policy:FILE"),
            ("engine", "engine:COMMAND"),
            ("engine:@2s", "engine:COMMAND"),
            ("engine:x@0", "engine:COMMAND"),
            ("challenge:", "challenge:COMMAND"),
            ("challenge:x@200ms", "whole seconds"),
            ("challenge:x@5", "whole seconds"),
            ("opentafl:@5s", "opentafl:COMMAND"),
            ("opentafl:x@200ms", "whole seconds"),
        ] {
            let error = text.parse::<PlayerSpec>().unwrap_err().to_string();
            assert!(error.contains(expected) && error.contains(&format!("{text:?}")), "{text:?}: {error}");
        }
    }
}
