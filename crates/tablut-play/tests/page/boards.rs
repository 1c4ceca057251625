//! The page on boards of 7, 9 and 11 squares.

use super::browser::{Browser, squares, with_browser};
use super::hands::{choose_by_keys, tap};
use super::study::play_solution;
use fantoccini::actions::{InputSource, MOUSE_BUTTON_LEFT, MouseActions, PointerAction};
use fantoccini::{Locator, actions::TouchActions};
use tablut_rules::{BoardSize, Rules};

/// The first moves of a game, and the labels of two squares after them.
struct Opening {
    rules: &'static str,
    moves: [&'static str; 3],
    labels: [(&'static str, &'static str); 2],
}

const OPENINGS: [Opening; 3] = [
    Opening {
        rules: "brandubh",
        moves: ["d1-b1", "e4-e1", "a4-a2"],
        labels: [("d4", "d4, king, throne"), ("g7", "g7, empty, corner, escape")],
    },
    Opening {
        rules: "kvasir",
        moves: ["d1-d3", "e3-f3", "a4-a3"],
        labels: [("e5", "e5, king, throne"), ("i9", "i9, empty, escape")],
    },
    Opening {
        rules: "copenhagen",
        moves: ["k8-k10", "f8-k8", "d11-d9"],
        labels: [("f6", "f6, king, throne"), ("k11", "k11, empty, corner, escape")],
    },
];

/// The label of a square for screen readers.
async fn label(browser: &Browser, square: &str) -> String {
    let label =
        browser.js(&format!("document.querySelector('[data-square={square}]').getAttribute('aria-label')")).await;
    label.as_str().expect("every square has a label").to_owned()
}

async fn has_moved(browser: &Browser, mv: &str) {
    let to = mv.split_once('-').expect("a move").1;
    browser
        .until(&format!("document.querySelector('[data-square={to}]')?.classList.contains('last-to') === true"))
        .await;
}

/// Moves a piece with the mouse held down.
async fn drag(browser: &Browser, mv: &str) {
    let mut mouse = MouseActions::new("mouse".to_owned());
    for (square, action) in mv
        .split('-')
        .zip([PointerAction::Down { button: MOUSE_BUTTON_LEFT }, PointerAction::Up { button: MOUSE_BUTTON_LEFT }])
    {
        let element = browser.page.find(Locator::Css(&format!("[data-square={square}]"))).await.expect("a square");
        mouse = mouse.then(PointerAction::MoveToElement { element, duration: None, x: 0.0, y: 0.0 }).then(action);
    }
    browser.page.perform_actions(mouse).await.expect("a drag");
}

#[test]
fn a_game_on_each_board_is_played_by_mouse_and_keyboard_and_shared() {
    with_browser(|host, browser, _folder| async move {
        for Opening { rules, moves, labels } in OPENINGS {
            let size = Rules::named(rules).unwrap().size();
            browser.page.goto("about:blank").await.unwrap();
            browser.open(&host, &format!("/#rules={rules}")).await;
            assert_eq!(browser.js("document.querySelectorAll('[role=gridcell]').length").await, size.n_squares());
            assert_eq!(browser.js("document.querySelectorAll('.letters').length").await, 4 * size.width());
            browser.move_by_clicks(moves[0]).await;
            browser.js("document.querySelector('.cell[tabindex=\"0\"]').focus()").await;
            for square in moves[1].split('-') {
                choose_by_keys(&browser, square).await;
            }
            has_moved(&browser, moves[1]).await;
            drag(&browser, moves[2]).await;
            has_moved(&browser, moves[2]).await;
            for (square, expected) in labels {
                assert_eq!(label(&browser, square).await, expected);
            }
            // The keys stop at the last square, and the turned board has a1 at its upper right.
            choose_by_keys(&browser, "a1").await;
            browser.keys("\u{e010}\u{e014}").await;
            let last = size.square(size.width() - 1);
            assert_eq!(browser.js("document.activeElement.dataset.square").await, last.to_string());
            browser.keys("f").await;
            browser.until(&format!("document.querySelector('.cell').dataset.square === '{last}'")).await;
            browser.page.refresh().await.unwrap();
            browser.ready().await;
            has_moved(&browser, moves[2]).await;
            browser.panel("share").await;
            browser.js("document.getElementById('make-link').click()").await;
            browser.until("document.getElementById('link-field').value !== ''").await;
            let link = browser.js("document.getElementById('link-field').value").await;
            assert!(link.as_str().unwrap().ends_with(&format!("#rules={rules}&moves={}", moves.join(","))), "{link}");
            browser.page.goto("about:blank").await.unwrap();
            browser.page.goto(link.as_str().unwrap()).await.unwrap();
            browser.ready().await;
            has_moved(&browser, moves[2]).await;
        }
        browser.end().await;
    });
}

#[test]
fn the_first_choice_is_between_three_boards_with_a_picture_each() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        assert!(browser.text("#welcome").await.contains("Tablut and its relatives"));
        let pictures = "[...document.querySelectorAll('#welcome .boards .pick')].map((pick) => \
                        `${pick.textContent} ${pick.querySelectorAll('use').length} ${pick.ariaCurrent}`).join()";
        let expected = "Brandubh7 × 7 13 null,Tablut9 × 9 25 true,Hnefatafl11 × 11 37 null";
        assert_eq!(browser.js(pictures).await, expected);
        for size in [BoardSize::Eleven, BoardSize::Seven, BoardSize::Nine] {
            let n_squares = size.n_squares();
            browser.click(&format!("#welcome [data-size='{}']", size.width())).await;
            browser.until(&format!("document.querySelectorAll('.cell').length === {n_squares}")).await;
            assert!(browser.text("#welcome").await.contains("You are the attackers"));
        }
        // The dialog offers the rules of the chosen board, and its first choice is the present one.
        browser.click("#new-game").await;
        let offered = "[...document.querySelectorAll('#new-rules option')].map((option) => option.value).join()";
        assert_eq!(browser.js("document.activeElement.value").await, "9");
        for size in BoardSize::ALL {
            browser.js(&format!("document.getElementById('board-{}').click()", size.width())).await;
            assert_eq!(browser.js(offered).await, Rules::names_on(size).collect::<Vec<_>>().join(","));
        }
        assert_eq!(browser.js("document.getElementById('new-rules').value").await, "copenhagen");
        browser.js("document.getElementById('opponent-person').click()").await;
        browser.click("#begin").await;
        browser.until("document.querySelectorAll('.cell .piece').length === 37").await;
        assert!(browser.text("#game-name").await.contains("Copenhagen rules"));
        browser.end().await;
    });
}

