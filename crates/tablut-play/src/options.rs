//! The options of `play`, and the game that they describe.

use crate::game_files::{GameRead, read_game};
use crate::opponents::{BySimulations, NET, WithoutNet};
use clap::ValueEnum;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tablut_games::{SHIPPED, is_shipped, load_net, shipped_net};
use tablut_net::{Engine, KnownRules, Model, NetEvaluator, RulesChoice, choose_rules};
use tablut_players::{PlayerSpec, play_simulations};
use tablut_rules::{Rules, Side};
use tablut_search::{Evaluator, UniformEvaluator};
use tablut_session::{Controller, CustomPlayer, HostConfig, Level, Players, Session, first_side};

/// Options of `play`.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct PlayArgs {
    /// The net to play against: a model file, a run's folder for its newest net, or `shipped` [default: shipped].
    pub model: Option<PathBuf>,
    /// Play against this player instead of a net: random, greedy, alphabeta:DEPTH, alphabeta:200ms or rollouts:N.
    #[arg(long, value_name = "PLAYER", conflicts_with_all = ["model", "simulations", "level"])]
    pub against: Option<String>,
    /// Continue the game in this file: a saved game, an OpenTafl record, or moves.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["first", "position"])]
    pub game: Option<PathBuf>,
    /// Rule set, by name or TOML file [default: the game's; without a game kvasir, or the net's first rule set if it
    /// was not trained on kvasir].
    #[arg(long, value_name = "R")]
    pub rules: Option<String>,
    /// The side that you play [default: the side that moves first].
    #[arg(long, value_enum)]
    pub side: Option<HumanSides>,
    /// The side that moves first, if the rules draw it.
    #[arg(long, value_name = "SIDE")]
    pub first: Option<Side>,
    /// Begin from this position.
    #[arg(long, value_name = "P", conflicts_with = "first")]
    pub position: Option<String>,
    /// Simulations per move; more are stronger, and with 0 the net plays its best move without a search [default: the
    /// number in the model file].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub simulations: Option<u32>,
    /// The net's level: newcomer, beginner, casual, club, strong, expert, full or adaptive.
    #[arg(long, value_name = "LEVEL", value_parser = level, conflicts_with = "simulations")]
    pub level: Option<&'static Level>,
    /// Seed of all random choices; the same seed and moves give the same game [default: the clock].
    #[arg(long)]
    pub seed: Option<u64>,
    /// Draw the board with ASCII characters only.
    #[arg(long)]
    pub ascii: bool,
    /// Read and write lines instead of drawing the screen, for screen readers [default: if input or output is not a
    /// terminal].
    #[arg(long)]
    pub plain: bool,
}

impl PlayArgs {
    fn model_path(&self) -> &Path {
        self.model.as_deref().unwrap_or(Path::new(SHIPPED))
    }
}

fn level(name: &str) -> Result<&'static Level, String> {
    Level::named(name).ok_or_else(|| format!("no such level, expected one of {}", Level::names()))
}

/// The sides that people play. The computer plays the others.
#[derive(Copy, Clone, Debug, Eq, PartialEq, ValueEnum)]
pub enum HumanSides {
    /// You play the attackers.
    Attackers,
    /// You play the defenders.
    Defenders,
    /// You play both sides.
    Both,
    /// The computer plays itself.
    Neither,
}

impl HumanSides {
    fn only(side: Side) -> Self {
        match side {
            Side::Attackers => Self::Attackers,
            Side::Defenders => Self::Defenders,
        }
    }

    /// The players of such a game, with `opponent` on the sides that no person plays.
    pub fn players(self, opponent: &Controller) -> Players {
        let player = |is_person| if is_person { Controller::Person } else { opponent.clone() };
        Players {
            attackers: player(matches!(self, Self::Attackers | Self::Both)),
            defenders: player(matches!(self, Self::Defenders | Self::Both)),
        }
    }

    pub fn of(players: &Players) -> Self {
        match (players.attackers.is_person(), players.defenders.is_person()) {
            (true, true) => Self::Both,
            (true, false) => Self::Attackers,
            (false, true) => Self::Defenders,
            (false, false) => Self::Neither,
        }
    }
}

/// Why a game cannot begin or continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// The options do not describe a game, or a file that they name cannot be used.
    #[error("{0}")]
    Options(String),
    #[error("the terminal: {0}")]
    Io(io::Error),
    /// A signal has ended the game, which is saved.
    #[error("stopped on request")]
    Interrupted {
        /// 128 plus the signal's number.
        exit_code: u8,
    },
}

fn wrong(error: impl std::fmt::Display) -> PlayError {
    PlayError::Options(error.to_string())
}

pub struct Setup {
    pub session: Session,
    pub config: HostConfig,
    /// The net, or a placeholder that no player uses.
    pub evaluator: Box<dyn Evaluator>,
    pub opponent: Controller,
    /// Simulations of an evaluation. `None` if there is no net.
    pub simulations: Option<u32>,
    pub notes: Vec<String>,
    pub seed: u64,
}

