//! What the server answers to each path: the page, its files, the socket.

use super::assets::{PAGE, asset};
use super::gate::{Gate, admit};
use super::house::House;
use super::pages::{AddedPage, with_pages};
use super::socket::{self, MAX_MESSAGE};
use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::sync::Arc;

/// The whole server but its listener: all tables, who may come in, and pages of the host's.
pub fn router(house: Arc<House>, gate: Arc<Gate>, pages: &[AddedPage]) -> Router {
    with_pages(Router::new(), pages)
        .route("/ws", get(open_socket))
        .fallback(file)
        .layer(from_fn_with_state(gate, admit))
        .with_state(house)
}

async fn open_socket(State(house): State<Arc<House>>, upgrade: WebSocketUpgrade) -> Response {
    upgrade
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE)
        .max_write_buffer_size(4 << 20)
        .on_upgrade(move |socket| socket::serve(socket, house))
}

/// The page for `/` and every game's path, or one of its files.
async fn file(request: Request) -> Response {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let path = request.uri().path();
    let is_game = |name: &str| name.bytes().all(|letter| letter.is_ascii_alphanumeric());
    if path == "/" || path.strip_prefix("/g/").is_some_and(is_game) {
        return ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], PAGE).into_response();
    }
    match asset(path) {
        Some(asset) => ([(header::CONTENT_TYPE, asset.content_type)], asset.bytes).into_response(),
        None => (StatusCode::NOT_FOUND, "There is nothing here.\n").into_response(),
    }
}
