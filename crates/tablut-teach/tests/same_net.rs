//! A learner and its players, driven as the page drives them, give the net of the training loop, also after a restart.

use serde_json::{Value, json};
use std::path::Path;
use tablut_games::{CancelToken, Concurrency, Counters, GenerationFile, LocalGames};
use tablut_learn::{Run, TrainConfig, train};
use tablut_net::{Engine, Inference, Model, Weights};
use tablut_teach::{Learner, TeachMessage, TeachPlayer};

const CONFIG: &str = r#"
rules = ["kvasir", "brandubh"]
shape = "lines32x1"
seed = 3
[schedule]
generations = 3
games = 10
simulations = 5
[selfplay]
max_plies = 40
[learning]
batch_size = 32
[evaluation]
against = []
games = 0
rating_share = 0.4
"#;

fn ask(learner: &mut Learner, request: &Value, parts: Vec<Vec<u8>>) -> (Value, Vec<Vec<u8>>) {
    let TeachMessage { json, parts } = learner.answer(&TeachMessage::new(request, parts)).unwrap();
    (serde_json::from_str(&json).unwrap(), parts)
}

/// Lets players play games, and returns them in the order in which they end.
fn play(begin: &Value, nets: &[Vec<u8>], games: &[usize], n_players: usize) -> Vec<Vec<u8>> {
    let mut finished = Vec::new();
    for number in 0..n_players {
        let mut player = TeachPlayer::default();
        player.answer(&TeachMessage::new(begin, nets.to_vec())).unwrap();
        let own: Vec<usize> = games.iter().copied().filter(|game| game % n_players == number).collect();
        player.answer(&TeachMessage::new(&json!({"do": "add", "games": own}), Vec::new())).unwrap();
        loop {
            let TeachMessage { json, parts } =
                player.answer(&TeachMessage::new(&json!({"do": "round"}), Vec::new())).unwrap();
            finished.extend(parts);
            let answer: Value = serde_json::from_str(&json).unwrap();
            if answer["running"] == 0 {
                break;
            }
        }
    }
    finished
}

/// What a page keeps of a run.
#[derive(Default)]
struct Kept {
    generation: Option<u64>,
    state: Vec<u8>,
    net: Vec<u8>,
    metrics: Vec<Value>,
    games: Vec<(u64, Vec<u8>)>,
}

impl Kept {
    fn open(&self, learner: &mut Learner) -> Value {
        let request = json!({
            "do": "open", "config": CONFIG, "rules": [], "generation": self.generation, "metrics": self.metrics,
            "games": self.games.iter().map(|(generation, _)| generation).collect::<Vec<_>>(), "spent": 0, "seconds": null,
        });
        let state = self.generation.map(|_| self.state.clone());
        let parts = state.into_iter().chain(self.games.iter().map(|(_, file)| file.clone())).collect();
        ask(learner, &request, parts).0
    }

    /// Runs a generation. `stops` ends it when its games are kept.
    fn generation(&mut self, learner: &mut Learner, state: &Value, n_players: usize, stops: bool) -> Option<Value> {
        if state["stored"] == false {
            let (order, nets) = ask(learner, &json!({"do": "order"}), Vec::new());
            let games: Vec<usize> = serde_json::from_value(order["missing"].clone()).unwrap();
            let begin = json!({"do": "play", "order": order["order"]});
            ask(learner, &json!({"do": "game"}), play(&begin, &nets, &games, n_players));
        }
        let (steps, file) = ask(learner, &json!({"do": "learn", "seconds": 1}), Vec::new());
        self.games.extend(file.into_iter().map(|file| (state["next"].as_u64().unwrap(), file)));
        if stops {
            return None;
        }
        for _ in 0..steps["steps"].as_u64().unwrap() {
            ask(learner, &json!({"do": "step"}), Vec::new());
        }
        let (learnt, nets) = ask(learner, &json!({"do": "learnt"}), Vec::new());
        for (index, text) in learnt["matches"].as_array().unwrap().iter().enumerate() {
            let opponent = if text["generation"].is_null() { &nets[1] } else { &self.net };
            let games: Vec<usize> = (0..2 * text["n_pairs"].as_u64().unwrap() as usize).collect();
            let begin = json!({"do": "match", "text": text});
            let played = play(&begin, &[nets[0].clone(), opponent.clone()], &games, n_players);
            ask(learner, &json!({"do": "rated", "index": index, "seconds": 1}), played);
        }
        let (state, mut files) = ask(learner, &json!({"do": "finish"}), Vec::new());
        self.metrics.push(state["metrics"].clone());
        self.generation = Some(state["next"].as_u64().unwrap() - 1);
        self.net = files.pop().unwrap();
        self.state = files.pop().unwrap();
        Some(state)
    }
}

