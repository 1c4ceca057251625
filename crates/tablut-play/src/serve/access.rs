//! Access control. Requests must have a known host and origin, so that no other page can reach a server on this
//! machine. If other machines can reach the server, requests also need a token. The page's own files need none: they are
//! no secret, and a friend with a link to one game loads them too.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

const COOKIE: &str = "tablut-token";

/// Headers of every response: the page loads nothing from other hosts, and no other page can frame it.
pub fn headers() -> [(HeaderName, &'static str); 5] {
    [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
         manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ]
}

#[derive(Clone, Debug)]
pub struct AccessControl {
    /// Allowed values of `Host`, in lower case.
    hosts: Vec<String>,
    /// The port, if the server listens on all addresses. Then any numeric address with this port is allowed. A numeric
    /// address is safe, because DNS rebinding works only with names.
    any_address_at: Option<u16>,
    token: Option<String>,
    /// Whether the owner has added names, for example that of a proxy.
    has_names: bool,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Admission {
    Allowed,
    /// The token is valid. The browser must load this path with this cookie.
    SetCookie {
        path: String,
        cookie: String,
    },
    UnknownHost,
    UnknownOrigin,
    NoToken,
}

/// A request without the token, whose answer must not say more than everybody may know.
#[derive(Clone, Copy, Debug)]
pub struct WithoutToken;

impl AccessControl {
    /// The access control of a server at `address` with these additional host `names`. Requests need the `token`, if
    /// there is one.
    pub fn new(address: SocketAddr, names: &[String], token: Option<String>) -> Self {
        let port = address.port();
        let ip = address.ip();
        let mut bare: Vec<String> = names.to_vec();
        if ip.is_loopback() || ip.is_unspecified() {
            bare.extend(["localhost", "127.0.0.1", "[::1]"].map(str::to_owned));
        }
        if !ip.is_unspecified() {
            bare.push(match ip {
                IpAddr::V4(ip) => ip.to_string(),
                IpAddr::V6(ip) => format!("[{ip}]"),
            });
        }
        let with_port = |name: &String| {
            let name = name.to_ascii_lowercase();
            // Browsers leave out port 80.
            if port == 80 { vec![name.clone(), format!("{name}:80")] } else { vec![format!("{name}:{port}")] }
        };
        let mut hosts: Vec<String> = bare.iter().flat_map(with_port).collect();
        hosts.extend(names.iter().map(|name| name.to_ascii_lowercase()));
        Self { hosts, any_address_at: ip.is_unspecified().then_some(port), token, has_names: !names.is_empty() }
    }

    pub fn has_names(&self) -> bool {
        self.has_names
    }

    fn knows(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let is_our_address = || {
            let address = host.parse::<SocketAddr>().ok();
            address.is_some_and(|address| self.any_address_at == Some(address.port()))
        };
        self.hosts.contains(&host) || is_our_address()
    }

    /// Checks a request. A request for a socket must come from one of our pages.
    pub fn judge(&self, headers: &HeaderMap, uri: &Uri, is_socket: bool) -> Admission {
        let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        if headers.get_all(header::HOST).iter().count() != 1 || !text(header::HOST).is_some_and(|host| self.knows(host))
        {
            return Admission::UnknownHost;
        }
        match text(header::ORIGIN) {
            Some(_) if headers.get_all(header::ORIGIN).iter().count() > 1 => return Admission::UnknownOrigin,
            Some(origin) => {
                let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
                if !host.is_some_and(|host| self.knows(host)) {
                    return Admission::UnknownOrigin;
                }
            }
            None if is_socket || headers.contains_key(header::ORIGIN) => return Admission::UnknownOrigin,
            None => {}
        }
        let Some(token) = &self.token else { return Admission::Allowed };
        let mut cookies = text(header::COOKIE).unwrap_or_default().split(';').map(str::trim);
        if cookies.any(|cookie| {
            cookie.strip_prefix(COOKIE).and_then(|rest| rest.strip_prefix('=')).is_some_and(|c| same(c, token))
        }) {
            return Admission::Allowed;
        }
        let shown = uri.query().unwrap_or_default().split('&').find_map(|part| part.strip_prefix("token="));
        if !is_socket && shown.is_some_and(|shown| same(shown, token)) {
            // A link in a mail or on another site must work, and `Strict` would keep the cookie from the page that it opens.
            // With `Lax` other sites can make a browser send it only when it opens a page, which changes nothing. Sockets
            // of other sites are refused by their origin.
            let cookie = format!("{COOKIE}={token}; HttpOnly; SameSite=Lax; Path=/");
            // Browsers interpret a path that begins with two slashes or backslashes as the address of another host.
            let path = format!("/{}", uri.path().trim_start_matches(['/', '\\']));
            return Admission::SetCookie { path, cookie };
        }
        Admission::NoToken
    }
}

fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |differences, (a, b)| differences | (a ^ b)) == 0
}

