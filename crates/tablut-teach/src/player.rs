//! A worker that plays games of an order.

use crate::message::Message;
use serde::Deserialize;
use serde_json::json;
use std::sync::atomic::Ordering;
use tablut_games::{CancelToken, Counters, GameOrder, Rounds, SelfPlayGame, pack_game};
use tablut_net::{Engine, Model, NetEvaluator};
use tablut_search::Evaluator;

use crate::order::OrderText;

/// A request to a player.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
enum Request {
    /// Begins an order. The part is the model file of its net.
    Play { order: OrderText },
    /// Begins these games of the order.
    Add { games: Vec<usize> },
    /// Takes one step in every running game. The answer's parts are the finished games.
    Round,
}

/// Plays the games that it is given, one order after the other.
#[derive(Default)]
pub struct Player {
    playing: Option<Playing>,
}

struct Playing {
    order: GameOrder,
    evaluators: Vec<Box<dyn Evaluator>>,
    rounds: Rounds<SelfPlayGame>,
    counters: Counters,
}

impl Player {
    /// Answers a request.
    ///
    /// # Errors
    /// If the request is not valid, or there is no order.
    pub fn answer(&mut self, message: Message) -> Result<Message, String> {
        let request = serde_json::from_str(&message.json).map_err(|error| error.to_string())?;
        match request {
            Request::Play { order } => {
                let [net] = &message.parts[..] else { return Err("an order without a net".to_owned()) };
                let model = Model::from_bytes(net).map_err(|error| format!("the net: {error}"))?;
                let engine = Engine::new(&model.weights).map_err(|error| format!("the net: {error}"))?;
                let evaluators: Vec<Box<dyn Evaluator>> = vec![Box::new(NetEvaluator::new(Box::new(engine)))];
                let (rounds, counters) = (Rounds::new(evaluators.len()), Counters::default());
                self.playing = Some(Playing { order: order.order(model)?, evaluators, rounds, counters });
                Ok(Message::new(&json!({}), Vec::new()))
            }
            Request::Add { games } => {
                let playing = self.playing()?;
                for index in games {
                    if index >= playing.order.games {
                        return Err(format!("game {index} of {} games", playing.order.games));
                    }
                    playing.rounds.add(index, playing.order.game(index));
                }
                Ok(Message::new(&json!({}), Vec::new()))
            }
            Request::Round => self.playing()?.round(),
        }
    }

    fn playing(&mut self) -> Result<&mut Playing, String> {
        self.playing.as_mut().ok_or_else(|| "there is no order".to_owned())
    }
}

impl Playing {
    fn round(&mut self) -> Result<Message, String> {
        let mut finished = Vec::new();
        let gathered = self.rounds.gather(&CancelToken::new(), |_, game| finished.push(pack_game(&game)));
        gathered.map_err(|error| error.to_string())?;
        self.rounds.evaluate(&mut self.evaluators, &self.counters).map_err(|error| error.to_string())?;
        self.rounds.apply();
        let evaluations = self.counters.evaluations.load(Ordering::Relaxed);
        let answer = json!({"running": self.rounds.len(), "evaluations": evaluations});
        Ok(Message::new(&answer, finished.into_iter().collect::<Result<_, _>>()?))
    }
}
