//! Somebody at the board: what is typed, done at the host's table, and said. The plain mode and the screen are both this.

use crate::host::Host;
use crate::input::{HELP, Input};
use crate::kept;
use crate::people::People;
use crate::sitting_text::{history_text, levels_text, moves_text};
use std::path::{Path, PathBuf};
use tablut_rules::Side;
use tablut_session::protocol::Request;
use tablut_session::{Level, Seat, Seats, Session, words};

/// What comes of a line that was typed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Answer {
    /// Nothing to say; an answer may come when the computer has thought.
    Nothing,
    /// Something to read.
    Text(String),
    /// The position is to be shown.
    Board,
    /// A move was made.
    Moved,
    /// The position has changed, and why.
    Changed(String),
    /// Another game has begun.
    Begun,
    /// Enough.
    Left,
}

/// A host with somebody who types.
pub struct Sitting {
    /// The game.
    pub host: Host,
    /// The computer's player where people do not play, and when a game that is loaded names nobody.
    opponent: Seat,
    /// Simulations with which a position is evaluated; none where there is no net.
    simulations: Option<u32>,
    /// The game as it was last read or written.
    saved: Option<String>,
    /// Where a game is kept that is left in the middle.
    keep_in: PathBuf,
    /// The command that plays, for advice.
    program: String,
}

impl Sitting {
    /// Sits down at a host's table. Games that are left are kept in `keep_in`; `program` is the command that goes on with them.
    pub fn new(host: Host, opponent: Seat, simulations: Option<u32>, keep_in: PathBuf, program: String) -> Self {
        let saved = (!host.session().tree().is_empty()).then(|| host.session().saved().to_json());
        Self { host, opponent, simulations, saved, keep_in, program }
    }

    /// The game.
    pub fn session(&self) -> &Session {
        self.host.session()
    }

    /// Which sides people play.
    pub fn people(&self) -> People {
        People::at(self.session().seats())
    }

    /// Who plays what, in a sentence or two.
    pub fn introduction(&self) -> String {
        let name = self.session().rules().name();
        let seats = self.session().seats();
        let opponent = [&seats.attackers, &seats.defenders].into_iter().find_map(|seat| match seat {
            Seat::Person => None,
            Seat::Computer { player, .. } if seat.level().is_some() => Some(format!(" at level {player}")),
            Seat::Computer { .. } => Some(String::new()),
        });
        let against = opponent.unwrap_or_default();
        let you = match self.people() {
            People::Attackers => format!("You play the attackers, the computer{against} the defenders."),
            People::Defenders => format!("You play the defenders, the computer{against} the attackers."),
            People::Both => "You play both sides.".to_owned(),
            People::Neither => format!("The computer{against} plays itself."),
        };
        format!("Tablut, {name} rules. {you}")
    }

    /// Does what was typed.
    pub fn obey(&mut self, input: Input) -> Answer {
        match self.try_to(input) {
            Ok(answer) => answer,
            Err(error) => Answer::Text(error),
        }
    }

