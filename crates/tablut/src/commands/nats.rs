//! Options for a NATS broker: its address, credentials and certificates.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tablut_fleet::{Connection, Credentials, FleetTrainer, Log, Tls, TrainerOptions};
use tablut_games::Concurrency;

/// Options of every command that connects to a broker.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Broker")]
pub struct NatsArgs {
    /// The NATS broker, such as `nats://host:4222` or `tls://host:4222`. Separate several addresses of a cluster by
    /// commas.
    #[arg(long = "nats", value_name = "URL")]
    pub url: Option<String>,
    /// A credentials file made by `nsc`. The address can contain a user and password, or a token, instead:
    /// `nats://user:password@host`.
    #[arg(long, value_name = "FILE", requires = "url")]
    nats_creds: Option<PathBuf>,
    /// A file with the seed of an nkey.
    #[arg(long, value_name = "FILE", requires = "url", conflicts_with = "nats_creds")]
    nats_nkey: Option<PathBuf>,
    /// A certificate authority to trust in addition to the system's.
    #[arg(long, value_name = "FILE", requires = "url")]
    nats_ca: Option<PathBuf>,
    /// The client certificate, if the broker requires one.
    #[arg(long, value_name = "FILE", requires = "url", requires = "nats_key")]
    nats_cert: Option<PathBuf>,
    /// The key of the client certificate.
    #[arg(long, value_name = "FILE", requires = "url", requires = "nats_cert")]
    nats_key: Option<PathBuf>,
}

impl NatsArgs {
    /// The connection, or `None` without an address.
    pub fn connection(&self) -> Option<Connection> {
        let credentials = match (&self.nats_creds, &self.nats_nkey) {
            (Some(path), _) => Credentials::File(path.clone()),
            (None, Some(path)) => Credentials::Nkey(path.clone()),
            (None, None) => Credentials::Anonymous,
        };
        let certificate = self.nats_cert.clone().zip(self.nats_key.clone());
        let tls = Tls { authority: self.nats_ca.clone(), certificate };
        Some(Connection { url: self.url.clone()?, credentials, tls })
    }
}

/// Options of a command whose games workers can play.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Workers on other machines")]
pub struct FleetArgs {
    /// Seconds without a message from a worker until its games are assigned to another one.
    #[arg(long, value_name = "SECONDS", default_value_t = 15, requires = "url", value_parser = clap::value_parser!(u32).range(1..=3600))]
    lease: u32,
    /// Share of the workers' games that are played again here to verify the workers, 0 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = 0.005, requires = "url", value_parser = share)]
    check: f64,
    #[command(flatten)]
    nats: NatsArgs,
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

impl FleetArgs {
    /// Whether a broker was named.
    pub fn is_asked_for(&self) -> bool {
        self.nats.url.is_some()
    }

    /// Connects to the broker, if one was named, for the run or match `id`. `place` is the folder of its files. `notes`
    /// receives messages about the connection and the workers.
    pub fn start(
        &self,
        id: String,
        place: &Path,
        concurrency: Concurrency,
        notes: Log,
    ) -> anyhow::Result<Option<FleetTrainer>> {
        let Some(connection) = self.nats.connection() else { return Ok(None) };
        let place = place.canonicalize().unwrap_or_else(|_| place.to_owned());
        let options = TrainerOptions {
            run: id,
            holder: format!("{}:{}", host_name(), place.display()),
            lease: Duration::from_secs(u64::from(self.lease)),
            check_share: self.check,
            concurrency,
        };
        notes(&format!("Workers play the games. To add a worker: tablut worker --nats {}", connection.shown()));
        Ok(Some(FleetTrainer::start(connection, options, notes)?))
    }
}

/// This machine's name, for messages and the names of workers.
pub fn host_name() -> String {
    let name = gethostname::gethostname();
    // Names travel in subjects, whose parts are separated by dots.
    let name: String =
        name.to_string_lossy().trim().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    if name.is_empty() { "machine".to_owned() } else { name }
}
