//! The worker that learns. It holds the run.

use crate::message::TeachMessage;
use crate::order::OrderText;
use crate::plan::Plan;
use serde::Deserialize;
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tablut_games::{
    GameRecord, GameSourceError, GenerationMetrics, RecordFile, ReplayedGame, SelfPlayMetrics, records_from_bytes,
    records_to_bytes, unpack_game,
};
use tablut_learn::{
    Checkpoint, ComputeDevice, GENERATIONS_COUNTED, GenerationSteps, RunState, TrainConfig, TrainError, rating_pairs,
};
use tablut_net::{Model, TrainingSummary};
use tablut_rules::{Results, RuleSet, Rules};
use tablut_session::Shares;

use crate::rating::{MatchText, OPPONENTS};
use crate::views::{game_view, generation_views};

/// The largest game that a player may send, in bytes.
const MAX_GAME_BYTES: usize = 64 << 20;
/// The results of fewer games say less than those of the generation before.
const FEW_GAMES: usize = 20;

/// A request to the learner.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
enum Request {
    /// Makes a config.
    Plan(Plan),
    /// Opens a run. The parts are the state of the last complete generation, if there is one, and then the files of
    /// games of the generations `games`.
    Open(Opening),
    /// The order of the next generation's games. The answer's part is the net that plays them.
    Order,
    /// Takes a game, which is the part.
    Game,
    /// Begins to learn from the games, all of which are there. They took this many `seconds` to play. The answer's part is
    /// the file of the games, if these were played now.
    Learn { seconds: f64 },
    /// Takes a step.
    Step,
    /// Ends the steps. The answer has the matches of the new net. Its parts are this net and the untrained one.
    Learnt,
    /// Takes the games of the match with this index, in their order, which took this many `seconds`.
    Rated { index: usize, seconds: f64 },
    /// Ends the generation. The answer's parts are its state and its net.
    Finish,
    /// Plans further generations of a run that has taken `spent` seconds and may take `seconds` more.
    Extend { spent: f64, seconds: f64 },
    /// Shows the last game that has arrived.
    Show,
    /// What the run shows to people.
    View,
    /// What a run with these metrics shows to people. It need not be open.
    Views { metrics: Vec<GenerationMetrics> },
}

#[derive(Deserialize)]
struct Opening {
    /// The config, as TOML.
    config: String,
    /// The rule sets that the config names, as TOML.
    rules: Vec<String>,
    /// The last complete generation.
    generation: Option<u64>,
    /// The metrics of all complete generations.
    metrics: Vec<GenerationMetrics>,
    /// The generations whose games are there.
    games: Vec<u64>,
    /// Seconds that the run has taken so far.
    spent: f64,
    /// Seconds that it may take from now on.
    seconds: Option<f64>,
}

/// A request with the seconds since the run was opened.
#[derive(Deserialize)]
struct Timed {
    #[serde(default)]
    now: f64,
    #[serde(flatten)]
    request: Request,
}

/// Learns, and says what is to be played.
#[derive(Default)]
pub struct Learner {
    run: Option<Learning>,
    now: Rc<Cell<Duration>>,
}

/// An open run.
struct Learning {
    run: RunState,
    /// The games of the next generation, by number, as far as they are there.
    games: Vec<Option<GameRecord>>,
    /// Whether these games were stored already.
    are_stored: bool,
    steps: Option<GenerationSteps>,
    /// The generation that was learnt, with the matches of its net.
    learnt: Option<(GenerationMetrics, Vec<MatchText>)>,
    /// The last game that has arrived.
    last: Option<GameRecord>,
    now: Rc<Cell<Duration>>,
}