fn trained() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let config = TrainConfig::parse(CONFIG, Path::new("test"), &[]).unwrap();
    let mut run = Run::open(folder.path(), config).unwrap();
    let engine = |weights: &Weights| Box::new(Engine::new(weights).unwrap()) as Box<dyn Inference>;
    let mut games = LocalGames::new(&engine, Concurrency { workers: 2, tasks_per_worker: 3 });
    train(&mut run, &mut games, &Counters::default(), &CancelToken::new(), None, &|_| {}).unwrap();
    std::fs::read(run.file(GenerationFile::Model, run.next_generation - 1)).unwrap()
}

#[test]
fn players_and_a_learner_give_the_net_of_the_training_loop() {
    let expected = trained();
    for n_players in [1, 3] {
        let (mut kept, mut learner) = (Kept::default(), Learner::default());
        let mut state = kept.open(&mut learner);
        while state["finished"] == false {
            state = kept.generation(&mut learner, &state, n_players, false).unwrap();
        }
        assert!(kept.net == expected, "{n_players} players");
        let (view, _) = ask(&mut learner, &json!({"do": "view"}), Vec::new());
        assert_eq!((&view["games"], &view["n_generations"]), (&json!(30), &json!(3)));
        assert!(view["generations"][0]["scores"][0]["opponent"] == "untrained", "{view}");
    }
}

#[test]
fn a_run_that_is_opened_again_gives_the_same_net() {
    let expected = trained();
    let (mut kept, mut stops) = (Kept::default(), true);
    loop {
        let mut learner = Learner::default();
        let state = kept.open(&mut learner);
        if state["finished"] == true {
            break;
        }
        kept.generation(&mut learner, &state, 2, stops);
        stops = !stops;
    }
    assert!(kept.net == expected);
    let model = Model::from_bytes(&kept.net).unwrap();
    assert_eq!(model.training.generations, 3);
}

#[test]
fn what_is_damaged_or_missing_is_named() {
    let mut kept = Kept::default();
    let mut learner = Learner::default();
    let state = kept.open(&mut learner);
    kept.generation(&mut learner, &state, 1, false).unwrap();
    let refused = |kept: &Kept, games: &[u64], parts: Vec<Vec<u8>>| {
        let request = json!({
            "do": "open", "config": CONFIG, "rules": [], "generation": kept.generation, "metrics": [], "games": games,
            "spent": 0, "seconds": null,
        });
        Learner::default().answer(&TeachMessage::new(&request, parts)).unwrap_err()
    };
    let mut damaged = kept.state.clone();
    let last = damaged.len() - 3;
    damaged[last] ^= 4;
    let (games, state) = (kept.games[0].1.clone(), kept.state.clone());
    assert!(refused(&kept, &[0], vec![damaged, games.clone()]).contains("generation 0"));
    assert!(refused(&kept, &[], vec![state.clone()]).contains("the games of generation 0 are missing"));
    assert!(refused(&kept, &[0], vec![state, games[..40].to_vec()]).contains("the games of generation 0: "));
    for (request, words) in [("step", "no generation is being learnt"), ("learn", "games are missing"), ("fly", "fly")]
    {
        let request = json!({"do": request, "seconds": 1});
        let error = learner.answer(&TeachMessage::new(&request, Vec::new())).unwrap_err();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_plan_for_a_slow_machine_is_smaller() {
    let plan = |speed: f64| {
        let request = json!({
            "do": "plan", "rules": {"name": "kvasir"}, "seconds": 120, "evaluations_per_second": speed, "players": 2,
            "seed": 5,
        });
        let (answer, _) = ask(&mut Learner::default(), &request, Vec::new());
        let config = TrainConfig::parse(answer["config"].as_str().unwrap(), Path::new("plan"), &[]).unwrap();
        config.schedule.games_before(u64::MAX)
    };
    assert!(2 * plan(5_000.0) < plan(20_000.0));
    let sides = json!({"toml": "base = \"kvasir\"\nname = \"odd\"\nstart = \"9/9/9/9/4K4/9/9/9/9\"\n"});
    let request = json!({
        "do": "plan", "rules": sides, "seconds": null, "evaluations_per_second": 1, "players": 1, "seed": 1,
    });
    assert!(Learner::default().answer(&TeachMessage::new(&request, Vec::new())).is_err());
}
