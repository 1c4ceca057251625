//! Live games: requests in, events and jobs out. The test plays the host, without threads and clock.

use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tablut_rules::{BoardSize, Game, Move, MoveList, Side, Symmetry};
use tablut_search::{EvaluateError, Evaluator, UniformEvaluator};
use tablut_session::protocol::{Call, Event, Request};
use tablut_session::{
    AnalysisMemory, CustomPlayer, HostConfig, LiveGame, PuzzleBook, Response, SavedGame, SessionJob, Step, Update, Work,
};

const PUZZLES: &str = "{\"format\":\"tablut puzzles\",\"version\":2,\"rules\":{\"set\":{\"name\":\"kvasir\"}}}\n\
    {\"position\":\"9/9/9/9/2K5t/9/9/9/4t3t d\",\"distance\":1,\"solutions\":[\"c5-c9\",\"c5-c1\",\"c5-a5\"]}\n";

fn config() -> Arc<HostConfig> {
    Arc::new(HostConfig {
        version: "0".to_owned(),
        nets: vec!["net".to_owned()],
        checkpoints: vec!["gen-00000".to_owned(), "gen-00001".to_owned()],
        trains: false,
        puzzles: vec![PuzzleBook::parse(PUZZLES).unwrap()],
        ..HostConfig::default()
    })
}

fn request(value: Value) -> Request {
    let mut value = value;
    value["id"] = json!(1);
    let call: Call = serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{value}: {error}"));
    call.request
}

/// A host with one game.
struct Host {
    game: LiveGame,
    jobs: Vec<SessionJob>,
    events: Vec<Value>,
}

impl Host {
    fn new(begin: Value) -> Self {
        let game =
            LiveGame::begin("game", &request(begin), None, &config(), 7).unwrap_or_else(|error| panic!("{error}"));
        let mut host = Self { game, jobs: Vec::new(), events: Vec::new() };
        let response = host.game.greet();
        host.receive(response);
        host
    }

    fn receive(&mut self, response: Response) {
        self.jobs.extend(response.jobs);
        self.jobs.retain(|job| !job.is_cancelled());
        let events: Vec<Event> = response.one.into_iter().chain(response.all).collect();
        self.events.extend(events.iter().map(|event| serde_json::to_value(event).unwrap()));
    }

    fn ask(&mut self, value: Value) -> Result<(), String> {
        let response = self.game.answer(request(value), Vec::new())?;
        self.receive(response);
        Ok(())
    }

    /// Runs all jobs to their end.
    fn run(&mut self) {
        while !self.jobs.is_empty() {
            let mut job = self.jobs.remove(0);
            loop {
                let step = job.step(&mut UniformEvaluator, Duration::ZERO);
                let done = matches!(step, Ok(Step::Done(_)));
                let response = self.game.update(job.update(step));
                self.receive(response);
                if done {
                    break;
                }
            }
        }
    }

    fn events(&mut self, kind: &str) -> Vec<Value> {
        let found = self.events.iter().filter(|event| event["event"] == kind).cloned().collect();
        self.events.clear();
        found
    }
}