impl Learner {
    /// Answers a request.
    ///
    /// # Errors
    /// If the request is not valid at this moment, a file is damaged, or learning diverges.
    pub fn answer(&mut self, message: &TeachMessage) -> Result<TeachMessage, String> {
        let Timed { now, request } = serde_json::from_str(&message.json).map_err(|error| error.to_string())?;
        self.now.set(Duration::try_from_secs_f64(now).unwrap_or_default());
        if let Request::Plan(plan) = request {
            return Ok(TeachMessage::new(&plan.planned()?, Vec::new()));
        }
        if let Request::Views { metrics } = request {
            return Ok(TeachMessage::new(&view(&metrics, 0, Results::default()), Vec::new()));
        }
        if let Request::Open(opening) = request {
            let learning = Learning::open(&opening, &message.parts, self.now.clone())?;
            let answer = learning.state();
            self.run = Some(learning);
            return Ok(TeachMessage::new(&answer, Vec::new()));
        }
        let learning = self.run.as_mut().ok_or("there is no run")?;
        match request {
            Request::Plan(_) | Request::Open(_) | Request::Views { .. } | Request::Order => learning.order(),
            Request::Game => learning.take(&message.parts),
            Request::Learn { seconds } => learning.learn(seconds),
            Request::Step => learning.step(),
            Request::Learnt => learning.learnt(),
            Request::Rated { index, seconds } => learning.rated(index, seconds, &message.parts),
            Request::Finish => learning.finish(),
            Request::Extend { spent, seconds } => {
                plan(&mut learning.run, spent, seconds, learning.now.clone(), false)?;
                learning.games = vec![None; learning.run.config.schedule.games_at(learning.run.next_generation)];
                Ok(TeachMessage::new(&learning.state(), Vec::new()))
            }
            Request::Show => Ok(learning.show()),
            Request::View => Ok(learning.view()),
        }
    }
}

impl Learning {
    fn open(opening: &Opening, parts: &[Vec<u8>], now: Rc<Cell<Duration>>) -> Result<Self, String> {
        let config = TrainConfig::parse(&opening.config, Path::new("of the run"), &[]).map_err(text)?;
        if config.schedule.lag > 0 || config.start.is_some() {
            return Err("a run in a browser has schedule.lag = 0 and no `start`".to_owned());
        }
        let sets = opening.rules.iter().map(|rules| RuleSet::from_toml(rules).map(|set| (set.name.clone(), set)));
        let kept: BTreeMap<_, _> = sets.collect::<Result<_, _>>().map_err(text)?;
        let rules = config.rules_with(&kept).map_err(text)?;
        let mut parts = parts.iter();
        let checkpoint = opening.generation.map(|generation| {
            let state = parts.next().ok_or("the state is missing")?;
            Checkpoint::from_state_bytes(generation, state).map_err(|error| format!("generation {generation}: {error}"))
        });
        let mut files = BTreeMap::new();
        let checkpoint = checkpoint.transpose()?;
        for &generation in &opening.games {
            let file = parts.next().ok_or_else(|| missing_games(generation).to_string())?;
            let file =
                records_from_bytes(file).map_err(|error| format!("the games of generation {generation}: {error}"))?;
            files.insert(generation, file);
        }
        let mut run = RunState::new(config, rules, None, checkpoint, ComputeDevice::default());
        run.metrics.clone_from(&opening.metrics);
        let games_of = |generation| match files.get(&generation) {
            Some(file) => Ok(file.games.clone()),
            None => Err(missing_games(generation)),
        };
        run.refill(games_of).map_err(text)?;
        let next = run.next_generation;
        let stored = files.remove(&next);
        if let Some(seconds) = opening.seconds {
            plan(&mut run, opening.spent, seconds, now.clone(), stored.is_some())?;
        }
        let are_stored = stored.is_some();
        let games = match stored {
            Some(file) => file.games.into_iter().map(Some).collect(),
            None => vec![None; run.config.schedule.games_at(next)],
        };
        Ok(Self { run, games, are_stored, steps: None, learnt: None, last: None, now })
    }

    /// What the page must know of the run.
    fn state(&self) -> Value {
        let RunState { config, next_generation, .. } = &self.run;
        json!({
            "next": next_generation,
            "generations": config.schedule.generations,
            "finished": self.run.is_finished(),
            "config": config.to_toml(),
            "needed": self.first_needed(),
            "stored": self.are_stored,
        })
    }

