//! The first screen explains the side, the goal and the first click; a card ends the game; the user chooses looks and sides.

use super::browser::with_browser;
use super::messages::SIZES;

#[test]
fn the_first_screen_says_who_one_is_what_the_goal_is_and_what_to_click() {
    with_browser(|host, browser, _folder| async move {
        for (width, height) in SIZES {
            browser.resize(width, height).await;
            browser.page.goto("about:blank").await.unwrap();
            browser.open(&host, "/").await;
            let card = browser.text("#welcome").await;
            for part in ["You are the attackers", "Stop the king from reaching the edge", "one of your ringed pieces"] {
                assert!(card.contains(part), "{card}");
            }
            let in_sight = "document.querySelector('#welcome .goal').getBoundingClientRect().bottom <= innerHeight";
            let is_on_its_side = height < 500;
            assert!(is_on_its_side || browser.js(in_sight).await == true, "{width} {height}");
            // The whole board is in sight, and one's own side stands below it.
            let board = "(() => { const box = document.getElementById('board').getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; })()";
            assert!(browser.js(board).await == true, "{width} {height}");
            assert_eq!(browser.js("document.getElementById('player-bottom').dataset.side").await, "attackers");
            assert!(browser.text("#player-bottom").await.contains("You"));
            let rows = "new Set([...document.querySelectorAll('#tabs button')].map((tab) => tab.offsetTop)).size";
            assert_eq!(browser.js(rows).await, 1, "{width} {height}: the tabs are in one row");
        }
        browser.end().await;
    });
}

#[test]
fn another_rule_set_has_another_goal() {
    with_browser(|host, browser, _folder| async move {
        for (rules, part) in
            [("masters", "a corner of the board"), ("ashton", "the edge of the board outside the camps")]
        {
            browser.page.goto("about:blank").await.unwrap();
            browser.open(&host, &format!("/#rules={rules}")).await;
            browser.until(&format!("document.getElementById('welcome').textContent.includes('{part}')")).await;
        }
        browser.end().await;
    });
}

#[test]
fn the_end_has_a_card_with_a_rematch() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir&start=9/9/9/9/2K5t/9/9/9/6t1t+d").await;
        browser.move_by_clicks("c5-c9").await;
        browser.until("document.querySelector('#welcome .ended') !== null").await;
        let card = browser.text("#welcome").await;
        assert!(card.contains("Defenders win") && card.contains("has escaped") && card.contains("1 move"), "{card}");
        let game = browser.js("location.hash").await;
        browser.click("#rematch").await;
        browser.until(&format!("location.hash !== {game}")).await;
        browser.until("document.querySelectorAll('.cell .piece').length === 25").await;
        browser.end().await;
    });
}

#[test]
fn looking_back_is_told_and_one_click_returns() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        browser.move_by_clicks("d1-d3").await;
        browser.move_by_clicks("e3-f3").await;
        browser.click("#do-back").await;
        browser.until("document.getElementById('status').textContent.includes('move 1 of 2')").await;
        // Nobody resigns a game from its middle.
        assert_eq!(browser.js("document.getElementById('do-resign').disabled").await, true);
        browser.click("#return").await;
        browser.until("document.querySelector('[data-square=f3]').classList.contains('last-to')").await;
        browser.end().await;
    });
}

#[test]
fn the_board_can_be_turned_and_looks_can_be_chosen() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        let top = "document.querySelector('.cell').dataset.square";
        assert_eq!(browser.js(top).await, "a9");
        browser.click("#more summary").await;
        browser.click("#do-flip").await;
        browser.until(&format!("{top} === 'i1'")).await;
        browser.move_by_clicks("d1-d3").await;
        browser.js("document.querySelector('[data-square=d3]').focus()").await;
        // The arrow keys go where they point on the turned board.
        browser.keys("\u{e013}").await;
        assert_eq!(browser.js("document.activeElement.dataset.square").await, "d2");
        browser.click("#open-settings").await;
        for (name, value) in [("board", "slate"), ("pieces", "figures"), ("theme", "dark")] {
            browser.js(&format!("document.querySelector('[name=set-{name}][value={value}]').click()")).await;
            assert_eq!(browser.js(&format!("document.documentElement.dataset.{name}")).await, value);
        }
        browser.page.refresh().await.unwrap();
        browser.ready().await;
        assert_eq!(browser.js("document.documentElement.dataset.board").await, "slate");
        browser.end().await;
    });
}

#[test]
fn every_level_is_offered_with_a_face_and_its_strength_in_stars() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        browser.click("#new-game").await;
        let levels = browser.js("document.querySelectorAll('#opponents .face').length").await;
        assert_eq!(levels, 8);
        assert_eq!(browser.js("document.querySelector('#opponents input').value").await, "adaptive");
        let dialog = browser.text("#new-dialog").await;
        assert!(dialog.contains("★☆") && !dialog.contains("Rated"), "{dialog}");
        let scale = browser.js("document.querySelector('#opponent-strong').closest('label').title").await;
        assert!(scale.as_str().unwrap().contains("random moves are 0"), "{scale}");
        browser.end().await;
    });
}
