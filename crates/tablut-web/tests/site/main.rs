//! The page without a server, as `crates/tablut-web/build` writes it. `.ci/web` builds it and names its folder in
//! `TABLUT_SITE`; without that the tests say that they skip. The page's own tests run here too, with the network cut.

mod bits;
mod browser;
mod host;
mod offline;
#[allow(dead_code, reason = "some of it serves the tests of the page's server")]
#[path = "../../../tablut-play/tests/page/browser.rs"]
mod online;
mod sizes;
mod teaching;

#[path = "../../../tablut-play/tests/page/access.rs"]
mod access;
#[path = "../../../tablut-play/tests/page/boards.rs"]
mod boards;
#[path = "../../../tablut-play/tests/page/games.rs"]
mod games;
#[path = "../../../tablut-play/tests/page/hands.rs"]
mod hands;
#[path = "../../../tablut-play/tests/page/keeping.rs"]
mod keeping;
#[path = "../../../tablut-play/tests/page/messages.rs"]
mod messages;
#[path = "../../../tablut-play/tests/page/study.rs"]
mod study;
#[path = "../../../tablut-play/tests/page/welcome.rs"]
mod welcome;
