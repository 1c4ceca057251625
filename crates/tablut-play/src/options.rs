//! What can be asked for when a game is started, and the session that it makes.

use crate::board_text::Style;
use crate::session::{People, Session, SessionError};
use crate::shipped::{SHIPPED_NET, shipped_net};
use crate::terminal::{TerminalStyle, run_terminal};
use crate::thinker::{NetThinker, Thinker};
use clap::ValueEnum;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tablut_net::{
    KnownRules, Model, ModelFileError, ModelFileErrorKind, NetError, RulesChoice, RulesChoiceError, choose_rules,
};
use tablut_players::{PlayerSpec, PlayerSpecError, play_simulations};
use tablut_rules::{Position, PositionTextError, Rules, Side};

/// Options of `play`.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct PlayArgs {
    /// The model file of the net to play against [default: the net that is built in].
    pub model: Option<PathBuf>,
    /// Play against this player instead of a net: random, greedy, alphabeta:DEPTH, alphabeta:200ms or rollouts:N.
    #[arg(long, value_name = "PLAYER", conflicts_with_all = ["model", "simulations"])]
    pub against: Option<String>,
    /// Rule set, by name or TOML file [default: kvasir, or what else the net was trained on].
    #[arg(long, value_name = "R")]
    pub rules: Option<String>,
    /// The side you play [default: the one that moves first].
    #[arg(long, value_enum)]
    pub side: Option<PeopleArg>,
    /// The side that moves first where the rules draw it.
    #[arg(long, value_enum)]
    pub first: Option<SideArg>,
    /// Begin from this position.
    #[arg(long, value_name = "P", conflicts_with = "first")]
    pub position: Option<String>,
    /// Simulations a move: the net's strength; 0 plays by the policy alone [default: what the model file says].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub simulations: Option<u32>,
    /// Seed of all chance; the same seed and moves give the same game [default: the clock].
    #[arg(long)]
    pub seed: Option<u64>,
    /// Draw the board with ASCII characters alone.
    #[arg(long)]
    pub ascii: bool,
}

/// `--side`.
#[derive(Copy, Clone, Debug, Eq, PartialEq, ValueEnum)]
pub enum PeopleArg {
    /// You play the attackers.
    Attackers,
    /// You play the defenders.
    Defenders,
    /// You play both sides.
    Both,
    /// You watch.
    Neither,
}

/// `--first`.
#[derive(Copy, Clone, Debug, Eq, PartialEq, ValueEnum)]
pub enum SideArg {
    /// The attackers.
    Attackers,
    /// The defenders.
    Defenders,
}

/// Why a game cannot begin or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// There is no such rule set.
    #[error("{0}")]
    Rules(RulesChoiceError),
    /// The position cannot be read.
    #[error("{0}")]
    Position(PositionTextError),
    /// The position is no game.
    #[error("{0}")]
    Session(SessionError),
    /// The opponent's name cannot be read.
    #[error("{0}")]
    Player(PlayerSpecError),
    /// A net was named where a player without one is expected.
    #[error("--against {text}: expected a player without a net; give a net's model file as the argument")]
    NetAsPlayer {
        /// What was given.
        text: String,
    },
    /// The model file cannot be read.
    #[error("{0}")]
    Model(ModelFileError),
    /// The built-in net is damaged.
    #[error("the built-in net: {0}")]
    Shipped(ModelFileErrorKind),
    /// No net is built in.
    #[error(
        "no net is built into this program ({SHIPPED_NET} was missing): give a model file, or --against alphabeta:4"
    )]
    NoNet,
    /// The net cannot run here.
    #[error("{0}")]
    Net(NetError),
    /// The rules say who moves first.
    #[error("--first {asked}: under {rules} rules the {first} move first")]
    First {
        /// The side asked for.
        asked: Side,
        /// The rule set.
        rules: String,
        /// The side that moves first.
        first: Side,
    },
    /// Reading or writing failed.
    #[error("the terminal: {0}")]
    Io(io::Error),
}

/// Where a game is played.
pub struct Console<'a> {
    /// What the player types.
    pub input: &'a mut dyn BufRead,
    /// What the player sees.
    pub output: &'a mut dyn Write,
    /// Whether colours may be used.
    pub colour: bool,
    /// Whether a person sits at it, who wants a prompt.
    pub interactive: bool,
}

