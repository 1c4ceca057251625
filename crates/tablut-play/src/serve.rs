//! The page's server: one link, one program, no other host. `tablut serve` and `tablut-play serve` are both this.

mod assets;
mod gate;
mod house;
mod listener;
mod nets;
mod pages;
mod routes;
mod socket;
pub(crate) mod store;
mod training;
pub(crate) mod workers;

pub use nets::ServedNetError;
pub use pages::{AddedPage, RenderPage, link_to};
pub use training::{Trainer, Training};

use axum::Router;
use gate::Gate;
use house::House;
use listener::BoundedListener;
use nets::ServedNets;
use pages::pages_alone;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::{GameStore, data_folder};
use tablut_session::{Lobby, PuzzleBook};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use training::TrainingPlace;
use workers::Queue;

/// The port, where nothing else listens on it.
pub const PORT: u16 = 8527;
/// Threads that think, at most.
const MAX_WORKERS: usize = 4;
/// How often tables that nobody sits at are looked for.
const SWEEP: Duration = Duration::from_mins(1);

/// Options of `serve`.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ServeArgs {
    /// Model files; the first plays unless another is chosen on the page [default: the net that is built in].
    pub models: Vec<PathBuf>,
    /// The port [default: 8527, or any where that is taken].
    #[arg(long)]
    pub port: Option<u16>,
    /// Listen at this address instead of this machine alone; the link then carries a token without which nobody comes in.
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<IpAddr>,
    /// A name by which others reach this machine, besides its address.
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// A run's folder, or its folder of checkpoints: the page shows how each generation sees a position.
    #[arg(long, value_name = "DIR")]
    pub checkpoints: Option<PathBuf>,
    /// Where games are kept [default: tablut/games in the user's data folder].
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

/// Why the page cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// A net cannot be used.
    #[error(transparent)]
    Net(#[from] ServedNetError),
    /// The folder of games cannot be used.
    #[error("the folder of games, {folder}: {reason}")]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What is wrong.
        reason: io::Error,
    },
    /// The address cannot be listened at.
    #[error("cannot listen at {address}: {reason}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What is wrong.
        reason: io::Error,
    },
    /// The puzzles that are built in are damaged.
    #[error("the built-in puzzles: {0}")]
    Puzzles(String),
    /// The system refuses something that a server needs.
    #[error("{0}")]
    System(#[from] io::Error),
}

/// The puzzles that come with the program.
const PUZZLES: [&str; 6] = [
    include_str!("../../../experiments/puzzles/kvasir.jsonl"),
    include_str!("../../../experiments/puzzles/piecepack.jsonl"),
    include_str!("../../../experiments/puzzles/imperial.jsonl"),
    include_str!("../../../experiments/puzzles/ludoteka.jsonl"),
    include_str!("../../../experiments/puzzles/linnaeus.jsonl"),
    include_str!("../../../experiments/puzzles/masters.jsonl"),
];

/// Serves the page until the program is ended. `ready` is told the link and the folder of games.
pub fn serve(args: &ServeArgs, ready: &mut dyn FnMut(&str, &std::path::Path)) -> Result<(), ServeError> {
    serve_with(args, &[], None, ready)
}

/// Serves nothing but `pages` until the program is ended; of `args` only where to listen counts. `ready` is told the link.
pub fn serve_pages(args: &ServeArgs, pages: &[AddedPage], ready: &mut dyn FnMut(&str)) -> Result<(), ServeError> {
    let router = |gate: Gate| pages_alone(Arc::new(gate), pages);
    runtime(1)?.block_on(run(args, router, ready))
}

/// Serves the page and `pages` beside it, otherwise as [`serve`]; `trainer` trains nets for it, where the program can.
pub fn serve_with(
    args: &ServeArgs,
    pages: &[AddedPage],
    trainer: Option<Arc<dyn Trainer>>,
    ready: &mut dyn FnMut(&str, &std::path::Path),
) -> Result<(), ServeError> {
    let nets = ServedNets::load(&args.models, args.checkpoints.as_deref())?;
    let folder = args.folder.clone().unwrap_or_else(data_folder);
    let at_folder = |reason| ServeError::Folder { folder: folder.clone(), reason };
    let store = GameStore::open(&folder).map_err(at_folder)?;
    let puzzles = PUZZLES.map(PuzzleBook::parse).into_iter().collect::<Result<_, _>>().map_err(ServeError::Puzzles)?;
    let training = TrainingPlace::new(trainer);
    let lobby = Lobby {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        nets: nets.names(),
        about_nets: nets.about(),
        checkpoints: nets.checkpoint_names(),
        trains: training.is_open(),
        puzzles,
        ..Lobby::default()
    };
    let queue = Arc::new(Queue::default());
    let house = House::new(lobby, store, queue.clone(), training);
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get().min(MAX_WORKERS));
    for number in 0..workers {
        let (mut evaluators, house, queue) = (nets.evaluators()?, house.clone(), queue.clone());
        std::thread::Builder::new()
            .name(format!("thinker {number}"))
            .spawn(move || workers::work(&queue, &mut evaluators, &|told| house.hear(told)))?;
    }
    let sweeper = house.clone();
    let runtime = runtime(2)?;
    runtime.spawn(async move {
        loop {
            tokio::time::sleep(SWEEP).await;
            let house = sweeper.clone();
            let _ = tokio::task::spawn_blocking(move || house.sweep()).await;
        }
    });
    let router = |gate: Gate| routes::router(house, Arc::new(gate), pages);
    let result = runtime.block_on(run(args, router, &mut |link| ready(link, &folder)));
    queue.close();
    result
}

fn runtime(threads: usize) -> io::Result<Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(threads).max_blocking_threads(8).thread_name("server").enable_all().build()
}

async fn run(
    args: &ServeArgs,
    router: impl FnOnce(Gate) -> Router,
    ready: &mut dyn FnMut(&str),
) -> Result<(), ServeError> {
    let listener = bind(args).await?;
    let address = listener.local_addr()?;
    let token = match args.listen {
        Some(ip) if !ip.is_loopback() => Some(token()?),
        _ => None,
    };
    let named = args.host.first().map(|name| format!("{name}:{}", address.port()));
    let link = match &token {
        Some(token) => format!("http://{}/?token={token}", named.unwrap_or_else(|| reachable(address).to_string())),
        None => format!("http://{}/", named.unwrap_or_else(|| address.to_string())),
    };
    let gate = Gate::new(address, &args.host, token);
    let router = router(gate);
    ready(&link);
    Ok(axum::serve(BoundedListener::new(listener), router).await?)
}

/// Listens at the port asked for, or at the usual one, or where that is taken at any.
async fn bind(args: &ServeArgs) -> Result<TcpListener, ServeError> {
    let ip = args.listen.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let address = SocketAddr::new(ip, args.port.unwrap_or(PORT));
    match TcpListener::bind(address).await {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse && args.port.is_none() => {
            let any = SocketAddr::new(ip, 0);
            TcpListener::bind(any).await.map_err(|reason| ServeError::Listen { address: any, reason })
        }
        bound => bound.map_err(|reason| ServeError::Listen { address, reason }),
    }
}

/// An address that a link can name: all addresses are none.
fn reachable(address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() { SocketAddr::new(Ipv4Addr::LOCALHOST.into(), address.port()) } else { address }
}

/// A secret of 128 bits.
fn token() -> Result<String, ServeError> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(format!("{:032x}", u128::from_le_bytes(bytes)))
}