#[test]
fn an_analysis_goes_on_where_it_was_until_its_part_of_the_memory_is_full() {
    let memory = AnalysisMemory::of_nodes(60_000);
    let config = Arc::new(HostConfig { analysis_memory: memory, ..HostConfig::default() });
    let game = |name: &str| {
        let begin = request(json!({"do": "new", "rules": {"name": "kvasir"}}));
        LiveGame::begin(name, &begin, None, &config, 7).unwrap_or_else(|error| panic!("{error}"))
    };
    let (mut live, mut now) = (game("game"), Duration::ZERO);
    // Runs the analysis until it has this many simulations or has ended. Returns the last report.
    let mut analyse = |live: &mut LiveGame, most: u64| {
        let mut response = live.answer(request(json!({"do": "analyse", "on": true})), Vec::new()).unwrap();
        let mut job = response.jobs.pop().expect("an analysis");
        loop {
            now += Duration::from_millis(200);
            let step = job.step(&mut UniformEvaluator, now).unwrap();
            let updates = match &step {
                Step::Continue => continue,
                Step::Progress(updates) | Step::Done(updates) => updates,
            };
            let Update::Event(event) = &updates[0] else { panic!("an event") };
            let event = serde_json::to_value(event).unwrap();
            if matches!(step, Step::Done(_)) || event["analysis"]["simulations"].as_u64().unwrap() >= most {
                live.answer(request(json!({"do": "analyse", "on": false})), Vec::new()).unwrap();
                return event;
            }
        }
    };
    let simulations = |event: &Value| event["analysis"]["simulations"].as_u64().unwrap();
    let first = analyse(&mut live, 20_000);
    assert!(first["done"] == false && simulations(&first) >= 20_000, "{first}");
    let second = analyse(&mut live, 20_001);
    assert!(simulations(&second) < simulations(&first) + 1000, "the same tree: {second}");
    // Another game analyses too, so each has half of the memory.
    let mut other = game("other");
    analyse(&mut other, 100);
    let full = analyse(&mut live, u64::MAX);
    assert!(full["done"] == true && (29_000..40_000).contains(&simulations(&full)), "{full}");
    drop(other);
    let all = analyse(&mut live, u64::MAX);
    assert!(simulations(&all) > 50_000, "{all}");
    live.answer(request(json!({"do": "play", "move": "d1-d3"})), Vec::new()).unwrap();
    assert!(simulations(&analyse(&mut live, 1)) < 1000, "another position");
}

#[test]
fn people_offer_draws_takebacks_and_another_game() {
    let clock = json!({"seconds": 60, "increment": 0});
    let begin = json!({"do": "new", "rules": {"name": "kvasir"}, "seats": true, "clock": clock});
    let mut host = Host::new(begin);
    let offer = |side: &str, what: &str| json!({"do": "offer", "side": side, "what": what});
    let check = |host: &Host, asked: &Value, seat| host.game.check_seat(&request(asked.clone()), seat);
    let seats = host.game.session().seats().unwrap().clone();
    host.game.set_time(Duration::from_secs(100));
    for (secret, key) in [(&seats.attackers, "a"), (&seats.defenders, "d")] {
        host.game.sit(secret, key).unwrap_or_else(|error| panic!("{error}"));
    }
    // Only who has the seat speaks for it.
    assert!(check(&host, &offer("attackers", "draw"), Some(Side::Defenders)).is_err());
    assert!(check(&host, &offer("attackers", "draw"), None).is_err());
    assert!(check(&host, &offer("attackers", "draw"), Some(Side::Attackers)).is_ok());
    assert!(host.ask(offer("attackers", "take-back")).is_err_and(|error| error.contains("no move")));
    assert!(host.ask(offer("attackers", "rematch")).is_err_and(|error| error.contains("not over")));
    // Who has not moved yet can accept.
    host.ask(json!({"do": "play", "move": "d1-d3"})).unwrap();
    host.ask(offer("attackers", "take-back")).unwrap();
    host.ask(offer("defenders", "take-back")).unwrap();
    assert_eq!(host.events("state").pop().unwrap()["ply"], 0);
    host.ask(json!({"do": "play", "move": "d1-d3"})).unwrap();
    host.game.set_time(Duration::from_secs(110));
    host.ask(json!({"do": "play", "move": "e3-f3"})).unwrap();
    host.game.set_time(Duration::from_secs(115));
    // The attackers' last move was answered, so two moves go back, and their time runs on.
    host.ask(offer("attackers", "take-back")).unwrap();
    let state = host.events("state").pop().unwrap();
    assert_eq!(state["offer"], json!({"side": "attackers", "what": "take-back"}));
    host.ask(offer("defenders", "take-back")).unwrap();
    let state = host.events("state").pop().unwrap();
    assert_eq!(
        (&state["ply"], &state["offer"], state["tree"].as_array().map(Vec::len)),
        (&json!(0), &json!(null), Some(1))
    );
    assert_eq!((&state["clock"]["attackers"], &state["clock"]["defenders"]), (&json!(55_000), &json!(50_000)));
    // A move answers an offer, and an offer can be declined.
    host.ask(offer("defenders", "draw")).unwrap();
    host.ask(json!({"do": "play", "move": "d1-d3"})).unwrap();
    assert_eq!(host.events("state").pop().unwrap()["offer"], Value::Null);
    host.ask(offer("defenders", "draw")).unwrap();
    host.ask(json!({"do": "decline", "side": "attackers"})).unwrap();
    assert!(host.ask(json!({"do": "decline", "side": "attackers"})).is_err_and(|error| error.contains("no offer")));
    host.ask(offer("attackers", "draw")).unwrap();
    host.ask(offer("defenders", "draw")).unwrap();
    let state = host.events("state").pop().unwrap();
    assert_eq!(state["ending"], json!({"winner": null, "reason": "agreed"}));
    assert!(state["said"].as_str().unwrap().ends_with("A draw: both sides have agreed."), "{state}");
    let saved = SavedGame::from_json(&host.game.session().saved().to_json()).unwrap();
    assert_eq!(saved.session().unwrap().ending(), host.game.session().ending());
    assert!(host.ask(offer("attackers", "draw")).is_err());
    host.ask(offer("attackers", "rematch")).unwrap();
    let response = host.game.answer(request(offer("defenders", "rematch")), Vec::new()).unwrap();
    assert!(response.begins_rematch);
    let rematch = host.game.rematch("next", 9).unwrap_or_else(|error| panic!("{error}"));
    assert!(rematch.session().seats().is_some_and(|new| new.attackers != seats.attackers));
    assert_eq!(rematch.session().clock().map(|clock| clock.control().seconds), Some(60));
}