/// Plays a game on `console` as `args` ask. A reader that closes the output ends the game without an error.
pub fn play(args: &PlayArgs, console: &mut Console<'_>) -> Result<(), PlayError> {
    let (mut session, notes) = session(args)?;
    for note in notes {
        writeln!(console.output, "Note: {note}").map_err(PlayError::Io)?;
    }
    let text = Style { colour: console.colour, unicode: !args.ascii };
    let style = TerminalStyle { text, prompt: console.interactive };
    let result = run_terminal(&mut session, console.input, console.output, style);
    match result.and_then(|()| console.output.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.map_err(PlayError::Io),
    }
}

/// The session that `args` ask for, and what is to be said of its rules.
pub fn session(args: &PlayArgs) -> Result<(Session, Vec<String>), PlayError> {
    let seed = args.seed.unwrap_or_else(clock_seed);
    let model = model(args)?;
    let name = args.model.as_ref().map_or_else(|| "the built-in net".to_owned(), |path| path.display().to_string());
    let known: Vec<_> = model.iter().map(|model| KnownRules { net: &name, rules: &model.rules }).collect();
    let RulesChoice { rules, notes } = choose_rules(args.rules.as_deref(), &known).map_err(PlayError::Rules)?;
    let thinker = thinker(args, model.as_ref(), &rules, seed)?;
    let position = args.position.as_deref().map(str::parse::<Position>).transpose().map_err(PlayError::Position)?;
    let first = match &position {
        Some(position) => position.side_to_move(),
        None => first_side(args, &rules, seed)?,
    };
    let people = match (args.side, first) {
        (Some(PeopleArg::Attackers), _) | (None, Side::Attackers) => People::Attackers,
        (Some(PeopleArg::Defenders), _) | (None, Side::Defenders) => People::Defenders,
        (Some(PeopleArg::Both), _) => People::Both,
        (Some(PeopleArg::Neither), _) => People::Neither,
    };
    let session = match position {
        Some(position) => Session::from_position(rules, position, people, thinker).map_err(PlayError::Session)?,
        None => Session::new(rules, first, people, thinker),
    };
    Ok((session, notes))
}

fn clock_seed() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64)
}

fn first_side(args: &PlayArgs, rules: &Rules, seed: u64) -> Result<Side, PlayError> {
    let asked = args.first.map(|first| match first {
        SideArg::Attackers => Side::Attackers,
        SideArg::Defenders => Side::Defenders,
    });
    match (rules.set().first.side(), asked) {
        (Some(first), Some(asked)) if first != asked => {
            Err(PlayError::First { asked, rules: rules.name().to_owned(), first })
        }
        (Some(first), _) => Ok(first),
        (None, Some(asked)) => Ok(asked),
        (None, None) => {
            let attackers = ChaCha8Rng::seed_from_u64(seed).random();
            Ok(if attackers { Side::Attackers } else { Side::Defenders })
        }
    }
}

/// The net to play against; none where another player was asked for.
fn model(args: &PlayArgs) -> Result<Option<Model>, PlayError> {
    match (&args.against, &args.model) {
        (Some(_), _) => Ok(None),
        (None, Some(path)) => Model::load(path).map(Some).map_err(PlayError::Model),
        (None, None) => Model::from_bytes(shipped_net().ok_or(PlayError::NoNet)?).map(Some).map_err(PlayError::Shipped),
    }
}

fn thinker(args: &PlayArgs, model: Option<&Model>, rules: &Arc<Rules>, seed: u64) -> Result<Thinker, PlayError> {
    if let Some(text) = &args.against {
        let spec: PlayerSpec = text.parse().map_err(PlayError::Player)?;
        return Thinker::baseline(&spec, rules, seed).ok_or_else(|| PlayError::NetAsPlayer { text: text.clone() });
    }
    let model = model.ok_or(PlayError::NoNet)?;
    let simulations = args.simulations.unwrap_or_else(|| play_simulations(&model.training));
    NetThinker::from_weights(&model.weights, simulations, seed).map(Thinker::Net).map_err(PlayError::Net)
}
