//! A browser for one test.

use super::host::Host;
use fantoccini::{Client, ClientBuilder, Locator};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The time after which a wait fails. It is long because the machine may be busy with other work.
const PATIENCE: Duration = Duration::from_mins(5);

/// axe-core (MPL-2.0), which only tests use.
const AXE: &str = include_str!("vendor/axe.min.js");

/// A browser with a page in it.
pub struct Browser {
    driver: Child,
    port: u16,
    /// The page.
    pub page: Client,
    profile: tempfile::TempDir,
}

/// A program in `PATH`.
fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// The squares of a move as text: from, to, and what it chooses to capture.
pub fn squares(mv: &str) -> (&str, &str, Option<&str>) {
    let (from, rest) = mv.split_once('-').expect("a move has two squares");
    rest.split_once('x').map_or((from, rest, None), |(to, chosen)| (from, to, Some(chosen)))
}

/// Runs a test with a server and a browser. Skips it with a message if there is no browser.
pub fn with_browser<F: Future<Output = ()>>(test: impl FnOnce(Host, Browser, PathBuf) -> F) {
    with_browser_and(&[], test);
}

/// Like [`with_browser`], with more options for the server.
pub fn with_browser_and<F: Future<Output = ()>>(more: &[&str], test: impl FnOnce(Host, Browser, PathBuf) -> F) {
    let (Some(driver), Some(chromium)) = (program("chromedriver"), program("chromium")) else {
        eprintln!("skipped: the packages chromium and chromium-driver are not installed");
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let folder = tempfile::tempdir().expect("a folder");
        let host = Host::start(folder.path(), more);
        let browser = Browser::start(&driver, &chromium).await;
        test(host, browser, folder.path().to_owned()).await;
    });
}

/// A driver with its port. `None` if it ends at once, which happens if its port is in use for the other IP version.
fn started(driver: &PathBuf) -> Option<(Child, u16)> {
    let mut driver =
        Command::new(driver).arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let lines = BufReader::new(driver.stdout.take().expect("a pipe")).lines();
    let Some(line) = lines.map_while(Result::ok).find(|line| line.contains("started successfully on port")) else {
        driver.wait().expect("it has ended");
        return None;
    };
    let digits: String = line.chars().filter(char::is_ascii_digit).collect();
    Some((driver, digits.parse().expect("a port")))
}

