//! A server in the process of the test. The test can create more events than the rate limit of requests allows.

use super::access::AccessControl;
use super::game_server::GameServer;
use super::nets::{NetShelf, NetSources};
use super::routes;
use super::training::TrainingSlot;
use crate::game_files::SavedGames;
use std::net::TcpStream;
use std::sync::Arc;
use tablut_session::protocol::Request;
use tablut_session::{HostConfig, MAX_COMMENT, Tree};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tungstenite::Message;
use tungstenite::client::IntoClientRequest;

/// The number of events. The outbox and the buffers of the socket cannot hold them all.
const EVENTS: usize = 1500;

#[test]
fn an_interface_that_fell_behind_is_disconnected() {
    let folder = tempfile::tempdir().unwrap();
    let saved = SavedGames::lock(folder.path()).unwrap();
    let nets = Arc::new(NetShelf::new(NetSources::default()).unwrap());
    let server = GameServer::new(HostConfig::default(), saved, Arc::default(), TrainingSlot::new(None), nets);
    let runtime = super::runtime(2).unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    let router = routes::router(server.clone(), Arc::new(AccessControl::new(address, &[], None)), &[]);
    runtime.spawn(async move { axum::serve(listener, router).await });

    let mut request = format!("ws://{address}/ws").into_client_request().unwrap();
    request.headers_mut().insert("origin", format!("http://{address}").parse().unwrap());
    let (mut window, _) = tungstenite::client(request, TcpStream::connect(address).unwrap()).unwrap();
    window.send(Message::text(r#"{"id":1,"do":"new","rules":{"name":"kvasir"}}"#)).unwrap();
    let mut name = String::new();
    loop {
        let Message::Text(text) = window.read().unwrap() else { continue };
        let event: serde_json::Value = serde_json::from_str(&text).unwrap();
        match event["event"].as_str() {
            Some("game") => event["game"].as_str().unwrap().clone_into(&mut name),
            Some("done") => break,
            _ => {}
        }
    }
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
