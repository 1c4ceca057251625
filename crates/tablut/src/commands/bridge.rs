//! `tablut bridge …`: play on another server, or as an engine in another program.

use std::io::{self, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use tablut_net::choose_rules;
use tablut_players::{Baseline, PlayerSpec, Searcher, play_simulations};
use tablut_protocols::BridgePlayer;
use tablut_protocols::challenge::client::{ClientEnd, ClientOptions, connect};
use tablut_protocols::challenge::referee::{RefereeOptions, serve};
use tablut_protocols::challenge::{RULES as CHALLENGE_RULES, client};
use tablut_protocols::engine_protocol::{LineEngine, run_engine};
use tablut_protocols::opentafl::{OpenTaflEngine, Pace, run_opentafl};
use tablut_protocols::wire::lines_of;
use tablut_rules::{Game, Move, Outcome, Rules, Side};
use tablut_search::{Limit, SearchConfig};

use crate::console::{Console, Voice};
use crate::nets::{load_model, load_rules, rules_for, told};

/// The bridges.
#[derive(clap::Subcommand)]
pub enum Bridge {
    /// Play or referee a game of the Tablut Challenge (University of Bologna).
    Challenge(ChallengeArgs),
    /// Run as an engine with a line protocol similar to UCI on standard input and output.
    Engine(EngineArgs),
    /// Run as an OpenTafl engine on standard input and output.
    Opentafl(OpenTaflArgs),
}

/// The options of the player.
#[derive(clap::Args)]
struct PlayerArgs {
    /// The net that plays: a model file, a run's folder, or `shipped` [default: shipped].
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// A player without a net instead, such as alphabeta:2s.
    #[arg(long, value_name = "PLAYER", conflicts_with = "model")]
    player: Option<String>,
    /// Threads for the net.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Seed of all randomness.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(clap::Args)]
pub struct ChallengeArgs {
    /// The side to play: white has the king.
    #[arg(long, value_enum, ignore_case = true, required_unless_present = "serve")]
    side: Option<Colour>,
    /// The referee's address.
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// The referee's port [default: 5800 for white, 5801 for black].
    #[arg(long)]
    port: Option<u16>,
    /// Seconds per move.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: u32,
    /// The name that is sent to the referee.
    #[arg(long, default_value = "tablut")]
    name: String,
    #[command(flatten)]
    player: PlayerArgs,
    /// Referee a game instead of playing.
    #[arg(long, conflicts_with_all = ["side", "model", "player", "host", "port"])]
    serve: bool,
    /// Address and port for `--serve`: white connects to this port, black to the next one.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:5800", requires = "serve")]
    listen: SocketAddr,
}

/// The Challenge's names of the sides.
#[derive(Copy, Clone, clap::ValueEnum)]
enum Colour {
    /// The defenders.
    White,
    /// The attackers.
    Black,
}

#[derive(clap::Args)]
pub struct EngineArgs {
    #[command(flatten)]
    player: PlayerArgs,
    /// Rule set, by name or TOML file [default: kvasir, or the net's if it was not trained on kvasir].
    #[arg(long, value_name = "R")]
    rules: Option<String>,
    /// Simulations per move for a `go` without a limit [default: the number in the model file].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    simulations: Option<u32>,
}

#[derive(clap::Args)]
pub struct OpenTaflArgs {
    #[command(flatten)]
    player: PlayerArgs,
    /// Maximum simulations per move, and their number without a clock [default: no maximum; without a clock, the number
    /// in the model file].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    simulations: Option<u32>,
    /// Maximum seconds per move, and the time without a clock.
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: Option<u32>,
}

pub fn run(bridge: &Bridge, console: &mut Console) -> anyhow::Result<()> {
    match bridge {
        Bridge::Challenge(args) if args.serve => referee(args, console),
        Bridge::Challenge(args) => challenge(args, console),
        Bridge::Engine(args) => engine(args, console),
        Bridge::Opentafl(args) => opentafl(args, console),
    }
}

/// A player, its name, and the simulations per move in its model file.
struct LoadedPlayer {
    player: BridgePlayer,
    name: String,
    simulations: u32,
}

fn load(args: &PlayerArgs, rules: &Arc<Rules>) -> anyhow::Result<LoadedPlayer> {
    if let Some(text) = &args.player {
        let spec: PlayerSpec = text.parse()?;
        let Some(player) = Baseline::new(&spec, rules, args.seed) else {
            bail!("--player {text}: expected a player without a net; use --model FILE for a net");
        };
        return Ok(LoadedPlayer { player: BridgePlayer::Baseline(player), name: spec.to_string(), simulations: 0 });
    }
    let model = load_model(args.model.as_deref())?;
    let player = Searcher::from_weights(&model.weights, usize::from(args.threads), args.seed)?;
    let simulations = play_simulations(&model.training);
    Ok(LoadedPlayer {
        player: BridgePlayer::Net(Box::new(player)),
        name: model.weights.architecture().to_string(),
        simulations,
    })
}

/// The rules in `asked`, or rules that the player knows.
fn rules_of(args: &PlayerArgs, asked: Option<&str>, voice: Voice) -> anyhow::Result<Arc<Rules>> {
    if args.player.is_some() {
        return Ok(told(choose_rules(asked, &[])?, voice));
    }
    let path = args.model.as_deref();
    rules_for(asked, path, &load_model(path)?, voice)
}

fn challenge(args: &ChallengeArgs, console: &mut Console) -> anyhow::Result<()> {
    let side = match args.side.context("expected --side white or --side black")? {
        Colour::White => Side::Defenders,
        Colour::Black => Side::Attackers,
    };
    let rules = load_rules(CHALLENGE_RULES)?;
    let mut player = load(&args.player, &rules)?;
    let limit = Limit::of_time(thinking_time(args.seconds))?;
    let stream = connect(&args.host, side, args.port)?;
    // The opponent's time, and the seconds in which the referee notices that it is over. The client waits longer for
    // the first state.
    let wait = Duration::from_secs(2 * u64::from(args.seconds) + 60);
    let options = ClientOptions { side, name: args.name.clone(), rules, wait };
    let report = client::play(&stream, &options, &mut |game| choose(&mut player.player, game, limit))?;
    let outcome = match report.end {
        ClientEnd::Result(Some(winner)) if winner == side => "won",
        ClientEnd::Result(Some(_)) => "lost",
        ClientEnd::Result(None) => "drew",
        ClientEnd::OpponentOutOfTime => "probably won (the referee closed the connection on the opponent's turn)",
        ClientEnd::Unended(outcome) => {
            let why = "a side without a legal move loses, but the contest's referee does not check this";
            writeln!(
                console,
                "ended after {} plies without the referee's result; by the rules {outcome} ({why})",
                report.moves.len()
            )?;
            return Ok(());
        }
    };
    writeln!(console, "{outcome} after {} plies", report.moves.len())?;
    Ok(())
}

/// The time for thinking. The referee checks the clock once a second, and the connection takes time. So 1.5 s are kept
/// back, or half of a time below 3 s.
fn thinking_time(seconds: u32) -> Duration {
    let time = Duration::from_secs(u64::from(seconds));
    time.saturating_sub(Duration::from_millis(1500)).max(time / 2)
}

fn choose(player: &mut BridgePlayer, game: &Game, limit: Limit) -> Result<Move, String> {
    match player {
        BridgePlayer::Baseline(player) => Ok(player.choose(game)),
        BridgePlayer::Net(net) => net
            .think(game, &SearchConfig::for_play(), limit)
            .map(|result| result.chosen)
            .map_err(|error| error.to_string()),
    }
}

fn referee(args: &ChallengeArgs, console: &mut Console) -> anyhow::Result<()> {
    let listen = |address: SocketAddr| {
        TcpListener::bind(address).with_context(|| format!("--listen: cannot listen on {address}"))
    };
    let next = args.listen.port().checked_add(1).context("--listen: expected a port below 65535")?;
    let (white, black) = (listen(args.listen)?, listen(SocketAddr::new(args.listen.ip(), next))?);
    let options = RefereeOptions {
        rules: load_rules(CHALLENGE_RULES)?,
        move_time: Duration::from_secs(u64::from(args.seconds)),
        join_time: Duration::from_hours(1),
    };
    let (white_address, black_address) = (white.local_addr()?, black.local_addr()?);
    console.voice.say(format_args!("Waiting for white on {white_address} and black on {black_address}."));
    let mut unwritten = None;
    let report = serve(&white, &black, &options, &mut |mv, game| {
        if unwritten.is_none() {
            unwritten = writeln!(console, "{:>3} {mv}", game.ply()).err();
        }
    })?;
    // An error of standard output does not end the game.
    unwritten.map_or(Ok(()), Err)?;
    let Outcome { winner, reason } = report.outcome;
    let name = |side: Side| format!("{} ({side})", report.names[side.index()]);
    match (winner, &report.forfeit) {
        (Some(winner), Some(forfeit)) => writeln!(console, "{} lost: {forfeit}", name(winner.opponent()))?,
        (Some(winner), None) => writeln!(console, "{} won: {reason}", name(winner))?,
        (None, _) => writeln!(console, "a draw: {reason}")?,
    }
    Ok(())
}

fn engine(args: &EngineArgs, console: &mut Console) -> anyhow::Result<()> {
    let rules = rules_of(&args.player, args.rules.as_deref(), console.voice)?;
    let player = load(&args.player, &rules)?;
    let name = format!("tablut {} {}", env!("CARGO_PKG_VERSION"), player.name);
    let simulations = args.simulations.unwrap_or(player.simulations);
    let mut engine = LineEngine::new(name, player.player, simulations, rules);
    Ok(run_engine(&mut engine, &lines_of(io::stdin()), console)?)
}

fn opentafl(args: &OpenTaflArgs, console: &mut Console) -> anyhow::Result<()> {
    let engine = || -> anyhow::Result<OpenTaflEngine> {
        // The rules arrive in the first line. A player without a net is adapted to them then.
        let player = load(&args.player, &load_rules("kvasir")?)?;
        let time = args.seconds.map(|seconds| Duration::from_secs(seconds.into()));
        let most = Limit::new(args.simulations, time).ok();
        Ok(OpenTaflEngine::new(player.player, Pace { most, simulations: player.simulations }))
    };
    let mut engine = engine().inspect_err(|error| {
        // OpenTafl shows this line to the user. The error is also printed to standard error.
        let _ = writeln!(console, "error -1 {}", format!("{error:#}").replace('\n', " "));
    })?;
    Ok(run_opentafl(&mut engine, &lines_of(io::stdin()), console)?)
}
