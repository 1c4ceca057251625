//! The page's server, for `tablut serve` and `tablut-play serve`. The page loads nothing from other hosts.

mod access;
mod assets;
mod connection;
mod game_server;
mod listener;
mod nets;
mod outbox;
mod routes;
mod taught_runs;
mod teaching;
#[cfg(test)]
mod tests;
mod trainer;

pub use routes::{AddedPage, RenderPage, link_to};
pub use trainer::{Trainer, Training};

use crate::game_files::{SavedGames, data_folder};
use crate::shared_jobs::SharedJobs;
use access::AccessControl;
use axum::Router;
use game_server::GameServer;
use listener::{BoundedListener, Peer};
use nets::{NetShelf, NetSources};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tablut_games::CancelToken;
use tablut_net::NetDevice;
use tablut_session::{DEMO_PAUSE, HostConfig, PuzzleBook};
use teaching::Teaching;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

pub const PORT: u16 = 8527;
const MAX_WORKERS: usize = 4;
/// How often games without interfaces are removed from memory.
const SWEEP: Duration = Duration::from_mins(1);
/// How often the server asks whether it was cancelled.
const PATIENCE: Duration = Duration::from_millis(100);
/// How often the nets that are being taught are looked at.
const WATCH: Duration = Duration::from_secs(1);
/// How often a run's folder is searched for new checkpoints.
const FOLLOW: Duration = Duration::from_secs(2);

/// Options of `serve`.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ServeArgs {
    /// Nets, each a model file, a run's folder or `shipped`; the first one plays unless the user chooses another on the
    /// page [default: shipped].
    pub models: Vec<PathBuf>,
    /// The port [default: 8527, or any free port if 8527 is in use].
    #[arg(long)]
    pub port: Option<u16>,
    /// Listen at this address, so that other machines can open the page; the link then contains a token, which the page
    /// requires.
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<IpAddr>,
    /// A name of this machine on the network, in addition to its address.
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// A run's folder, or its folder of checkpoints; the page shows each checkpoint's evaluation of a position.
    #[arg(long, value_name = "DIR")]
    pub checkpoints: Option<PathBuf>,
    /// The folder of a training run, in progress or finished. Its newest net plays unless models are named, and the page
    /// shows its checkpoints.
    #[arg(long, value_name = "RUN")]
    pub run: Option<PathBuf>,
    /// Let other machines that can open the page teach nets too. This takes time on all cores of this machine.
    #[arg(long)]
    pub teach: bool,
    /// The folder of saved games and taught nets [default: tablut/games in the user's data folder].
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ServeError(String);

impl From<io::Error> for ServeError {
    fn from(error: io::Error) -> Self {
        Self(error.to_string())
    }
}

const PUZZLES: [&str; 20] = [
    include_str!("../puzzles/kvasir.jsonl"),
    include_str!("../puzzles/piecepack.jsonl"),
    include_str!("../puzzles/piecepack-defenders-first.jsonl"),
    include_str!("../puzzles/piecepack-open-castle.jsonl"),
    include_str!("../puzzles/imperial.jsonl"),
    include_str!("../puzzles/ludoteka.jsonl"),
    include_str!("../puzzles/linnaeus.jsonl"),
    include_str!("../puzzles/linnaeus-open-camps.jsonl"),
    include_str!("../puzzles/masters.jsonl"),
    include_str!("../puzzles/masters-edge.jsonl"),
    include_str!("../puzzles/masters-armed-king.jsonl"),
    include_str!("../puzzles/masters-weak-king.jsonl"),
    include_str!("../puzzles/tartu.jsonl"),
    include_str!("../puzzles/ashton.jsonl"),
    include_str!("../puzzles/brandubh.jsonl"),
    include_str!("../puzzles/brandubh-weak-king.jsonl"),
    include_str!("../puzzles/copenhagen.jsonl"),
    include_str!("../puzzles/fetlar.jsonl"),
    include_str!("../puzzles/tawlbwrdd.jsonl"),
    include_str!("../puzzles/tawlbwrdd-lewis.jsonl"),
];