#[test]
fn a_study_is_a_copy_in_which_both_sides_are_ones_own() {
    let mut host = Host::new(new_game("kvasir", &person(), &computer("club")));
    host.ask(json!({"do": "play", "move": "d1-d3"})).unwrap();
    host.run();
    host.ask(json!({"do": "comment", "node": 1, "text": "why"})).unwrap();
    host.ask(json!({"do": "resign"})).unwrap();
    host.events.clear();
    let study = LiveGame::begin("study", &request(json!({"do": "study"})), Some(host.game.session()), &config(), 7);
    host.game = study.unwrap_or_else(|error| panic!("{error}"));
    let response = host.game.greet();
    assert!(response.changed && response.jobs.is_empty());
    host.receive(response);
    let state = host.events("state").pop().unwrap();
    assert_eq!((&state["is_study"], &state["ending"], &state["ply"]), (&json!(true), &Value::Null, &json!(2)));
    assert_eq!(state["tree"][1]["comment"], "why");
    host.ask(json!({"do": "go-to", "node": 0})).unwrap();
    for mv in ["d1-d2", "e3-f3"] {
        host.ask(json!({"do": "play", "move": mv})).unwrap();
        assert!(host.jobs.is_empty(), "nothing answers");
    }
    let text = host.game.session().saved().to_json();
    let read = SavedGame::from_json(&text).unwrap().session().unwrap();
    assert_eq!((read.saved().is_study, read.tree().len()), (true, 5));
}

#[test]
fn an_analysis_shows_one_of_each_class_of_moves_of_a_symmetric_position() {
    let mut host = Host::new(json!({"do": "new", "rules": {"name": "kvasir"}}));
    let response = host.game.evaluate(2000).unwrap();
    host.receive(response);
    host.run();
    let analysis = host.events("analysis").pop().unwrap()["analysis"].clone();
    let lines = analysis["lines"].as_array().unwrap();
    let classes: std::collections::BTreeSet<_> = lines
        .iter()
        .map(|line| {
            let mv: Move = line["moves"][0].as_str().unwrap().parse().unwrap();
            let images = Symmetry::ALL.map(|symmetry| symmetry.mv(BoardSize::ALL[1], mv).to_string());
            images.into_iter().min().unwrap()
        })
        .collect();
    assert_eq!((lines.len(), classes.len()), (6, 6), "{classes:?}");
}

fn new_game(rules: &str, attackers: &Value, defenders: &Value) -> Value {
    json!({"do": "new", "rules": {"name": rules}, "players": {"attackers": attackers, "defenders": defenders}})
}