    fn try_to(&mut self, input: Input) -> Result<Answer, String> {
        let session = self.host.session();
        Ok(match input {
            Input::Empty => Answer::Nothing,
            Input::Quit => Answer::Left,
            Input::Move(mv) => {
                self.host.ask(Request::Play { mv: mv.to_string() })?;
                Answer::Moved
            }
            Input::Go => self.think(Request::MoveNow)?,
            Input::Hint => self.consult(Request::Hint)?,
            Input::Threat => self.consult(Request::Threat)?,
            Input::Eval => self.evaluate()?,
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
                self.begin_anew();
                Answer::Begun
            }
            Input::Resign => {
                self.host.ask(Request::Resign { side: None })?;
                let ending = self.session().ending().map_or_else(String::new, words::ending);
                Answer::Changed(words::capitalized(&ending) + ".")
            }
            Input::Level(None) => Answer::Text(levels_text(session.seats())),
            Input::Level(Some(level)) => self.set_level(level)?,
            Input::Side(people) => {
                let seats = people.seats(&self.opponent);
                self.host.ask(Request::Seats { seats })?;
                Answer::Begun
            }
            Input::Save { path, force } => self.save(&path, force)?,
            Input::Load(path) => self.load(&path)?,
            Input::Help => Answer::Text(HELP.to_owned()),
        })
    }

    /// Has the computer think about its move.
    fn think(&mut self, request: Request) -> Result<Answer, String> {
        self.host.ask(request)?;
        Ok(Answer::Nothing)
    }

    /// Asks the net about the position.
    fn consult(&mut self, request: Request) -> Result<Answer, String> {
        self.net()?;
        self.think(request)
    }

    /// Has the net look at the position.
    fn evaluate(&mut self) -> Result<Answer, String> {
        let simulations = self.net()?;
        if let Some(ending) = self.session().ending() {
            return Err(format!("the game is over: {}", words::ending(ending)));
        }
        self.host.evaluate(simulations);
        Ok(Answer::Nothing)
    }

    /// The simulations with which the net is asked, if there is one.
    pub fn net(&self) -> Result<u32, String> {
        self.simulations.ok_or_else(|| "there is no net to ask; one is built in, or a model file is named".to_owned())
    }

    fn take_back(&mut self) -> Result<Answer, String> {
        let before = self.session().game().ply();
        self.host.ask(Request::TakeBack)?;
        let plies = before - self.session().game().ply();
        Ok(Answer::Changed(match plies {
            0 => "took back the resignation".to_owned(),
            1 => "took back 1 move".to_owned(),
            plies => format!("took back {plies} moves"),
        }))
    }

    /// Forward along the line that was taken back, to the next turn of a person.
    fn play_again(&mut self) -> Result<Answer, String> {
        let mut plies = 0;
        loop {
            match self.host.ask(Request::Forward) {
                Ok(()) => plies += 1,
                Err(error) if plies == 0 => return Err(error),
                Err(_) => break,
            }
            if self.people() == People::Neither || !self.session().is_computers_turn() {
                break;
            }
        }
        Ok(Answer::Changed(format!("played {plies} {} again", if plies == 1 { "move" } else { "moves" })))
    }

    /// Another game by the same rules, people on the sides that they had. Where the rules draw who moves first, the other
    /// side does this time.
    fn begin_anew(&mut self) {
        let session = self.session();
        let (rules, seats) = (session.rules().clone(), session.seats().clone());
        let first = rules.set().first.side().unwrap_or(session.start().side_to_move().opponent());
        self.saved = None;
        self.host.take_up(Session::new(rules, first, seats));
    }

    fn set_level(&mut self, level: &'static Level) -> Result<Answer, String> {
        self.net()?;
        self.opponent = Seat::computer(level.name);
        let seats = self.people().seats(&self.opponent);
        self.host.ask(Request::Seats { seats })?;
        Ok(Answer::Text(format!("{}: {}", level.name, level.description)))
    }

    fn save(&mut self, path: &Path, force: bool) -> Result<Answer, String> {
        kept::write(path, self.session(), force)?;
        self.saved = Some(self.session().saved().to_json());
        Ok(Answer::Text(format!("saved to {}", path.display())))
    }

    fn load(&mut self, path: &Path) -> Result<Answer, String> {
        let read = kept::read(path, self.session().rules().set())?;
        let seats =
            if read.names_players { self.admitted(read.session.seats()) } else { self.session().seats().clone() };
        let mut session = read.session;
        session.set_seats(seats);
        self.saved = Some(session.saved().to_json());
        self.host.take_up(session);
        Ok(Answer::Begun)
    }

    /// The players that a file names; the present opponent where they are not here.
    fn admitted(&self, seats: &Seats) -> Seats {
        match self.host.lobby().check_seats(seats) {
            Ok(()) => seats.clone(),
            Err(_) => People::at(seats).seats(&self.opponent),
        }
    }

    /// Keeps a game that is left, unless it is on disk already or nothing was played. Says where it is, or that it is lost.
    pub fn keep(&mut self) -> Option<String> {
        let session = self.host.session();
        if session.tree().is_empty() || self.saved.as_ref() == Some(&session.saved().to_json()) {
            return None;
        }
        match kept::keep(&self.keep_in, session) {
            Ok(path) => {
                self.saved = Some(session.saved().to_json());
                let file = path.display().to_string();
                let file = shlex::try_quote(&file).map_or_else(|_| file.clone(), std::borrow::Cow::into_owned);
                Some(format!("The game is kept; go on with: {} --game {file}", self.program))
            }
            Err(error) => Some(error),
        }
    }

    /// The side of the person who alone plays against the computer.
    pub fn own_side(&self) -> Option<Side> {
        match self.people() {
            People::Attackers => Some(Side::Attackers),
            People::Defenders => Some(Side::Defenders),
            People::Both | People::Neither => None,
        }
    }
}
