//! The host: the open game, its jobs, and the answers to the page's requests.

use crate::output::{Output, Wish};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tablut_net::{Engine, Model, NetEvaluator, PooledNet};
use tablut_rules::{Game, MoveList, Position, Symmetry};
use tablut_search::{Evaluator, Limit};
use tablut_session::protocol::{Call, Event, Request, RequestedRules, read_call};
use tablut_session::{
    Analysis, AnalysisMemory, DEMO_PAUSE, HostConfig, JobName, JobQueue, JobTask, LiveGame, PuzzleBook, Response,
    SavedGame, SearchOrder, Step, Thinking, export_games, words,
};

/// The letters of games' names. No two of them look alike.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
const NAME_LENGTH: usize = 16;

/// The most nodes of an analysis in each worker. They take about 100 MB.
const ANALYSIS_NODES: u32 = 250_000;

const NO_NET: &str = "the net is not loaded";
const NO_SEATS: &str = "a game with seats needs a server, so that both people can reach it: `tablut serve`";

#[derive(Clone, Debug, Deserialize)]
pub struct HostSettings {
    pub net: String,
    /// The seed of all random choices, as two halves, because a number in a browser has 53 bits.
    pub seed: [u32; 2],
    /// 0 for the worker that has the game. The others help in its searches, and each sees the board in another symmetry.
    #[serde(default)]
    pub worker: usize,
}

/// A request, with the files of saved games that it may need.
#[derive(Deserialize)]
struct CallWithGames {
    #[serde(flatten)]
    call: Call,
    #[serde(default)]
    saved: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct ReportOrder {
    rules: RequestedRules,
    position: Position,
    simulations: u32,
    lines: usize,
}

#[derive(Deserialize)]
struct EvaluationOrder {
    rules: RequestedRules,
    positions: Vec<Position>,
    rounds: u32,
}

/// A search of a position, with the same values as `tablut analyze --json` with one thread of plain instructions.
#[derive(Serialize)]
struct Report {
    best: String,
    value: f32,
    #[serde(flatten)]
    analysis: Analysis,
}

/// A net that was taught in this browser.
#[derive(Deserialize)]
struct TaughtNet {
    name: String,
    /// The length of its model file.
    bytes: usize,
}

pub struct BrowserHost {
    config: Arc<HostConfig>,
    /// The site's own net, once it is loaded, and then those that were taught here.
    nets: Vec<NetEvaluator>,
    game: Option<LiveGame>,
    jobs: JobQueue,
    rng: ChaCha8Rng,
    worker: usize,
    /// The job in which other workers take part, and the number of this search.
    shared: (Option<JobName>, u32),
    /// The search of a worker that helps.
    helping: Option<(SearchOrder, Thinking)>,
}

fn model_of(file: &[u8]) -> Result<Model, String> {
    Model::from_bytes(file).map_err(|error| format!("the net: {error}"))
}

/// What another worker has found in the search of this number.
#[derive(Deserialize)]
struct Found {
    number: u32,
    worker: usize,
    analysis: Analysis,
}

impl BrowserHost {
    pub fn new(settings: &HostSettings) -> Self {
        let config = HostConfig {
            nets: vec![settings.net.clone()],
            demo_pause: DEMO_PAUSE,
            analysis_memory: AnalysisMemory::of_nodes(ANALYSIS_NODES),
            ..HostConfig::default()
        };
        let [low, high] = settings.seed.map(u64::from);
        Self {
            config: Arc::new(config),
            nets: Vec::new(),
            game: None,
            jobs: JobQueue::default(),
            rng: ChaCha8Rng::seed_from_u64(high << 32 | low),
            worker: settings.worker,
            shared: (None, 0),
            helping: None,
        }
    }

    /// Takes the bytes of the site's own net.
    pub fn load_net(&mut self, bytes: &[u8]) -> Result<(), String> {
        let net = self.evaluator(&model_of(bytes)?)?;
        self.nets.splice(..self.nets.len().min(1), [net]);
        Ok(())
    }

