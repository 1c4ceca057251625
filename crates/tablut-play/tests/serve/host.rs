//! A server for one test, and a client.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tungstenite::client::IntoClientRequest;
use tungstenite::http::Request;
use tungstenite::{Message, WebSocket};

/// The time after which a wait for an answer fails.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running server, killed when the test ends.
pub struct Host {
    process: Child,
    /// The link that it printed.
    pub link: String,
    /// `address:port`.
    pub authority: String,
}

impl Host {
    /// A server with this folder of games.
    pub fn start(folder: &Path, more: &[&str]) -> Self {
        let mut process = Command::new(super::PROGRAM)
            .args(["serve", "--folder"])
            .arg(folder)
            .args(if more.contains(&"--port") { &[][..] } else { &["--port", "0"] })
            .args(more)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut lines = BufReader::new(process.stdout.take().expect("a pipe")).lines();
        let link = lines.next().expect("the program prints a link").expect("the link is text");
        let authority = link.trim_start_matches("http://").split('/').next().expect("a link has a host").to_owned();
        Self { process, link, authority }
    }

    /// Kills the server.
    pub fn kill(mut self) {
        self.process.kill().expect("the server runs");
        self.process.wait().expect("the server ends");
    }

    /// Sends the server a signal, such as `STOP` and `CONT`.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").arg(format!("-{name}")).arg(self.process.id().to_string()).status();
        assert!(sent.expect("there is a kill").success());
    }

    /// Sends the text of a request. Returns the whole answer.
    pub fn raw(&self, request: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).expect("the server takes the request");
        let mut answer = Vec::new();
        // A server that closes at once may reset the connection.
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Gets a path as a browser does.
    pub fn get(&self, path: &str) -> String {
        self.raw(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.authority))
    }

    /// A TCP connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.authority).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream
    }

    /// An interface that has received `hello`.
    pub fn client(&self) -> Client {
        let mut client = self.try_client(&format!("http://{}", self.authority)).expect("the server lets its page in");
        let hello = client.event("hello");
        assert_eq!(hello["protocol"], 3);
        client
    }

    /// An interface with this `Origin`.
    pub fn try_client(&self, origin: &str) -> Result<Client, Box<tungstenite::Error>> {
        self.client_through(&self.authority, origin)
    }

    /// An interface with this `Origin`, through a proxy that sends this `Host`.
    pub fn client_through(&self, name: &str, origin: &str) -> Result<Client, Box<tungstenite::Error>> {
        let mut request = format!("ws://{name}/ws").into_client_request().expect("an address");
        request.headers_mut().insert("origin", origin.parse().expect("a header"));
        self.client_of(request)
    }

    /// An interface whose browser has this cookie, at this path.
    pub fn client_at(&self, path: &str, cookie: &str) -> Result<Client, Box<tungstenite::Error>> {
        let mut request = format!("ws://{}{path}", self.authority).into_client_request().expect("an address");
        request.headers_mut().insert("origin", format!("http://{}", self.authority).parse().expect("a header"));
        request.headers_mut().insert("cookie", cookie.parse().expect("a header"));
        self.client_of(request)
    }

    fn client_of(&self, request: Request<()>) -> Result<Client, Box<tungstenite::Error>> {
        match tungstenite::client(request, self.connect()) {
            Ok((socket, _)) => Ok(Client { socket, last: 0, seen: Vec::new() }),
            Err(tungstenite::HandshakeError::Failure(error)) => Err(Box::new(error)),
            Err(error) => panic!("{error}"),
        }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// An interface.
pub struct Client {
    pub socket: WebSocket<TcpStream>,
    last: u64,
    /// Events that were received and not read yet.
    seen: Vec<Value>,
}

impl Client {
    /// The next event, of any kind.
    pub fn next(&mut self) -> Option<Value> {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).expect("events are JSON")),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// The next event of a kind; those before it are kept.
    pub fn event(&mut self, kind: &str) -> Value {
        if let Some(at) = self.seen.iter().position(|event| event["event"] == kind) {
            return self.seen.remove(at);
        }
        loop {
            let event = self.next().unwrap_or_else(|| panic!("the connection ended before {kind}"));
            if event["event"] == kind {
                return event;
            }
            self.seen.push(event);
        }
    }

    /// The next event about who is there in which the defenders' seat is like this.
    pub fn presence_with(&mut self, defenders: &str) -> Value {
        loop {
            let event = self.event("presence");
            if event["defenders"] == defenders {
                return event;
            }
        }
    }

    /// Sends a request without waiting for its answer. Returns its id.
    pub fn send(&mut self, mut request: Value) -> u64 {
        self.last += 1;
        request["id"] = json!(self.last);
        self.socket.send(Message::text(request.to_string())).expect("the server takes the request");
        self.last
    }

    /// Sends a request and waits until it is done. Returns the error if it is refused.
    pub fn ask(&mut self, request: Value) -> Result<(), String> {
        let number = self.send(request);
        loop {
            let event = self.next().ok_or("the connection ended")?;
            if event["re"] == number && event["event"] == "done" {
                return Ok(());
            }
            if event["re"] == number && event["event"] == "refused" {
                return Err(event["error"].as_str().unwrap_or_default().to_owned());
            }
            self.seen.push(event);
        }
    }

    /// The last state that was received.
    pub fn state(&mut self) -> Value {
        let at = self.seen.iter().rposition(|event| event["event"] == "state").expect("a state was received");
        let state = self.seen[at].clone();
        self.seen.retain(|event| event["event"] != "state");
        state
    }

    /// A game between two people.
    pub fn new_game(&mut self, rules: &str) -> String {
        self.ask(json!({"do": "new", "rules": {"name": rules}})).expect("a game begins");
        self.event("game")["game"].as_str().expect("games have names").to_owned()
    }
}
