//! The connection to a broker: address, credentials, TLS, and new attempts after failures.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event};
use tablut_games::CancelToken;
use tokio::sync::Notify;

use crate::error::FleetError;

/// Receives messages for the user, for example about a lost connection or a refused worker.
pub type Log = std::sync::Arc<dyn Fn(&str) + Send + Sync>;

/// The settings of a connection to a broker.
#[derive(Clone, Debug, Default)]
pub struct Connection {
    /// One address or several of one cluster, separated by commas: `nats://host:4222`, `tls://host:4222`.
    pub url: String,
    /// The credentials. The address may contain a user and password, or a token, instead.
    pub credentials: Credentials,
    /// Certificates beyond those of the system.
    pub tls: Tls,
}

#[derive(Clone, Default)]
pub enum Credentials {
    /// Those in the address, or none.
    #[default]
    Anonymous,
    User(String, String),
    Token(String),
    /// A file of credentials, as `nsc` writes them.
    File(PathBuf),
    /// A file with the seed of an nkey.
    Nkey(PathBuf),
}

impl std::fmt::Debug for Credentials {
    /// Names the kind, never the secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Anonymous => "anonymous",
            Self::User(..) => "user and password",
            Self::Token(_) => "token",
            Self::File(_) => "credentials file",
            Self::Nkey(_) => "nkey",
        })
    }
}

#[derive(Clone, Debug, Default)]
pub struct Tls {
    /// Certificate authorities to trust in addition to the system's.
    pub authority: Option<PathBuf>,
    /// The client's certificate and its key, if the broker requires one.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const PING_INTERVAL: Duration = Duration::from_secs(10);

/// The pause before an attempt: doubling, from 0.25 to 10 seconds.
fn pause(attempt: usize) -> Duration {
    FIRST_PAUSE.saturating_mul(1 << attempt.min(8)).min(LONGEST_PAUSE)
}

/// Waits for `duration`, or until `cancel` is cancelled.
async fn pause_unless(duration: Duration, cancel: &CancelToken) -> Result<(), FleetError> {
    let end = tokio::time::Instant::now() + duration;
    while tokio::time::Instant::now() < end {
        if cancel.is_cancelled() {
            return Err(FleetError::Stopped);
        }
        tokio::time::sleep_until(end.min(tokio::time::Instant::now() + Duration::from_millis(100))).await;
    }
    if cancel.is_cancelled() { Err(FleetError::Stopped) } else { Ok(()) }
}

/// Failures of requests to the broker since it last worked.
#[derive(Default)]
pub(crate) struct Failures(usize);

impl Failures {
    /// Logs the first of several failures, and waits before the next attempt.
    pub async fn wait(&mut self, error: &FleetError, log: &Log, cancel: &CancelToken) -> Result<(), FleetError> {
        if self.0 == 0 {
            log(&format!("{error}; retrying until it works"));
        }
        self.0 += 1;
        pause_unless(pause(self.0), cancel).await
    }

    /// Ends a series of failures. Logs `message` if there were any.
    pub fn end(&mut self, log: &Log, message: &str) {
        if std::mem::take(&mut self.0) > 0 {
            log(message);
        }
    }
}

impl Connection {
    /// The address without its secrets, for messages.
    pub fn shown(&self) -> String {
        let hide = |address: &str| match address.split_once("://") {
            Some((scheme, rest)) => format!("{scheme}://{}", rest.rsplit_once('@').map_or(rest, |(_, host)| host)),
            None => address.rsplit_once('@').map_or(address, |(_, host)| host).to_owned(),
        };
        self.url.split(',').map(str::trim).map(hide).collect::<Vec<_>>().join(", ")
    }

    fn wrong_address(&self, reason: &dyn Display) -> FleetError {
        let url = self.shown();
        FleetError::Setup(format!("{url}: {reason}; expected an address such as nats://host:4222 or tls://host:4222"))
    }

    /// Connects. While the broker cannot be reached, retries with growing pauses. Returns an error at once if the
    /// broker refuses the credentials. `reconnected` is notified when a lost connection works again.
    pub(crate) async fn open(
        &self,
        name: &str,
        log: &Log,
        reconnected: &std::sync::Arc<Notify>,
        cancel: &CancelToken,
    ) -> Result<Client, FleetError> {
        let addresses: Vec<async_nats::ServerAddr> = self
            .url
            .split(',')
            .map(|address| address.trim().parse())
            .collect::<Result<_, std::io::Error>>()
            .map_err(|error| self.wrong_address(&error))?;
        let credentials = self.credentials_with(&addresses)?;
        for attempt in 0.. {
            let options = self.options(name, &credentials, log, reconnected).await?;
            let error = match options.connect(&addresses[..]).await {
                Ok(client) => return Ok(client),
                Err(error) => error,
            };
            let reason = error.to_string();
            match error.kind() {
                ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
                    let url = self.shown();
                    return Err(FleetError::Setup(format!("the broker at {url} refuses these credentials: {reason}")));
                }
                ConnectErrorKind::ServerParse => return Err(self.wrong_address(&reason)),
                _ => {}
            }
            if attempt == 0 {
                log(&format!("cannot reach the broker at {}: {reason}; retrying until it answers", self.shown()));
            }
            pause_unless(pause(attempt), cancel).await?;
        }
        unreachable!("the attempts do not end")
    }