    fn evaluator(&self, model: &Model) -> Result<NetEvaluator, String> {
        let engine = Engine::new(&model.weights).map_err(|error| format!("the net: {error}"))?;
        let symmetry = Symmetry::ALL[self.worker % Symmetry::ALL.len()];
        Ok(NetEvaluator::with_symmetry(Box::new(engine), symmetry))
    }

    /// Reads a model file that somebody has opened. Returns the first rule set that the net was trained on.
    pub fn read_net(file: &[u8]) -> Result<impl Serialize + use<>, String> {
        let model = Model::from_bytes(file).map_err(|error| error.to_string())?;
        Engine::new(&model.weights).map_err(|error| error.to_string())?;
        let rules = model.rules.first().ok_or("the net names no rules")?;
        Ok(json!({"rules": rules.name(), "toml": rules.set().to_toml()}))
    }

    /// Offers nets that were taught here, instead of those that it offered before. `argument` is a list in JSON with the
    /// name of each and the length of its file, a line break, and the files. Returns the information about each for interfaces.
    pub fn offer_nets(&mut self, argument: &[u8]) -> Result<Vec<Value>, String> {
        let end = argument.iter().position(|&byte| byte == b'\n').ok_or("the list of nets has no end")?;
        let (list, mut files) = (&argument[..end], &argument[end + 1..]);
        let list: Vec<TaughtNet> = serde_json::from_slice(list).map_err(|error| error.to_string())?;
        let mut nets = Vec::new();
        for TaughtNet { name, bytes } in list {
            let (file, rest) =
                files.split_at_checked(bytes).ok_or_else(|| format!("the net {name} is not complete"))?;
            files = rest;
            let model = model_of(file)?;
            let evaluator = self.evaluator(&model)?;
            let about = PooledNet::new(name.clone(), model, None).map_err(|error| error.to_string())?.about(&name);
            nets.push((name, about, evaluator));
        }
        let config = Arc::make_mut(&mut self.config);
        config.nets.truncate(1);
        self.nets.truncate(1);
        let mut abouts = Vec::new();
        for (name, about, evaluator) in nets {
            config.nets.push(name);
            self.nets.push(evaluator);
            abouts.push(about);
        }
        if let Some(game) = &mut self.game {
            game.set_config(self.config.clone());
        }
        Ok(abouts)
    }

    pub fn add_puzzles(&mut self, text: &str) -> Result<(), String> {
        Arc::make_mut(&mut self.config).puzzles.push(PuzzleBook::parse(text)?);
        Ok(())
    }

    /// Answers a request. Its text may have, in addition to the protocol's fields, `saved`: the files of saved games by name.
    pub fn request(&mut self, text: &str) -> Vec<Output> {
        let CallWithGames { call, saved } = match read_call(text) {
            Ok(call) => call,
            Err(refused) => return vec![Output::Event(refused)],
        };
        let mut outputs = Vec::new();
        let result = self.execute(call.request, &saved, &mut outputs);
        self.share(&mut outputs);
        outputs.push(Output::Event(Event::end(call.id, result)));
        outputs
    }

    /// Does one step of the work. `now` is the time since one moment in the past.
    pub fn step(&mut self, now: Duration) -> Vec<Output> {
        if self.nets.is_empty() {
            return Vec::new();
        }
        let update = match self.jobs.next(now) {
            Some(JobTask::Run(mut job)) => {
                let step = match self.nets.get_mut(job.net) {
                    Some(net) => job.step(net, now),
                    None => Err("the net of this search was deleted".to_owned()),
                };
                match step {
                    step @ (Ok(Step::Done(_)) | Err(_)) => self.jobs.finish(&job, step, now),
                    step => {
                        let update = job.update(step);
                        self.jobs.push(*job);
                        Some(update)
                    }
                }
            }
            Some(JobTask::Report(update)) => Some(update),
            None => None,
        };
        let mut outputs = Vec::new();
        if let (Some(update), Some(game)) = (update, &mut self.game) {
            let response = game.update(update);
            self.take(response, &mut outputs);
        }
        self.share(&mut outputs);
        outputs
    }

