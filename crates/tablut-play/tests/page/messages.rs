//! The page shows messages next to the control that was used, inside the window, on a desk and on a phone.

use super::browser::{Browser, with_browser};

/// The sizes of a desk, a phone, a phone on its side and a large screen.
pub const SIZES: [(u32, u32); 4] = [(1280, 800), (390, 844), (844, 390), (1920, 1080)];

/// Whether all of an element is in the window.
pub async fn is_in_sight(browser: &Browser, selector: &str) -> bool {
    let inside = format!(
        "(() => {{ const box = document.querySelector('{selector}').getBoundingClientRect(); \
         return box.height > 0 && box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight + 1 && box.right <= innerWidth + 1; }})()"
    );
    browser.js(&inside).await == true
}

#[test]
fn a_refusal_is_in_sight_and_announced_beside_the_control() {
    with_browser(|host, browser, _folder| async move {
        for (width, height) in SIZES {
            browser.resize(width, height).await;
            browser.page.goto("about:blank").await.unwrap();
            browser.open(&host, "/#rules=kvasir").await;
            browser.click("#typed-move").await;
            browser.keys("d1-d9\u{e007}").await;
            browser.until("document.getElementById('error').textContent.includes('d1-d9')").await;
            assert!(is_in_sight(&browser, "#message").await, "{width} {height}");
            let near = "Math.abs(document.getElementById('message').getBoundingClientRect().top - document.activeElement.getBoundingClientRect().top)";
            assert!(browser.js(near).await.as_f64().unwrap() < 130.0, "{width} {height}");
            assert_eq!(browser.js("document.getElementById('error').getAttribute('role')").await, "alert");
            browser.click("#close-message").await;
            assert_eq!(browser.js("document.getElementById('message').hidden").await, true);
        }
        browser.end().await;
    });
}

#[test]
fn a_link_that_cannot_be_opened_says_why_and_stays() {
    with_browser(|host, browser, _folder| async move {
        for (link, part) in [
            ("/#rules=nonsense", "nonsense"),
            ("/#rules=kvasir&moves=d1-d9", "d1-d9"),
            ("/#game=abcdefgh23456789", "abcdefgh23456789"),
            ("/#hello", "hello"),
        ] {
            browser.page.goto("about:blank").await.unwrap();
            browser.open(&host, link).await;
            browser.until(&format!("document.getElementById('error').textContent.includes('{part}')")).await;
            assert!(is_in_sight(&browser, "#message").await, "{link}");
            assert_eq!(browser.js("location.pathname + location.hash").await, link);
        }
        browser.end().await;
    });
}

#[test]
fn a_puzzle_on_a_phone_answers_in_sight_and_does_not_ask_again() {
    with_browser(|host, browser, _folder| async move {
        browser.resize(390, 844).await;
        browser.open(&host, "/").await;
        browser.panel("puzzles").await;
        browser.click("#open-puzzle").await;
        for distance in [2, 1] {
            let asked = format!("document.getElementById('task').textContent.includes('win in {distance}')");
            browser.until(&asked).await;
            assert!(is_in_sight(&browser, "#task .task-text").await);
            browser.click("#solve").await;
            browser.until("document.querySelector('#task .verdict') !== null").await;
            assert!(is_in_sight(&browser, "#task .verdict").await);
            let solution = browser.text("#task .verdict strong").await;
            browser.click("#try-again").await;
            browser.square(&solution[..2]).await;
            browser.square(&solution[3..5]).await;
        }
        browser.until("document.querySelector('#task .verdict')?.textContent.includes('Right')").await;
        assert!(is_in_sight(&browser, "#task .verdict").await && is_in_sight(&browser, "#next-puzzle").await);
        let said = browser.text(".table").await;
        assert!(!said.contains("to move and win"), "{said}");
        browser.end().await;
    });
}

#[test]
fn resigning_takes_two_different_buttons() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        browser.move_by_clicks("d1-d3").await;
        browser.click("#more summary").await;
        browser.click("#do-resign").await;
        browser.until("!document.getElementById('choice').hidden").await;
        // The first answer, which has the focus, keeps the game.
        browser.keys("\u{e007}").await;
        browser.until("document.getElementById('choice').hidden").await;
        assert_eq!(browser.js("document.getElementById('status').classList.contains('over')").await, false);
        browser.click("#more summary").await;
        browser.click("#do-resign").await;
        browser.click("#choice button:last-child").await;
        browser.until("document.getElementById('status').classList.contains('over')").await;
        browser.end().await;
    });
}
