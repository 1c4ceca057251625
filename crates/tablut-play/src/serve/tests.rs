//! A server in the process of the test. The test can create more events than the rate limit of requests allows.

use super::access::AccessControl;
use super::game_server::{GameServer, LONG_REQUESTS};
use super::nets::{NetShelf, NetSources};
use super::routes;
use super::teaching::Teaching;
use crate::game_files::SavedGames;
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use tablut_session::protocol::Request;
use tablut_session::{HostConfig, MAX_COMMENT, Tree};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

/// A server in this process, its address and the runtime that it runs in.
struct LocalServer {
    server: Arc<GameServer>,
    address: SocketAddr,
    _runtime: Runtime,
}

impl LocalServer {
    fn start(folder: &Path) -> Self {
        let saved = SavedGames::lock(folder).unwrap();
        let nets = Arc::new(NetShelf::new(NetSources::default(), None).unwrap());
        let teaching = Teaching::new(None, folder, nets.clone());
        let server = GameServer::new(HostConfig::default(), saved, Arc::default(), teaching, nets);
        let runtime = super::runtime(2).unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let router = routes::router(server.clone(), Arc::new(AccessControl::new(address, &[], None)), false, &[]);
        runtime.spawn(async move { axum::serve(listener, router).await });
        Self { server, address, _runtime: runtime }
    }

    fn window(&self) -> WebSocket<TcpStream> {
        let mut request = format!("ws://{}/ws", self.address).into_client_request().unwrap();
        request.headers_mut().insert("origin", format!("http://{}", self.address).parse().unwrap());
        tungstenite::client(request, TcpStream::connect(self.address).unwrap()).unwrap().0
    }
}

/// The next event of this kind.
fn event(window: &mut WebSocket<TcpStream>, kind: &str) -> serde_json::Value {
    loop {
        let Message::Text(text) = window.read().unwrap() else { continue };
        let event: serde_json::Value = serde_json::from_str(&text).unwrap();
        if event["event"] == kind {
            return event;
        }
    }
}

const NEW: &str = r#"{"id":1,"do":"new","rules":{"name":"kvasir"}}"#;

#[test]
fn long_requests_wait_without_holding_up_others_and_end_with_their_connection() {
    let folder = tempfile::tempdir().unwrap();
    let local = LocalServer::start(folder.path());
    let mut playing = local.window();
    playing.send(Message::text(NEW)).unwrap();
    event(&mut playing, "done");
    let before = Arc::strong_count(&local.server);
    let all = local.server.long_requests.clone().try_acquire_many_owned(LONG_REQUESTS as u32).unwrap();
    // More windows than the runtime has threads for requests.
    let mut pasting: Vec<_> = (0..12).map(|_| local.window()).collect();
    for window in &mut pasting {
        event(window, "hello");
        window.send(Message::text(r#"{"id":1,"do":"import","text":"d1-d3"}"#)).unwrap();
    }
    playing.send(Message::text(r#"{"id":2,"do":"play","move":"d1-d3"}"#)).unwrap();
    assert_eq!(event(&mut playing, "done")["re"], 2);
    // The others leave, and their requests are dropped, although no turn has come.
    drop(pasting);
    while Arc::strong_count(&local.server) > before {
        std::thread::yield_now();
    }
    drop(all);
    playing.send(Message::text(r#"{"id":3,"do":"import","text":"d1-d3"}"#)).unwrap();
    assert_eq!(event(&mut playing, "done")["re"], 3);
}

/// The number of events. The outbox and the buffers of the socket cannot hold them all.
const EVENTS: usize = 1500;

#[test]
fn an_interface_that_fell_behind_is_disconnected() {
    let folder = tempfile::tempdir().unwrap();
    let local = LocalServer::start(folder.path());
    let server = &local.server;
    let mut window = local.window();
    window.send(Message::text(NEW)).unwrap();
    let name = event(&mut window, "game")["game"].as_str().unwrap().to_owned();
    event(&mut window, "done");
    let room = server.open(&name).unwrap();
    let (other, _) = mpsc::channel(1);
    let text = "\u{1}".repeat(MAX_COMMENT);
    for _ in 0..EVENTS {
        server.answer(&room, Request::Comment { node: Tree::ROOT, text: text.clone() }, None, &other).unwrap();
    }
    // The events that were sent arrive, and then the connection ends. Repeated pings show that it has not ended.
    let (mut read, mut pings) = (0, 0);
    loop {
        match window.read() {
            Ok(Message::Text(_)) => read += 1,
            Ok(Message::Ping(_)) => pings += 1,
            Ok(Message::Close(_)) | Err(_) => break,
            Ok(_) => {}
        }
        assert!(pings < 3, "still connected after {read} events");
    }
    assert!(read < EVENTS, "the interface did not fall behind");
}