#[test]
fn a_thumb_hits_every_square_of_the_largest_board() {
    with_browser(|host, browser, _folder| async move {
        browser.become_a_phone(390, 844).await;
        for (rules, least) in [("brandubh", 52.0), ("kvasir", 41.0), ("copenhagen", 33.0)] {
            browser.page.goto("about:blank").await.unwrap();
            browser.open(&host, &format!("/#rules={rules}")).await;
            let side =
                browser.js("document.querySelector('.cell').getBoundingClientRect().width").await.as_f64().unwrap();
            assert!(side >= least, "{rules}: squares of {side} pixels");
            assert_eq!(browser.js("document.documentElement.scrollWidth").await, 390);
        }
        tap(&browser, "d1").await;
        browser.until("document.querySelector('[data-square=d1]').classList.contains('selected')").await;
        // This tap is beside d4, on c4, where the piece cannot go.
        let element = browser.page.find(Locator::Css("[data-square=d4]")).await.unwrap();
        let beside = TouchActions::new("finger".to_owned())
            .then(PointerAction::MoveToElement { element, duration: None, x: -22.0, y: 0.0 })
            .then(PointerAction::Down { button: MOUSE_BUTTON_LEFT })
            .then(PointerAction::Up { button: MOUSE_BUTTON_LEFT });
        browser.page.perform_actions(beside).await.unwrap();
        has_moved(&browser, "d1-d4").await;
        browser.end().await;
    });
}

#[test]
fn the_lessons_of_other_boards_can_be_solved_and_are_no_games() {
    with_browser(|host, browser, _folder| async move {
        for (rules, last) in [("brandubh", "Stop the king"), ("copenhagen", "Repetition")] {
            browser.page.goto("about:blank").await.unwrap();
            browser.open(&host, &format!("/#rules={rules}")).await;
            browser.panel("lesson").await;
            let titles = "[...document.querySelectorAll('.steps-list button')].map((button) => button.textContent)";
            let titles = browser.js(titles).await.as_array().unwrap().clone();
            assert_eq!(titles.last().unwrap(), last);
            browser.click("#begin-lesson").await;
            for (step, title) in titles.iter().enumerate() {
                let head = format!("{} of {}: {}", step + 1, titles.len(), title.as_str().unwrap());
                browser.until(&format!("document.getElementById('task').textContent.includes('{head}')")).await;
                play_solution(&browser).await;
                browser.until("document.querySelector('#task .verdict')?.textContent.includes('Right')").await;
                if step + 1 < titles.len() {
                    browser.click("#next-step").await;
                }
            }
            assert_eq!(browser.js("JSON.parse(localStorage.getItem('my-games') ?? '[]').length").await, 0);
            // A puzzle has its own board, and the game comes back with its own.
            browser.click("#leave-exercise").await;
            browser.until("document.getElementById('task').hidden").await;
            let cells = "document.querySelectorAll('.cell').length";
            let n_squares = Rules::named(rules).unwrap().size().n_squares();
            browser.panel("puzzles").await;
            browser.click("#open-puzzle").await;
            browser.until(&format!("{cells} === 81 && !document.getElementById('task').hidden")).await;
            browser.click("#leave-exercise").await;
            browser.until(&format!("{cells} === {n_squares}")).await;
        }
        browser.end().await;
    });
}

