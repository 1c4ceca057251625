//! Complete games by clicks, by keyboard and at a phone's width; taking back, imperial's choice, typed moves.

use super::browser::{Browser, with_browser};
use std::sync::Arc;
use tablut_rules::{Game, MoveList, Rules, Side};
use tablut_session::{Controller, Players, SavedGame, Session};

/// A short complete game. Its moves depend only on `stride`.
pub fn some_game(rules: &str) -> Vec<String> {
    let rules = Arc::new(Rules::named(rules).unwrap());
    let first = rules.set().first.side().unwrap_or(Side::Attackers);
    let play = |stride: usize| {
        let mut game = Game::new(rules.clone(), first);
        let mut moves = MoveList::new();
        while game.outcome().is_none() && game.ply() < 60 {
            game.legal_moves(&mut moves);
            let at = game.position();
            let wins = moves.iter().find(|mv| rules.apply(at, **mv).winner.is_some());
            let mv = wins.copied().unwrap_or(moves[(game.ply() as usize * stride + stride) % moves.len()]);
            game.play_trusted(mv);
        }
        game.outcome().map(|_| game.moves().map(|mv| mv.to_string()).collect::<Vec<_>>())
    };
    (1..500).filter_map(play).min_by_key(Vec::len).expect("one of many games ends")
}

async fn is_over(browser: &Browser) {
    browser.until("document.getElementById('status').classList.contains('over')").await;
    let status = browser.text("#status").await;
    assert!(status.contains("win"), "{status}");
    let live = browser.text("#live").await;
    assert!(live.contains("win"), "{live}");
}

#[test]
fn a_whole_game_by_clicks_and_taken_back() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        let moves = some_game("kvasir");
        for mv in &moves {
            browser.move_by_clicks(mv).await;
        }
        is_over(&browser).await;
        browser.click("#do-take-back").await;
        browser.until("!document.getElementById('status').classList.contains('over')").await;
        // The move is gone, and another one can be played in its place.
        let played = browser.js("document.querySelectorAll('.move-list button').length").await;
        assert_eq!(played.as_u64(), Some(moves.len() as u64 - 1));
        assert_eq!(browser.js("document.getElementById('do-forward').disabled").await, true);
        browser.move_by_clicks(moves.last().expect("a game has moves")).await;
        is_over(&browser).await;
        browser.end().await;
    });
}

#[test]
fn a_whole_game_by_keyboard_alone() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=masters-weak-king").await;
        let moves = some_game("masters-weak-king");
        browser.js("document.querySelector('[data-square=e5]').focus()").await;
        let mut at = (4_i32, 4_i32);
        for mv in &moves {
            for (square, key) in [(&mv[..2], "\u{e007}"), (&mv[3..5], " ")] {
                let bytes = square.as_bytes();
                let to = (i32::from(bytes[0] - b'a'), i32::from(bytes[1] - b'1'));
                let mut keys = String::new();
                let step = |count: i32, forward: &str, back: &str| {
                    (if count > 0 { forward } else { back }).repeat(count.unsigned_abs() as usize)
                };
                keys += &step(to.0 - at.0, "\u{e014}", "\u{e012}");
                keys += &step(to.1 - at.1, "\u{e013}", "\u{e015}");
                keys += key;
                browser.keys(&keys).await;
                at = to;
            }
            browser
                .until(&format!("document.querySelector('[data-square={}]').classList.contains('last-to')", &mv[3..5]))
                .await;
            let live = browser.text("#live").await;
            assert!(live.contains(&format!("from {} to {}", &mv[..2], &mv[3..5])), "{mv}: {live}");
        }
        is_over(&browser).await;
        browser.end().await;
    });
}

#[test]
fn a_game_on_a_phone_fits_its_width() {
    with_browser(|host, browser, _folder| async move {
        browser.resize(390, 844).await;
        browser.open(&host, "/#rules=kvasir").await;
        let width = "document.documentElement.scrollWidth <= window.innerWidth";
        browser.until(width).await;
        let cell = browser.js("document.querySelector('[data-square=e5]').getBoundingClientRect().width").await;
        let available = browser.js("window.innerWidth").await;
        assert!(
            cell.as_f64().unwrap() > available.as_f64().unwrap() / 12.0,
            "a cell of {cell} of {available} is no target for a finger"
        );
        for mv in some_game("kvasir") {
            browser.move_by_clicks(&mv).await;
        }
        is_over(&browser).await;
        for tab in ["moves", "analysis", "editor", "review", "puzzles", "lesson", "rules", "lens", "workshop", "share"]
        {
            browser.panel(tab).await;
            let wide = browser.js("document.documentElement.scrollWidth").await;
            assert!(browser.js(width).await == true, "{tab} is {wide} wide");
        }
        browser.end().await;
    });
}

