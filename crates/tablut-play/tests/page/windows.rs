//! Reloading, two windows, and a server that is killed and restarted.

use super::browser::{with_browser, with_browser_and};
use super::host::Host;
use super::messages::is_in_sight;
use serde_json::{Value, json};

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
fn the_page_comes_back_when_the_server_does_and_says_so() {
    with_browser(|host, browser, folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        browser.move_by_clicks("d1-d3").await;
        let port = host.authority.rsplit(':').next().unwrap().to_owned();
        host.kill();
        browser.until("!document.getElementById('offline').hidden").await;
        let host = Host::start(&folder, &["--port", &port]);
        browser.until("document.getElementById('notice').textContent === 'Connected again.'").await;
        assert!(is_in_sight(&browser, "#message").await);
        browser.until("document.getElementById('offline').hidden").await;
        browser.until("document.querySelector('[data-square=d3]').classList.contains('last-to')").await;
        browser.move_by_clicks("e3-f3").await;
        drop(host);
    });
}

#[test]
fn a_program_that_does_not_answer_is_shown_as_pending() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        host.signal("STOP");
        browser.square("d1").await;
        browser.square("d3").await;
        browser.until("!document.getElementById('pending').hidden").await;
        host.signal("CONT");
        browser.until("document.getElementById('pending').hidden").await;
        browser.until("document.querySelector('[data-square=d3]').classList.contains('last-to')").await;
        browser.end().await;
    });
}

#[test]
fn a_game_by_link_can_have_a_clock_that_the_host_keeps() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        browser.click("#new-game").await;
        browser.js("document.getElementById('opponent-friend').click()").await;
        // Nobody waits for three minutes here.
        browser.js("document.getElementById('new-link-clock').options[1].value = '2+0'").await;
        browser.js("document.getElementById('new-link-clock').selectedIndex = 1").await;
        browser.click("#begin").await;
        browser.until("document.querySelector('#player-top .clock')?.textContent === '0:02'").await;
        browser.until("document.getElementById('seat-link') !== null").await;
        let link = browser.js("document.getElementById('seat-link').value").await.as_str().unwrap().to_owned();
        browser.move_by_clicks("d1-d3").await;
        // The link stays and no time runs until the opponent is there.
        assert_eq!(browser.js("document.getElementById('seat-link').value").await.as_str(), Some(link.as_str()));
        assert!(browser.text("#local-link").await.contains("only on this machine"));
        assert!(browser.text("#player-top").await.contains("not here yet"));
        assert_eq!(browser.text("title").await, "Defenders to move – Tablut");
        let (game, seat) = link.split_once("#game=").and_then(|(_, rest)| rest.split_once("&seat=")).unwrap();
        let mut opponent = host.client();
        opponent.ask(json!({"do": "open", "game": game})).unwrap();
        assert_eq!(opponent.state()["clock"]["running"], Value::Null);
        opponent.ask(json!({"do": "sit", "seat": seat, "key": "opponent"})).unwrap();
        browser.until("document.getElementById('seat-link') === null").await;
        drop(opponent);
        browser.until("document.getElementById('player-top').textContent.includes('has left')").await;
        browser.until("document.querySelector('#welcome .ended h2')?.textContent === 'You won'").await;
        let card = browser.text("#welcome").await;
        assert!(card.contains("The defenders are out of time"), "{card}");
        assert_eq!(browser.text("#player-top .clock").await, "0:00");
        assert_eq!(browser.text("#player-bottom .clock").await, "0:02");
        browser.end().await;
    });
}

#[test]
fn offers_reach_the_other_side_and_a_rematch_begins_for_both() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        browser.click("#new-game").await;
        browser.js("document.getElementById('opponent-friend').click()").await;
        browser.click("#begin").await;
        browser.until("document.getElementById('seat-link') !== null").await;
        browser.click("#welcome details summary").await;
        browser.until("document.getElementById('seat-code').naturalWidth > 0").await;
        let link = browser.js("document.getElementById('seat-link').value").await.as_str().unwrap().to_owned();
        let (game, seat) = link.split_once("#game=").and_then(|(_, rest)| rest.split_once("&seat=")).unwrap();
        let mut opponent = host.client();
        opponent.ask(json!({"do": "open", "game": game})).unwrap();
        opponent.ask(json!({"do": "sit", "seat": seat, "key": "opponent"})).unwrap();
        browser.until("document.getElementById('seat-link') === null").await;
        browser.move_by_clicks("d1-d3").await;
        browser.click("#do-take-back").await;
        browser.until("document.getElementById('offer').textContent.includes('You have asked to take')").await;
        opponent.ask(json!({"do": "offer", "side": "defenders", "what": "take-back"})).unwrap();
        browser.until("document.querySelectorAll('.move-list button').length === 0").await;
        assert_eq!(browser.js("document.getElementById('offer').hidden").await, true);
        browser.move_by_clicks("d1-d2").await;
        opponent.ask(json!({"do": "offer", "side": "defenders", "what": "draw"})).unwrap();
        browser.until("document.getElementById('offer').textContent.includes('Your opponent offers a draw')").await;
        browser.click("#decline-offer").await;
        browser.until("document.getElementById('offer').hidden").await;
        opponent.ask(json!({"do": "offer", "side": "defenders", "what": "draw"})).unwrap();
        browser.until("!document.getElementById('offer').hidden").await;
        browser.click("#accept-offer").await;
        browser.until("document.querySelector('#welcome .ended h2')?.textContent === 'A draw'").await;
        browser.click("#rematch").await;
        browser.until("document.getElementById('offer').textContent.includes('You have offered another game')").await;
        opponent.ask(json!({"do": "offer", "side": "defenders", "what": "rematch"})).unwrap();
        browser.until(&format!("!location.hash.includes('{game}')")).await;
        browser.ready().await;
        browser.until("document.getElementById('player-bottom').dataset.side === 'defenders'").await;
        browser.until("document.getElementById('player-bottom').textContent.includes('You')").await;
    });
}

