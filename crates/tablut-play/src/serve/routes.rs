//! What the server answers to each path: the page, its files, the socket.

use super::assets::{PAGE, asset};
use super::gate::{Admission, Gate, headers};
use super::house::House;
use super::socket::{self, MAX_MESSAGE};
use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::sync::Arc;

/// What every request meets.
#[derive(Clone)]
pub struct Doors {
    /// All tables.
    pub house: Arc<House>,
    /// Who may come in.
    pub gate: Arc<Gate>,
}

/// The whole server but its listener.
pub fn router(doors: Doors) -> Router {
    Router::new()
        .route("/ws", get(open_socket))
        .fallback(file)
        .layer(from_fn_with_state(doors.clone(), admit))
        .with_state(doors)
}

async fn open_socket(State(doors): State<Doors>, upgrade: WebSocketUpgrade) -> Response {
    upgrade
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE)
        .max_write_buffer_size(4 << 20)
        .on_upgrade(move |socket| socket::serve(socket, doors.house))
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

/// Lets in whom the gate lets in, and adds the headers that every answer has.
async fn admit(State(doors): State<Doors>, request: Request, next: Next) -> Response {
    let is_socket = request.uri().path() == "/ws";
    let refused = |text: &'static str| (StatusCode::FORBIDDEN, text).into_response();
    let mut response = match doors.gate.judge(request.headers(), request.uri(), is_socket) {
        Admission::Welcome => next.run(request).await,
        Admission::TakeCookie { path, cookie } => {
            (StatusCode::SEE_OTHER, [(header::LOCATION, path), (header::SET_COOKIE, cookie)]).into_response()
        }
        Admission::StrangeHost => refused("This server is not known by that name; see --host.\n"),
        Admission::StrangeOrigin => refused("Other pages may not talk to this server.\n"),
        Admission::NoToken => refused("Open the link that the program printed: it carries a token.\n"),
    };
    for (name, value) in headers() {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
