//! A whole game against each level, by mouse, touch and keyboard; sounds, prepared moves and drawn arrows.

use super::browser::{Browser, with_browser};
use fantoccini::Locator;
use fantoccini::actions::{
    InputSource, MOUSE_BUTTON_LEFT, MOUSE_BUTTON_RIGHT, MouseActions, PointerAction, TouchActions,
};
use std::sync::Arc;
use tablut_rules::{Game, Move, MoveList, RuleSet, Rules, Side, Square};
use tablut_session::{LEVELS, Players, Session};

/// The way in which a person makes moves.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Hand {
    Mouse,
    Touch,
    Keyboard,
}

/// Moves a pointer to a square.
async fn over(browser: &Browser, square: &str) -> PointerAction {
    let element = browser.page.find(Locator::Css(&format!("[data-square={square}]"))).await.expect("a square");
    PointerAction::MoveToElement { element, duration: None, x: 0.0, y: 0.0 }
}

pub async fn tap(browser: &Browser, square: &str) {
    let finger = TouchActions::new("finger".to_owned())
        .then(over(browser, square).await)
        .then(PointerAction::Down { button: MOUSE_BUTTON_LEFT })
        .then(PointerAction::Up { button: MOUSE_BUTTON_LEFT });
    browser.page.perform_actions(finger).await.expect("a tap");
}

/// Goes to a square from the cell with the focus and chooses it.
pub async fn choose_by_keys(browser: &Browser, square: &str) {
    let at = browser.js("document.activeElement.dataset.square").await;
    let from: Square =
        at.as_str().and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("a cell has the focus, found {at}"));
    let to: Square = square.parse().expect("a square");
    let step = |from: usize, to: usize, forward: &str, back: &str| {
        (if to > from { forward } else { back }).repeat(to.abs_diff(from))
    };
    let across = step(from.column(), to.column(), "\u{e014}", "\u{e012}");
    let up = step(from.row(), to.row(), "\u{e013}", "\u{e015}");
    browser.keys(&format!("{across}{up}\u{e007}")).await;
}

/// The moves that the page lists.
async fn listed(browser: &Browser) -> Vec<Move> {
    let texts =
        browser.js("[...document.querySelectorAll('.move-list button')].map((b) => b.textContent.split(' ')[0])").await;
    let texts = texts.as_array().expect("a list");
    texts.iter().map(|text| text.as_str().expect("a text").parse().expect("a move")).collect()
}

/// A win at hand, or else some legal move.
fn some_move(game: &Game) -> Move {
    let mut moves = MoveList::new();
    game.legal_moves(&mut moves);
    let wins = moves.iter().find(|mv| game.rules().apply(game.position(), **mv).winner == Some(Side::Attackers));
    wins.copied().unwrap_or(moves[(7 * game.ply() as usize + 3) % moves.len()])
}

/// Begins a game as the attackers against a level, under the present rules.
async fn begin_against(browser: &Browser, level: &str) {
    let before = browser.js("location.hash").await;
    browser.click("#new-game").await;
    browser.js(&format!("document.getElementById('opponent-{level}').click()")).await;
    browser.js("document.getElementById('side-attackers').click()").await;
    browser.click("#begin").await;
    browser.until(&format!("location.hash !== {before}")).await;
    browser.until("document.querySelectorAll('.move-list button').length === 0").await;
    browser.until("document.querySelectorAll('.cell.movable').length > 0").await;
}

/// Plays a game against a level to its end. The test follows the page's moves with the rules.
async fn play_against(browser: &Browser, rules: &Arc<Rules>, level: &str, hand: Hand) {
    begin_against(browser, level).await;
    browser.js("document.getElementById('board-frame').scrollIntoView({ block: 'center' })").await;
    browser.js("document.querySelector('.cell[tabindex=\"0\"]').focus()").await;
    let mut game = Game::new(rules.clone(), Side::Attackers);
    while game.outcome().is_none() {
        let mv = some_move(&game);
        for square in [mv.from.to_string(), mv.to.to_string()] {
            match hand {
                Hand::Mouse => browser.square(&square).await,
                Hand::Touch => tap(browser, &square).await,
                Hand::Keyboard => choose_by_keys(browser, &square).await,
            }
        }
        game.play(mv).expect("a legal move");
        let plies = game.ply() + u32::from(game.outcome().is_none());
        browser.until(&format!("document.querySelectorAll('.move-list button').length === {plies}")).await;
        let moves = listed(browser).await;
        assert_eq!(moves[game.ply() as usize - 1], mv, "{level}, {hand:?}");
        for reply in &moves[game.ply() as usize..] {
            game.play(*reply).expect("the computer's move is legal");
        }
    }
    let title = match game.outcome().expect("the game is over").winner {
        Some(Side::Attackers) => "You won",
        Some(Side::Defenders) => "You lost",
        None => "A draw",
    };
    browser.until(&format!("document.querySelector('#welcome .ended h2')?.textContent === '{title}'")).await;
    let card = browser.text("#welcome").await;
    assert!(card.contains(&format!("After {} moves", game.ply())), "{level}, {hand:?}: {card}");
    let used = if hand == Hand::Keyboard {
        "key"
    } else if hand == Hand::Touch {
        "touch"
    } else {
        "mouse"
    };
    assert_eq!(browser.js("window.used").await, used);
}