    /// The first generation whose games are needed to open the run again.
    fn first_needed(&self) -> u64 {
        let next = self.run.next_generation;
        // The newest generation that does not fit into the window shows that it does not.
        let of_window = next.saturating_sub(self.run.window.n_generations() as u64 + 1);
        of_window.min(next.saturating_sub(GENERATIONS_COUNTED))
    }

    /// The numbers of the games that are still to be played.
    fn missing(&self) -> Vec<usize> {
        (0..self.games.len()).filter(|&index| self.games[index].is_none()).collect()
    }

    fn order(&self) -> Result<TeachMessage, String> {
        let generation = self.run.next_generation;
        let order = self.run.order(generation, self.run.learner.averaged_weights());
        let net = self.run.model().to_bytes().map_err(text)?;
        let order = OrderText::new(&self.run.config, &order);
        Ok(TeachMessage::new(&json!({"order": order, "missing": self.missing()}), vec![net]))
    }

    fn take(&mut self, parts: &[Vec<u8>]) -> Result<TeachMessage, String> {
        for part in parts {
            let (game, _) = unpack_game(part, MAX_GAME_BYTES)?;
            let n_games = self.games.len();
            let index = usize::try_from(game.index).unwrap_or(usize::MAX);
            let place = self.games.get_mut(index).ok_or_else(|| format!("game {index} of {n_games} games"))?;
            self.last = Some(game.clone());
            *place = Some(game);
        }
        Ok(TeachMessage::new(&json!({"missing": self.missing().len()}), Vec::new()))
    }

    fn learn(&mut self, seconds: f64) -> Result<TeachMessage, String> {
        let missing = self.missing().len();
        if missing > 0 {
            return Err(format!("{missing} games are missing"));
        }
        let games: Vec<GameRecord> = self.games.drain(..).flatten().collect();
        let evaluations = games.iter().map(|game| game.evaluations).sum();
        let run = &mut self.run;
        let counted = SelfPlayMetrics::count(&run.rules, &games).map_err(text)?;
        let selfplay = SelfPlayMetrics { seconds, evaluations, ..counted };
        run.count_results(&games);
        let replayed = ReplayedGame::replay_all(&run.rules, &games).map_err(text)?;
        let file = RecordFile::new(evaluations, run.rules.iter().map(|rules| &**rules), games);
        let parts = if self.are_stored { Vec::new() } else { vec![records_to_bytes(&file)?] };
        let clock = self.now.clone();
        let steps = GenerationSteps::begin(run, replayed, selfplay, &|| clock.get()).map_err(text)?;
        let answer = json!({"steps": steps.steps});
        self.steps = Some(steps);
        Ok(TeachMessage::new(&answer, parts))
    }

    fn step(&mut self) -> Result<TeachMessage, String> {
        let steps = self.steps.as_mut().ok_or("no generation is being learnt")?;
        let (report, _) = steps.step(&self.run).map_err(text)?;
        Ok(TeachMessage::new(&json!({"done": steps.is_done(), "loss": report.loss.sum()}), Vec::new()))
    }

    fn learnt(&mut self) -> Result<TeachMessage, String> {
        let steps = self.steps.take().filter(GenerationSteps::is_done).ok_or("no generation has been learnt")?;
        let (run, clock) = (&mut self.run, self.now.clone());
        let metrics = steps.end(run, &|| clock.get()).map_err(text)?;
        let pairs = rating_pairs(&run.config, &run.rules, &OPPONENTS, metrics.generation, &run.metrics);
        let matches: Vec<_> = pairs.iter().map(|pairs| MatchText::new(pairs, &run.rules, &run.config)).collect();
        let training = TrainingSummary::default();
        let start = Model { weights: run.config.initial_weights(), rules: run.stated_rules(), training, card: None };
        let nets = [run.model(), start].map(|net| net.to_bytes().map_err(text));
        let answer = TeachMessage::new(&json!({"matches": &matches}), nets.into_iter().collect::<Result<_, _>>()?);
        self.learnt = Some((metrics, matches));
        Ok(answer)
    }

