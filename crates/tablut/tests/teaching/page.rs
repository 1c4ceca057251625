//! Somebody changes a rule, teaches a net the new game, and plays against it.

use super::browser::{Browser, with_browser};
use super::host::Host;
use serde_json::{Value, json};

async fn generations(browser: &Browser) -> u64 {
    let status = browser.text("#teach-status").await;
    let number = status.split(" generation").next().and_then(|before| before.split_whitespace().last());
    number.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{status}"))
}

#[test]
fn a_changed_rule_is_taught_and_the_net_is_played() {
    with_browser(|host, browser, folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        browser.panel("workshop").await;
        browser.click("#clause-king-armed").await;
        browser.until("!document.getElementById('teach-these').disabled").await;
        browser.click("#teach-these").await;
        browser.until("document.activeElement.id === 'teach-rules'").await;
        assert_eq!(browser.js("document.getElementById('teach-rules').selectedOptions[0].text").await, "my-kvasir");
        // The rest by keyboard: the time, then the button.
        browser.keys("\u{e004}").await;
        browser.keys("\u{e004}").await;
        browser.until("document.activeElement.id === 'teach'").await;
        browser.keys("\u{e007}").await;
        browser.until("document.querySelector('.replay svg') !== null").await;
        browser.until("document.querySelector('.learning-curve circle') !== null").await;
        let text = browser.text("#teaching").await;
        assert!(text.contains("games against the untrained net") && text.contains("left"), "{text}");
        for theme in ["light", "dark"] {
            browser.js(&format!("document.documentElement.dataset.theme = '{theme}'")).await;
            assert_eq!(browser.violations().await, json!([]), "{theme}");
        }
        browser.click("#stop-teaching").await;
        browser.until("document.getElementById('play-taught') !== null").await;
        let before = generations(&browser).await;

        let port = host.authority.rsplit(':').next().expect("a port").to_owned();
        host.kill();
        browser.until("!document.getElementById('offline').hidden").await;
        let host = Host::start(&folder, &["--port", &port]);
        browser.until("document.getElementById('offline').hidden").await;
        browser.until("document.querySelector('#taught-nets') !== null").await;
        browser.click("#teach-on").await;
        browser.until("document.getElementById('stop-teaching') !== null").await;
        while generations(&browser).await <= before {
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        browser.click("#stop-teaching").await;
        browser.until("document.getElementById('play-taught') !== null").await;
        browser.click("#play-taught").await;
        browser.until("document.querySelectorAll('.cell.movable').length > 0").await;
        // The program's own net moves for the person, so that the game is short.
        let is_over = "document.querySelector('.welcome.ended') !== null";
        while browser.js(is_over).await == Value::Bool(false) {
            browser.js("document.querySelectorAll('.cell.movable').length > 0 && !document.getElementById('do-move-now').click()").await;
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        drop(host);
        let page = browser.page.clone();
        let _ = page.close().await;
    });
}
