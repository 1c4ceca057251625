//! The first minutes: a shared position explains itself, nothing jumps, and the page says why something does not work.

use super::browser::{Browser, with_browser};
use super::messages::is_in_sight;

/// The attackers are to move, and the king threatens to escape.
const SHARED: &str = "/#rules=kvasir&start=4t4/9/9/4K4/9/4T4/9/9/6t1t+d&moves=e6-c6";

/// Adds up how far parts of the page move unasked.
const SUM_OF_SHIFTS: &str = "window.shifted = 0; new PerformanceObserver((list) => { for (const { value, hadRecentInput } of \
                             list.getEntries()) if (!hadRecentInput) window.shifted += value; }).observe({ type: 'layout-shift', buffered: true });";

/// Begins a game against the weakest level.
async fn begin_against_newcomer(browser: &Browser, side: &str) {
    browser.click("#new-game").await;
    browser
        .js(&format!("['opponent-newcomer', 'side-{side}'].forEach((id) => document.getElementById(id).click())"))
        .await;
    browser.click("#begin").await;
    browser.until("!document.getElementById('new-dialog').open").await;
    browser.until("document.querySelectorAll('.cell.movable').length > 0").await;
}

#[test]
fn a_shared_position_on_a_phone_says_what_it_is_and_how_to_go_on() {
    with_browser(|host, browser, _folder| async move {
        browser.become_a_phone(390, 844).await;
        browser.open(&host, SHARED).await;
        let card = browser.text("#welcome").await;
        for part in [
            "Tablut: attackers to move",
            "Somebody shared this position",
            "Stop the king",
            "Bring the king to the edge",
        ] {
            assert!(card.contains(part), "{card}");
        }
        for selector in ["#welcome .goal:nth-of-type(3)", "#go-on-attackers"] {
            assert!(is_in_sight(&browser, selector).await, "{selector}");
        }
        // The computer takes the other side and goes on from here.
        browser.js("document.getElementById('go-on-defenders').click()").await;
        browser.until("document.querySelectorAll('.move-list button').length === 2").await;
        assert_eq!(browser.text("#player-bottom .name").await, "You");
        assert_eq!(browser.text("#welcome").await, "");
        browser.end().await;
    });
}

#[test]
fn nothing_jumps_when_the_page_opens_and_when_the_computer_moves() {
    with_browser(|host, browser, _folder| async move {
        browser.before_each_page(SUM_OF_SHIFTS).await;
        for (width, height) in [(1280, 800), (390, 844), (320, 568)] {
            browser.resize(width, height).await;
            browser.page.goto("about:blank").await.unwrap();
            browser.open(&host, "/").await;
            // The computer moves first, and the explanation stays.
            begin_against_newcomer(&browser, "defenders").await;
            browser.until("document.querySelectorAll('.move-list button').length === 1").await;
            assert!(browser.text("#welcome").await.contains("You are the defenders"));
            browser.move_by_clicks("e3-f3").await;
            browser.until("document.querySelectorAll('.move-list button').length === 3").await;
            let shifted = browser.js("window.shifted").await;
            assert!(shifted.as_f64().unwrap() < 0.05, "{width} {height}: {shifted}");
        }
        browser.end().await;
    });
}

#[test]
fn ones_own_move_is_seen_before_the_answer() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        browser
            .js("(() => { window.times = []; const list = () => document.querySelectorAll('.move-list button').length; \
                 new MutationObserver(() => { if (window.times.length < list()) window.times.push(performance.now()); }) \
                 .observe(document.body, { subtree: true, childList: true }); })()")
            .await;
        browser.move_by_clicks("d1-d3").await;
        browser.until("window.times.length === 2").await;
        let waited = browser.js("window.times[1] - window.times[0]").await.as_f64().unwrap();
        assert!(waited > 350.0, "the answer came after {waited} ms");
        browser.end().await;
    });
}

