//! A real `nats-server` for tests.

#![allow(dead_code, reason = "every test file uses a part")]

use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// A broker that ends with the test.
pub struct TestBroker {
    process: Child,
    port: u16,
    folder: tempfile::TempDir,
    /// Its address.
    pub url: String,
}

impl TestBroker {
    /// Starts one with these lines in its config besides; none, with a word, where `nats-server` is not installed.
    pub fn start(config: &str) -> Option<Self> {
        if Command::new("nats-server").arg("--version").stdout(Stdio::null()).status().is_err() {
            eprintln!("skipped: nats-server is not installed");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let url = format!("nats://127.0.0.1:{port}");
        let mut broker = Self { process: Command::new("true").spawn().unwrap(), port, folder, url };
        broker.restart(config);
        Some(broker)
    }

    /// Starts it, or ends it as a power cut would and starts it again with what it had on disk.
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
            std::thread::yield_now();
        }
    }

    /// Ends it without a warning.
    pub fn kill(&mut self) {
        // One that has ended already is as good.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    fn config_path(&self) -> PathBuf {
        self.folder.path().join("nats.conf")
    }

    /// Whether it listens: it greets everybody.
    fn greets(&self) -> bool {
        let stream = TcpStream::connect(("127.0.0.1", self.port));
        stream.is_ok_and(|mut stream| stream.read_exact(&mut [0]).is_ok())
    }
}

impl Drop for TestBroker {
    fn drop(&mut self) {
        self.kill();
    }
}
