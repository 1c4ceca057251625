//! A worker that plays games of an order.

use crate::message::TeachMessage;
use crate::order::OrderText;
use crate::rating::{Match, MatchText};
use serde::Deserialize;
use serde_json::json;
use std::sync::atomic::Ordering;
use tablut_arena::MatchGame;
use tablut_games::{CancelToken, Counters, GameOrder, GameRecord, LeafRequest, Rounds, SelfPlayGame, Task, pack_game};
use tablut_net::{Engine, Model, NetEvaluator};
use tablut_players::PlayerError;
use tablut_search::{Evaluation, Evaluator};

/// A request to a player.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
enum Request {
    /// Begins an order. The part is the model file of its net.
    Play { order: OrderText },
    /// Begins a match. The parts are the model files of the newest net and of the opponent.
    Match { text: MatchText },
    /// Begins these games of the order.
    Add { games: Vec<usize> },
    /// Takes one step in every running game. The answer's parts are the finished games.
    Round,
}

/// Plays the games that it is given, one order after the other.
#[derive(Default)]
pub struct TeachPlayer {
    playing: Option<Playing>,
}

struct Playing {
    work: Work,
    evaluators: Vec<Box<dyn Evaluator>>,
    rounds: Rounds<AnyGame>,
    counters: Counters,
}

enum Work {
    SelfPlay(Box<GameOrder>),
    Match(Match),
}

/// A game that is being played.
enum AnyGame {
    SelfPlay(Box<SelfPlayGame>),
    Match(Box<MatchGame>),
}

impl Work {
    fn game(&self, index: usize) -> Option<AnyGame> {
        match self {
            Self::SelfPlay(order) => (index < order.games).then(|| AnyGame::SelfPlay(Box::new(order.game(index)))),
            Self::Match(games) => games.game(index).map(|game| AnyGame::Match(Box::new(game))),
        }
    }
}

impl Task for AnyGame {
    type Output = GameRecord;
    type Error = PlayerError;

    fn gather(&mut self, requests: &mut Vec<LeafRequest>) -> Result<Option<GameRecord>, PlayerError> {
        match self {
            Self::SelfPlay(game) => game.gather(requests).map_err(|never| match never {}),
            Self::Match(game) => game.gather(requests),
        }
    }

    fn apply(&mut self, evaluations: &[Evaluation]) {
        match self {
            Self::SelfPlay(game) => game.apply(evaluations),
            Self::Match(game) => game.apply(evaluations),
        }
    }
}

fn model(file: &[u8]) -> Result<Model, String> {
    Model::from_bytes(file).map_err(|error| format!("the net: {error}"))
}

fn evaluator(model: &Model) -> Result<Box<dyn Evaluator>, String> {
    let engine = Engine::new(&model.weights).map_err(|error| format!("the net: {error}"))?;
    Ok(Box::new(NetEvaluator::new(Box::new(engine))))
}

impl TeachPlayer {
    /// Answers a request.
    ///
    /// # Errors
    /// If the request is not valid, or there is no order.
    pub fn answer(&mut self, message: &TeachMessage) -> Result<TeachMessage, String> {
        let request = serde_json::from_str(&message.json).map_err(|error| error.to_string())?;
        match request {
            Request::Play { order } => {
                let [net] = &message.parts[..] else { return Err("an order without a net".to_owned()) };
                let model = model(net)?;
                let evaluators = vec![evaluator(&model)?];
                Ok(self.begin(Work::SelfPlay(Box::new(order.order(model)?)), evaluators))
            }
            Request::Match { text } => {
                let [newest, opponent] = &message.parts[..] else { return Err("a match without two nets".to_owned()) };
                let newest = model(newest)?;
                let evaluators = vec![evaluator(&newest)?, evaluator(&model(opponent)?)?];
                Ok(self.begin(Work::Match(Match::new(&text, &newest)?), evaluators))
            }
            Request::Add { games } => {
                let playing = self.playing()?;
                for index in games {
                    let game = playing.work.game(index).ok_or_else(|| format!("there is no game {index}"))?;
                    playing.rounds.add(index, game);
                }
                Ok(TeachMessage::new(&json!({}), Vec::new()))
            }
            Request::Round => self.playing()?.round(),
        }
    }

    fn begin(&mut self, work: Work, evaluators: Vec<Box<dyn Evaluator>>) -> TeachMessage {
        let (rounds, counters) = (Rounds::new(evaluators.len()), Counters::default());
        self.playing = Some(Playing { work, evaluators, rounds, counters });
        TeachMessage::new(&json!({}), Vec::new())
    }

    fn playing(&mut self) -> Result<&mut Playing, String> {
        self.playing.as_mut().ok_or_else(|| "there is no order".to_owned())
    }
}

impl Playing {
    fn round(&mut self) -> Result<TeachMessage, String> {
        let mut finished = Vec::new();
        let gathered = self.rounds.gather(&CancelToken::new(), |_, game| finished.push(pack_game(&game)));
        gathered.map_err(|error| error.to_string())?;
        self.rounds.evaluate(&mut self.evaluators, &self.counters).map_err(|error| error.to_string())?;
        self.rounds.apply();
        let evaluations = self.counters.evaluations.load(Ordering::Relaxed);
        let answer = json!({"running": self.rounds.len(), "evaluations": evaluations});
        Ok(TeachMessage::new(&answer, finished.into_iter().collect::<Result<_, _>>()?))
    }
}