    fn rated(&mut self, index: usize, seconds: f64, parts: &[Vec<u8>]) -> Result<TeachMessage, String> {
        let (metrics, matches) = self.learnt.as_mut().ok_or("no generation has been learnt")?;
        let found = matches.get(index).ok_or_else(|| format!("match {index} of {}", matches.len()))?;
        let mut games = Vec::new();
        for part in parts {
            games.push(unpack_game(part, MAX_GAME_BYTES)?.0);
        }
        games.sort_by_key(|game| game.index);
        let rules = self.run.rules.get(found.rules).ok_or("a match under other rules")?;
        let rating = metrics.rating.get_or_insert_default();
        rating.simulations = found.simulations;
        rating.seconds += seconds;
        rating.matches.push(found.rated(rules, &games));
        Ok(TeachMessage::new(&json!({}), Vec::new()))
    }

    fn finish(&mut self) -> Result<TeachMessage, String> {
        let (metrics, _) = self.learnt.take().ok_or("no generation has been learnt")?;
        let run = &mut self.run;
        let generation = run.next_generation;
        let state = run.checkpoint(generation).state_bytes().map_err(text)?;
        let net = run.model().to_bytes().map_err(text)?;
        run.metrics.push(metrics.clone());
        run.next_generation += 1;
        run.follow_time(|_| false);
        self.games = vec![None; run.config.schedule.games_at(run.next_generation)];
        self.are_stored = false;
        let mut answer = self.state();
        answer["metrics"] = json!(metrics);
        Ok(TeachMessage::new(&answer, vec![state, net]))
    }

    fn show(&self) -> TeachMessage {
        let shown = self.last.as_ref().and_then(|game| game_view(self.rules_of(game)?, game, self.run.next_generation));
        TeachMessage::new(&shown, Vec::new())
    }

    fn view(&self) -> TeachMessage {
        let arrived = self.games.iter().flatten();
        let newest = arrived.clone().filter_map(|game| Some(game.results(self.rules_of(game)?))).sum();
        TeachMessage::new(&view(&self.run.metrics, arrived.count(), newest), Vec::new())
    }

    fn rules_of(&self, game: &GameRecord) -> Option<&Arc<Rules>> {
        self.run.rules.iter().find(|rules| rules.name() == game.rules)
    }
}

/// Plans a run that has taken `spent` seconds and may take `seconds` more.
fn plan(
    run: &mut RunState,
    spent: f64,
    seconds: f64,
    now: Rc<Cell<Duration>>,
    next_is_played: bool,
) -> Result<(), String> {
    // The metrics do not have the time of everything.
    let measured: f64 = run.metrics.iter().map(GenerationMetrics::seconds).sum();
    let unmeasured = Duration::try_from_secs_f64((spent - measured).max(0.0)).map_err(text)?;
    let time = Duration::try_from_secs_f64(spent.max(measured) + seconds).map_err(text)?;
    if run.is_finished() {
        let mean = spent.max(measured) / run.next_generation.max(1) as f64;
        run.config.schedule.generations += ((seconds / mean.max(1e-3)) as u64).max(1);
    }
    let next = run.next_generation;
    let began = now.get();
    let clock = Box::new(move || unmeasured + now.get().saturating_sub(began));
    run.keep_to(time, clock, |generation| next_is_played && generation == next);
    Ok(())
}

/// What people see of a run with these metrics, `arrived` games of the next generation and their results.
fn view(metrics: &[GenerationMetrics], arrived: usize, newest: Results) -> Value {
    let last = metrics.last().map(|line| line.selfplay.results);
    let results = last.filter(|_| newest.games() < FEW_GAMES).unwrap_or(newest);
    let before: usize = metrics.iter().map(|line| line.selfplay.games).sum();
    json!({
        "games": before + arrived,
        "results": Shares::of(results),
        "n_generations": metrics.len(),
        "generations": generation_views(metrics),
    })
}

fn missing_games(generation: u64) -> TrainError {
    TrainError::Games(GameSourceError::Other(format!("the games of generation {generation} are missing").into()))
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