#[test]
fn the_mover_chooses_what_imperial_captures() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=imperial&start=9/9/9/9/4K4/9/tT1Tt4/9/2t6+a").await;
        browser.move_by_clicks("c1-c3xd3").await;
        browser.until("document.querySelector('[data-square=d3] .piece') === null").await;
        assert!(browser.js("document.querySelector('[data-square=b3] .piece') !== null").await == true);
        assert!(browser.text("#live").await.contains("captures the defender on d3"));
        browser.end().await;
    });
}

#[test]
fn moves_can_be_typed_and_what_is_wrong_is_said() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        browser.click("#typed-move").await;
        browser.keys("d1-d9\u{e007}").await;
        browser.until("document.getElementById('error').textContent.includes('d1-d9')").await;
        browser.js("document.getElementById('typed-move').select()").await;
        browser.keys("d1-d3\u{e007}").await;
        browser.until("document.querySelector('[data-square=d3]').classList.contains('last-to')").await;
        assert_eq!(browser.text("#error").await, "");
        browser.end().await;
    });
}

#[test]
fn the_computer_answers_and_a_new_game_is_begun_in_the_dialog() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        // The computer may answer before the test can see the position after d1-d3.
        browser.square("d1").await;
        browser.square("d3").await;
        browser.until("document.querySelectorAll('.move-list button').length === 2").await;
        browser.click("#new-game").await;
        browser.js("document.getElementById('new-rules').value = 'ludoteka'").await;
        browser.js("document.getElementById('opponent-beginner').click()").await;
        browser.click("#begin").await;
        // The defenders begin under these rules, and the computer plays them.
        browser.until("document.querySelectorAll('.move-list button').length === 1").await;
        assert!(browser.text("#game-name").await.contains("Ludoteka"));
        browser.end().await;
    });
}

/// Opens a saved game against a level. The king, a person's, can escape at once, and the game pauses on blunders.
pub async fn open_saved_game(browser: &Browser, level: &str) {
    let players = Players { attackers: Controller::computer(level), defenders: Controller::Person };
    let start = "9/9/9/9/2K5t/9/9/9/6t1t d".parse().unwrap();
    let session = Session::from_position(Arc::new(Rules::named("kvasir").unwrap()), start, players).unwrap();
    let text = serde_json::json!(SavedGame { pauses_on_blunders: true, ..session.saved() }.to_json());
    browser.panel("share").await;
    browser.js(&format!("(() => {{ document.getElementById('import-text').value = {text}; document.getElementById('import').click(); return true; }})()")).await;
    browser.until("document.querySelectorAll('.cell .piece').length === 4").await;
}

#[test]
fn the_game_pauses_on_a_blunder_if_the_person_wants_that() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        open_saved_game(&browser, "club").await;
        browser.move_by_clicks("c5-h5").await;
        let asks = "!document.getElementById('choice').hidden && document.getElementById('choice').textContent";
        browser.until(&format!("({asks} || '').includes('c5-h5 is a blunder: it allowed a win in 1')")).await;
        assert_eq!(browser.js("document.querySelectorAll('.move-list button').length").await, 1);
        // The first button, which has the focus, takes the move back.
        browser.keys("\u{e007}").await;
        browser.until("document.querySelector('[data-square=c5] .piece') !== null").await;
        browser.until("document.getElementById('choice').hidden").await;
        browser.move_by_clicks("c5-h5").await;
        browser.until(&format!("{asks} !== false")).await;
        browser.click("#choice button:last-child").await;
        browser.until("document.querySelectorAll('.move-list button').length === 2").await;
        // The next game keeps the choice, and another one begins without it.
        for is_checked in [true, false] {
            browser.click("#new-game").await;
            assert_eq!(browser.js("document.getElementById('new-pauses').checked").await, is_checked);
            browser.js(&format!("document.getElementById('new-pauses').checked = {}", !is_checked)).await;
            let before = browser.js("location.hash").await;
            browser.click("#begin").await;
            browser.until(&format!("location.hash !== {before}")).await;
        }
        browser.end().await;
    });
}
