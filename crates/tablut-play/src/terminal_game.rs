//! A game in the terminal: the player's commands and their results. The plain mode and the screen both use it.

use crate::analysis_text::{history_text, levels_text, moves_text};
use crate::game_files::{SavedGames, new_name, read_game, write_game};
use crate::input::{HELP, Input};
use crate::options::{HumanSides, Setup};
use crate::shared_jobs::SharedJobs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use tablut_net::durable;
use tablut_session::protocol::{Event, Request};
use tablut_session::{Controller, HostConfig, JobUpdate, Level, LiveGame, Response, Session, words};

#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Answer {
    /// Nothing to show. Results may follow as events.
    Nothing,
    Text(String),
    Board,
    Moved,
    Changed(String),
    Begun,
    Left,
}

pub struct TerminalGame {
    game: LiveGame,
    config: Arc<HostConfig>,
    jobs: Arc<SharedJobs>,
    /// The number of games before this one. Each game has its own name in the queue.
    n_games: u64,
    seed: u64,
    events: Vec<Event>,
    /// The computer's player on the sides that no person plays.
    opponent: Controller,
    /// Simulations of an evaluation. `None` if there is no net.
    simulations: Option<u32>,
    saved: Option<String>,
    saved_games: PathBuf,
    program: String,
}

impl TerminalGame {
    /// A game, and a thread that runs its jobs. The thread calls `report` with updates, which must be passed to
    /// [`TerminalGame::update`].
    pub fn new(
        setup: Setup,
        saved_games: PathBuf,
        program: String,
        report: impl Fn(JobUpdate) + Send + 'static,
    ) -> io::Result<Self> {
        let Setup { session, config, evaluator, opponent, simulations, seed, .. } = setup;
        let config = Arc::new(config);
        let jobs = Arc::new(SharedJobs::default());
        let work = {
            let jobs = jobs.clone();
            move || jobs.work(&mut vec![evaluator], &mut |_| {}, &report)
        };
        std::thread::Builder::new().name("jobs".to_owned()).spawn(work)?;
        let saved = (!session.tree().is_empty()).then(|| session.saved().to_json());
        let game = LiveGame::new("0", session, config.clone(), seed);
        let mut game = Self {
            game,
            config,
            jobs,
            n_games: 0,
            seed,
            events: Vec::new(),
            opponent,
            simulations,
            saved,
            saved_games,
            program,
        };
        game.greet();
        Ok(game)
    }

    pub fn session(&self) -> &Session {
        self.game.session()
    }

    pub fn human_sides(&self) -> HumanSides {
        HumanSides::of(self.session().players())
    }

    pub fn is_awaited(&self) -> bool {
        self.game.is_awaited()
    }

    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    pub fn update(&mut self, update: JobUpdate) {
        self.set_time();
        let response = self.game.update(update);
        self.take(response);
    }

    /// Sends a request to the game. Returns the reason if it is refused.
    pub fn request(&mut self, request: Request) -> Result<(), String> {
        self.set_time();
        let response = self.game.answer(request, Vec::new())?;
        self.take(response);
        Ok(())
    }

    fn greet(&mut self) {
        self.set_time();
        let response = self.game.greet();
        self.take(response);
    }

    fn set_time(&mut self) {
        self.game.set_time(SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default());
    }

    fn take(&mut self, response: Response) {
        let events = self.jobs.start(&mut self.game, response);
        self.events.extend(events.one);
        self.events.extend(events.all);
    }

    fn begin(&mut self, session: Session) {
        self.n_games += 1;
        let seed = self.seed.wrapping_add(self.n_games);
        self.game = LiveGame::new(self.n_games.to_string(), session, self.config.clone(), seed);
        self.greet();
    }

    pub fn introduction(&self) -> String {
        let name = self.session().rules().name();
        let players = self.session().players();
        let opponent = [&players.attackers, &players.defenders].into_iter().find_map(|player| match player {
            Controller::Person => None,
            Controller::Computer { name, .. } if player.level().is_some() => Some(format!(" at level {name}")),
            Controller::Computer { .. } => Some(String::new()),
        });
        let opponent = opponent.unwrap_or_default();
        let you = match self.human_sides() {
            HumanSides::Attackers => format!("You play the attackers, the computer{opponent} the defenders."),
            HumanSides::Defenders => format!("You play the defenders, the computer{opponent} the attackers."),
            HumanSides::Both => "You play both sides.".to_owned(),
            HumanSides::Neither => format!("The computer{opponent} plays itself."),
        };
        format!("Tablut, {name} rules. {you}")
    }

    pub fn execute(&mut self, input: Input) -> Answer {
        self.try_to(input).unwrap_or_else(Answer::Text)
    }

