//! What only the page without a server does: it draws the board before the engine is there, keeps games in the browser, works
//! below any folder and without a network, and takes a new version.

use super::browser::{Browser, with_browser, with_browser_and};
use super::games::some_game;
use fantoccini::Locator;
use fantoccini::actions::{InputSource, MOUSE_BUTTON_LEFT, PointerAction, TouchActions};
use fantoccini::elements::Element;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs;

/// axe-core (MPL-2.0), for tests alone.
const AXE: &str = include_str!("../../../tablut-play/tests/page/vendor/axe.min.js");

const LAST_MOVE_TO_D3: &str = "document.querySelector('[data-square=d3]')?.classList.contains('last-to') === true";

/// Touches a square.
async fn touch(browser: &Browser, square: &str) {
    let element: Element = browser.page.find(Locator::Css(&format!("[data-square={square}]"))).await.unwrap();
    let touch = TouchActions::new("finger".to_owned())
        .then(PointerAction::MoveToElement { element, duration: None, x: 0.0, y: 0.0 })
        .then(PointerAction::Down { button: MOUSE_BUTTON_LEFT })
        .then(PointerAction::Up { button: MOUSE_BUTTON_LEFT });
    browser.page.perform_actions(touch).await.unwrap();
    browser.page.release_actions().await.unwrap();
}

#[test]
fn a_whole_game_by_touch_in_a_folder() {
    with_browser_and(&["tablut"], |host, browser, _folder| async move {
        browser.page.set_window_size(390, 844).await.unwrap();
        browser.open(&host, "/#rules=kvasir").await;
        for mv in some_game("kvasir") {
            let (from, to) = (&mv[..2], &mv[3..5]);
            touch(&browser, from).await;
            touch(&browser, to).await;
            browser.until(&format!("document.querySelector('[data-square={to}]').classList.contains('last-to')")).await;
        }
        browser.until("document.getElementById('status').classList.contains('over')").await;
        browser.end().await;
    });
}

#[test]
fn a_reload_in_the_middle_shows_the_same_game_and_the_computer_answers() {
    with_browser_and(&["tablut"], |host, browser, _folder| async move {
        browser.open(&host, "/").await;
        browser.square("d1").await;
        browser.square("d3").await;
        browser.until("document.querySelectorAll('.move-list button').length === 2").await;
        let moves = "[...document.querySelectorAll('.move-list button')].map((b) => b.textContent).join()";
        let (played, address) = (browser.js(moves).await, browser.js("location.href").await);
        browser.page.refresh().await.unwrap();
        browser.ready().await;
        browser.until(&format!("{moves} === {played}")).await;
        assert_eq!(browser.js("location.href").await, address);
        browser.end().await;
    });
}

#[test]
fn an_address_stands_alone_before_the_first_move_and_in_another_browser() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        browser.click("#new-game").await;
        browser.js("document.getElementById('new-rules').value = 'masters'").await;
        browser.js("document.getElementById('opponent-beginner').click()").await;
        browser.click("#begin").await;
        let is_masters = "document.getElementById('game-name').textContent.includes('Masters')";
        browser.until(is_masters).await;
        browser.until("location.hash.includes('rules=masters')").await;
        browser.page.refresh().await.unwrap();
        browser.ready().await;
        browser.until(is_masters).await;
        browser.until("document.getElementById('welcome').textContent.includes('Beginner')").await;
        assert_eq!(browser.text("#error").await, "");
        // Another browser knows no game of this name.
        browser.page.goto("about:blank").await.unwrap();
        browser.visit(&host, "/#game=aaaaaaaaaaaaaaaa&rules=kvasir&moves=d1-d3").await;
        browser.until(LAST_MOVE_TO_D3).await;
        assert_eq!(browser.text("#error").await, "");
        browser.end().await;
    });
}

#[test]
fn two_windows_show_one_game() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        browser.move_by_clicks("d1-d3").await;
        let game = browser.js("location.hash").await.as_str().unwrap().to_owned();
        let first = browser.page.window().await.unwrap();
        let second = browser.page.new_window(true).await.unwrap();
        browser.page.switch_to_window(second.handle).await.unwrap();
        browser.visit(&host, &format!("/{game}")).await;
        browser.move_by_clicks("e3-f3").await;
        browser.page.switch_to_window(first).await.unwrap();
        browser.until("document.querySelector('[data-square=f3]').classList.contains('last-to')").await;
        browser.end().await;
    });
}