    /// Says whether somebody looks at the page. While nobody does, an analysis rests.
    pub fn set_hidden(&mut self, hidden: bool) {
        self.jobs.hidden = hidden;
    }

    /// Tells the other workers when a search begins or ends in which they may take part.
    fn share(&mut self, outputs: &mut Vec<Output>) {
        let shared = self.jobs.shared();
        let job = shared.as_ref().map(|(name, _)| name.clone());
        if job == self.shared.0 {
            return;
        }
        self.shared = (job, self.shared.1 + 1);
        let order = shared.map(|(_, search)| Box::new(search.order.clone()));
        outputs.push(Output::Wish(Wish::Search { number: self.shared.1, order }));
    }

    /// Takes what another worker has found: `number` of the search, `worker` and `analysis`.
    pub fn found(&mut self, text: &str) -> Result<(), String> {
        let Found { number, worker, analysis } = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if let (true, Some((_, search))) = (number == self.shared.1, self.jobs.shared()) {
            search.take(worker, analysis);
        }
        Ok(())
    }

    /// Begins a search for another worker, or goes on with the last one if it is the same.
    pub fn help(&mut self, order: &str) -> Result<(), String> {
        let order: SearchOrder = serde_json::from_str(order).map_err(|error| error.to_string())?;
        if self.helping.as_ref().is_none_or(|(known, _)| *known != order) {
            self.helping = Some((order.clone(), order.thinking()?));
        }
        Ok(())
    }

    /// Does one step of that search. Returns false if it has ended.
    pub fn help_step(&mut self) -> Result<bool, String> {
        let (Some(net), Some(helping)) = (self.nets.first_mut(), &mut self.helping) else { return Ok(false) };
        helping.1.step(net, Duration::ZERO).map_err(|error| error.to_string())
    }

    /// What that search has found so far.
    pub fn help_found(&self) -> Result<Analysis, String> {
        let (_, helping) = self.helping.as_ref().ok_or("there is no search")?;
        Ok(helping.analysis(usize::MAX))
    }

    /// The time until [`Self::step`] has something to do: zero for at once, `None` until something arrives.
    pub fn pause(&mut self, now: Duration) -> Option<Duration> {
        self.nets.first()?;
        self.jobs.pause(now)
    }

    /// Searches a position as `tablut analyze` does. `order` has `rules`, `position`, `simulations` and the number of `lines`.
    /// The net must be loaded.
    pub fn report(&mut self, order: &str) -> Result<impl Serialize + use<>, String> {
        let order: ReportOrder = serde_json::from_str(order).map_err(|error| error.to_string())?;
        let game = Game::from_position(order.rules.compiled()?, order.position).map_err(|error| error.to_string())?;
        if game.outcome().is_some() {
            return Err("the game is over".to_owned());
        }
        let mut thinking = Thinking::for_report(&game, Limit::of_simulations(order.simulations));
        let net = self.nets.first_mut().ok_or(NO_NET)?;
        while thinking.step(net, Duration::ZERO).map_err(|error| error.to_string())? {}
        let result = thinking.result();
        Ok(Report { best: result.chosen.to_string(), value: result.value, analysis: thinking.analysis(order.lines) })
    }

