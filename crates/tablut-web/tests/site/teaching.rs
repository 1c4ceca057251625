//! A net that is taught on the page without a server has the bits of one that the program trains with plain instructions: in
//! node, and in a browser whose tab is closed in the middle. And what cannot be taught says so.

use super::browser::{Browser, with_browser};
use super::host::site;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use tablut_games::{CancelToken, Concurrency, Counters, GenerationFile, LocalGames};
use tablut_learn::{Run, TrainConfig, train};
use tablut_net::{Engine, Inference, Weights};

const CONFIG: &str = r#"
rules = ["kvasir", "brandubh"]
shape = "lines32x1"
seed = 7
[schedule]
generations = 3
games = 20
simulations = [[0, 6], [1, 12]]
[selfplay]
max_plies = 60
[learning]
batch_size = 64
[evaluation]
against = []
games = 0
rating_share = 0.2
"#;
/// The folder in which [`trained_by_the_program`] trains.
const FOLDER: &str = "TABLUT_TEST_RUN";

/// The net of the program, which trains in another process, because a process has one set of instructions.
fn of_the_program() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "teaching::trained_by_the_program"]).env(FOLDER, folder.path()).env("TABLUT_SIMD", "plain");
    assert!(again.stdout(Stdio::null()).status().unwrap().success());
    std::fs::read(folder.path().join("net")).unwrap()
}

#[test]
fn trained_by_the_program() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    let config = TrainConfig::parse(CONFIG, Path::new("test"), &[]).unwrap();
    let mut run = Run::open(&folder.join("run"), config).unwrap();
    let engine = |weights: &Weights| Box::new(Engine::new(weights).unwrap()) as Box<dyn Inference>;
    let mut games = LocalGames::new(&engine, Concurrency { workers: 2, tasks_per_worker: 5 });
    train(&mut run, &mut games, &Counters::default(), &CancelToken::new(), None, &|_| {}).unwrap();
    std::fs::copy(run.file(GenerationFile::Model, run.next_generation - 1), folder.join("net")).unwrap();
}

#[test]
fn node_with_one_and_three_players_teaches_the_net_of_the_program() {
    let Some(site) = site() else { return };
    let expected = of_the_program();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/site/teach.mjs");
    for players in ["1", "3"] {
        let mut node = Command::new("node");
        node.arg(&script).arg(&site).arg(players).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut node = node.spawn().expect("node starts");
        node.stdin.take().expect("a pipe").write_all(CONFIG.as_bytes()).expect("node reads the config");
        let output = node.wait_with_output().expect("node ends");
        assert!(output.status.success() && output.stdout == expected, "{players} players");
    }
}

/// Starts a teacher on the page, whose events are in `heard` from now on.
async fn start_teacher(browser: &Browser, players: usize) {
    let script = format!(
        "(async () => {{ window.heard = []; window.teacher = new Worker('js/teacher.js', {{ type: 'module' }}); \
         teacher.onmessage = ({{ data }}) => {{ if (data.event) heard.push(data.event); }}; \
         teacher.postMessage({{ teach: await WebAssembly.compileStreaming(fetch('teacher.wasm')), workers: {players} }}); \
         return true; }})()"
    );
    assert_eq!(browser.js(&script).await, true);
}

async fn ask(browser: &Browser, request: &Value) {
    browser.js(&format!("teacher.postMessage({{ request: {request} }})")).await;
}

fn teach(run: &str) -> Value {
    json!({"id": 1, "do": "teach-config", "run": run, "config": CONFIG, "rules": []})
}

/// The text of the first refusal, or of a run's failure.
const COMPLAINT: &str =
    "(heard.find(({ error }) => error)?.error ?? heard.find(({ state }) => state?.failed)?.state.failed ?? null)";