#[test]
fn the_adaptive_level_is_easier_after_a_lost_game() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        browser.move_by_clicks("d1-d3").await;
        browser.until("document.querySelectorAll('.move-list button').length === 2").await;
        browser.click("#more summary").await;
        browser.click("#do-resign").await;
        browser.until("!document.getElementById('choice').hidden").await;
        browser.click("#choice button:last-child").await;
        browser.until("document.getElementById('status').classList.contains('over')").await;
        browser.until("localStorage.getItem('ease') !== null").await;
        let kept = "JSON.parse(localStorage.getItem('ease'))['adaptive kvasir attackers']";
        // A reload shows the same game, which counts once.
        browser.page.refresh().await.unwrap();
        browser.until("document.getElementById('status')?.classList.contains('over')").await;
        assert_eq!(browser.js(&format!("[{kept}.ease, {kept}.games]")).await, serde_json::json!([60, 1]));
        let players = "import('/js/host.js').then(({ ask }) => ask('new', { rules: { name: 'kvasir' }, players: \
             { attackers: { kind: 'person' }, defenders: { kind: 'computer', name: 'adaptive', net: 0 } } })) \
             .then(() => import('/js/store.js')).then(({ store }) => store.state.players.defenders.ease)";
        assert_eq!(browser.js(players).await, 60);
        browser.end().await;
    });
}

#[test]
fn the_card_of_an_ending_moves_nothing_unasked() {
    with_browser(|host, browser, _folder| async move {
        browser.before_each_page(SUM_OF_SHIFTS).await;
        browser.open(&host, SHARED).await;
        browser.panel("share").await;
        browser.js("document.getElementById('on-defenders').value = 'expert'").await;
        browser.click("#change-players").await;
        // The king escapes.
        browser.square("g1").await;
        browser.square("g2").await;
        browser.until("document.querySelector('#welcome.floating .ended') !== null").await;
        let shifted = browser.js("window.shifted").await;
        assert!(shifted.as_f64().unwrap() < 0.05, "{shifted}");
        // After a click the card has its own place.
        browser.click("#share-end").await;
        browser.until("document.getElementById('welcome').className === ''").await;
        browser.end().await;
    });
}

#[test]
fn no_panel_is_wider_than_a_narrow_window() {
    with_browser(|host, browser, _folder| async move {
        browser.resize(320, 568).await;
        browser.open(&host, "/#rules=ashton").await;
        for panel in ["moves", "analysis", "review", "puzzles", "lesson", "rules", "lens", "workshop", "share"] {
            browser.panel(panel).await;
            assert_eq!(browser.js("document.documentElement.scrollWidth <= innerWidth").await, true, "{panel}");
        }
        browser.end().await;
    });
}

#[test]
fn a_new_game_puts_the_focus_on_the_board() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        for size in [7, 11, 11] {
            browser.keys("n").await;
            browser.js(&format!("document.getElementById('board-{size}').click()")).await;
            browser.click("#begin").await;
            browser.until(&format!("document.querySelectorAll('.cell').length === {}", size * size)).await;
            browser.until("document.activeElement.classList.contains('cell')").await;
        }
        browser.end().await;
    });
}

#[test]
fn a_piece_that_cannot_move_says_why() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        for (square, reason) in [
            ("e1", "The attacker on e1 cannot move: no square next to it is open to it."),
            ("e3", "It is the attackers' turn."),
        ] {
            browser.square(square).await;
            browser.until(&format!("document.getElementById('status').textContent === \"{reason}\"")).await;
            assert!(browser.text("#live").await.contains(reason));
        }
        browser.square("d1").await;
        browser.until("document.getElementById('status').textContent === ''").await;
        browser.end().await;
    });
}

#[test]
fn a_hint_says_why_and_a_newcomer_has_a_coach() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir&start=9/9/9/9/2K5t/9/9/9/6t1t+d").await;
        browser.click("#do-hint").await;
        browser.until("document.getElementById('status').textContent.includes(' wins: the king has escaped.')").await;
        assert_eq!(browser.text("#notes").await, "");
        browser.panel("share").await;
        browser.js("document.getElementById('on-attackers').value = 'newcomer'").await;
        browser.click("#change-players").await;
        browser.until("document.getElementById('notes').textContent === 'Your king can escape.'").await;
        browser.end().await;
    });
}

#[test]
fn results_of_former_rules_do_not_come_back() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        browser.panel("workshop").await;
        browser.until("!document.getElementById('run-experiment').disabled").await;
        browser.js("document.getElementById('games').value = '150'").await;
        browser.click("#run-experiment").await;
        browser.until("document.getElementById('balance') !== null").await;
        browser.js("(() => { const field = document.getElementById('clause-max-plies'); field.value = 77; field.dispatchEvent(new Event('change')); })()").await;
        browser.until("document.getElementById('balance') === null").await;
        // Another experiment can begin, so the first one has stopped, and only the new one is shown.
        browser.until("!document.getElementById('run-experiment').disabled").await;
        assert_eq!(browser.js("document.getElementById('balance') === null").await, true);
        browser.end().await;
    });
}
