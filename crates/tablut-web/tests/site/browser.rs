//! A browser that has visited the site once and then lost its network.

use super::host::{Host, site};
use super::online;
pub use super::online::squares;
use std::ops::Deref;
use std::path::PathBuf;

/// The browser.
pub struct Browser(online::Browser);

impl Deref for Browser {
    type Target = online::Browser;

    fn deref(&self) -> &online::Browser {
        &self.0
    }
}

impl Browser {
    /// Visits the site, waits until it is kept, cuts the network, and opens a path of it.
    pub async fn open(&self, host: &Host, path: &str) {
        self.0.open(host, "/").await;
        self.until("document.documentElement.dataset.offline === 'ready'").await;
        host.cut();
        self.page.goto("about:blank").await.expect("a blank page");
        self.0.open(host, path).await;
    }

    /// Opens a path with the network that there is.
    pub async fn visit(&self, host: &Host, path: &str) {
        self.0.open(host, path).await;
    }

    /// Ends the browser, and fails where its console has complained.
    pub async fn end(self) {
        self.0.end().await;
    }
}

/// Runs a test with a server and a browser, or says that it skips.
pub fn with_browser<F: Future<Output = ()>>(test: impl FnOnce(Host, Browser, PathBuf) -> F) {
    with_browser_and(&[], test);
}

/// As [`with_browser`], with the site in the folder that `more` names. Other options are for programs: the test is skipped.
pub fn with_browser_and<F: Future<Output = ()>>(more: &[&str], test: impl FnOnce(Host, Browser, PathBuf) -> F) {
    if more.iter().any(|option| option.starts_with("--")) {
        eprintln!("skipped: there is no program to give {} to", more.join(" "));
        return;
    }
    if site().is_some() {
        online::with_browser_and(more, |host, browser, folder| test(host, Browser(browser), folder));
    }
}