#[test]
fn workers_share_an_analysis_which_rests_while_the_page_is_hidden() {
    with_browser(|host, browser, _folder| async move {
        let cores = json!({"cmd": "Emulation.setHardwareConcurrencyOverride", "params": {"hardwareConcurrency": 3}});
        browser.command("goog/cdp/execute", &cores).await;
        browser.visit(&host, "/#rules=kvasir").await;
        let hide = |hidden: bool| {
            format!(
                "(() => {{ Object.defineProperty(document, 'hidden', {{ configurable: true, value: {hidden} }}); \
                 document.dispatchEvent(new Event('visibilitychange')); return true; }})()"
            )
        };
        browser.js(&hide(true)).await;
        browser.panel("analysis").await;
        browser.click("#analyse").await;
        // The page still gets what it waits for.
        browser.js("document.getElementById('do-hint').click()").await;
        browser.until("document.getElementById('live').textContent.startsWith('Hint: ')").await;
        let text = "document.getElementById('panel-analysis').textContent";
        assert_eq!(browser.js(&format!("/simulations( by|, going)/.test({text})")).await, false);
        browser.js(&hide(false)).await;
        browser.until(&format!("{text}.includes(' simulations by 2 workers')")).await;
        browser.end().await;
    });
}

#[test]
fn the_board_is_drawn_before_the_engine_is_there() {
    with_browser(|host, browser, folder| async move {
        fs::remove_file(folder.join("engine.wasm")).unwrap();
        browser.page.goto(&format!("http://{}/", host.authority)).await.unwrap();
        browser.until("document.querySelectorAll('.cell .piece').length === 25").await;
        browser.until("document.getElementById('loading')?.textContent.includes('engine.wasm') === true").await;
    });
}

#[test]
fn games_leave_the_browser_in_a_file_and_come_back() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        browser.move_by_clicks("d1-d3").await;
        browser.panel("moves").await;
        browser.click("#my-games summary").await;
        browser.until("document.querySelectorAll('#game-list tbody tr').length === 1").await;
        browser.until("document.getElementById('import-games') !== null").await;
        browser.page.execute(AXE, Vec::new()).await.unwrap();
        let run = "const done = arguments[arguments.length - 1]; axe.run().then((found) => done(found.violations.map((v) => v.id + v.help)));";
        assert_eq!(browser.page.execute_async(run, Vec::new()).await.unwrap(), json!([]));
        let watch = "(() => { const make = URL.createObjectURL; URL.createObjectURL = (blob) => { blob.text().then((text) => { window.exported = text; }); return make(blob); }; return true; })()";
        browser.js(watch).await;
        browser.click("#export-games").await;
        browser.until("typeof window.exported === 'string'").await;
        let exported = browser.js("window.exported").await;
        let remove = "document.querySelector('#game-list [aria-label^=Remove]').click()";
        browser.js(remove).await;
        browser.js(remove).await;
        browser.until("document.querySelectorAll('#game-list tbody tr').length === 0").await;
        let give = |text: &Value| {
            format!(
                "(() => {{ const given = new DataTransfer(); given.items.add(new File([{text}], 'games.json')); \
                 const field = document.getElementById('import-games'); field.files = given.files; \
                 field.dispatchEvent(new Event('change')); return true; }})()"
            )
        };
        browser.js(&give(&json!("{}"))).await;
        browser.until("document.querySelector('#my-games [role=status]').textContent.includes('tablut game')").await;
        // The game is added once.
        for n in ["1 game was added.", "0 games were added."] {
            browser.js(&give(&exported)).await;
            browser.until(&format!("document.querySelector('#my-games [role=status]').textContent === '{n}'")).await;
        }
        browser.until("document.querySelectorAll('#game-list tbody tr').length === 1").await;
        browser.page.goto("about:blank").await.unwrap();
        browser.visit(&host, "/").await;
        browser.panel("moves").await;
        browser.click("#my-games summary").await;
        browser.until("document.querySelectorAll('#game-list tbody tr').length === 1").await;
        browser.js("document.querySelector('#game-list tbody button').click()").await;
        browser.until(LAST_MOVE_TO_D3).await;
        browser.end().await;
    });
}

