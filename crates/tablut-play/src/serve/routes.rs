//! The server's routes: the page, its files, the web socket, and pages that the host adds.

use super::access::{AccessControl, WithoutToken, check_access};
use super::assets::{PAGE, asset};
use super::connection::{self, Permission};
use super::game_server::GameServer;
use super::listener::Peer;
use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{ConnectInfo, Extension, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use qrcodegen::{QrCode, QrCodeEcc};
use std::fmt::Write;
use std::sync::Arc;
use tablut_session::protocol::MAX_MESSAGE;

/// The page, with access for those whom `access` admits. `all_teach` lets other machines teach nets too.
pub fn router(server: Arc<GameServer>, access: Arc<AccessControl>, all_teach: bool, pages: &[AddedPage]) -> Router {
    let teachers = Teachers { all: all_teach, has_proxy: access.has_names() };
    let socket = get(open_socket).layer(from_fn_with_state(server.clone(), find_only_game));
    with_pages(Router::new(), pages)
        .route("/ws", socket)
        .route("/qr.svg", get(qr_code).layer(from_fn(needs_token)))
        .fallback(get(file))
        .layer(Extension(teachers))
        .layer(from_fn_with_state(access, check_access))
        .with_state(server)
}

/// Who may teach nets.
#[derive(Clone, Copy)]
struct Teachers {
    all: bool,
    /// Whether requests may come through another server on this machine, which hides where they are from.
    has_proxy: bool,
}

impl Teachers {
    /// Why an interface may not teach. `peer` is unknown in tests.
    fn refusal(self, peer: Option<Peer>) -> Option<&'static str> {
        let is_here = !self.has_proxy && peer.is_none_or(|peer| peer.is_this_machine);
        let refusal = "only people at the machine of this server can teach nets; its owner can let others with \
                       `tablut serve --teach`";
        (!self.all && !is_here).then_some(refusal)
    }
}

/// The only game that an interface may see.
#[derive(Clone)]
struct OnlyGame(Arc<str>);

fn no_token() -> Response {
    let text = "Open the link that the program printed, which contains a token, or a link to a game from the person who plays it.\n";
    (StatusCode::FORBIDDEN, text).into_response()
}

/// Refuses a page or socket without the token.
async fn needs_token(request: Request, next: Next) -> Response {
    if request.extensions().get::<WithoutToken>().is_some() { no_token() } else { next.run(request).await }
}

/// A socket without the token needs the name of a game and the secret of a seat there, and reaches only this game.
async fn find_only_game(State(server): State<Arc<GameServer>>, mut request: Request, next: Next) -> Response {
    if request.extensions().get::<WithoutToken>().is_none() {
        return next.run(request).await;
    }
    let query = request.uri().query().unwrap_or_default().to_owned();
    let value = |key: &str| {
        let parts = query.split('&').filter_map(|part| part.split_once('='));
        parts.filter(|(name, _)| *name == key).map(|(_, value)| value.to_owned()).next()
    };
    let (Some(game), Some(seat)) = (value("game"), value("seat")) else { return no_token() };
    let only = OnlyGame(game.as_str().into());
    match tokio::task::spawn_blocking(move || server.has_seat(&game, &seat)).await {
        Ok(true) => {
            request.extensions_mut().insert(only);
            next.run(request).await
        }
        _ => no_token(),
    }
}

async fn open_socket(
    State(server): State<Arc<GameServer>>,
    only: Option<Extension<OnlyGame>>,
    Extension(teachers): Extension<Teachers>,
    peer: Option<Extension<ConnectInfo<Peer>>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let only = only.map(|Extension(OnlyGame(game))| game);
    let no_teaching = teachers.refusal(peer.map(|Extension(ConnectInfo(peer))| peer));
    let permission = Permission { only, no_teaching };
    upgrade
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE)
        .max_write_buffer_size(4 << 20)
        .on_upgrade(move |socket| connection::serve(socket, server, permission))
}

/// The page or one of its files. The page's address names a game in its fragment, which no server sees.
async fn file(uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path();
    if path == "/" {
        return ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], page_for(&headers)).into_response();
    }
    match asset(path) {
        Some(asset) => ([(header::CONTENT_TYPE, asset.content_type)], asset.bytes).into_response(),
        None => (StatusCode::NOT_FOUND, "There is nothing here.\n").into_response(),
    }
}

/// The page for a browser that knows the server by this `Host`, which is an allowed one. Services that show a preview of a
/// link want the full address of its picture.
fn page_for(headers: &HeaderMap) -> String {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let scheme = if text("x-forwarded-proto") == "https" { "https" } else { "http" };
    PAGE.replace("\"preview.png\"", &format!("\"{scheme}://{}/preview.png\"", text("host")))
}

