//! A live game whose jobs run in a queue. The page's server and the terminal both host games in this way.

use crate::job_queue::{JobQueue, JobUpdate};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tablut_session::protocol::Request;
use tablut_session::{HostConfig, LiveGame, Response, Session};

/// Minimum time between two moves of the computer against itself, so that people can follow the game.
pub const DEMO_PAUSE: Duration = Duration::from_millis(700);

/// A live game and the queue of its jobs. It returns responses without jobs, because it starts the jobs itself.
pub struct HostedGame {
    name: Arc<str>,
    game: LiveGame,
    queue: Arc<JobQueue>,
}

impl HostedGame {
    /// Hosts a game under a name that is unique in the queue.
    pub fn new(name: Arc<str>, game: LiveGame, queue: Arc<JobQueue>) -> Self {
        Self { name, game, queue }
    }

    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    pub fn game(&self) -> &LiveGame {
        &self.game
    }

    /// The first events for a new interface.
    pub fn greet(&mut self) -> Response {
        self.game.set_time(time());
        let response = self.game.greet(&self.name);
        self.start(response)
    }

    /// Replaces the host's configuration.
    pub fn set_config(&mut self, config: Arc<HostConfig>) {
        self.game.set_config(config);
    }

    /// Answers a request, or returns why it cannot be done.
    pub fn answer(&mut self, request: Request) -> Result<Response, String> {
        self.game.set_time(time());
        let response = self.game.answer(request)?;
        Ok(self.start(response))
    }

    /// Starts an analysis with a fixed number of simulations.
    pub fn evaluate(&mut self, simulations: u32) -> Result<Response, String> {
        let response = self.game.evaluate(simulations)?;
        Ok(self.start(response))
    }

    /// Starts a search for puzzles in games, which are given with their names.
    pub fn find_puzzles(&mut self, games: Vec<(String, Session)>) -> Response {
        let response = self.game.find_puzzles(games);
        self.start(response)
    }

    /// Applies an update of one of the game's jobs. Updates of other games and of cancelled jobs are ignored.
    pub fn update(&mut self, update: JobUpdate) -> Response {
        if update.game != self.name {
            return Response::default();
        }
        self.game.set_time(time());
        let response = self.game.update(update.job, update.step);
        self.start(response)
    }

    /// Moves a response's jobs into the queue. The events stay in the response.
    fn start(&mut self, mut response: Response) -> Response {
        for job in std::mem::take(&mut response.jobs) {
            let id = job.id;
            if let Err(error) = self.queue.push(self.name.clone(), job) {
                response.all.extend(self.game.update(id, Err(error)).all);
            }
        }
        response
    }
}

/// The time since 1970.
fn time() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}
