//! What can be asked for when a game is started, and the game that it makes.

use crate::kept;
use crate::opponents::{BySimulations, NET, WithoutNet};
use crate::people::People;
use crate::shipped::{SHIPPED_NET, shipped_net};
use clap::ValueEnum;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tablut_net::{
    KnownRules, Model, ModelFileError, ModelFileErrorKind, NetError, NetEvaluator, Processor, RulesChoice, choose_rules,
};
use tablut_players::{PlayerSpec, PlayerSpecError, play_simulations};
use tablut_rules::{Position, PositionTextError, RuleSetError, Rules, Side};
use tablut_search::{Evaluator, UniformEvaluator};
use tablut_session::{Level, Lobby, OwnPlayer, Seat, Session, SessionError};

/// Options of `play`.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct PlayArgs {
    /// The model file of the net to play against [default: the net that is built in].
    pub model: Option<PathBuf>,
    /// Play against this player instead of a net: random, greedy, alphabeta:DEPTH, alphabeta:200ms or rollouts:N.
    #[arg(long, value_name = "PLAYER", conflicts_with_all = ["model", "simulations", "level"])]
    pub against: Option<String>,
    /// Go on with the game in this file: one that was saved here or on the page, an OpenTafl record, or moves.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["first", "position"])]
    pub game: Option<PathBuf>,
    /// Rule set, by name or TOML file [default: that of the game, or kvasir, or what else the net was trained on].
    #[arg(long, value_name = "R")]
    pub rules: Option<String>,
    /// The side you play [default: the one that moves first].
    #[arg(long, value_enum)]
    pub side: Option<People>,
    /// The side that moves first where the rules draw it.
    #[arg(long, value_enum)]
    pub first: Option<SideArg>,
    /// Begin from this position.
    #[arg(long, value_name = "P", conflicts_with = "first")]
    pub position: Option<String>,
    /// Simulations a move: the net's strength; 0 plays by the policy alone [default: what the model file says].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub simulations: Option<u32>,
    /// How strong the net plays: newcomer, beginner, casual, club, strong, expert, full or adaptive.
    #[arg(long, value_name = "LEVEL", value_parser = level, conflicts_with = "simulations")]
    pub level: Option<&'static Level>,
    /// Seed of all chance; the same seed and moves give the same game [default: the clock].
    #[arg(long)]
    pub seed: Option<u64>,
    /// Draw the board with ASCII characters alone.
    #[arg(long)]
    pub ascii: bool,
    /// Read and write lines, without a screen: for screen readers [default: where input or output is no terminal].
    #[arg(long)]
    pub plain: bool,
    /// Where the net runs.
    #[arg(skip)]
    pub processor: Processor,
}

fn level(name: &str) -> Result<&'static Level, String> {
    Level::named(name).ok_or_else(|| format!("no such level, expected one of {}", Level::names()))
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
    Rules(RuleSetError),
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
    /// The game to go on with cannot be read.
    #[error("{0}")]
    Game(String),
    /// Reading or writing failed.
    #[error("the terminal: {0}")]
    Io(io::Error),
    /// A signal has ended the game, which is kept.
    #[error("stopped on request")]
    Interrupted {
        /// 128 and the signal's number.
        exit_code: u8,
    },
}

/// A game with all that plays it.
pub struct Setup {
    /// The game.
    pub session: Session,
    /// Who can play.
    pub lobby: Lobby,
    /// The net, or a stand-in that no player asks.
    pub evaluator: Box<dyn Evaluator>,
    /// The computer's player.
    pub opponent: Seat,
    /// Simulations with which the net looks at a position when it is asked; none where there is no net.
    pub simulations: Option<u32>,
    /// What is to be said of the rules.
    pub notes: Vec<String>,
    /// The source of all chance.
    pub seed: u64,
}

