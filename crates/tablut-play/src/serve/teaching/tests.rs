//! The queue and the list, with a trainer that only pretends.

use super::super::nets::NetSources;
use super::*;
use serde_json::{Value, json};
use std::fs;
use tablut_games::RunFolder;
use tablut_session::TrainingGame;
use tablut_session::protocol::RequestedRules;
use tokio::sync::mpsc;

/// Runs that end when they are stopped, or when a file says so.
struct Maker;

struct Made(std::path::PathBuf, TrainingState);

impl Trainer for Maker {
    fn begin(&self, folder: &Path, rules: &str, _: Option<u32>) -> Result<Box<dyn Training>, String> {
        if rules.contains("masters") {
            return Err("no memory".to_owned());
        }
        fs::create_dir_all(folder).unwrap();
        fs::write(RunFolder(folder).config(), "").unwrap();
        Ok(Box::new(Made(folder.to_owned(), TrainingState::Running)))
    }

    fn go_on(&self, folder: &Path, _: Option<u32>) -> Result<Box<dyn Training>, String> {
        Ok(Box::new(Made(folder.to_owned(), TrainingState::Running)))
    }

    fn view(&self, _: &Path, _: bool) -> Result<TrainingView, String> {
        Ok(TrainingView::new("kvasir".to_owned(), String::new()))
    }

    fn game(&self, _: &Path) -> Option<TrainingGame> {
        None
    }

    fn model_file(&self, _: &Path) -> Result<Vec<u8>, String> {
        Ok(b"net".to_vec())
    }
}

impl Training for Made {
    fn state(&mut self) -> TrainingState {
        if self.0.join("over").exists() {
            self.1 = TrainingState::Failed("the disk is full".to_owned());
        }
        self.1.clone()
    }

    fn stop(&mut self) {
        self.1 = TrainingState::Ended;
    }
}

struct Window {
    teaching: Teaching,
    outbox: Outbox,
    inbox: mpsc::Receiver<Arc<str>>,
}

impl Window {
    fn ask(&self, request: Request) -> Result<bool, String> {
        self.teaching.answer(request, None, &self.outbox)
    }

    fn teach(&self, rules: &str) -> Result<bool, String> {
        self.ask(Request::Teach { rules: RequestedRules::Name(rules.to_owned()), seconds: Some(60) })
    }

    /// The last event of this kind so far.
    fn last(&mut self, kind: &str) -> Value {
        let events = std::iter::from_fn(|| self.inbox.try_recv().ok());
        let events: Vec<Value> = events.map(|text| serde_json::from_str(&text).unwrap()).collect();
        events.into_iter().rev().find(|event| event["event"] == kind).unwrap_or_default()
    }
}

fn window(trainer: Option<Arc<dyn Trainer>>, games: &Path) -> Window {
    let nets = Arc::new(NetShelf::new(NetSources::default(), None).unwrap());
    let (outbox, inbox) = mpsc::channel(100);
    Window { teaching: Teaching::new(trainer, games, nets), outbox, inbox }
}

#[test]
fn one_run_at_a_time_the_others_wait_and_a_later_server_goes_on() {
    let games = tempfile::tempdir().unwrap();
    assert!(window(None, games.path()).teach("kvasir").unwrap_err().contains("cannot teach"));
    let mut window = window(Some(Arc::new(Maker)), games.path());
    window.ask(Request::TaughtNets).unwrap();
    window.teach("kvasir").unwrap();
    window.teach("ashton").unwrap();
    window.teach("masters").unwrap();
    let list = window.last("taught-nets");
    let states: Vec<_> = list["runs"].as_array().unwrap().iter().map(|net| (&net["run"], &net["state"])).collect();
    let waiting = |place| json!({ "waiting": place });
    assert_eq!(states[..2], [(&json!("ashton-2"), &waiting(1)), (&json!("masters-3"), &waiting(2))]);
    assert_eq!(states[2], (&json!("kvasir-1"), &json!("running")));
    for request in [Request::ForgetTaught { run: "kvasir-1".into() }, go_on("kvasir-1")] {
        assert!(window.ask(request).unwrap_err().contains("running"));
    }
    window.ask(Request::StopTeaching { run: "kvasir-1".into() }).unwrap();
    fs::write(window.teaching.runs.place("ashton-2").join("over"), "").unwrap();
    // The third one cannot start.
    window.teaching.watch();
    window.ask(Request::ShowTaught { run: "ashton-2".into() }).unwrap();
    assert_eq!(window.last("training")["state"], json!({"failed": "the disk is full"}));
    assert!(!window.teaching.watch() && window.teaching.state().active().is_empty());
    assert_eq!(window.teach("masters").unwrap_err(), "no memory");
    drop(window);
    let mut later = self::window(Some(Arc::new(Maker)), games.path());
    later.ask(Request::TaughtNets).unwrap();
    assert_eq!(later.last("taught-nets")["runs"][1]["run"], "kvasir-1");
    later.ask(go_on("kvasir-1")).unwrap();
    assert_eq!(later.last("training")["state"], "running");
    later.ask(Request::DownloadNet { run: "kvasir-1".into() }).unwrap();
    assert_eq!(later.last("net-file")["base64"], "bmV0");
}

fn go_on(run: &str) -> Request {
    Request::TeachOn { run: run.to_owned(), seconds: Some(600) }
}

#[test]
fn what_cannot_be_taught_is_refused() {
    let games = tempfile::tempdir().unwrap();
    let window = window(Some(Arc::new(Maker)), games.path());
    let rules = || RequestedRules::Name("kvasir".to_owned());
    let error = window.ask(Request::Teach { rules: rules(), seconds: Some(5) }).unwrap_err();
    assert!(error.contains("5 seconds, expected 60 to"), "{error}");
    let request = Request::Teach { rules: rules(), seconds: None };
    let error = window.teaching.answer(request, Some("not you"), &window.outbox).unwrap_err();
    assert_eq!(error, "not you");
    let error = window.ask(Request::TeachOn { run: "kvasir-7".to_owned(), seconds: None }).unwrap_err();
    assert!(error.contains("no taught net \"kvasir-7\""), "{error}");
    for _ in 0..=MOST_WAITING {
        window.teach("kvasir").unwrap();
    }
    assert!(window.teach("kvasir").unwrap_err().contains("waiting to be taught already"));
}