/// Serves only `pages` until the program ends. Of `args` only the address is used. `ready` receives the link.
pub fn serve_pages(args: &ServeArgs, pages: &[AddedPage], ready: &mut dyn FnMut(&str)) -> Result<(), ServeError> {
    let router = |access: AccessControl| routes::only_pages(Arc::new(access), pages);
    runtime(1)?.block_on(run(args, router, &mut |links| ready(&links[0])))
}

/// Serves the page until `cancel` stops it, with `pages` in addition. `trainer` trains nets for the page. Nets run on
/// `device`, or on the cores if it is `None`. `ready` receives the link, and a sentence about the folder of saved games.
pub fn serve(
    args: &ServeArgs,
    pages: &[AddedPage],
    trainer: Option<Arc<dyn Trainer>>,
    device: Option<Arc<dyn NetDevice>>,
    cancel: &CancelToken,
    ready: &mut dyn FnMut(&str, &str),
) -> Result<(), ServeError> {
    if let Some(run) = &args.run {
        std::fs::read_dir(run).map_err(|error| ServeError(format!("--run {}: {error}", run.display())))?;
    }
    let sources = NetSources {
        models: args.models.clone(),
        checkpoints: args.checkpoints.clone().or_else(|| args.run.clone()),
        newest_plays: args.run.is_some(),
        trained: Vec::new(),
    };
    let nets = Arc::new(NetShelf::new(sources, device).map_err(ServeError)?);
    let folder = args.folder.clone().unwrap_or_else(data_folder);
    let at_folder = |reason| ServeError(format!("the folder of games, {}: {reason}", folder.display()));
    let saved = SavedGames::lock(&folder).map_err(at_folder)?;
    let saved_in = saved.described();
    let puzzles = PUZZLES.map(PuzzleBook::parse).into_iter().collect::<Result<_, _>>();
    let puzzles = puzzles.map_err(|error| ServeError(format!("the built-in puzzles: {error}")))?;
    let teaching = Teaching::new(trainer, &folder, nets.clone());
    let config = HostConfig {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        trains: teaching.is_available(),
        run_page: pages.first().map(|page| page.path.trim_start_matches('/').to_owned()),
        puzzles,
        custom_players: Vec::new(),
        demo_pause: DEMO_PAUSE,
        ..HostConfig::default()
    };
    let jobs = Arc::new(SharedJobs::default());
    let server = GameServer::new(config, saved, jobs.clone(), teaching, nets.clone());
    start_workers(&server, &jobs, &nets)?;
    let runtime = runtime(2)?;
    repeat(&runtime, SWEEP, &server, GameServer::sweep);
    repeat(&runtime, WATCH, &server, GameServer::watch_teaching);
    if args.run.is_some() || args.checkpoints.is_some() {
        repeat(&runtime, FOLLOW, &server, GameServer::refresh_nets);
    }
    let router = |access: AccessControl| routes::router(server, Arc::new(access), args.teach, pages);
    let ready = &mut |links: &[String]| {
        let mut others: Vec<String> = links[1..].iter().map(|link| format!("Also: {link}")).collect();
        others.push(saved_in.clone());
        ready(&links[0], &others.join("\n"));
    };
    let result = runtime.block_on(async {
        tokio::select! {
            result = run(args, router, ready) => result,
            () = cancelled(cancel) => Ok(()),
        }
    });
    jobs.close();
    runtime.shutdown_background();
    result
}

/// Returns when the token is cancelled.
async fn cancelled(cancel: &CancelToken) {
    while !cancel.is_cancelled() {
        tokio::time::sleep(PATIENCE).await;
    }
}

