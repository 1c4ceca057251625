//! Pages that a host adds to the server, such as the report of a run; alone, or beside the page for playing.

use super::gate::{Gate, admit};
use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::any;
use std::fmt;
use std::sync::Arc;

/// What an added page may load: nothing. Its styles are its own.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// Makes a page as of now, or says why there is none.
pub type RenderPage = Arc<dyn Fn() -> Result<Arc<str>, String> + Send + Sync>;

/// A page without scripts.
#[derive(Clone)]
pub struct AddedPage {
    /// Its path, such as `/run`.
    pub path: &'static str,
    /// Makes it; called on a thread that may wait.
    pub render: RenderPage,
}

impl fmt::Debug for AddedPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AddedPage").field("path", &self.path).finish_non_exhaustive()
    }
}

/// The link to one of the pages, from the link to the server: it may carry a token.
pub fn link_to(server: &str, path: &str) -> String {
    match server.split_once("/?") {
        Some((host, query)) => format!("{host}{path}?{query}"),
        None => format!("{}{path}", server.trim_end_matches('/')),
    }
}

/// The same server with these pages.
pub fn with_pages<S: Clone + Send + Sync + 'static>(mut router: Router<S>, pages: &[AddedPage]) -> Router<S> {
    for page in pages {
        let render = page.render.clone();
        router = router.route(page.path, any(move |request: Request| answer(request, render.clone())));
    }
    router
}

/// A server of these pages alone; every other path leads to the first.
pub fn pages_alone(gate: Arc<Gate>, pages: &[AddedPage]) -> Router {
    let first = pages.first().map_or("/", |page| page.path);
    let elsewhere = move |request: Request| async move {
        match request.uri().path() {
            "/" => Redirect::to(first).into_response(),
            _ => (StatusCode::NOT_FOUND, "There is nothing here.\n").into_response(),
        }
    };
    with_pages(Router::new(), pages).fallback(elsewhere).layer(from_fn_with_state(gate, admit))
}

async fn answer(request: Request, render: RenderPage) -> Response {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
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
    use super::link_to;

    #[test]
    fn links_keep_their_token() {
        assert_eq!(link_to("http://127.0.0.1:8527/", "/run"), "http://127.0.0.1:8527/run");
        assert_eq!(link_to("http://10.0.0.2:8527/?token=ab", "/run"), "http://10.0.0.2:8527/run?token=ab");
    }
}
