//! Who may come in: hosts and origins from a list, so that no other page can reach a server on this machine, and a token where
//! others can.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// The cookie that holds the token.
const COOKIE: &str = "tablut-token";

/// Headers of every answer: nothing is loaded from elsewhere, nobody frames the page.
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

/// What is checked of every request.
#[derive(Clone, Debug)]
pub struct Gate {
    /// `Host` values that are let in, in small letters.
    hosts: Vec<String>,
    /// The port, with which any numeric address is let in where the server listens on all of them: a name can be made to point
    /// anywhere, a number cannot.
    any_address_at: Option<u16>,
    token: Option<String>,
}

/// What a request is told at the door.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Admission {
    /// Come in.
    Welcome,
    /// Come in by this path, with this cookie.
    TakeCookie {
        /// Where to.
        path: String,
        /// `Set-Cookie`.
        cookie: String,
    },
    /// The `Host` is none of ours.
    StrangeHost,
    /// The `Origin` is none of ours, or is missing where it must be there.
    StrangeOrigin,
    /// The token is missing or wrong.
    NoToken,
}

impl Gate {
    /// A gate for a server at `address`, known by `names` too; `token` must be shown where there is one.
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
            // A name that comes with a port, or the port that needs no mention, is known without ours.
            if port == 80 { vec![name.clone(), format!("{name}:80")] } else { vec![format!("{name}:{port}")] }
        };
        let mut hosts: Vec<String> = bare.iter().flat_map(with_port).collect();
        hosts.extend(names.iter().map(|name| name.to_ascii_lowercase()));
        Self { hosts, any_address_at: ip.is_unspecified().then_some(port), token }
    }

    fn knows(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let is_our_address = || {
            let address = host.parse::<SocketAddr>().ok();
            address.is_some_and(|address| self.any_address_at == Some(address.port()))
        };
        self.hosts.contains(&host) || is_our_address()
    }

    /// Judges a request; one for a socket must come from a page of ours.
    pub fn judge(&self, headers: &HeaderMap, uri: &Uri, is_socket: bool) -> Admission {
        let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        if headers.get_all(header::HOST).iter().count() != 1 || !text(header::HOST).is_some_and(|host| self.knows(host))
        {
            return Admission::StrangeHost;
        }
        match text(header::ORIGIN) {
            Some(origin) => {
                let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
                if !host.is_some_and(|host| self.knows(host)) {
                    return Admission::StrangeOrigin;
                }
            }
            None if is_socket || headers.contains_key(header::ORIGIN) => return Admission::StrangeOrigin,
            None => {}
        }
        let Some(token) = &self.token else { return Admission::Welcome };
        let mut cookies = text(header::COOKIE).unwrap_or_default().split(';').map(str::trim);
        if cookies.any(|cookie| {
            cookie.strip_prefix(COOKIE).and_then(|rest| rest.strip_prefix('=')).is_some_and(|c| same(c, token))
        }) {
            return Admission::Welcome;
        }
        let shown = uri.query().unwrap_or_default().split('&').find_map(|part| part.strip_prefix("token="));
        if !is_socket && shown.is_some_and(|shown| same(shown, token)) {
            let cookie = format!("{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/");
            return Admission::TakeCookie { path: uri.path().to_owned(), cookie };
        }
        Admission::NoToken
    }
}

/// Compares without telling by its time where two texts differ.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |differences, (a, b)| differences | (a ^ b)) == 0
}

/// Lets in whom the gate lets in, and adds the headers that every answer has; a page's own policy stays.
pub async fn admit(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let is_socket = request.uri().path() == "/ws";
    let refused = |text: &'static str| (StatusCode::FORBIDDEN, text).into_response();
    let mut response = match gate.judge(request.headers(), request.uri(), is_socket) {
        Admission::Welcome => next.run(request).await,
        Admission::TakeCookie { path, cookie } => {
            (StatusCode::SEE_OTHER, [(header::LOCATION, path), (header::SET_COOKIE, cookie)]).into_response()
        }
        Admission::StrangeHost => refused("This server is not known by that name; see --host.\n"),
        Admission::StrangeOrigin => refused("Other pages may not talk to this server.\n"),
        Admission::NoToken => refused("Open the link that the program printed: it carries a token.\n"),
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

    fn judge(gate: &Gate, headers: &[(&str, &str)], uri: &str, is_socket: bool) -> Admission {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
        }
        gate.judge(&map, &uri.parse().unwrap(), is_socket)
    }

    #[test]
    fn names_that_are_made_to_point_here_are_strangers() {
        let gate = Gate::new("127.0.0.1:8527".parse().unwrap(), &[], None);
        let page = |host| judge(&gate, &[("host", host)], "/", false);
        assert_eq!(page("localhost:8527"), Admission::Welcome);
        assert_eq!(page("127.0.0.1:8527"), Admission::Welcome);
        for host in ["evil.example:8527", "localhost", "localhost:1", "127.0.0.1.evil.example:8527", ""] {
            assert_eq!(page(host), Admission::StrangeHost, "{host}");
        }
        assert_eq!(judge(&gate, &[], "/", false), Admission::StrangeHost);
        let twice = [("host", "localhost:8527"), ("host", "evil.example")];
        assert_eq!(judge(&gate, &twice, "/", false), Admission::StrangeHost);
    }

    #[test]
    fn a_socket_needs_an_origin_of_ours() {
        let gate = Gate::new("127.0.0.1:8527".parse().unwrap(), &[], None);
        let socket = |origin| judge(&gate, &[("host", "localhost:8527"), ("origin", origin)], "/ws", true);
        assert_eq!(socket("http://localhost:8527"), Admission::Welcome);
        for origin in ["https://evil.example", "null", "http://localhost:1", "localhost:8527"] {
            assert_eq!(socket(origin), Admission::StrangeOrigin, "{origin}");
        }
        assert_eq!(judge(&gate, &[("host", "localhost:8527")], "/ws", true), Admission::StrangeOrigin);
    }

    #[test]
    fn a_token_is_shown_once_and_then_kept_in_a_cookie() {
        let gate = Gate::new("0.0.0.0:80".parse().unwrap(), &["tablut.example".to_owned()], Some("secret".to_owned()));
        let page = |uri, headers: &[(&str, &str)]| {
            let mut all = vec![("host", "tablut.example")];
            all.extend(headers);
            judge(&gate, &all, uri, false)
        };
        assert_eq!(page("/", &[]), Admission::NoToken);
        assert_eq!(page("/?token=wrong!", &[]), Admission::NoToken);
        let Admission::TakeCookie { path, cookie } = page("/g/abc?token=secret", &[]) else { panic!("no cookie") };
        assert_eq!(path, "/g/abc");
        assert!(cookie.starts_with("tablut-token=secret; HttpOnly"), "{cookie}");
        assert_eq!(page("/", &[("cookie", "a=b; tablut-token=secret")]), Admission::Welcome);
        assert_eq!(page("/", &[("cookie", "tablut-token=secre")]), Admission::NoToken);
        let socket = [("host", "192.168.1.7:80"), ("origin", "http://192.168.1.7:80")];
        assert_eq!(judge(&gate, &socket, "/ws?token=secret", true), Admission::NoToken);
    }
}