fn person() -> Value {
    json!({"kind": "person"})
}

fn computer(level: &str) -> Value {
    json!({"kind": "computer", "name": level, "net": 0})
}

#[test]
fn the_computer_answers_and_a_take_back_takes_both_moves() {
    let mut host = Host::new(new_game("kvasir", &person(), &computer("club")));
    let state = host.events("state").pop().unwrap();
    assert_eq!((state["side"].as_str(), state["moves"].as_array().map(Vec::len)), (Some("attackers"), Some(80)));
    host.ask(json!({"do": "play", "move": "d1-d3"})).unwrap();
    host.run();
    let states = host.events("state");
    assert_eq!(states.len(), 2);
    assert_eq!((states[1]["ply"].as_u64(), states[1]["side"].as_str()), (Some(2), Some("attackers")));
    host.ask(json!({"do": "take-back"})).unwrap();
    let state = host.events("state").remove(0);
    assert_eq!((state["ply"].as_u64(), state["tree"].as_array().map(Vec::len)), (Some(0), Some(1)));
    host.ask(json!({"do": "play", "move": "d1-d3"})).unwrap();
    host.run();
    host.ask(json!({"do": "go-to", "node": 0})).unwrap();
    // Going to an earlier position starts no reply. A move from there does.
    host.ask(json!({"do": "forward"})).unwrap();
    host.run();
    let state = host.events("state").pop().unwrap();
    assert_eq!((state["ply"].as_u64(), state["computer_to_move"].as_bool()), (Some(1), Some(false)));
    host.ask(json!({"do": "move-now"})).unwrap();
    host.run();
    assert_eq!(host.events("state").pop().unwrap()["ply"], 2);
}

/// A custom player that plays the first legal move and reports no value.
#[derive(Debug)]
struct First;

struct FirstMove(Move);

impl CustomPlayer for First {
    fn name(&self) -> &'static str {
        "first"
    }

    fn reply(&self, game: &Game, _: u64) -> Box<dyn Work> {
        let mut moves = MoveList::new();
        game.legal_moves(&mut moves);
        Box::new(FirstMove(moves[0]))
    }
}

impl Work for FirstMove {
    fn step(&mut self, _: &mut dyn Evaluator, _: Duration) -> Result<Step, EvaluateError> {
        Ok(Step::Done(vec![Update::Move(self.0, None)]))
    }
}

#[test]
fn a_host_has_players_of_its_own() {
    let config = Arc::new(HostConfig { custom_players: vec![Arc::new(First)], ..HostConfig::default() });
    let begin = new_game("kvasir", &person(), &computer("first"));
    let game = LiveGame::begin("game", &request(begin), None, &config, 7).unwrap_or_else(|error| panic!("{error}"));
    let mut host = Host { game, jobs: Vec::new(), events: Vec::new() };
    host.ask(json!({"do": "play", "move": "d1-d3"})).unwrap();
    host.run();
    assert_eq!(host.game.session().game().ply(), 2);
    assert_eq!(host.game.session().node().value, None);
    let other = new_game("kvasir", &person(), &computer("second"));
    let error = LiveGame::begin("game", &request(other), None, &config, 7).map(|_| ()).unwrap_err();
    assert!(error.contains("no level \"second\""), "{error}");
}

#[test]
fn a_hint_does_not_change_what_the_computer_plays() {
    let line = |asks: bool| {
        let mut host = Host::new(new_game("kvasir", &person(), &computer("beginner")));
        for _ in 0..3 {
            if asks {
                host.ask(json!({"do": "hint"})).unwrap();
                host.run();
            }
            let mv = host.game.session().moves().unwrap()[0];
            host.ask(json!({"do": "play", "move": mv.to_string()})).unwrap();
            host.run();
        }
        host.game.session().history()
    };
    assert_eq!(line(true), line(false));
}

