//! The host without a browser: requests, jobs that wait for the net, saved games.

use serde_json::{Value, json};
use std::time::Duration;
use tablut_net::{Model, TrainingSummary, Weights};
use tablut_web::{BrowserHost, HostSettings};

struct Bench {
    host: BrowserHost,
    now: Duration,
    last_id: u64,
}

impl Bench {
    fn new() -> Self {
        Self::of_worker(0)
    }

    fn of_worker(worker: usize) -> Self {
        let settings = json!({"net": "a net", "seed": [1, 2], "worker": worker});
        let settings: HostSettings = serde_json::from_value(settings).unwrap();
        Self { host: BrowserHost::new(&settings), now: Duration::ZERO, last_id: 0 }
    }

    /// With the net loaded.
    fn loaded() -> Self {
        let mut bench = Self::new();
        bench.load();
        bench
    }

    fn load(&mut self) {
        let weights = Weights::initial(&"lines32x1".parse().unwrap(), 1);
        let model = Model { weights, rules: Vec::new(), training: TrainingSummary::default(), card: None };
        self.host.load_net(&model.to_bytes().unwrap()).unwrap();
    }

    /// The messages of a request. The last one is its end.
    fn ask(&mut self, mut request: Value) -> Vec<Value> {
        self.last_id += 1;
        request["id"] = self.last_id.into();
        let outputs = values(&self.host.request(&request.to_string()));
        assert_eq!(outputs.last().unwrap()["re"], self.last_id);
        outputs
    }

    /// Works until there is nothing to do, a millisecond a step.
    fn work(&mut self) -> Vec<Value> {
        let mut outputs = Vec::new();
        while let Some(pause) = self.host.pause(self.now) {
            self.now += pause.max(Duration::from_millis(1));
            outputs.extend(values(&self.host.step(self.now)));
        }
        outputs
    }
}

fn values(outputs: &[tablut_web::Output]) -> Vec<Value> {
    outputs.iter().map(|output| serde_json::to_value(output).unwrap()).collect()
}

fn kinds(outputs: &[Value]) -> Vec<&str> {
    outputs.iter().map(|output| output["event"].as_str().unwrap()).collect()
}

fn of_kind<'a>(outputs: &'a [Value], kind: &str) -> &'a Value {
    outputs
        .iter()
        .rfind(|output| output["event"] == kind)
        .unwrap_or_else(|| panic!("no {kind} in {:?}", kinds(outputs)))
}

fn new_game(rules: &str) -> Value {
    let players = json!({"attackers": {"kind": "person"}, "defenders": {"kind": "computer", "name": "club", "net": 0}});
    json!({"do": "new", "rules": {"name": rules}, "players": players})
}

#[test]
fn the_computer_answers_once_the_net_is_loaded() {
    let mut bench = Bench::new();
    let begun = bench.ask(new_game("kvasir"));
    assert_eq!(kinds(&begun), ["game", "rules", "state", "done"]);
    let played = bench.ask(json!({"do": "play", "move": "d1-d3"}));
    assert_eq!(kinds(&played), ["save", "state", "thinking", "done"]);
    assert_eq!(bench.work(), [Value::Null; 0], "nobody can think yet");
    bench.load();
    let answered = bench.work();
    assert_eq!(of_kind(&answered, "state")["ply"], 2);
    let saved: Value = serde_json::from_str(of_kind(&answered, "save")["text"].as_str().unwrap()).unwrap();
    assert_eq!(saved["moves"].as_array().unwrap().len(), 2);
}

#[test]
fn a_saved_game_is_opened_again_and_another_state_of_it_replaces_it() {
    let mut bench = Bench::loaded();
    let begun = bench.ask(json!({"do": "new", "rules": {"name": "kvasir"}}));
    let name = of_kind(&begun, "game")["game"].clone();
    let first = of_kind(&bench.ask(json!({"do": "play", "move": "d1-d3"})), "save")["text"].clone();
    let second = of_kind(&bench.ask(json!({"do": "play", "move": "e3-f3"})), "save")["text"].clone();
    let mut other = Bench::loaded();
    for (text, ply) in [(&first, 1), (&second, 2), (&first, 1)] {
        let opened = other.ask(json!({"do": "open", "game": name, "saved": {name.as_str().unwrap(): text}}));
        assert_eq!((&of_kind(&opened, "game")["game"], &of_kind(&opened, "state")["ply"]), (&name, &json!(ply)));
    }
    let refused = other.ask(json!({"do": "open", "game": "aaaa"}));
    assert!(refused[0]["error"].as_str().unwrap().contains("no game \"aaaa\" here"), "{refused:?}");
}

#[test]
fn saved_games_become_one_file() {
    let mut bench = Bench::loaded();
    bench.ask(json!({"do": "new", "rules": {"name": "kvasir"}}));
    let saved = of_kind(&bench.ask(json!({"do": "play", "move": "d1-d3"})), "save").clone();
    let mut other = Bench::loaded();
    let name = saved["game"].as_str().unwrap();
    let request = json!({"do": "export-games", "games": [name, "aaaa"], "saved": {name: saved["text"]}});
    let file = of_kind(&other.ask(request), "export").clone();
    let games: Vec<Value> = serde_json::from_str(file["text"].as_str().unwrap()).unwrap();
    assert_eq!(games, [serde_json::from_str::<Value>(saved["text"].as_str().unwrap()).unwrap()]);
}