/// Starts the threads that run jobs. Each has its own evaluators, and takes new ones when the nets change.
fn start_workers(server: &Arc<GameServer>, jobs: &Arc<SharedJobs>, nets: &Arc<NetShelf>) -> Result<(), ServeError> {
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get().min(MAX_WORKERS));
    for number in 0..workers {
        let mut evaluators = nets.nets().evaluators();
        let (nets, mut version, server, jobs) = (nets.clone(), nets.version(), server.clone(), jobs.clone());
        let mut refresh = move |evaluators: &mut Vec<_>| {
            if nets.version() != version {
                version = nets.version();
                *evaluators = nets.nets().evaluators();
            }
        };
        std::thread::Builder::new()
            .name(format!("jobs {number}"))
            .spawn(move || jobs.work(&mut evaluators, &mut refresh, &|update| server.update(update)))?;
    }
    Ok(())
}

/// Calls a function of the server again and again, with a pause before each call.
fn repeat(runtime: &Runtime, pause: Duration, server: &Arc<GameServer>, task: fn(&GameServer)) {
    let server = server.clone();
    runtime.spawn(async move {
        loop {
            tokio::time::sleep(pause).await;
            let server = server.clone();
            let _ = tokio::task::spawn_blocking(move || task(&server)).await;
        }
    });
}

fn runtime(threads: usize) -> io::Result<Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(threads).max_blocking_threads(8).thread_name("server").enable_all().build()
}

async fn run(
    args: &ServeArgs,
    router: impl FnOnce(AccessControl) -> Router,
    ready: &mut dyn FnMut(&[String]),
) -> Result<(), ServeError> {
    let listener = bind(args).await?;
    let address = listener.local_addr()?;
    let token = match args.listen {
        Some(ip) if !ip.is_loopback() => Some(token()?),
        _ => None,
    };
    let names = args.host.iter().map(|name| format!("{name}:{}", address.port()));
    let here = addresses(address.ip()).into_iter().map(|ip| SocketAddr::new(ip, address.port()).to_string());
    let query = token.as_ref().map_or_else(String::new, |token| format!("?token={token}"));
    let links: Vec<String> = names.chain(here).map(|host| format!("http://{host}/{query}")).collect();
    let access = AccessControl::new(address, &args.host, token);
    let router = router(access);
    ready(&links);
    Ok(axum::serve(BoundedListener::new(listener), router.into_make_service_with_connect_info::<Peer>()).await?)
}

/// The addresses under which this machine is reached, its own network's first. The unspecified address (0.0.0.0) does not
/// work in a link.
fn addresses(ip: IpAddr) -> Vec<IpAddr> {
    if !ip.is_unspecified() {
        return vec![ip];
    }
    // No packet is sent: to connect a UDP socket only chooses a route, and with it the address of this machine.
    let to = |target: [u8; 4]| {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
        socket.connect((Ipv4Addr::from(target), 9)).ok()?;
        Some(socket.local_addr().ok()?.ip()).filter(|ip| !ip.is_unspecified())
    };
    let mut found: Vec<IpAddr> = Vec::new();
    let private = [[192, 168, 0, 1], [10, 0, 0, 1], [172, 16, 0, 1], [192, 0, 2, 1]];
    for ip in private.into_iter().filter_map(to).chain([Ipv4Addr::LOCALHOST.into()]) {
        if !found.contains(&ip) {
            found.push(ip);
        }
    }
    found
}

/// Listens at the given port. If none is given, listens at the default port or, if that is in use, at any free port.
async fn bind(args: &ServeArgs) -> Result<TcpListener, ServeError> {
    let ip = args.listen.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let address = SocketAddr::new(ip, args.port.unwrap_or(PORT));
    let cannot = |address, reason| ServeError(format!("cannot listen at {address}: {reason}"));
    match TcpListener::bind(address).await {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse && args.port.is_none() => {
            let any = SocketAddr::new(ip, 0);
            TcpListener::bind(any).await.map_err(|reason| cannot(any, reason))
        }
        bound => bound.map_err(|reason| cannot(address, reason)),
    }
}

/// A secret of 128 bits.
fn token() -> Result<String, ServeError> {
    let random = || getrandom::u64().map_err(|error| io::Error::other(error.to_string()));
    Ok(format!("{:016x}{:016x}", random()?, random()?))
}