#[test]
fn a_computers_game_with_itself_ends_and_its_turn_is_its_own() {
    let mut host = Host::new(new_game("tartu", &computer("newcomer"), &computer("newcomer")));
    let error = host.ask(json!({"do": "play", "move": "d1-d3"})).unwrap_err();
    assert_eq!(error, "it is the computer's turn");
    host.run();
    let last = host.events("state").pop().unwrap();
    assert!(last["ending"].is_object(), "{last}");
    assert!(last["said"].as_str().unwrap().contains("win") || last["said"].as_str().unwrap().contains("draw"));
}

#[test]
fn imperials_choice_of_capture_is_offered_move_by_move() {
    let set_up = json!({"do": "set-up", "rules": {"name": "imperial"}, "side": "attackers", "pieces": {
        "e5": "king", "c1": "attacker", "b3": "defender", "a3": "attacker", "d3": "defender", "e3": "attacker"}});
    let mut host = Host::new(set_up);
    let state = host.events("state").pop().unwrap();
    let choices: Vec<&str> = state["moves"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|mv| mv["from"] == "c1" && mv["to"] == "c3")
        .map(|mv| mv["text"].as_str().unwrap())
        .collect();
    assert_eq!(choices, ["c1-c3xb3", "c1-c3xd3"]);
    host.ask(json!({"do": "play", "move": "c1-c3xd3"})).unwrap();
    let state = host.events("state").pop().unwrap();
    assert_eq!(state["last"]["captured"], json!(["d3"]));
    assert_eq!(
        state["said"],
        "Attacker from c1 to c3, captures the defender on d3. Tuichi: the king has more than one escape route. Defenders \
         to move."
    );
}

#[test]
fn analysis_streams_and_stops_and_spoils_no_exercise() {
    let mut host = Host::new(json!({"do": "import", "text": "9/9/9/9/2K5t/9/9/9/6t1t d"}));
    host.ask(json!({"do": "analyse", "on": true})).unwrap();
    host.run();
    let analysis = host.events("analysis").pop().unwrap();
    assert_eq!(
        (analysis["done"].as_bool(), analysis["analysis"]["words"].as_str()),
        (Some(true), Some("the defenders win in 1"))
    );
    assert_eq!(analysis["analysis"]["proven"]["winner"], "defenders");
    host.ask(json!({"do": "analyse", "on": false})).unwrap();
    host.ask(json!({"do": "play", "move": "c5-h5"})).unwrap();
    host.run();
    assert_eq!(host.events("analysis"), Vec::<Value>::new());

    host.ask(json!({"do": "analyse", "on": true})).unwrap();
    host.ask(json!({"do": "review"})).unwrap();
    host.run();
    let review = host.events("review").pop().unwrap();
    let mistakes = review["mistakes"].as_array().unwrap();
    assert_eq!(mistakes.len(), 1, "{review}");
    assert_eq!(mistakes[0]["played"], "c5-h5");
    assert!(!review.to_string().contains("c5-c9"), "the review gives the solution away: {review}");
    host.ask(json!({"do": "exercise", "index": 0})).unwrap();
    host.run();
    assert_eq!(host.events("analysis"), Vec::<Value>::new());
    host.ask(json!({"do": "try", "move": "c5-h5"})).unwrap();
    host.run();
    let judgement = host.events("judgement").pop().unwrap();
    assert!(judgement["sufficiency"] != "best", "{judgement}");
    host.ask(json!({"do": "try", "move": "c5-a5"})).unwrap();
    host.run();
    assert_eq!(host.events("judgement").pop().unwrap()["sufficiency"], "best");
}

#[test]
fn a_puzzle_is_asked_answered_and_solved() {
    let mut host = Host::new(json!({"do": "puzzle", "rules": "kvasir", "distance": 1, "number": 5}));
    assert_eq!(host.events("exercise").pop().unwrap()["task"], "Defenders to move and win in 1.");
    host.ask(json!({"do": "try", "move": "c5-c1"})).unwrap();
    host.run();
    assert_eq!(host.events("judgement").pop().unwrap()["sufficiency"], "best");
    host.ask(json!({"do": "solve"})).unwrap();
    assert_eq!(host.events("judgement").pop().unwrap()["move"], "c5-c9");
    assert!(host.ask(json!({"do": "exercise", "index": 3})).unwrap_err().contains("exercise 3"));
}