/// The game that `args` ask for.
pub fn setup(args: &PlayArgs) -> Result<Setup, PlayError> {
    let seed = args.seed.unwrap_or_else(clock_seed);
    let model = model(args)?;
    let name = args.model.as_ref().map_or_else(|| "the built-in net".to_owned(), |path| path.display().to_string());
    // Against a player without a net the net only gives advice.
    let playing = model.iter().filter(|_| args.against.is_none());
    let known: Vec<_> = playing.map(|model| KnownRules { net: &name, rules: &model.rules }).collect();
    let RulesChoice { rules, mut notes } = choose_rules(args.rules.as_deref(), &known).map_err(PlayError::Rules)?;
    let read = args.game.as_deref().map(|path| kept::read(path, rules.set())).transpose().map_err(PlayError::Game)?;
    let rules = read.as_ref().map_or(rules, |read| read.session.rules().clone());
    if read.is_some() {
        let strange = known.iter().any(|net| !net.rules.iter().any(|known| known.is(rules.set())));
        notes = strange.then(|| format!("{name} was not trained on the rules of this game")).into_iter().collect();
    }
    let (own, opponent) = players(args, model.as_ref(), &rules)?;
    let simulations = model.as_ref().map(|model| strength(args, model));
    let lobby = Lobby { nets: model.iter().map(|_| name.clone()).collect(), own, ..Lobby::default() };
    let evaluator: Box<dyn Evaluator> = match &model {
        Some(model) => {
            Box::new(NetEvaluator::new(args.processor.inference(&model.weights, 1).map_err(PlayError::Net)?))
        }
        None => Box::new(UniformEvaluator),
    };
    let session = match read {
        Some(read) => seated(read, args, &lobby, &opponent),
        None => begun(args, &rules, &opponent, seed)?,
    };
    Ok(Setup { session, lobby, evaluator, opponent, simulations, notes, seed })
}

/// The players beside the levels, and the one that plays against people.
fn players(
    args: &PlayArgs,
    model: Option<&Model>,
    rules: &Arc<Rules>,
) -> Result<(Vec<Arc<dyn OwnPlayer>>, Seat), PlayError> {
    let mut own: Vec<Arc<dyn OwnPlayer>> = Vec::new();
    if let Some(model) = model {
        own.push(Arc::new(BySimulations(strength(args, model))));
    }
    let opponent = match (&args.against, args.level) {
        (Some(text), _) => {
            let spec: PlayerSpec = text.parse().map_err(PlayError::Player)?;
            let player = WithoutNet::new(spec, rules).ok_or_else(|| PlayError::NetAsPlayer { text: text.clone() })?;
            let seat = Seat::computer(player.name());
            own.push(Arc::new(player));
            seat
        }
        (None, Some(level)) => Seat::computer(level.name),
        (None, None) => Seat::computer(NET),
    };
    Ok((own, opponent))
}

/// Simulations a move of the net without a level.
fn strength(args: &PlayArgs, model: &Model) -> u32 {
    args.simulations.unwrap_or_else(|| play_simulations(&model.training))
}

/// A new game.
fn begun(args: &PlayArgs, rules: &Arc<Rules>, opponent: &Seat, seed: u64) -> Result<Session, PlayError> {
    let position = args.position.as_deref().map(str::parse::<Position>).transpose().map_err(PlayError::Position)?;
    let first = match &position {
        Some(position) => position.side_to_move(),
        None => first_side(args, rules, seed)?,
    };
    let people = args.side.unwrap_or(match first {
        Side::Attackers => People::Attackers,
        Side::Defenders => People::Defenders,
    });
    let seats = people.seats(opponent);
    match position {
        Some(position) => Session::from_position(rules.clone(), position, seats).map_err(PlayError::Session),
        None => Ok(Session::new(rules.clone(), first, seats)),
    }
}

/// A game from a file: who played it goes on, unless others are asked for or it names somebody who is not here.
fn seated(read: kept::GameRead, args: &PlayArgs, lobby: &Lobby, opponent: &Seat) -> Session {
    let mut session = read.session;
    let to_move = match session.game().position().side_to_move() {
        Side::Attackers => People::Attackers,
        Side::Defenders => People::Defenders,
    };
    let people = match args.side {
        Some(people) => people,
        None if read.names_players => People::at(session.seats()),
        None => to_move,
    };
    let asked_for = args.side.is_some() || args.against.is_some() || args.level.is_some();
    if asked_for || !read.names_players || lobby.check_seats(session.seats()).is_err() {
        session.set_seats(people.seats(opponent));
    }
    session
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

/// The net that plays and gives advice; none only where another player was asked for and none is built in.
fn model(args: &PlayArgs) -> Result<Option<Model>, PlayError> {
    match (&args.model, shipped_net()) {
        (Some(path), _) => Model::load(path).map(Some).map_err(PlayError::Model),
        (None, Some(bytes)) => Model::from_bytes(bytes).map(Some).map_err(PlayError::Shipped),
        (None, None) if args.against.is_some() => Ok(None),
        (None, None) => Err(PlayError::NoNet),
    }
}
