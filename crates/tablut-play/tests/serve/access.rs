//! The files that the server serves, and the clients that it serves them to.

use super::host::Host;
use std::net::UdpSocket;

#[test]
fn the_page_and_its_files_are_served_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("secret.txt"), "secret").unwrap();
    let host = Host::start(folder.path(), &[]);
    let page = host.get("/");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("<title>Tablut</title>"), "{page}");
    for header in
        ["content-security-policy: default-src 'none'", "x-frame-options: DENY", "x-content-type-options: nosniff"]
    {
        assert!(page.to_ascii_lowercase().contains(&header.to_ascii_lowercase()), "{header} is missing: {page}");
    }
    let preview = format!("property=\"og:image\" content=\"http://{}/preview.png\"", host.authority);
    assert!(page.contains(&preview) && host.get("/preview.png").contains("content-type: image/png"), "{page}");
    assert!(host.get("/js/main.js").contains("text/javascript"));
    for path in [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/js/../../secret.txt",
        "/js/%2e%2e%2f%2e%2e%2fCargo.toml",
        "/g/../secret.txt",
        "/g/..%2fsecret",
        "//etc/passwd",
        "/secret.txt",
        "/assets.rs",
        "/js/",
        "/JS/main.js",
    ] {
        let answer = host.get(path);
        assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer}");
    }
    let posted = host
        .raw(&format!("POST / HTTP/1.1\r\nHost: {}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", host.authority));
    assert!(posted.starts_with("HTTP/1.1 405"), "{posted}");
}

#[test]
fn a_name_that_was_made_to_point_here_sees_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let host = Host::start(folder.path(), &[]);
    let port = host.authority.rsplit(':').next().unwrap().to_owned();
    for name in ["evil.example", &format!("evil.example:{port}"), "", "localhost"] {
        let answer = host.raw(&format!("GET / HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n"));
        assert!(answer.starts_with("HTTP/1.1 403") || answer.starts_with("HTTP/1.1 400"), "{name}: {answer}");
    }
    for origin in ["https://evil.example", "null", &format!("http://evil.example:{port}")] {
        assert!(host.try_client(origin).is_err(), "{origin} was let in");
    }
    assert!(host.try_client(&format!("http://localhost:{port}")).is_ok());
}

#[test]
fn others_need_the_token_of_the_link() {
    let folder = tempfile::tempdir().unwrap();
    let host = Host::start(folder.path(), &["--listen", "0.0.0.0"]);
    let token = host.link.split("token=").nth(1).expect("the link carries a token").to_owned();
    // Another machine reaches the address of the link, if this machine has a network.
    let (ip, _) = host.authority.rsplit_once(':').expect("a port");
    let has_network = UdpSocket::bind("0.0.0.0:0").unwrap().connect("192.0.2.1:9").is_ok();
    assert_eq!(ip != "127.0.0.1", has_network, "{}", host.link);
    let socket = host.raw(&format!(
        "POST /ws HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        host.authority
    ));
    assert!(socket.starts_with("HTTP/1.1 403") && socket.contains("Open the link"), "{socket}");
    assert!(host.try_client(&format!("http://{}", host.authority)).is_err());
    let shown = host.get(&format!("/?token={token}"));
    assert!(shown.starts_with("HTTP/1.1 303") && shown.contains("HttpOnly; SameSite=Lax;"), "{shown}");
    // A browser would interpret these paths as addresses of another host.
    for path in ["//evil.example/x", "/\\evil.example/x"] {
        let shown = host.get(&format!("{path}?token={token}"));
        assert!(shown.contains("location: /evil.example/x\r\n"), "{shown}");
    }
    let cookie = format!(
        "GET / HTTP/1.1\r\nHost: {}\r\nCookie: tablut-token={token}\r\nConnection: close\r\n\r\n",
        host.authority
    );
    assert!(host.raw(&cookie).contains("<title>Tablut</title>"));
    assert!(!host.get("/?token=0123").contains("set-cookie"));
}

/// The headers that the web servers of `docs/proxy.md` send: nginx and Caddy with the visitor's name, and nginx without
/// `proxy_set_header Host` with its own.
#[test]
fn a_proxy_is_let_in_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = Host::start(folder.path(), &["--host", "tablut.example"]);
    // The link has the proxy's name, which leads nowhere here.
    host.authority = host.authority.replace("tablut.example", "127.0.0.1");
    for name in ["tablut.example", &host.authority] {
        let answer = host.raw(&format!("GET / HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n"));
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    for (name, origin) in [("backend:8527", "https://tablut.example"), ("tablut.example", "https://other.example")] {
        let Err(error) = host.client_through(name, origin) else { panic!("{name} with {origin} was let in") };
        let tungstenite::Error::Http(answer) = *error else { panic!("{error}") };
        let reason = String::from_utf8_lossy(answer.body().as_deref().unwrap_or_default()).into_owned();
        assert!(answer.status() == 403 && reason.contains("the option --host adds"), "{reason}");
    }
    for name in ["tablut.example", &host.authority] {
        let mut client = host.client_through(name, "https://tablut.example").expect("the proxy is let in");
        assert_eq!(client.event("hello")["protocol"], 3);
    }
    // The page asks for the reason of a refusal in this way.
    let reason = |origin: &str| {
        host.raw(&format!(
            "POST /ws HTTP/1.1\r\nHost: tablut.example\r\nOrigin: {origin}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        ))
    };
    assert!(reason("https://other.example").contains("the option --host adds"));
    assert!(reason("https://tablut.example").starts_with("HTTP/1.1 405"));
}