#[test]
fn two_people_play_by_link_and_others_watch() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        browser.click("#new-game").await;
        browser.js("document.getElementById('opponent-friend').click()").await;
        browser.click("#begin").await;
        browser.until("document.getElementById('seat-link') !== null").await;
        let link = browser.js("document.getElementById('seat-link').value").await.as_str().unwrap().to_owned();
        browser.move_by_clicks("d1-d3").await;
        let game = browser.js("location.hash").await.as_str().unwrap().to_owned();
        // Who opens the own link stays in the own seat.
        browser.page.goto("about:blank").await.unwrap();
        browser.page.goto(&link).await.unwrap();
        browser.ready().await;
        browser.until("document.getElementById('notice').textContent.includes('the link for your opponent')").await;
        browser.until("document.getElementById('player-bottom').dataset.side === 'attackers'").await;
        // Another browser has none of what this one keeps.
        browser.js("(() => { localStorage.clear(); return true; })()").await;
        browser.page.goto("about:blank").await.unwrap();
        browser.open(&host, &format!("/{game}")).await;
        browser.until("document.querySelector('[data-square=d3]').classList.contains('last-to')").await;
        assert_eq!(browser.js("document.querySelectorAll('.cell.movable').length").await, 0);
        browser.page.goto("about:blank").await.unwrap();
        browser.page.goto(&link).await.unwrap();
        browser.ready().await;
        browser.until("document.getElementById('player-bottom').textContent.includes('You')").await;
        assert_eq!(browser.js("document.getElementById('player-bottom').dataset.side").await, "defenders");
        browser.move_by_clicks("e3-f3").await;
        // The second who opens the link only watches.
        browser.js("(() => { localStorage.clear(); return true; })()").await;
        browser.page.goto("about:blank").await.unwrap();
        browser.page.goto(&link).await.unwrap();
        browser.ready().await;
        browser.until("document.getElementById('notice').textContent.includes('you can only watch')").await;
        assert_eq!(browser.js("document.querySelectorAll('.cell.movable').length").await, 0);
        browser.end().await;
    });
}

#[test]
fn a_friend_joins_through_another_address_of_the_machine() {
    with_browser_and(&["--listen", "0.0.0.0"], |host, browser, _folder| async move {
        browser.page.goto(&host.link).await.unwrap();
        browser.ready().await;
        browser.click("#new-game").await;
        browser.js("document.getElementById('opponent-friend').click()").await;
        browser.click("#begin").await;
        browser.until("document.getElementById('seat-link') !== null").await;
        let link = browser.js("document.getElementById('seat-link').value").await.as_str().unwrap().to_owned();
        // This name of the machine has neither the cookie nor what the browser keeps for the other one.
        let port = host.authority.rsplit(':').next().unwrap();
        let (_, fragment) = link.split_once('#').unwrap();
        browser.page.goto("about:blank").await.unwrap();
        browser.page.goto(&format!("http://localhost:{port}/#{fragment}")).await.unwrap();
        browser.ready().await;
        browser.until("document.getElementById('player-bottom').dataset.side === 'defenders'").await;
        browser.page.goto("about:blank").await.unwrap();
        browser.page.goto(&link).await.unwrap();
        browser.ready().await;
        browser.move_by_clicks("d1-d3").await;
        // The friend needs no secret in the address any more.
        let game = fragment.split('&').next().unwrap();
        browser.page.goto("about:blank").await.unwrap();
        browser.page.goto(&format!("http://localhost:{port}/#{game}")).await.unwrap();
        browser.ready().await;
        browser.move_by_clicks("e3-f3").await;
    });
}

#[test]
fn a_server_without_a_trainer_says_so() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        browser.panel("teach").await;
        browser.until("document.getElementById('teach').disabled").await;
        assert!(browser.text("#panel-teach").await.contains("cannot teach"));
        browser.end().await;
    });
}
