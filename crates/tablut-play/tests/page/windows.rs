//! Reloading, two windows, and a server that is killed and restarted.

use super::browser::with_browser;
use super::host::Host;

#[test]
fn a_reload_in_the_middle_shows_the_same_game() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        browser.move_by_clicks("d1-d3").await;
        let address = browser.js("location.hash").await;
        browser.page.refresh().await.unwrap();
        browser.ready().await;
        browser.until("document.querySelector('[data-square=d3]').classList.contains('last-to')").await;
        assert_eq!(browser.js("location.hash").await, address);
        browser.end().await;
    });
}

#[test]
fn two_windows_show_one_game() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        let game = browser.js("location.hash").await.as_str().unwrap().to_owned();
        let first = browser.page.window().await.unwrap();
        let second = browser.page.new_window(true).await.unwrap();
        browser.page.switch_to_window(second.handle).await.unwrap();
        browser.open(&host, &format!("/{game}")).await;
        browser.move_by_clicks("d1-d3").await;
        browser.page.switch_to_window(first).await.unwrap();
        browser.until("document.querySelector('[data-square=d3]').classList.contains('last-to')").await;
        browser.end().await;
    });
}

#[test]
fn the_page_comes_back_when_the_server_does() {
    with_browser(|host, browser, folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        browser.move_by_clicks("d1-d3").await;
        let port = host.authority.rsplit(':').next().unwrap().to_owned();
        host.kill();
        browser.until("!document.getElementById('offline').hidden").await;
        let host = Host::start(folder.path(), &["--port", &port]);
        browser.until("document.getElementById('offline').hidden").await;
        browser.until("document.querySelector('[data-square=d3]').classList.contains('last-to')").await;
        browser.move_by_clicks("e3-f3").await;
        drop(host);
    });
}