#[test]
fn an_update_of_which_half_the_files_are_there_leaves_the_old_version() {
    with_browser(|host, browser, folder| async move {
        browser.visit(&host, "/#rules=kvasir").await;
        browser.until("document.documentElement.dataset.offline === 'ready'").await;
        // The list of the new version is there, and one of its files is not.
        let (style, worker) = (folder.join("css/site.css"), folder.join("sw.js"));
        let (old, list) = (fs::read(&style).unwrap(), fs::read_to_string(&worker).unwrap());
        let new = [&old[..], b":root { --version: 2; }\n"].concat();
        let hash = |bytes: &[u8]| format!("{:x}", Sha256::digest(bytes))[..16].to_owned();
        fs::write(&worker, list.replace(&hash(&old), &hash(&new))).unwrap();
        let version = "getComputedStyle(document.documentElement).getPropertyValue('--version').trim()";
        browser.page.refresh().await.unwrap();
        browser.ready().await;
        browser.until("navigator.serviceWorker.getRegistration().then((r) => window.settled = !r.installing && !r.waiting) && window.settled === true").await;
        browser.move_by_clicks("d1-d3").await;
        assert_eq!(browser.js("document.getElementById('update') === null").await, true);
        // The rest arrives, and the next visit takes the new version.
        fs::write(&style, &new).unwrap();
        browser.page.refresh().await.unwrap();
        browser.ready().await;
        browser.until("document.getElementById('use-update') !== null").await;
        browser.click("#use-update").await;
        browser.until(&format!("{version} === '2'")).await;
        browser.until(LAST_MOVE_TO_D3).await;
        host.cut();
        browser.page.refresh().await.unwrap();
        browser.ready().await;
        assert_eq!(browser.js(version).await, "2");
    });
}

#[test]
fn a_page_that_is_opened_as_a_file_says_what_to_do() {
    with_browser(|_host, browser, folder| async move {
        browser.page.goto(&format!("file://{}", folder.join("index.html").display())).await.unwrap();
        browser
            .until("document.getElementById('opened-as-file')?.textContent.includes('python3 -m http.server') === true")
            .await;
    });
}

#[test]
fn two_copies_under_one_origin_both_work_without_a_network() {
    with_browser_and(&["one"], |host, browser, folder| async move {
        super::host::copy(&folder.join("one"), &folder.join("two"));
        let other = host.authority.replace("/one", "/two");
        browser.visit(&host, "/").await;
        browser.until("document.documentElement.dataset.offline === 'ready'").await;
        browser.page.goto(&format!("http://{other}/")).await.unwrap();
        browser.ready().await;
        browser.until("document.documentElement.dataset.offline === 'ready'").await;
        host.cut();
        for copy in [host.authority.clone(), other] {
            browser.page.goto("about:blank").await.unwrap();
            browser.page.goto(&format!("http://{copy}/")).await.unwrap();
            browser.ready().await;
        }
        browser.end().await;
    });
}

#[test]
fn a_new_version_is_offered_and_loses_no_game() {
    with_browser(|host, browser, folder| async move {
        browser.visit(&host, "/#rules=kvasir").await;
        browser.until("document.documentElement.dataset.offline === 'ready'").await;
        browser.move_by_clicks("d1-d3").await;
        // The new version has another style.
        let (style, worker) = (folder.join("css/site.css"), folder.join("sw.js"));
        let style_before = fs::read_to_string(&style).unwrap();
        fs::write(&style, style_before.clone() + ":root { --version: 2; }\n").unwrap();
        let text = fs::read_to_string(&worker).unwrap();
        let hash = |bytes: &[u8]| format!("{:x}", Sha256::digest(bytes))[..16].to_owned();
        let (before, after) = (hash(style_before.as_bytes()), hash(&fs::read(&style).unwrap()));
        fs::write(&worker, text.replace(&before, &after)).unwrap();
        let version = "getComputedStyle(document.documentElement).getPropertyValue('--version').trim()";
        browser.page.refresh().await.unwrap();
        browser.ready().await;
        browser.until("document.getElementById('use-update') !== null").await;
        assert_eq!(browser.js(version).await, "");
        browser.click("#use-update").await;
        browser.until(&format!("{version} === '2'")).await;
        browser.until(LAST_MOVE_TO_D3).await;
        host.cut();
        browser.page.refresh().await.unwrap();
        browser.ready().await;
        browser.until(LAST_MOVE_TO_D3).await;
        assert_eq!(browser.js(version).await, "2");
        browser.end().await;
    });
}
