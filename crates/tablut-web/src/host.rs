//! The host: the open game, its jobs, and the answers to the page's requests.

use crate::jobs::Jobs;
use crate::output::{Output, Wish};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tablut_net::{Engine, Model, NetEvaluator};
use tablut_rules::{Game, MoveList, Position, Side};
use tablut_search::{Evaluator, Limit};
use tablut_session::protocol::{Call, Event, Request, RequestedRules};
use tablut_session::{Analysis, HostConfig, LiveGame, PuzzleBook, Response, SavedGame, Session, Thinking, words};

/// The letters of games' names. No two of them look alike.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
/// The length of games' names.
const NAME_LENGTH: usize = 16;
/// Least time between two moves of the computer against itself, so that people can follow the game.
const DEMO_PAUSE: Duration = Duration::from_millis(700);

/// The refusal of work without a net.
const NO_NET: &str = "the net is not loaded";
/// The refusal of requests about seats.
const NO_SEATS: &str = "a game with seats needs a server, so that both people can reach it: `tablut serve`";

/// What a host is told at its start.
#[derive(Clone, Debug, Deserialize)]
pub struct HostSettings {
    /// The name of the net.
    pub net: String,
    /// The seed of all random choices, as two halves, because a number in a browser has 53 bits.
    pub seed: [u32; 2],
}

/// A request, with the files of saved games that it may need.
#[derive(Deserialize)]
struct CallWithGames {
    #[serde(flatten)]
    call: Call,
    /// The files by the games' names.
    #[serde(default)]
    saved: BTreeMap<String, String>,
}

/// A position to report on.
#[derive(Deserialize)]
struct ReportOrder {
    rules: RequestedRules,
    position: Position,
    simulations: u32,
    lines: usize,
}

/// A search of a position, with the same values as `tablut analyze --json` with one thread of plain instructions.
#[derive(Serialize)]
struct Report {
    best: String,
    value: f32,
    #[serde(flatten)]
    analysis: Analysis,
}

/// One game in a browser.
pub struct BrowserHost {
    config: Arc<HostConfig>,
    /// The net, once it is loaded.
    net: Option<NetEvaluator>,
    game: Option<(String, LiveGame)>,
    jobs: Jobs,
    rng: ChaCha8Rng,
}

impl BrowserHost {
    /// A host without a net and puzzles.
    pub fn new(settings: &HostSettings) -> Self {
        let config = HostConfig { nets: vec![settings.net.clone()], demo_pause: DEMO_PAUSE, ..HostConfig::default() };
        let [low, high] = settings.seed.map(u64::from);
        Self {
            config: Arc::new(config),
            net: None,
            game: None,
            jobs: Jobs::default(),
            rng: ChaCha8Rng::seed_from_u64(high << 32 | low),
        }
    }

    /// Takes the bytes of the net's model file.
    ///
    /// # Errors
    /// If the bytes are not a model file.
    pub fn load_net(&mut self, bytes: &[u8]) -> Result<(), String> {
        let model = Model::from_bytes(bytes).map_err(|error| format!("the net: {error}"))?;
        let engine = Engine::new(&model.weights).map_err(|error| format!("the net: {error}"))?;
        self.net = Some(NetEvaluator::new(Box::new(engine)));
        Ok(())
    }

    /// Takes the text of a puzzle file.
    ///
    /// # Errors
    /// If the text is not a valid puzzle file.
    pub fn add_puzzles(&mut self, text: &str) -> Result<(), String> {
        Arc::make_mut(&mut self.config).puzzles.push(PuzzleBook::parse(text)?);
        Ok(())
    }

    /// Answers a request. Its text may have, in addition to the protocol's fields, `saved`: the files of saved games by name.
    pub fn request(&mut self, text: &str) -> Vec<Output> {
        let CallWithGames { call, saved } = match serde_json::from_str(text) {
            Ok(call) => call,
            Err(error) => {
                let re = serde_json::from_str::<Value>(text).ok().and_then(|value| value["id"].as_u64()).unwrap_or(0);
                return vec![Output::Event(Event::Refused { re, error: format!("not a request: {error}") })];
            }
        };
        let mut outputs = Vec::new();
        let result = self.execute(call.request, &saved, &mut outputs);
        outputs.push(Output::Event(match result {
            Ok(()) => Event::Done { re: call.id },
            Err(error) => Event::Refused { re: call.id, error },
        }));
        outputs
    }

    /// Does one step of the work. `now` is the time since one moment in the past.
    pub fn step(&mut self, now: Duration) -> Vec<Output> {
        let mut outputs = Vec::new();
        if let Some(net) = &mut self.net
            && let Some(taken) = self.jobs.step(now, net)
            && let Some((_, game)) = &mut self.game
        {
            let response = game.update(taken.job, taken.step);
            self.take(response, &mut outputs);
        }
        outputs
    }

    /// The time until [`Self::step`] has something to do: zero for at once, `None` until something arrives.
    pub fn pause(&mut self, now: Duration) -> Option<Duration> {
        self.net.as_ref()?;
        self.jobs.pause(now)
    }