/// Refuses requests without access, and adds the headers to every response. A policy that a page has set is kept.
pub async fn check_access(State(access): State<Arc<AccessControl>>, mut request: Request, next: Next) -> Response {
    let is_socket = request.uri().path() == "/ws";
    let refused = |text: &'static str| (StatusCode::FORBIDDEN, text).into_response();
    let mut response = match access.judge(request.headers(), request.uri(), is_socket) {
        Admission::Allowed => next.run(request).await,
        Admission::SetCookie { path, cookie } => {
            (StatusCode::SEE_OTHER, [(header::LOCATION, path), (header::SET_COOKIE, cookie)]).into_response()
        }
        Admission::UnknownHost => refused("This host name is not allowed; the option --host adds one.\n"),
        Admission::UnknownOrigin => refused(
            "Pages of other origins may not connect to this server; the option --host adds the name of a proxy.\n",
        ),
        Admission::NoToken => {
            request.extensions_mut().insert(WithoutToken);
            next.run(request).await
        }
    };
    for (name, value) in headers() {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(access: &AccessControl, headers: &[(&str, &str)], uri: &str, is_socket: bool) -> Admission {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
        }
        access.judge(&map, &uri.parse().unwrap(), is_socket)
    }

    #[test]
    fn names_that_are_made_to_point_here_are_strangers() {
        let access = AccessControl::new("127.0.0.1:8527".parse().unwrap(), &[], None);
        let page = |host| judge(&access, &[("host", host)], "/", false);
        assert_eq!(page("localhost:8527"), Admission::Allowed);
        assert_eq!(page("127.0.0.1:8527"), Admission::Allowed);
        for host in ["evil.example:8527", "localhost", "localhost:1", "127.0.0.1.evil.example:8527", ""] {
            assert_eq!(page(host), Admission::UnknownHost, "{host}");
        }
        assert_eq!(judge(&access, &[], "/", false), Admission::UnknownHost);
        let twice = [("host", "localhost:8527"), ("host", "evil.example")];
        assert_eq!(judge(&access, &twice, "/", false), Admission::UnknownHost);
    }

    #[test]
    fn a_socket_needs_an_origin_of_ours() {
        let access = AccessControl::new("127.0.0.1:8527".parse().unwrap(), &[], None);
        let socket = |origin| judge(&access, &[("host", "localhost:8527"), ("origin", origin)], "/ws", true);
        assert_eq!(socket("http://localhost:8527"), Admission::Allowed);
        for origin in ["https://evil.example", "null", "http://localhost:1", "localhost:8527"] {
            assert_eq!(socket(origin), Admission::UnknownOrigin, "{origin}");
        }
        assert_eq!(judge(&access, &[("host", "localhost:8527")], "/ws", true), Admission::UnknownOrigin);
        let twice = ["http://localhost:8527", "https://evil.example"].map(|origin| ("origin", origin));
        let headers = [&[("host", "localhost:8527")], &twice[..]].concat();
        assert_eq!(judge(&access, &headers, "/ws", true), Admission::UnknownOrigin);
    }

    #[test]
    fn a_token_is_shown_once_and_then_kept_in_a_cookie() {
        let access = AccessControl::new(
            "0.0.0.0:80".parse().unwrap(),
            &["tablut.example".to_owned()],
            Some("secret".to_owned()),
        );
        let page = |uri, headers: &[(&str, &str)]| {
            let mut all = vec![("host", "tablut.example")];
            all.extend(headers);
            judge(&access, &all, uri, false)
        };
        assert_eq!(page("/", &[]), Admission::NoToken);
        assert_eq!(page("/?token=wrong!", &[]), Admission::NoToken);
        let Admission::SetCookie { path, cookie } = page("/g/abc?token=secret", &[]) else { panic!("no cookie") };
        assert_eq!(path, "/g/abc");
        for uri in ["//evil.example/x?token=secret", "/\\evil.example/x?token=secret", "///evil.example/x?token=secret"]
        {
            let Admission::SetCookie { path, .. } = page(uri, &[]) else { panic!("no cookie for {uri}") };
            assert_eq!(path, "/evil.example/x", "{uri}");
        }
        assert!(cookie.starts_with("tablut-token=secret; HttpOnly"), "{cookie}");
        assert_eq!(page("/", &[("cookie", "a=b; tablut-token=secret")]), Admission::Allowed);
        assert_eq!(page("/", &[("cookie", "tablut-token=secre")]), Admission::NoToken);
        let socket = [("host", "192.168.1.7:80"), ("origin", "http://192.168.1.7:80")];
        assert_eq!(judge(&access, &socket, "/ws?token=secret", true), Admission::NoToken);
    }
}
