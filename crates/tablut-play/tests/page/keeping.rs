//! The history and a list keep all games, and the editing of a position ends with its game.

use super::browser::{Browser, with_browser};

async fn pieces(browser: &Browser) -> u64 {
    browser.js("document.querySelectorAll('.cell svg use[href^=\"#piece\"]').length").await.as_u64().unwrap()
}

#[test]
fn a_new_game_ends_the_editing_of_a_position() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        browser.panel("editor").await;
        browser.click("#edit").await;
        browser.js("[...document.querySelectorAll('#panel-editor button')].find((b) => b.textContent === 'Clear the board').click()").await;
        assert_eq!(pieces(&browser).await, 0);
        let before = browser.js("location.hash").await;
        browser.click("#new-game").await;
        browser.js("document.getElementById('opponent-person').click()").await;
        browser.click("#begin").await;
        browser.until(&format!("location.hash !== {before}")).await;
        browser.until("document.querySelectorAll('.cell .piece').length === 25").await;
        // Clicks move pieces again.
        browser.move_by_clicks("d1-d3").await;
        browser.end().await;
    });
}

#[test]
fn another_panel_ends_the_editing_of_a_position() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        browser.panel("editor").await;
        browser.click("#edit").await;
        browser.square("a1").await;
        browser.until("document.querySelector('[data-square=a1] use') !== null").await;
        browser.panel("moves").await;
        browser.until("document.querySelectorAll('.cell .piece').length === 25").await;
        browser.move_by_clicks("d1-d3").await;
        browser.end().await;
    });
}

#[test]
fn a_puzzle_in_the_middle_of_a_game_does_not_lose_the_game() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        browser.square("d1").await;
        browser.square("d3").await;
        browser.until("document.querySelectorAll('.move-list button').length === 2").await;
        let game = browser.js("location.hash").await;
        browser.panel("puzzles").await;
        browser.click("#open-puzzle").await;
        browser.until("!document.getElementById('task').hidden").await;
        assert_ne!(browser.js("location.hash").await, game);
        // The browser's own way back leads to the game.
        browser.page.back().await.unwrap();
        browser.until(&format!("location.hash === {game}")).await;
        browser.until("document.querySelector('[data-square=d3]').classList.contains('last-to') || document.querySelectorAll('.move-list button').length === 2").await;
        assert_eq!(browser.js("document.getElementById('task').hidden").await, true);
        // The list of games has it, with its opponent, and leads to it.
        browser.click("#new-game").await;
        browser.click("#begin").await;
        browser.until(&format!("location.hash !== {game}")).await;
        browser.panel("moves").await;
        browser.click("#my-games summary").await;
        browser.until("document.querySelectorAll('#game-list tbody tr').length === 1").await;
        let row = browser.text("#game-list tbody").await;
        assert!(row.contains("Adaptive") && row.contains("kvasir") && row.contains("not over"), "{row}");
        browser.click("#game-list tbody button").await;
        browser.until(&format!("location.hash === {game}")).await;
        browser.end().await;
    });
}

#[test]
fn the_first_page_offers_to_continue_the_last_game() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        browser.square("d1").await;
        browser.square("d3").await;
        browser.until("document.querySelectorAll('.move-list button').length === 2").await;
        let game = browser.js("location.hash").await;
        browser.page.goto("about:blank").await.unwrap();
        browser.open(&host, "/").await;
        browser.until("document.getElementById('continue-last') !== null").await;
        browser.click("#continue-last").await;
        browser.until(&format!("location.hash === {game}")).await;
        browser.until("document.querySelectorAll('.move-list button').length === 2").await;
        browser.end().await;
    });
}

#[test]
fn an_exported_rule_file_is_opened_and_its_rules_can_be_chosen_again() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        browser.panel("workshop").await;
        browser.until("document.getElementById('play-rules')?.disabled === false").await;
        browser.js("(() => { const f = document.getElementById('clause-king-reach'); f.value = '3'; f.dispatchEvent(new Event('change')); return true; })()").await;
        // The file is the same that `Save the rule file` writes.
        browser.js("(() => { URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; }); return '#'; }; return true; })()").await;
        browser.until("document.getElementById('save-rules').disabled === false").await;
        browser.js("document.getElementById('save-rules').click()").await;
        browser.until("(window.saved ?? '').includes('reach = 3')").await;
        browser.panel("share").await;
        browser.js("(() => { document.getElementById('import-text').value = window.saved; document.getElementById('import').click(); return true; })()").await;
        browser.until("document.getElementById('game-name').textContent.includes('My kvasir')").await;
        browser.click("#new-game").await;
        assert_eq!(browser.js("document.getElementById('new-rules').value").await, "own:my-kvasir");
        browser.click("#begin").await;
        browser.until("document.getElementById('new-dialog').open === false").await;
        browser.panel("rules").await;
        browser.until("document.getElementById('panel-rules').textContent.includes('at most 3 squares')").await;
        browser.js("document.getElementById('new-game').click()").await;
        browser.js("document.getElementById('new-rules').value = 'ashton'").await;
        browser.click("#begin").await;
        browser.until("document.getElementById('game-name').textContent.includes('Ashton')").await;
        browser.click("#new-game").await;
        assert!(browser.text("#new-rules").await.contains("my-kvasir"));
        browser.end().await;
    });
}

/// A browser that blocks cookies throws at each use of the storage.
const NO_STORAGE: &str =
    "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('blocked', 'SecurityError'); } });";

#[test]
fn a_browser_that_keeps_nothing_plays_and_remembers_while_the_page_is_open() {
    with_browser(|host, browser, _folder| async move {
        browser.before_each_page(NO_STORAGE).await;
        browser.open(&host, "/").await;
        assert!(browser.text("#welcome").await.contains("You are the attackers"));
        browser.square("d1").await;
        browser.square("d3").await;
        browser.until("document.querySelectorAll('.move-list button').length === 2").await;
        browser.panel("moves").await;
        browser.click("#my-games summary").await;
        browser.until("document.querySelectorAll('#game-list tbody tr').length === 1").await;
        assert_eq!(browser.text("#error").await, "");
        browser.end().await;
    });
}

#[test]
fn the_file_of_all_games_is_opened_where_games_are_opened() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        browser.move_by_clicks("d1-d3").await;
        browser.panel("moves").await;
        browser.click("#my-games summary").await;
        browser.js("(() => { URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; }); return '#'; }; return true; })()").await;
        browser.click("#export-games").await;
        browser.until("(window.saved ?? '').startsWith('[')").await;
        // The same game under another name would be a double, so its comment is another one.
        browser.panel("share").await;
        browser.js("(() => { document.getElementById('import-text').value = window.saved.replace('\"winner\"', '\"comment\": \"copy\", \"winner\"'); document.getElementById('import').click(); return true; })()").await;
        browser.until("document.querySelectorAll('#game-list tbody tr').length === 2").await;
        assert!(browser.js("document.getElementById('panel-moves').hidden").await == false);
        browser.end().await;
    });
}