#[test]
fn a_tab_that_is_closed_in_a_generation_ends_with_the_net_of_the_program() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        let expected = of_the_program();
        let first = browser.page.window().await.unwrap();
        for players in [1, 3] {
            let run = format!("run-{players}");
            for phase in ["playing", "learning"] {
                let tab = browser.page.new_window(true).await.unwrap();
                browser.page.switch_to_window(tab.handle).await.unwrap();
                browser.visit(&host, "/#rules=kvasir").await;
                start_teacher(&browser, players).await;
                ask(&browser, &teach(&run)).await;
                let generation = u8::from(phase == "learning") + 1;
                let is_there = format!("({{ n_generations: n, phase }}) => n >= {generation} && phase === '{phase}'");
                browser.until(&format!("heard.some({is_there})")).await;
                browser.page.close_window().await.unwrap();
                browser.page.switch_to_window(first.clone()).await.unwrap();
            }
            start_teacher(&browser, players).await;
            ask(&browser, &teach(&run)).await;
            browser.until(&format!("heard.some(({{ state }}) => state === 'ended') || {COMPLAINT} !== null")).await;
            assert_eq!(browser.js(COMPLAINT).await, Value::Null);
            ask(&browser, &json!({"id": 2, "do": "download-net", "run": run})).await;
            browser.until("heard.some(({ event }) => event === 'net-file')").await;
            let net = "[...atob(heard.find(({ event }) => event === 'net-file').base64)].map((letter) => letter.charCodeAt(0))";
            let net: Vec<u8> = serde_json::from_value(browser.js(net).await).unwrap();
            assert!(net == expected, "{players} players");
            browser.js("teacher.terminate()").await;
        }
        browser.end().await;
    });
}

#[test]
fn a_second_window_says_that_another_one_teaches() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        start_teacher(&browser, 1).await;
        ask(&browser, &teach("one")).await;
        browser.until("heard.some(({ phase }) => phase === 'playing')").await;
        let first = browser.page.window().await.unwrap();
        let second = browser.page.new_window(true).await.unwrap();
        browser.page.switch_to_window(second.handle).await.unwrap();
        browser.visit(&host, "/#rules=kvasir").await;
        start_teacher(&browser, 1).await;
        ask(&browser, &teach("two")).await;
        browser.until(&format!("{COMPLAINT}?.includes('Another window') === true")).await;
        browser.page.close_window().await.unwrap();
        browser.page.switch_to_window(first).await.unwrap();
        browser.js("teacher.terminate()").await;
        browser.end().await;
    });
}

#[test]
fn the_panel_teaches_without_a_network_and_the_net_plays() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=brandubh").await;
        browser.panel("teach").await;
        browser.click("#teach").await;
        browser.until("document.querySelector('.replay svg') !== null").await;
        browser.until("document.querySelector('.learning-curve circle') !== null").await;
        assert_eq!(browser.text("#error").await, "");
        browser.click("#stop-teaching").await;
        browser.until("document.getElementById('play-taught') !== null").await;
        // The net is there after a reload, too.
        browser.page.refresh().await.unwrap();
        browser.ready().await;
        browser.panel("teach").await;
        browser.until("document.querySelector('#taught-nets tbody button') !== null").await;
        browser.click("#taught-nets tbody button").await;
        browser.until("document.getElementById('play-taught') !== null").await;
        browser.click("#play-taught").await;
        browser.until("document.querySelectorAll('.cell.movable').length > 0").await;
        browser.js("document.getElementById('do-move-now').click()").await;
        browser.until("document.querySelectorAll('.move-list button').length > 1").await;
        assert_eq!(browser.text("#error").await, "");
        browser.end().await;
    });
}

#[test]
fn a_net_that_is_dropped_plays_and_a_damaged_one_is_refused() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        let drop = |name: &str, bytes: &str| {
            format!(
                "(async () => {{ const net = new Uint8Array(await (await fetch('net.tablut')).arrayBuffer()); \
                 const data = new DataTransfer(); data.items.add(new File([{bytes}], '{name}')); \
                 document.body.dispatchEvent(new DragEvent('drop', {{ dataTransfer: data, bubbles: true, cancelable: true }})); \
                 return true; }})()"
            )
        };
        browser.js(&drop("mine.tablut", "net")).await;
        browser.until("document.getElementById('notice').textContent.includes('The net mine is here')").await;
        browser.panel("analysis").await;
        browser.until("document.body.textContent.includes('About the net: mine')").await;
        for (name, bytes) in [("cut", "net.slice(0, 5000)"), ("text", "'text'")] {
            browser.js(&drop(&format!("{name}.tablut"), bytes)).await;
            browser.until(&format!("document.getElementById('error').textContent.startsWith('{name}: ')")).await;
        }
        browser.end().await;
    });
}