impl Browser {
    async fn start(driver: &PathBuf, chromium: &PathBuf) -> Self {
        let profile = tempfile::tempdir().expect("a folder");
        let (driver, port) = (0..5).find_map(|_| started(driver)).expect("the driver says where it listens");
        let flags = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--window-size=1280,1000",
        ];
        let mut arguments: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        arguments.push(format!("--user-data-dir={}", profile.path().display()));
        let capabilities = json!({
            "goog:chromeOptions": {"args": arguments, "binary": chromium},
            "goog:loggingPrefs": {"browser": "ALL"},
            "timeouts": {"script": 300_000, "pageLoad": 300_000},
        });
        let Value::Object(capabilities) = capabilities else { unreachable!("an object") };
        let connector = hyper_util::client::legacy::connect::HttpConnector::new();
        let page = ClientBuilder::new(connector)
            .capabilities(capabilities)
            .connect(&format!("http://127.0.0.1:{port}"))
            .await
            .expect("the browser starts");
        Self { driver, port, page, profile }
    }

    /// Opens a path of the server and waits until a game is shown.
    pub async fn open(&self, host: &Host, path: &str) {
        self.page.goto(&format!("http://{}{path}", host.authority)).await.expect("the page loads");
        self.ready().await;
    }

    /// Waits until a game is shown.
    pub async fn ready(&self) {
        self.until(
            "document.documentElement.dataset.ready === 'yes' && document.querySelector('.cell .piece') !== null",
        )
        .await;
    }

    /// Waits until an expression is true.
    pub async fn until(&self, expression: &str) {
        let began = std::time::Instant::now();
        loop {
            if self.js(expression).await == Value::Bool(true) {
                return;
            }
            let error = self.js("document.getElementById('error')?.textContent").await;
            assert!(began.elapsed() < PATIENCE, "it never came true: {expression} (the page says {error})");
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }

    /// The value of an expression on the page.
    pub async fn js(&self, expression: &str) -> Value {
        self.page
            .execute(&format!("return ({expression});"), Vec::new())
            .await
            .unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    /// Clicks the first element that a selector finds. Waits until there is one, and finds it again if the page has
    /// replaced it meanwhile.
    pub async fn click(&self, selector: &str) {
        let began = std::time::Instant::now();
        loop {
            let clicked = match self.page.find(Locator::Css(selector)).await {
                Ok(element) => element.click().await,
                Err(error) => Err(error),
            };
            let Err(error) = clicked else { return };
            let is_passing = error.is_stale_element_reference() || error.is_no_such_element();
            assert!(is_passing && began.elapsed() < PATIENCE, "{selector}: {error}");
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }

    /// Opens a panel.
    pub async fn panel(&self, name: &str) {
        let group =
            self.js(&format!("document.getElementById('panel-{name}').parentElement.id.replace('group', 'tab')")).await;
        self.click(&format!("#{}", group.as_str().expect("every panel is in a group"))).await;
        if self.js(&format!("document.getElementById('part-{name}').parentElement.hidden")).await == false {
            self.click(&format!("#part-{name}")).await;
        }
    }

    /// Gives the page a screen of this size, even if it is smaller than the smallest window.
    pub async fn resize(&self, width: u32, height: u32) {
        let params = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        let body = json!({"cmd": "Emulation.setDeviceMetricsOverride", "params": params});
        self.command("goog/cdp/execute", &body).await;
    }

    /// Gives the page the screen of a phone, with a touch screen and without room for scroll bars.
    pub async fn become_a_phone(&self, width: u32, height: u32) {
        for (cmd, params) in [
            (
                "setDeviceMetricsOverride",
                json!({"width": width, "height": height, "deviceScaleFactor": 2, "mobile": true}),
            ),
            ("setTouchEmulationEnabled", json!({"enabled": true})),
        ] {
            self.command("goog/cdp/execute", &json!({"cmd": format!("Emulation.{cmd}"), "params": params})).await;
        }
    }

    /// Runs a script before those of each page that is opened from now on.
    pub async fn before_each_page(&self, script: &str) {
        let body = json!({"cmd": "Page.addScriptToEvaluateOnNewDocument", "params": {"source": script}});
        self.command("goog/cdp/execute", &body).await;
    }

    /// Clicks a square.
    pub async fn square(&self, square: &str) {
        self.click(&format!("[data-square={square}]")).await;
    }

    /// Makes a move by two clicks and waits until the page shows it.
    pub async fn move_by_clicks(&self, mv: &str) {
        let (from, to, chosen) = squares(mv);
        self.square(from).await;
        self.square(to).await;
        if let Some(chosen) = chosen {
            let choice = format!(
                "[...document.querySelectorAll('#choice button')].find((b) => b.textContent.includes('{chosen}'))"
            );
            self.until(&format!("!!{choice}")).await;
            self.js(&format!("{choice}.click()")).await;
        }
        self.until(&format!(
            "document.querySelector('[data-square={to}]').classList.contains('last-to') && \
             document.querySelector('[data-square={from}]').classList.contains('last-from')"
        ))
        .await;
    }

    /// Presses keys. The element with the focus receives them.
    pub async fn keys(&self, keys: &str) {
        let element = self.page.active_element().await.expect("something has the focus");
        element.send_keys(keys).await.expect("keys");
    }

    /// The text of an element.
    pub async fn text(&self, selector: &str) -> String {
        let value = self.js(&format!("document.querySelector({})?.textContent ?? ''", json!(selector))).await;
        value.as_str().unwrap_or_default().to_owned()
    }

    /// Sends the driver a command that only Chromium has, and returns its answer.
    pub async fn command(&self, path: &str, body: &Value) -> Value {
        let session = self.page.session_id().await.expect("a session").expect("a session");
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the driver listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let body = body.to_string();
        let request = format!(
            "POST /session/{session}/{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("the driver takes the request");
        // The driver keeps the connection open, so the header gives the length of the answer.
        let mut answer = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            answer.read_line(&mut line).expect("the driver answers");
            let Some((name, value)) = line.trim_end().split_once(':') else {
                if line.trim_end().is_empty() {
                    break;
                }
                continue;
            };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().expect("a length");
            }
        }
        let mut body = vec![0; length];
        answer.read_exact(&mut body).expect("the driver answers in full");
        let mut answer: Value = serde_json::from_slice(&body).expect("the driver answers in JSON");
        answer["value"].take()
    }

    /// What axe finds wrong on the page, an array.
    pub async fn violations(&self) -> Value {
        self.page.execute(AXE, Vec::new()).await.expect("axe starts");
        let run = "const done = arguments[arguments.length - 1]; axe.run(document, { rules: { \
                   'label-content-name-mismatch': { enabled: true } } }).then((found) => done(found.violations.map((v) => \
                   `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html).join(' | ')}`)));";
        self.page.execute_async(run, Vec::new()).await.expect("axe ends")
    }

    /// The errors and warnings in the browser's console.
    pub async fn complaints(&self) -> Vec<String> {
        let answer = self.command("se/log", &json!({"type": "browser"})).await;
        let entries = answer.as_array().unwrap_or_else(|| panic!("a list of entries, found {answer}"));
        entries
            .iter()
            .filter(|entry| entry["level"] == "SEVERE" || entry["level"] == "WARNING")
            .map(Value::to_string)
            .collect()
    }

    /// Ends the browser. Fails if its console has errors or warnings.
    pub async fn end(self) {
        let complaints = self.complaints().await;
        assert!(complaints.is_empty(), "{complaints:#?}");
        let page = self.page.clone();
        let _ = page.close().await;
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.driver.kill();
        let _ = self.driver.wait();
        for process in processes_with(&self.profile.path().display().to_string()) {
            let _ = Command::new("kill").args(["-9", &process]).stderr(Stdio::null()).status();
        }
    }
}

/// The processes whose command line contains a text. A driver that is killed does not end its browser.
fn processes_with(text: &str) -> Vec<String> {
    let names =
        std::fs::read_dir("/proc").into_iter().flatten().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let holds = |name: &String| {
        let line = std::fs::read(format!("/proc/{name}/cmdline")).unwrap_or_default();
        name.bytes().all(|digit| digit.is_ascii_digit()) && String::from_utf8_lossy(&line).contains(text)
    };
    names.filter(holds).collect()
}
