//! Python's file server over a copy of the site.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// The folder of the site, or `None` with a word about it.
pub fn site() -> Option<PathBuf> {
    let site = std::env::var_os("TABLUT_SITE").map(PathBuf::from);
    if site.is_none() {
        eprintln!("skipped: TABLUT_SITE does not name the folder of a site; .ci/web builds one");
    }
    site
}

/// What the page knows before the engine is loaded.
pub fn first(site: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(site.join("first.json")).expect("the site is complete")).expect("it is JSON")
}

/// A running server, killed when the test ends.
pub struct Host {
    process: Mutex<Child>,
    /// `address:port`, and the folder below it for which the test has asked.
    pub authority: String,
}

impl Host {
    /// Copies the site into a folder, or into the folder in it that `more` names, and serves it.
    pub fn start(folder: &Path, more: &[&str]) -> Self {
        let below = more.first().copied().unwrap_or_default();
        copy(&site().expect("a test has asked before"), &folder.join(below));
        let (process, port) = serve(folder, "0");
        let slash = if below.is_empty() { "" } else { "/" };
        Self { process: Mutex::new(process), authority: format!("127.0.0.1:{port}{slash}{below}") }
    }

    /// Cuts the network.
    pub fn cut(&self) {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        process.kill().expect("the server runs or has ended");
        process.wait().expect("the server ends");
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.cut();
    }
}

/// Starts a server and returns its port.
fn serve(folder: &Path, port: &str) -> (Child, String) {
    let mut process = Command::new("python3")
        .args(["-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory"])
        .arg(folder)
        .arg(port)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("python3 starts");
    let line = BufReader::new(process.stdout.take().expect("a pipe")).lines().next();
    let line = line.expect("the server prints a line").expect("the line is text");
    let port = line.split(' ').skip_while(|word| *word != "port").nth(1).expect("the line names the port").to_owned();
    (process, port)
}

/// Copies a folder.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a new folder");
    for entry in std::fs::read_dir(from).expect("the site's folder") {
        let path = entry.expect("an entry").path();
        let to = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &to);
        } else {
            std::fs::copy(&path, &to).expect("the disk takes it");
        }
    }
}