pub fn setup(args: &PlayArgs) -> Result<Setup, PlayError> {
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    let seed = args.seed.unwrap_or_else(clock);
    let model = model(args)?;
    let path = args.model.as_ref().filter(|path| !is_shipped(path));
    let name = path.map_or_else(|| "the built-in net".to_owned(), |path| path.display().to_string());
    // Against a player without a net, the net only gives advice.
    let playing = model.iter().filter(|_| args.against.is_none());
    let known: Vec<_> = playing.map(|model| KnownRules { net: &name, rules: &model.rules }).collect();
    let RulesChoice { rules, mut notes } = choose_rules(args.rules.as_deref(), &known).map_err(wrong)?;
    let read = args.game.as_deref().map(|path| read_game(path, rules.set(), false)).transpose().map_err(wrong)?;
    let rules = read.as_ref().map_or(rules, |read| read.session.rules().clone());
    if read.is_some() {
        let is_unknown = known.iter().any(|net| !net.rules.iter().any(|known| known.is(rules.set())));
        notes = is_unknown.then(|| format!("{name} was not trained on this game's rules")).into_iter().collect();
    }
    let (custom_players, opponent) = players(args, model.as_ref(), &rules)?;
    let simulations = model.as_ref().map(|model| strength(args, model));
    let nets = model.iter().map(|_| name.clone()).collect();
    let config = HostConfig { nets, custom_players, ..HostConfig::default() };
    let evaluator: Box<dyn Evaluator> = match &model {
        Some(model) => Box::new(NetEvaluator::new(Box::new(Engine::new(&model.weights).map_err(wrong)?))),
        None => Box::new(UniformEvaluator),
    };
    let session = match read {
        Some(read) => resume(read, args, &config, &opponent),
        None => new_game(args, &rules, &opponent, seed)?,
    };
    Ok(Setup { session, config, evaluator, opponent, simulations, notes, seed })
}

/// The players in addition to the levels, and the opponent.
fn players(
    args: &PlayArgs,
    model: Option<&Model>,
    rules: &Arc<Rules>,
) -> Result<(Vec<Arc<dyn CustomPlayer>>, Controller), PlayError> {
    let mut custom: Vec<Arc<dyn CustomPlayer>> = Vec::new();
    if let Some(model) = model {
        custom.push(Arc::new(BySimulations(strength(args, model))));
    }
    let opponent = match (&args.against, args.level) {
        (Some(text), _) => {
            let spec: PlayerSpec = text.parse().map_err(wrong)?;
            let player = WithoutNet::new(spec, rules).ok_or_else(|| {
                wrong(format!(
                    "--against {text}: expected a player without a net; give a net's model file as the argument"
                ))
            })?;
            let opponent = Controller::computer(player.name());
            custom.push(Arc::new(player));
            opponent
        }
        (None, Some(level)) => Controller::computer(level.name),
        (None, None) => Controller::computer(NET),
    };
    Ok((custom, opponent))
}

/// Simulations per move of the net without a level.
fn strength(args: &PlayArgs, model: &Model) -> u32 {
    args.simulations.unwrap_or_else(|| play_simulations(&model.training))
}

fn new_game(args: &PlayArgs, rules: &Arc<Rules>, opponent: &Controller, seed: u64) -> Result<Session, PlayError> {
    let position = match &args.position {
        Some(text) => text.parse().map_err(wrong)?,
        None => rules.start(first_side(rules, args.first, seed).map_err(|error| wrong(format!("--first: {error}")))?),
    };
    let people = args.side.unwrap_or(HumanSides::only(position.side_to_move()));
    Session::from_position(rules.clone(), position, people.players(opponent)).map_err(wrong)
}

/// A game from a file. It keeps the players of the file, unless the options name others or the host does not have them.
fn resume(read: GameRead, args: &PlayArgs, config: &HostConfig, opponent: &Controller) -> Session {
    let mut session = read.session;
    let people = match args.side {
        Some(people) => people,
        None if read.names_players => HumanSides::of(session.players()),
        None => HumanSides::only(session.game().position().side_to_move()),
    };
    let asked_for = args.side.is_some() || args.against.is_some() || args.level.is_some();
    if asked_for || !read.names_players || config.check_players(session.players()).is_err() {
        session.set_players(people.players(opponent));
    }
    session
}

/// The net that plays and gives advice. `None` if the options name a player without a net and no net is built in.
fn model(args: &PlayArgs) -> Result<Option<Model>, PlayError> {
    if args.model.is_none() && args.against.is_some() && shipped_net().is_none() {
        return Ok(None);
    }
    load_net(args.model_path()).map(Some).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_say_which_sides_people_play() {
        for sides in HumanSides::value_variants() {
            assert_eq!(HumanSides::of(&sides.players(&Controller::computer("club"))), *sides);
        }
    }
}