    /// Searches a position as `tablut analyze` does. `order` has `rules`, `position`, `simulations` and the number of `lines`.
    /// The net must be loaded.
    ///
    /// # Errors
    /// If the order or its position is not valid, the game is over, or the net is missing.
    pub fn report(&mut self, order: &str) -> Result<impl Serialize + use<>, String> {
        let order: ReportOrder = serde_json::from_str(order).map_err(|error| error.to_string())?;
        let game = Game::from_position(order.rules.compiled()?, order.position).map_err(|error| error.to_string())?;
        if game.outcome().is_some() {
            return Err("the game is over".to_owned());
        }
        let mut thinking = Thinking::for_report(&game, Limit::of_simulations(order.simulations));
        let net = self.net.as_mut().ok_or(NO_NET)?;
        while thinking.step(net, Duration::ZERO).map_err(|error| error.to_string())? {}
        let result = thinking.result();
        Ok(Report { best: result.chosen.to_string(), value: result.value, analysis: thinking.analysis(order.lines) })
    }

    /// Evaluates one position in `batches` batches of 16, to measure the net's speed. The net must be loaded.
    ///
    /// # Errors
    /// If the net is not loaded.
    pub fn evaluate(&mut self, batches: u32) -> Result<(), String> {
        let rules = RequestedRules::Name("tartu".to_owned()).compiled()?;
        let (game, mut moves) = (Game::new(rules, Side::Attackers), MoveList::new());
        game.legal_moves(&mut moves);
        let queries = vec![game.owned_situation(&moves); 16];
        let net = self.net.as_mut().ok_or(NO_NET)?;
        (0..batches).try_for_each(|_| net.evaluate(&queries).map(drop)).map_err(|error| error.to_string())
    }

    fn execute(
        &mut self,
        request: Request,
        saved: &BTreeMap<String, String>,
        outputs: &mut Vec<Output>,
    ) -> Result<(), String> {
        let read = |name: &str| {
            let text = saved.get(name).ok_or_else(|| format!("there is no game {:?} here", words::shortened(name)))?;
            SavedGame::from_json(text).and_then(|saved| saved.session()).map_err(|error| error.to_string())
        };
        let present = self.game.as_ref().map(|(_, game)| game.session());
        match request {
            Request::Open { game } => {
                // Another window may have played on in the open game.
                let is_as_saved = self.game.as_ref().is_some_and(|(name, live)| {
                    *name == game && saved.get(name).is_none_or(|text| *text == live.session().saved().to_json())
                });
                if !is_as_saved {
                    let live = LiveGame::new(read(&game)?, self.config.clone(), self.rng.random());
                    self.jobs = Jobs::default();
                    self.game = Some((game, live));
                }
                self.greet(outputs);
            }
            Request::New { seats: Some(true), .. } => return Err(NO_SEATS.to_owned()),
            request if request.begins_a_game() => {
                let own = match &request {
                    Request::OwnPuzzle { game, .. } => Some(read(game)?),
                    _ => None,
                };
                let live = LiveGame::begin(&request, own.as_ref().or(present), &self.config, self.rng.random())?;
                let name = self.new_name();
                // An imported game is saved before its next move.
                if !live.is_untouched()
                    && !matches!(request, Request::Puzzle { .. } | Request::OwnPuzzle { .. } | Request::Lesson { .. })
                {
                    outputs.push(saved_game(&name, live.session()));
                }
                self.jobs = Jobs::default();
                self.game = Some((name, live));
                self.greet(outputs);
            }
            Request::FindPuzzles { games } => {
                // Unknown games are skipped.
                let games = games.into_iter().filter_map(|name| read(&name).ok().map(|session| (name, session)));
                let games = games.collect();
                let response = self.open_game()?.find_puzzles(games);
                self.take(response, outputs);
            }
            Request::ExportGames { games } => {
                // Unknown games are skipped.
                let sessions: Vec<Session> = games.iter().filter_map(|name| read(name).ok()).collect();
                outputs.push(Output::Event(LiveGame::export_games(&sessions)?));
            }
            Request::Train { .. } | Request::StopTraining => {
                return Err("training needs the program: `tablut serve`".to_owned());
            }
            Request::Sit { .. } => return Err(NO_SEATS.to_owned()),
            request => {
                let response = self.open_game()?.answer(request)?;
                self.take(response, outputs);
            }
        }
        Ok(())
    }

    fn open_game(&mut self) -> Result<&mut LiveGame, String> {
        let game = self.game.as_mut().ok_or("no game is open: begin with `new` or `open`")?;
        Ok(&mut game.1)
    }

    /// Sends everything about the open game.
    fn greet(&mut self, outputs: &mut Vec<Output>) {
        let Some((name, game)) = &mut self.game else { return };
        let response = game.greet(name);
        self.take(response, outputs);
    }

    /// Starts a response's jobs, and passes its events on.
    fn take(&mut self, response: Response, outputs: &mut Vec<Output>) {
        let Some((name, game)) = &self.game else { return };
        if response.changed && !game.is_untouched() {
            outputs.push(saved_game(name, game.session()));
        }
        response.jobs.into_iter().for_each(|job| self.jobs.add(job));
        outputs.extend(response.one.into_iter().chain(response.all).map(Output::Event));
    }

    fn new_name(&mut self) -> String {
        (0..NAME_LENGTH).map(|_| char::from(LETTERS[self.rng.random_range(0..LETTERS.len())])).collect()
    }
}

fn saved_game(name: &str, session: &Session) -> Output {
    Output::Wish(Wish::Save { game: name.to_owned(), text: session.saved().to_json() })
}
