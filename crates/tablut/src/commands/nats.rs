//! How a command reaches a NATS broker: its address, credentials and certificates.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tablut_fleet::{Connection, Credentials, FleetTrainer, Log, Tls, TrainerOptions};
use tablut_games::Concurrency;

/// Options of every command that talks to a broker.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Broker")]
pub struct NatsArgs {
    /// The NATS broker, such as `nats://host:4222` or `tls://host:4222`; several of a cluster are separated by commas.
    #[arg(long = "nats", value_name = "URL")]
    pub url: Option<String>,
    /// Credentials, as `nsc` writes them. A user with a password, or a token, can stand in the address instead:
    /// `nats://user:password@host`.
    #[arg(long, value_name = "FILE", requires = "url")]
    nats_creds: Option<PathBuf>,
    /// A file with the seed of an nkey.
    #[arg(long, value_name = "FILE", requires = "url", conflicts_with = "nats_creds")]
    nats_nkey: Option<PathBuf>,
    /// A certificate authority to trust besides the system's.
    #[arg(long, value_name = "FILE", requires = "url")]
    nats_ca: Option<PathBuf>,
    /// Our own certificate, where the broker asks for one.
    #[arg(long, value_name = "FILE", requires = "url", requires = "nats_key")]
    nats_cert: Option<PathBuf>,
    /// The key of that certificate.
    #[arg(long, value_name = "FILE", requires = "url", requires = "nats_cert")]
    nats_key: Option<PathBuf>,
}

impl NatsArgs {
    /// The connection; none without an address.
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

/// Options of a command whose games others play.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Workers on other machines")]
pub struct FleetArgs {
    #[command(flatten)]
    nats: NatsArgs,
    /// Seconds that a worker may be silent before its games are given to another one.
    #[arg(long, value_name = "SECONDS", default_value_t = 15, requires = "url", value_parser = clap::value_parser!(u32).range(1..=3600))]
    lease: u32,
    /// Share of the workers' games that are played here once more, to see whether workers are honest; 0 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = 0.005, requires = "url", value_parser = share)]
    check: f64,
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

impl FleetArgs {
    /// Whether others play.
    pub fn is_asked_for(&self) -> bool {
        self.nats.url.is_some()
    }

    /// Joins the broker, if one was named, for the run or match of that id; `place` is where its files are, and `notes` hears
    /// of what happens at the broker.
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
        notes(&format!("Games are played by workers: tablut worker --nats {}", connection.shown()));
        Ok(Some(FleetTrainer::start(connection, options, notes)?))
    }
}

/// This machine's name, for people.
pub fn host_name() -> String {
    let name = gethostname::gethostname();
    // Names travel in subjects, whose parts are separated by dots.
    let name: String =
        name.to_string_lossy().trim().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    if name.is_empty() { "machine".to_owned() } else { name }
}