/// The longest text of a QR code, in bytes. A link to a game has about a hundred.
const MAX_QR: usize = 500;
/// The light margin around a QR code, in modules, which readers need.
const QR_MARGIN: i32 = 4;

/// The QR code of a text as a picture. The query is the text's bytes in hexadecimal digits.
async fn qr_code(uri: Uri) -> Response {
    let digits = uri.query().unwrap_or_default();
    let pairs = digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok());
    let bytes = pairs.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect::<Option<Vec<u8>>>();
    let code = bytes.filter(|bytes| bytes.len() <= MAX_QR);
    let Some(code) = code.and_then(|bytes| QrCode::encode_binary(&bytes, QrCodeEcc::Medium).ok()) else {
        let reason = format!("expected at most {MAX_QR} bytes as hexadecimal digits\n");
        return (StatusCode::BAD_REQUEST, reason).into_response();
    };
    let size = code.size();
    let places = (0..size).flat_map(|y| (0..size).map(move |x| (x, y)));
    let mut dark = String::new();
    for (x, y) in places.filter(|&(x, y)| code.get_module(x, y)) {
        let _ = write!(dark, "M{x} {y}h1v1h-1z"); // a String takes every write
    }
    let (start, side) = (-QR_MARGIN, size + 2 * QR_MARGIN);
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{start} {start} {side} {side}\" width=\"{side}\" \
         height=\"{side}\" shape-rendering=\"crispEdges\"><path fill=\"#fff\" d=\"M{start} {start}h{side}v{side}h-{side}z\"/>\
         <path d=\"{dark}\"/></svg>"
    );
    ([(header::CONTENT_TYPE, "image/svg+xml"), (header::CACHE_CONTROL, "no-store")], svg).into_response()
}

/// The policy of an added page: it loads nothing, and its styles are inline.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

pub type RenderPage = Arc<dyn Fn() -> Result<Arc<str>, String> + Send + Sync>;

/// A page without scripts that the host adds, such as the report of a run.
#[derive(Clone)]
pub struct AddedPage {
    pub path: &'static str,
    /// Renders the page. It may block its thread.
    pub render: RenderPage,
}

/// The link to a page. `server` is the link to the server, which may contain a token.
pub fn link_to(server: &str, path: &str) -> String {
    match server.split_once("/?") {
        Some((host, query)) => format!("{host}{path}?{query}"),
        None => format!("{}{path}", server.trim_end_matches('/')),
    }
}

fn with_pages<S: Clone + Send + Sync + 'static>(mut router: Router<S>, pages: &[AddedPage]) -> Router<S> {
    for page in pages {
        let render = page.render.clone();
        router = router.route(page.path, get(move || render_page(render)).layer(from_fn(needs_token)));
    }
    router
}

/// Only these pages. `/` leads to the first one.
pub fn only_pages(access: Arc<AccessControl>, pages: &[AddedPage]) -> Router {
    let first = pages.first().map_or("/", |page| page.path);
    let elsewhere = move |uri: Uri| async move {
        match uri.path() {
            "/" => Redirect::to(first).into_response(),
            _ => (StatusCode::NOT_FOUND, "There is nothing here.\n").into_response(),
        }
    };
    with_pages(Router::new(), pages).fallback(elsewhere).layer(from_fn_with_state(access, check_access))
}

async fn render_page(render: RenderPage) -> Response {
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    match tokio::task::spawn_blocking(move || render()).await {
        Ok(Ok(page)) => ([(header::CONTENT_TYPE, html), (header::CONTENT_SECURITY_POLICY, POLICY)], page.to_string())
            .into_response(),
        Ok(Err(reason)) => (StatusCode::SERVICE_UNAVAILABLE, reason + "\n").into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_teach_only_if_the_owner_lets_them() {
        let refuses = |all, has_proxy, is_this_machine| {
            Teachers { all, has_proxy }.refusal(Some(Peer { is_this_machine })).is_some()
        };
        assert_eq!([true, false].map(|is_here| refuses(false, false, is_here)), [false, true]);
        assert_eq!([true, false].map(|is_here| refuses(false, true, is_here)), [true, true], "a proxy hides others");
        assert_eq!([true, false].map(|is_here| refuses(true, true, is_here)), [false, false]);
    }

    #[test]
    fn links_keep_their_token() {
        assert_eq!(link_to("http://127.0.0.1:8527/", "/run"), "http://127.0.0.1:8527/run");
        assert_eq!(link_to("http://10.0.0.2:8527/?token=ab", "/run"), "http://10.0.0.2:8527/run?token=ab");
    }
}