#[test]
fn the_lens_and_an_experiment_report_and_can_be_stopped() {
    let mut host = Host::new(new_game("kvasir", &person(), &person()));
    host.ask(json!({"do": "lens"})).unwrap();
    host.run();
    assert_eq!(host.events("lens").len(), 14);
    let set = serde_json::to_value(tablut_rules::RuleSet::named("tartu").unwrap()).unwrap();
    host.ask(json!({"do": "experiment", "set": set, "games": 1})).unwrap();
    host.ask(json!({"do": "stop"})).unwrap();
    assert!(host.jobs.is_empty());
    host.ask(json!({"do": "experiment", "set": set, "games": 1})).unwrap();
    host.run();
    let last = host.events("experiment").pop().unwrap();
    assert_eq!((last["done"].as_bool(), last["experiment"]["played"].as_u64()), (Some(true), Some(3)));
    host.ask(json!({"do": "check-rules", "set": {"name": 3}})).unwrap();
    assert_eq!(host.events("rule-check")[0]["faults"].as_array().map(Vec::len), Some(1));
}

#[test]
fn requests_that_make_no_sense_are_refused_in_words() {
    let mut host = Host::new(new_game("kvasir", &person(), &person()));
    for (value, part) in [
        (json!({"do": "play", "move": "d1-d9"}), "d1-d9"),
        (json!({"do": "play", "move": "hello"}), "no move"),
        (json!({"do": "go-to", "node": 99}), "position 99"),
        (json!({"do": "take-back"}), "no move to take back"),
        (json!({"do": "try", "move": "d1-d3"}), "no exercise"),
        (json!({"do": "review"}), "no move has been played"),
        (json!({"do": "players", "players": {"attackers": computer("deep-blue"), "defenders": person()}}), "deep-blue"),
        (
            json!({"do": "players", "players": {"attackers": {"kind": "computer", "name": "club", "net": 9}, "defenders": person()}}),
            "net 9",
        ),
        (json!({"do": "experiment", "set": {}, "games": 1}), "the key `name` is missing"),
    ] {
        let error = host.ask(value.clone()).unwrap_err();
        assert!(error.contains(part), "{value}: {error}");
    }
    let begin = |value| LiveGame::begin("game", &request(value), None, &config(), 1).map(|_| ()).unwrap_err();
    assert!(begin(json!({"do": "new", "rules": {"name": "chess"}})).contains("chess"));
    assert!(
        begin(json!({"do": "new", "rules": {"name": "kvasir"}, "first": "defenders"})).contains("attackers move first")
    );
    assert!(
        begin(json!({"do": "set-up", "rules": {"name": "kvasir"}, "pieces": {}, "side": "attackers"})).contains("king")
    );
    assert!(begin(json!({"do": "puzzle", "rules": "kvasir", "distance": 9, "number": 0})).contains("no such puzzle"));
    assert!(
        begin(json!({"do": "play-on", "players": {"attackers": person(), "defenders": person()}}))
            .contains("no position")
    );
}

#[test]
fn a_link_and_exports_lead_back_to_the_game() {
    let mut host = Host::new(new_game("masters-edge", &person(), &person()));
    host.ask(json!({"do": "play", "move": "d1-d3"})).unwrap();
    host.ask(json!({"do": "link"})).unwrap();
    let fragment = host.events("link")[0]["fragment"].as_str().unwrap().to_owned();
    assert_eq!(fragment, "rules=masters-edge&moves=d1-d3");
    for format in ["text", "otg", "json"] {
        host.ask(json!({"do": "export", "format": format})).unwrap();
        let text = host.events("export")[0]["text"].as_str().unwrap().to_owned();
        let game = LiveGame::begin("game", &request(json!({"do": "import", "text": text})), None, &config(), 1);
        let read = game.unwrap_or_else(|error| panic!("{format}: {error}\n{text}"));
        assert_eq!(read.session().history(), host.game.session().history(), "{format}");
    }
    assert_eq!(host.game.session().game().position().side_to_move(), Side::Defenders);
}

