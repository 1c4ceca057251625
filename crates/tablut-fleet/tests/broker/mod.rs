//! A real `nats-server` for tests.

#![allow(dead_code, reason = "each test file uses only a part")]

use std::hash::{BuildHasher, RandomState};
use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The time limit for a broker's greeting.
const PATIENCE: Duration = Duration::from_mins(1);

/// A broker that is killed at the end of the test.
pub struct TestBroker {
    process: Child,
    port: u16,
    folder: tempfile::TempDir,
    /// Its address.
    pub url: String,
}

impl TestBroker {
    /// Starts a broker with these additional lines in its config. `None`, with a message, if `nats-server` is not
    /// installed.
    pub fn start(config: &str) -> Option<Self> {
        if Command::new("nats-server").arg("--version").stdout(Stdio::null()).status().is_err() {
            eprintln!("skipped: nats-server is not installed");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let port = free_port();
        let url = format!("nats://127.0.0.1:{port}");
        let mut broker = Self { process: Command::new("true").spawn().unwrap(), port, folder, url };
        broker.restart(config);
        Some(broker)
    }

    /// Starts the broker. If it is running, kills it first, and it restarts with its data on disk.
    pub fn restart(&mut self, config: &str) {
        self.kill();
        let path = self.config_path();
        let store = self.folder.path().join("jetstream");
        let config = if config.contains("jetstream") {
            config.replace("STORE", &store.display().to_string())
        } else {
            format!("jetstream {{ store_dir: \"{}\" }}\n{config}", store.display())
        };
        std::fs::write(&path, format!("listen: 127.0.0.1:{}\n{config}", self.port)).unwrap();
        let mut command = Command::new("nats-server");
        command.arg("-c").arg(&path).stdout(Stdio::null()).stderr(Stdio::null());
        self.process = command.spawn().unwrap();
        while !self.greets() {
            assert!(self.process.try_wait().unwrap().is_none(), "nats-server does not start with\n{config}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Kills the broker.
    pub fn kill(&mut self) {
        // It may already have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    fn config_path(&self) -> PathBuf {
        self.folder.path().join("nats.conf")
    }

    /// Whether the broker listens and greets a client.
    fn greets(&self) -> bool {
        let stream = TcpStream::connect(("127.0.0.1", self.port));
        stream.is_ok_and(|mut stream| {
            stream.set_read_timeout(Some(PATIENCE)).is_ok() && stream.read_exact(&mut [0]).is_ok()
        })
    }
}

/// A port that no program listens at, below the system's range for outgoing connections. Otherwise a client of a
/// stopped broker could get the broker's port for its own connection, and the broker could not restart.
fn free_port() -> u16 {
    let start = RandomState::new().hash_one(std::process::id());
    let ports = (0..10_000).map(|step| 20_000 + (start.wrapping_add(step) % 10_000) as u16);
    let mut free = ports.filter(|&port| TcpListener::bind(("127.0.0.1", port)).is_ok());
    free.next().expect("a free port between 20,000 and 29,999")
}

impl Drop for TestBroker {
    fn drop(&mut self) {
        self.kill();
    }
}