#[test]
fn a_whole_game_against_each_level_by_mouse_touch_and_keyboard() {
    with_browser(|host, browser, _folder| async move {
        // A draw after 24 plies keeps the test short.
        let set = RuleSet::from_toml("base = \"kvasir\"\nname = \"short\"\nmax-plies = 24").unwrap();
        let rules = Arc::new(Rules::new(set).unwrap());
        let link = Session::new(rules.clone(), Side::Attackers, Players::people()).to_link();
        browser.open(&host, &format!("/#{link}")).await;
        let note = "for (const [kind, used] of [['pointerdown', (e) => e.pointerType], ['keydown', () => 'key']]) \
                    addEventListener(kind, (event) => { if (event.target.closest?.('.cell')) window.used = used(event); }, true);";
        browser.page.execute(note, Vec::new()).await.unwrap();
        for (level, hand) in LEVELS.iter().zip([Hand::Mouse, Hand::Touch, Hand::Keyboard].into_iter().cycle()) {
            let (width, height) = if hand == Hand::Touch { (390, 844) } else { (1280, 800) };
            browser.resize(width, height).await;
            play_against(&browser, &rules, level.name, hand).await;
        }
        // Each game is in the list of games, with its result.
        browser.click("#my-games summary").await;
        let rows = "[...document.querySelectorAll('#game-list tbody tr')]";
        browser.until(&format!("{rows}.length === {}", LEVELS.len())).await;
        assert_eq!(
            browser.js(&format!("{rows}.filter((row) => row.textContent.includes('not over')).length")).await,
            0
        );
        browser.end().await;
    });
}

#[test]
fn a_move_a_capture_and_the_end_have_their_sounds_unless_they_are_muted() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir&start=9/9/9/4K4/9/9/tT7/9/2t5t+a").await;
        // The page makes its sounds after the first click. This counts the tones.
        let count = "window.tones = 0; const value = { setValueAtTime() {}, exponentialRampToValueAtTime() {} }; \
                     const node = () => ({ frequency: value, gain: value, connect: (next) => next, start() { window.tones += 1; }, stop() {} }); \
                     window.AudioContext = function () { return { currentTime: 0, createOscillator: node, createGain: node }; };";
        browser.page.execute(count, Vec::new()).await.unwrap();
        // A knock has two tones, and a capture a second knock.
        browser.move_by_clicks("c1-c3").await;
        assert_eq!(browser.js("window.tones").await, 4);
        for (value, mv) in [("off", "e6-f6"), ("on", "i1-i2")] {
            browser.click("#open-settings").await;
            browser.js(&format!("document.querySelector('[name=set-sound][value={value}]').click()")).await;
            browser.click("#settings button.primary").await;
            browser.move_by_clicks(mv).await;
        }
        assert_eq!(browser.js("window.tones").await, 6);
        // The king escapes: a knock and a chord of three tones.
        browser.move_by_clicks("f6-f9").await;
        browser.until("document.querySelector('#welcome .ended') !== null").await;
        assert_eq!(browser.js("window.tones").await, 11);
        browser.end().await;
    });
}

#[test]
fn a_move_is_prepared_while_the_computer_thinks_and_then_played() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        begin_against(&browser, "club").await;
        // The piece on d3 keeps the defenders from a3, so that a4-a3 stays legal. Each state is shown before the next event.
        let prepare = "const square = (name) => document.querySelector(`[data-square=${name}]`); window.marked = []; \
                       new MutationObserver((_, self) => { \
                       if (!document.getElementById('player-top').textContent.includes('thinking')) return; \
                       self.disconnect(); \
                       square('a4').click(); square('a3').click(); \
                       queueMicrotask(() => { window.marked = [...document.querySelectorAll('.cell.premove')].map((cell) => cell.dataset.square).sort(); }); \
                       }).observe(document.getElementById('player-top'), { childList: true, subtree: true });";
        browser.page.execute(prepare, Vec::new()).await.unwrap();
        browser.square("d1").await;
        browser.square("d3").await;
        browser.until("document.querySelectorAll('.move-list button').length === 4").await;
        let moves = listed(&browser).await;
        assert_eq!((moves[0].to_string(), moves[2].to_string()), ("d1-d3".to_owned(), "a4-a3".to_owned()));
        // The list has the time of the own second move.
        browser
            .until("/^a4-a3.* [0-9.]+ s$/.test(document.querySelectorAll('.move-list button')[2].textContent)")
            .await;
        assert_eq!(browser.js("window.marked.join()").await, "a3,a4");
        assert_eq!(browser.js("document.querySelectorAll('.cell.premove').length").await, 0);
        browser.end().await;
    });
}

#[test]
fn arrows_and_rings_are_drawn_with_the_right_button() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        let drawn = "[document.querySelectorAll('#overlay polygon').length, document.querySelectorAll('#overlay circle').length].join()";
        for (from, to, expected) in
            [("a2", "c2", "1,0"), ("e5", "e5", "1,1"), ("c2", "a2", "2,1"), ("a2", "c2", "1,1"), ("e5", "e5", "1,0")]
        {
            let right = MouseActions::new("mouse".to_owned())
                .then(over(&browser, from).await)
                .then(PointerAction::Down { button: MOUSE_BUTTON_RIGHT })
                .then(over(&browser, to).await)
                .then(PointerAction::Up { button: MOUSE_BUTTON_RIGHT });
            browser.page.perform_actions(right).await.unwrap();
            browser.until(&format!("{drawn} === '{expected}'")).await;
        }
        // A click removes them all.
        browser.square("d1").await;
        browser.until(&format!("{drawn} === '0,0'")).await;
        browser.end().await;
    });
}