    /// Evaluates positions in one batch, to measure the net's speed and to compare its bits. `order` has the name of the
    /// `rules`, a list of `positions`, and how often they are evaluated, `rounds`. Returns for each position the logits of
    /// its moves, the chances, and the moves left. The net must be loaded.
    pub fn evaluate(&mut self, order: &str) -> Result<Vec<Vec<f32>>, String> {
        let order: EvaluationOrder = serde_json::from_str(order).map_err(|error| error.to_string())?;
        let (rules, mut moves) = (order.rules.compiled()?, MoveList::new());
        let mut situation = |position: &Position| {
            let game = Game::from_position(rules.clone(), *position).map_err(|error| error.to_string())?;
            game.legal_moves(&mut moves);
            Ok(game.owned_situation(&moves))
        };
        let situations = order.positions.iter().map(&mut situation).collect::<Result<Vec<_>, String>>()?;
        let net = self.nets.first_mut().ok_or(NO_NET)?;
        let mut found = Vec::new();
        for _ in 0..order.rounds {
            found = net.evaluate(&situations).map_err(|error| error.to_string())?;
        }
        Ok(found.into_iter().map(|found| [&found.logits[..], &found.wdl, &[found.moves_left]].concat()).collect())
    }

    fn execute(
        &mut self,
        request: Request,
        saved: &BTreeMap<String, String>,
        outputs: &mut Vec<Output>,
    ) -> Result<(), String> {
        let read = |name: &str| {
            let text = saved.get(name).ok_or_else(|| format!("there is no game {:?} here", words::shorten(name)))?;
            SavedGame::from_json(text).and_then(|saved| saved.session()).map_err(|error| error.to_string())
        };
        // Unknown games are skipped.
        let known = |name: &String| Some((name.clone(), read(name).ok()?));
        match request {
            // The list of games can export them without an open game.
            Request::ExportGames { games } => {
                let games: Vec<_> = games.iter().filter_map(known).collect();
                outputs.push(Output::Event(export_games(&games)?));
            }
            Request::Open { game } => {
                // Another window may have played on in the open game.
                let is_as_saved = self.game.as_ref().is_some_and(|live| {
                    live.name() == game && saved.get(&game).is_none_or(|text| *text == live.session().saved().to_json())
                });
                if !is_as_saved {
                    let session = read(&game)?;
                    let seed = self.rng.random();
                    self.open(LiveGame::new(game, session, self.config.clone(), seed));
                }
                self.greet(outputs);
            }
            Request::New { seats: Some(true), .. } => return Err(NO_SEATS.to_owned()),
            request if request.begins_a_game() => {
                let own = match &request {
                    Request::OwnPuzzle { game, .. } => Some(read(game)?),
                    _ => None,
                };
                let (seed, name) = (self.rng.random(), self.new_name());
                let present = own.as_ref().or(self.game.as_ref().map(LiveGame::session));
                let live = LiveGame::begin(name, &request, present, &self.config, seed)?;
                self.open(live);
                self.greet(outputs);
            }
            request if request.is_about_teaching() => {
                return Err("a request about teaching, which the page's worker answers".to_owned());
            }
            Request::Sit { .. } => return Err(NO_SEATS.to_owned()),
            request => {
                let games = request.games().iter().filter_map(known).collect();
                let game = self.game.as_mut().ok_or("no game is open: begin with `new` or `open`")?;
                let response = game.answer(request, games)?;
                self.take(response, outputs);
            }
        }
        Ok(())
    }

    fn open(&mut self, game: LiveGame) {
        let hidden = self.jobs.hidden;
        self.jobs = JobQueue::default();
        self.jobs.hidden = hidden;
        self.game = Some(game);
    }

    fn greet(&mut self, outputs: &mut Vec<Output>) {
        let Some(game) = &mut self.game else { return };
        let response = game.greet();
        self.take(response, outputs);
    }

    fn take(&mut self, response: Response, outputs: &mut Vec<Output>) {
        let Some(game) = &self.game else { return };
        if response.changed {
            let (game, text) = (game.name().to_owned(), game.session().saved().to_json());
            outputs.push(Output::Wish(Wish::Save { game, text }));
        }
        response.jobs.into_iter().for_each(|job| self.jobs.push(job));
        outputs.extend(response.one.into_iter().chain(response.all).map(Output::Event));
    }

    fn new_name(&mut self) -> String {
        (0..NAME_LENGTH).map(|_| char::from(LETTERS[self.rng.random_range(0..LETTERS.len())])).collect()
    }
}