#[test]
fn lessons_and_answered_puzzles_go_on_and_are_not_saved() {
    let mut bench = Bench::loaded();
    bench.ask(json!({"do": "new", "rules": {"name": "kvasir"}}));
    let step = bench.ask(json!({"do": "lesson", "step": 0}));
    assert_eq!(kinds(&step), ["game", "rules", "state", "exercise", "done"]);
    bench.host.add_puzzles(include_str!("../../tablut-play/puzzles/kvasir.jsonl")).unwrap();
    bench.ask(json!({"do": "puzzle", "rules": "kvasir", "distance": 2, "number": 0}));
    let solution = of_kind(&bench.ask(json!({"do": "solve"})), "judgement")["move"].clone();
    bench.ask(json!({"do": "try", "move": solution}));
    let answered = bench.work();
    assert_eq!(of_kind(&answered, "exercise")["task"], "Attackers to move and win in 1.");
    assert!(!kinds(&answered).contains(&"save"));
}

#[test]
fn a_request_stops_a_search_at_the_next_step() {
    let mut bench = Bench::loaded();
    bench.ask(json!({"do": "new", "rules": {"name": "kvasir"}}));
    bench.ask(json!({"do": "analyse", "on": true}));
    for _ in 0..300 {
        bench.now += Duration::from_millis(1);
        bench.host.step(bench.now);
    }
    assert_eq!(bench.host.pause(bench.now), Some(Duration::ZERO));
    bench.ask(json!({"do": "analyse", "on": false}));
    assert_eq!(bench.host.pause(bench.now), None);
}

#[test]
fn another_worker_takes_part_in_an_analysis() {
    let (mut bench, mut other) = (Bench::loaded(), Bench::of_worker(1));
    other.load();
    bench.ask(json!({"do": "new", "rules": {"name": "kvasir"}}));
    let search = of_kind(&bench.ask(json!({"do": "analyse", "on": true})), "search").clone();
    other.host.help(&search["order"].to_string()).unwrap();
    for _ in 0..20 {
        assert!(other.host.help_step().unwrap());
    }
    let analysis = serde_json::to_value(other.host.help_found().unwrap()).unwrap();
    let found = |number| json!({"number": number, "worker": 1, "analysis": analysis}).to_string();
    let workers = |bench: &mut Bench| {
        bench.now += Duration::from_millis(200);
        bench.host.step(bench.now);
        bench.now += Duration::from_millis(200);
        of_kind(&values(&bench.host.step(bench.now)), "analysis")["analysis"]["workers"].clone()
    };
    assert_eq!(workers(&mut bench), Value::Null);
    bench.host.found(&found(search["number"].as_u64().unwrap() + 1)).unwrap();
    assert_eq!(workers(&mut bench), Value::Null, "it searches something else");
    bench.host.found(&found(search["number"].as_u64().unwrap())).unwrap();
    assert_eq!(workers(&mut bench), 2);
    let ended = bench.ask(json!({"do": "analyse", "on": false}));
    assert_eq!(of_kind(&ended, "search")["order"], Value::Null);
    // The next search of the same position goes on with what is known.
    let known = other.host.help_found().unwrap();
    other.host.help(&search["order"].to_string()).unwrap();
    assert_eq!(other.host.help_found().unwrap(), known);
    assert!(other.host.help("{}").is_err());
}

#[test]
fn an_analysis_rests_while_nobody_looks_and_the_computer_still_answers() {
    let mut bench = Bench::loaded();
    bench.ask(new_game("kvasir"));
    bench.ask(json!({"do": "analyse", "on": true}));
    bench.host.set_hidden(true);
    assert_eq!(bench.host.pause(bench.now), None);
    bench.ask(json!({"do": "play", "move": "d1-d3"}));
    assert_eq!(of_kind(&bench.work(), "state")["ply"], 2);
    bench.host.set_hidden(false);
    assert_eq!(bench.host.pause(bench.now), Some(Duration::ZERO));
}

#[test]
fn the_computer_does_not_hurry_against_itself() {
    let mut bench = Bench::loaded();
    let computer = json!({"kind": "computer", "name": "casual", "net": 0});
    bench.ask(
        json!({"do": "new", "rules": {"name": "kvasir"}, "players": {"attackers": computer, "defenders": computer}}),
    );
    let mut plies = 0;
    while plies < 3 {
        bench.now += bench.host.pause(bench.now).expect("it plays on").max(Duration::from_millis(1));
        plies += values(&bench.host.step(bench.now)).iter().filter(|output| output["event"] == "state").count();
    }
    assert!(bench.now >= Duration::from_millis(2100), "three moves in {:?}", bench.now);
}

#[test]
fn puzzles_are_those_that_were_added() {
    let mut bench = Bench::loaded();
    let puzzle = json!({"do": "puzzle", "rules": "kvasir", "distance": null, "number": 0});
    assert_eq!(kinds(&bench.ask(puzzle.clone())), ["refused"]);
    bench.host.add_puzzles(include_str!("../../tablut-play/puzzles/kvasir.jsonl")).unwrap();
    assert_eq!(kinds(&bench.ask(puzzle)), ["game", "rules", "state", "exercise", "done"]);
}

#[test]
fn what_cannot_be_done_is_refused() {
    let mut bench = Bench::loaded();
    for (request, part) in [
        (json!({"do": "teach", "rules": {"name": "kvasir"}, "seconds": 60}), "about teaching"),
        (json!({"do": "hint"}), "no game is open"),
        (json!({"do": "sit", "seat": "0123456789abcdef"}), "needs a server"),
        (json!({"do": "new", "rules": {"name": "kvasir"}, "seats": true}), "needs a server"),
        (json!({"do": "export-games", "games": ["aaaa"]}), "has none of these games"),
        (json!({"do": "fly"}), "not a request"),
    ] {
        let refused = bench.ask(request);
        assert!(refused[0]["error"].as_str().unwrap().contains(part), "{refused:?}");
    }
    assert_eq!(values(&bench.host.request("{"))[0]["re"], 0);
    assert!(bench.host.load_net(b"no model").unwrap_err().contains("the net: "));
}