#[test]
fn checkpoints_look_one_after_the_other_and_a_move_ends_it() {
    let mut host = Host::new(json!({"do": "new", "rules": {"name": "kvasir"}}));
    host.ask(json!({"do": "checkpoints"})).unwrap();
    // The checkpoints' nets follow the host's net.
    assert_eq!(host.jobs[0].net, 1);
    host.run();
    let seen: Vec<Value> = host.events("checkpoint-analysis").iter().map(|event| event["checkpoint"].clone()).collect();
    assert_eq!(seen, [json!(0), json!(1)]);
    host.ask(json!({"do": "checkpoints"})).unwrap();
    host.ask(json!({"do": "play", "move": "d1-d3"})).unwrap();
    assert!(host.jobs.is_empty());
}

#[test]
fn a_proof_is_shown_after_moves_and_its_moves_can_be_played() {
    let mut host = Host::new(json!({"do": "set-up", "rules": {"name": "kvasir"}, "side": "attackers",
        "pieces": {"c6": "king", "a1": "attacker", "i1": "attacker"}}));
    host.ask(json!({"do": "refute", "moves": []})).unwrap();
    host.run();
    let last = host.events("refutation").pop().unwrap();
    assert_eq!((&last["done"], &last["proven"]["winner"]), (&json!(true), &json!("defenders")), "{last}");
    let first = &last["branches"][0];
    assert!(host.ask(json!({"do": "refute", "moves": ["c6-c5"]})).is_err());
    host.ask(json!({"do": "variation", "moves": [first["move"], first["answer"]]})).unwrap();
    let state = host.events("state").pop().unwrap();
    assert_eq!(state["ending"]["winner"], "defenders", "{state}");
    // If one of the moves is illegal, none is played.
    host.ask(json!({"do": "go-to", "node": 0})).unwrap();
    assert!(host.ask(json!({"do": "variation", "moves": [first["move"], first["move"]]})).is_err());
    assert_eq!(host.game.session().game().ply(), 0);
}

#[test]
fn a_game_of_ones_own_gives_puzzles() {
    let mut host = Host::new(json!({"do": "set-up", "rules": {"name": "kvasir"}, "side": "defenders",
        "pieces": {"d6": "king", "d9": "attacker", "a6": "attacker", "i6": "attacker", "d1": "attacker"}}));
    host.ask(json!({"do": "play", "move": "d6-e6"})).unwrap();
    host.ask(json!({"do": "play", "move": "d1-e1"})).unwrap();
    let game = host.game.session().clone();
    let response = host
        .game
        .answer(request(json!({"do": "find-puzzles", "games": ["mine"]})), vec![("mine".to_owned(), game.clone())])
        .unwrap();
    host.receive(response);
    host.run();
    let found = host.events("found-puzzles").pop().unwrap();
    let puzzle = &found["puzzles"][0];
    assert_eq!(
        (&puzzle["game"], &puzzle["node"], &puzzle["distance"]),
        (&json!("mine"), &json!(0), &json!(2)),
        "{found}"
    );
    let begin = request(json!({"do": "own-puzzle", "game": "mine", "node": 0}));
    assert!(begin.begins_a_game());
    let mut puzzle = LiveGame::begin("puzzle", &begin, Some(&game), &config(), 7).unwrap();
    let greeted = puzzle.greet().one;
    assert!(greeted.iter().any(|event| matches!(event, Event::Exercise { index: None, .. })), "{greeted:?}");
    let elsewhere = request(json!({"do": "own-puzzle", "game": "mine", "node": 99}));
    assert!(LiveGame::begin("game", &elsewhere, Some(&game), &config(), 7).is_err());
}

#[test]
fn every_level_has_a_measured_rating_on_either_side() {
    for info in config().hello().levels {
        for side in ["attackers", "defenders"] {
            let rating = &info.ratings[side];
            let number = |key: &str| rating[key].as_f64().unwrap_or_else(|| panic!("{}: {rating}", info.level.name));
            assert!(number("low") <= number("elo") && number("elo") <= number("high"), "{rating}");
            assert!(number("games") > 0.0, "{rating}");
        }
    }
}