#[test]
fn the_workshop_changes_the_start_and_the_board() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        browser.panel("workshop").await;
        let is_valid = "document.getElementById('play-rules')?.disabled === false";
        browser.until(is_valid).await;
        browser.js("[...document.querySelectorAll('.start button')].find((button) => button.textContent === '11 × 11').click()").await;
        browser.until("document.querySelectorAll('.start use').length === 37").await;
        // A king who could move any distance still can.
        assert_eq!(browser.js("document.getElementById('clause-king-reach').value").await, "10");
        let change = |rows: &str| {
            format!(
                "(() => {{ const f = document.getElementById('clause-start'); f.value = '{rows}'; f.dispatchEvent(new Event('change')); return true; }})()"
            )
        };
        browser.js(&change("11/5t5/11/4T6/11/1t3K3t1/11/5T5/11/5t5/11")).await;
        browser
            .until("document.querySelector('#panel-workshop .faults')?.textContent.includes('turned or reflected')")
            .await;
        assert_eq!(browser.js("document.getElementById('clause-start').hasAttribute('aria-invalid')").await, true);
        browser.js(&change("11/5t5/11/5T5/11/1t1T1K1T1t1/11/5T5/11/5t5/11")).await;
        browser.until(is_valid).await;
        browser.js("document.getElementById('play-rules').click()").await;
        browser.until("document.querySelectorAll('.cell').length === 121 && document.querySelectorAll('.cell .piece').length === 9").await;
        browser.until("document.getElementById('game-name').textContent.includes('My kvasir')").await;
        // The rules are offered for their own board.
        browser.click("#new-game").await;
        let own = "document.querySelector('#new-rules [value=\"own:my-kvasir\"]') !== null";
        assert_eq!(browser.js(own).await, true);
        browser.js("document.getElementById('board-7').click()").await;
        assert_eq!(browser.js(own).await, false);
        browser.end().await;
    });
}

#[test]
fn the_computer_answers_analyses_and_compares_rules_on_every_board() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        for (size, mv) in [(BoardSize::Seven, "d1-b1"), (BoardSize::Eleven, "k8-k10")] {
            browser.click("#new-game").await;
            browser.js(&format!("document.getElementById('board-{}').click()", size.width())).await;
            browser.js("document.getElementById('opponent-newcomer').click()").await;
            browser.click("#begin").await;
            let n_squares = size.n_squares();
            browser.until(&format!("document.querySelectorAll('.cell').length === {n_squares}")).await;
            let (from, to, _) = squares(mv);
            browser.square(from).await;
            browser.square(to).await;
            browser.until("document.querySelectorAll('.move-list button').length === 2").await;
            browser.panel("analysis").await;
            browser.click("#analyse").await;
            browser.until("document.querySelectorAll('#overlay polygon').length > 0").await;
            let view_box = format!("0 0 {0} {0}", size.width());
            assert_eq!(browser.js("document.querySelector('#overlay svg').getAttribute('viewBox')").await, view_box);
            // The arrow of the best move ends in the middle of its square.
            let is_there = "(() => { const first = document.querySelector('.lines .first').textContent.split('x')[0].split('-')[1]; \
                            const square = document.querySelector(`[data-square=${first}]`).getBoundingClientRect(); \
                            return [...document.querySelectorAll('#overlay polygon')].some((head) => { const box = head.getBoundingClientRect(); \
                            return box.left < square.right && box.right > square.left && box.top < square.bottom && box.bottom > square.top; }); })()";
            browser.until(is_there).await;
            browser.click("#analyse").await;
            browser.panel("lens").await;
            browser.click("#look").await;
            let rows = Rules::names_on(size).count();
            browser.until("document.querySelector('#panel-lens [role=status]').textContent.startsWith('All')").await;
            assert_eq!(browser.js("document.querySelectorAll('#panel-lens tbody tr').length").await, rows);
        }
        browser.end().await;
    });
}
