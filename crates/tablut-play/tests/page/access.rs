//! Accessibility: axe-core finds no violation in light and dark, and the board is a grid of named cells.

use super::browser::with_browser;
use serde_json::Value;

#[test]
fn axe_finds_no_violation_in_any_panel() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=ashton").await;
        browser.move_by_clicks("e3-f3").await;
        for theme in ["light", "dark"] {
            browser.js(&format!("document.documentElement.dataset.theme = '{theme}'")).await;
            for tab in [
                "moves",
                "analysis",
                "editor",
                "review",
                "puzzles",
                "lesson",
                "rules",
                "lens",
                "workshop",
                "teach",
                "share",
                "new-game",
                "open-settings",
                "open-keys",
            ] {
                if tab.contains('-') {
                    browser.js("document.querySelectorAll('dialog[open]').forEach((dialog) => dialog.close())").await;
                    browser.js(&format!("document.getElementById('{tab}').click()")).await;
                } else {
                    browser.panel(tab).await;
                }
                let found = browser.violations().await;
                assert_eq!(found, Value::Array(Vec::new()), "{theme}, {tab}");
            }
            browser.js("document.querySelectorAll('dialog[open]').forEach((dialog) => dialog.close())").await;
        }
        browser.end().await;
    });
}

#[test]
fn the_board_is_a_grid_of_named_cells_with_one_stop_for_the_tab_key() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        let count = |selector: &str| format!("document.querySelectorAll('{selector}').length");
        assert_eq!(browser.js(&count("[role=grid] [role=row] [role=gridcell]")).await, 81);
        assert_eq!(browser.js(&count("[role=gridcell][tabindex=\"0\"]")).await, 1);
        let names = browser.js("new Set([...document.querySelectorAll('[role=gridcell]')].map((c) => c.getAttribute('aria-label'))).size").await;
        assert_eq!(names, 81);
        assert_eq!(
            browser.js("document.querySelector('[data-square=e5]').getAttribute('aria-label')").await,
            "e5, king, throne"
        );
        browser.square("d1").await;
        let label = browser.js("document.querySelector('[data-square=d3]').getAttribute('aria-label')").await;
        assert_eq!(label, "d3, empty, move here");
        browser.end().await;
    });
}

#[test]
fn a_screen_without_colours_still_tells_pieces_apart_by_shape() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        let shapes = browser
            .js("[...new Set([...document.querySelectorAll('.cell .piece use')].map((u) => document.querySelector(u.getAttribute('href')).firstChild.tagName + document.querySelector(u.getAttribute('href')).lastChild.tagName))].sort().join()")
            .await;
        assert_eq!(shapes, "circlecircle,circlepath,pathpath");
        browser.end().await;
    });
}