    /// The credentials that were given, or else those in the addresses.
    fn credentials_with(&self, addresses: &[async_nats::ServerAddr]) -> Result<Credentials, FleetError> {
        let named = addresses.iter().find_map(|address| Some((address.username()?, address.password())));
        let (Credentials::Anonymous, Some((user, password))) = (&self.credentials, named) else {
            return Ok(self.credentials.clone());
        };
        let plain = |text: &str| {
            let reason = "a user, password or token with a % that is not followed by two hexadecimal digits";
            percent_decoded(text).ok_or_else(|| self.wrong_address(&reason))
        };
        Ok(match password {
            Some(password) => Credentials::User(plain(user)?, plain(password)?),
            None => Credentials::Token(plain(user)?),
        })
    }

    async fn options(
        &self,
        name: &str,
        credentials: &Credentials,
        log: &Log,
        reconnected: &std::sync::Arc<Notify>,
    ) -> Result<ConnectOptions, FleetError> {
        let (log, reconnected, shown) = (log.clone(), std::sync::Arc::clone(reconnected), self.shown());
        let lost = std::sync::Arc::new(AtomicBool::new(false));
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(CONNECT_TIMEOUT)
            .ping_interval(PING_INTERVAL)
            .reconnect_delay_callback(pause)
            .event_callback(move |event| {
                let (log, reconnected, shown, lost) = (log.clone(), reconnected.clone(), shown.clone(), lost.clone());
                async move {
                    match event {
                        Event::Disconnected if !lost.swap(true, Ordering::Relaxed) => {
                            log(&format!(
                                "lost the connection to the broker at {shown}; retrying until it is restored"
                            ));
                        }
                        Event::Connected => {
                            if lost.swap(false, Ordering::Relaxed) {
                                log(&format!("the connection to the broker at {shown} is restored"));
                            }
                            reconnected.notify_one();
                        }
                        Event::ServerError(error) => log(&format!("the broker at {shown} reports: {error}")),
                        _ => {}
                    }
                }
            });
        match credentials {
            Credentials::Anonymous => {}
            Credentials::User(user, password) => options = options.user_and_password(user.clone(), password.clone()),
            Credentials::Token(token) => options = options.token(token.clone()),
            Credentials::File(path) => {
                options = options.credentials_file(path).await.map_err(|error| unreadable(path, &error))?;
            }
            Credentials::Nkey(path) => {
                let seed = std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
                options = options.nkey(seed.trim().to_owned());
            }
        }
        if let Some(authority) = &self.tls.authority {
            check_readable(authority)?;
            options = options.add_root_certificates(authority.clone());
        }
        if let Some((certificate, key)) = &self.tls.certificate {
            check_readable(certificate)?;
            check_readable(key)?;
            options = options.add_client_certificate(certificate.clone(), key.clone());
        }
        Ok(options)
    }
}

/// Decodes percent-encoded bytes such as `%2F`.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first == b'%' {
            let (digits, after) = rest.split_at_checked(2)?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            rest = after;
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).ok()
}

/// An error of a file with credentials or certificates.
fn unreadable(path: &Path, reason: &dyn Display) -> FleetError {
    FleetError::Setup(format!("{}: {reason}", path.display()))
}

fn check_readable(path: &Path) -> Result<(), FleetError> {
    std::fs::File::open(path).map(drop).map_err(|error| unreadable(path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_shown_without_their_secrets() {
        let shown = |url: &str| Connection { url: url.to_owned(), ..Connection::default() }.shown();
        assert_eq!(shown("nats://me:secret@host:4222"), "nats://host:4222");
        assert_eq!(shown("token@host, tls://b:1"), "host, tls://b:1");
        let user = Credentials::User("me".to_owned(), "secret".to_owned());
        assert!(!format!("{user:?}").contains("secret"));
    }

    #[test]
    fn credentials_in_the_address_count_where_no_others_are_given() {
        let credentials = |url: &str, given: Credentials| {
            let connection = Connection { url: url.to_owned(), credentials: given, ..Connection::default() };
            connection.credentials_with(&[url.parse().unwrap()]).map_err(|error| error.to_string())
        };
        let found = credentials("nats://me:se%2Fcret@host", Credentials::Anonymous);
        assert!(matches!(found, Ok(Credentials::User(user, password)) if user == "me" && password == "se/cret"));
        let found = credentials("nats://token@host", Credentials::Anonymous);
        assert!(matches!(found, Ok(Credentials::Token(token)) if token == "token"));
        let found = credentials("nats://me:secret@host", Credentials::Token("t".to_owned()));
        assert!(matches!(found, Ok(Credentials::Token(token)) if token == "t"));
        assert!(matches!(credentials("nats://host", Credentials::Anonymous), Ok(Credentials::Anonymous)));
        let wrong = credentials("nats://me:100%@host", Credentials::Anonymous).unwrap_err();
        assert!(wrong.contains("nats://host: a user, password or token with a %"), "{wrong}");
    }

    #[test]
    fn pauses_grow_to_ten_seconds() {
        let seconds: Vec<f64> = [0, 1, 2, 5, 6, 60].map(|attempt| pause(attempt).as_secs_f64()).to_vec();
        assert_eq!(seconds, [0.25, 0.5, 1.0, 8.0, 10.0, 10.0]);
    }
}