    fn try_to(&mut self, input: Input) -> Result<Answer, String> {
        let session = self.game.session();
        Ok(match input {
            Input::Empty => Answer::Nothing,
            Input::Quit => Answer::Left,
            Input::Move(mv) => {
                self.request(Request::Play { mv: mv.to_string() })?;
                Answer::Moved
            }
            Input::Go => {
                self.request(Request::MoveNow)?;
                Answer::Nothing
            }
            Input::Hint | Input::Threat => {
                self.net()?;
                self.request(if input == Input::Hint { Request::Hint } else { Request::Threat })?;
                Answer::Nothing
            }
            Input::Eval => {
                let response = self.game.evaluate(self.net()?)?;
                self.take(response);
                Answer::Nothing
            }
            Input::Moves(square) => {
                let moves = match square {
                    Some(square) => session.moves_from(square),
                    None => session.moves(),
                };
                Answer::Text(moves_text(&moves.map_err(|error| error.to_string())?))
            }
            Input::Undo => self.take_back()?,
            Input::Redo => self.play_again()?,
            Input::Board => Answer::Board,
            Input::Rules => Answer::Text(session.rules().set().explanation()),
            Input::Position => Answer::Text(session.game().position().to_string()),
            Input::History => Answer::Text(history_text(&session.history(), session.start().side_to_move())),
            Input::New => {
                // If the rules draw the side that moves first, the sides alternate.
                let (rules, players) = (session.rules().clone(), session.players().clone());
                let first = rules.set().first.side().unwrap_or(session.start().side_to_move().opponent());
                self.saved = None;
                self.begin(Session::new(rules, first, players));
                Answer::Begun
            }
            Input::Resign => {
                self.request(Request::Resign { side: None })?;
                let ending = self.session().ending().map_or_else(String::new, words::ending);
                Answer::Changed(words::capitalize(&ending) + ".")
            }
            Input::Level(None) => Answer::Text(levels_text(session.players())),
            Input::Level(Some(level)) => self.set_level(level)?,
            Input::Side(sides) => {
                let players = sides.players(&self.opponent);
                self.request(Request::Players { players })?;
                Answer::Begun
            }
            Input::Save { path, force } => {
                durable::require_folder(&path).map_err(|error| error.to_string())?;
                write_game(&path, session, force)?;
                self.saved = Some(session.saved().to_json());
                Answer::Text(format!("saved to {}", path.display()))
            }
            Input::Load(path) => self.load(&path)?,
            Input::Help => Answer::Text(HELP.to_owned()),
        })
    }

    /// The simulations of an evaluation, or an error if there is no net.
    pub fn net(&self) -> Result<u32, String> {
        self.simulations.ok_or_else(|| "this needs a net; give a model file when you start the game".to_owned())
    }

    fn take_back(&mut self) -> Result<Answer, String> {
        let before = self.session().game().ply();
        // The moves stay in the tree, so that `redo` finds them. Only a resignation is gone.
        let turn = self.session().turn_before().filter(|_| self.session().node().resigned.is_none());
        self.request(turn.map_or(Request::TakeBack, |node| Request::GoTo { node }))?;
        let plies = before - self.session().game().ply();
        Ok(Answer::Changed(match plies {
            0 => "took back the resignation".to_owned(),
            1 => "took back 1 move".to_owned(),
            plies => format!("took back {plies} moves"),
        }))
    }

    /// Repeats the moves that were taken back, up to a person's next turn.
    fn play_again(&mut self) -> Result<Answer, String> {
        let mut plies = 0;
        loop {
            match self.request(Request::Forward) {
                Ok(()) => plies += 1,
                Err(error) if plies == 0 => return Err(error),
                Err(_) => break,
            }
            if self.human_sides() == HumanSides::Neither || !self.session().is_computers_turn() {
                break;
            }
        }
        Ok(Answer::Changed(format!("repeated {plies} {}", if plies == 1 { "move" } else { "moves" })))
    }

    fn set_level(&mut self, level: &'static Level) -> Result<Answer, String> {
        self.net()?;
        self.opponent = Controller::computer(level.name);
        let players = self.human_sides().players(&self.opponent);
        self.request(Request::Players { players })?;
        Ok(Answer::Text(format!("{}: {}", level.name, level.description)))
    }

    fn load(&mut self, path: &Path) -> Result<Answer, String> {
        let read = read_game(path, self.session().rules().set(), false)?;
        let mut session = read.session;
        if !read.names_players {
            session.set_players(self.session().players().clone());
        } else if self.config.check_players(session.players()).is_err() {
            // This host does not have the players of the file.
            session.set_players(HumanSides::of(session.players()).players(&self.opponent));
        }
        self.saved = Some(session.saved().to_json());
        self.begin(session);
        Ok(Answer::Begun)
    }

    /// Saves a game that the player leaves, unless it is already saved or has no moves. Returns a message.
    pub fn save_on_exit(&mut self) -> Option<String> {
        let session = self.game.session();
        let text = session.saved().to_json();
        if session.tree().is_empty() || self.saved.as_ref() == Some(&text) {
            return None;
        }
        let saved = SavedGames::open(&self.saved_games)
            .map_err(|error| error.to_string())
            .and_then(|games| games.save(&new_name().map_err(|error| error.to_string())?, session));
        match saved {
            Ok(path) => {
                self.saved = Some(text);
                let file = path.display().to_string();
                let file = shlex::try_quote(&file).map_or_else(|_| file.clone(), std::borrow::Cow::into_owned);
                Some(format!("The game is saved; continue it with: {} --game {file}", self.program))
            }
            Err(error) => Some(format!("cannot save the game in {}: {error}", self.saved_games.display())),
        }
    }
}

impl Drop for TerminalGame {
    fn drop(&mut self) {
        self.jobs.close();
    }
}
