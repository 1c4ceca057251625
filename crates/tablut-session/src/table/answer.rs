//! What a table does with each request about its game.

use super::{Response, Table, Task, Urgency};
use crate::form::RuleCheck;
use crate::level::Level;
use crate::protocol::{Event, Request};
use crate::record::Format;
use crate::seat::Seats;
use crate::session::Session;
use crate::work::{Experiment, Finds, Lens, Refutation, Reply, Review, ThreatWork};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tablut_rules::{Move, Rules, Side};

/// The level that gives advice.
const ADVISER: &str = "expert";

impl Table {
    /// Does what is asked for; the error says why it cannot be done. Requests that begin another game are the host's.
    pub fn answer(&mut self, request: Request) -> Result<Response, String> {
        let mut response = Response::default();
        match request {
            Request::Play { mv } => self.play(&mv, &mut response)?,
            request @ (Request::Variation { .. }
            | Request::TakeBack
            | Request::Back
            | Request::Forward
            | Request::GoTo { .. }
            | Request::Remove { .. }
            | Request::Promote { .. }) => self.walk(request, &mut response)?,
            Request::Comment { node, text: comment } => {
                self.session.comment(node, &comment).map_err(text)?;
                response.changed = true;
                response.all.push(self.state());
            }
            Request::Resign { side } => self.resign(side, &mut response)?,
            Request::Seats { seats } => {
                self.lobby.check_seats(&seats)?;
                self.leave_exercise(&mut response);
                self.session.set_seats(seats);
                self.changed(&mut response);
            }
            Request::Analyse { on } => {
                self.analysing = on;
                self.cancel(Task::Analysis, &mut response);
                self.analyse_if_on(&mut response);
            }
            Request::CheckRules { set } => response.one.push(Event::RuleCheck(Box::new(RuleCheck::new(&set)))),
            Request::Export { format } => {
                let text = self.session.export(format)?;
                response.one.push(Event::Export { format, name: self.file_name(format), text });
            }
            Request::Link => response.one.push(Event::Link { fragment: self.session.to_link() }),
            Request::Exercise { index } => self.begin_exercise(index, &mut response)?,
            Request::Try { mv } => self.judge(&mv, &mut response)?,
            Request::Solve => {
                let (_, exercise) = self.exercise.as_ref().ok_or("there is no exercise to solve")?;
                response.all.push(Event::Judgement(Box::new(exercise.solution())));
            }
            Request::Leave => {
                self.leave_exercise(&mut response);
                self.looked_at = Some(self.session.here());
                self.changed(&mut response);
            }
            Request::Stop => {
                for task in [Task::Review, Task::Lens, Task::Experiment, Task::Glances, Task::Finds] {
                    self.cancel(task, &mut response);
                }
            }
            Request::Refute { moves } => self.refute(moves, &mut response)?,
            Request::Glances => self.glances(&mut response)?,
            Request::MoveNow | Request::Hint | Request::Threat | Request::Review | Request::Lens => {
                self.think(&request, &mut response)?;
            }
            Request::Experiment { set, games } => self.experiment(&set, games, &mut response)?,
            Request::New { .. }
            | Request::Open { .. }
            | Request::Import { .. }
            | Request::SetUp { .. }
            | Request::PlayOn { .. }
            | Request::Puzzle { .. }
            | Request::OwnPuzzle { .. } => return Err("another game has a table of its own".to_owned()),
            Request::FindPuzzles { .. } | Request::Train { .. } | Request::StopTraining => {
                return Err("that is for the host to do".to_owned());
            }
        }
        Ok(response)
    }

    /// Looks for puzzles in games, by their names.
    pub fn find_puzzles(&mut self, games: Vec<(String, Session)>) -> Response {
        let mut response = Response::default();
        let work = Box::new(Finds::new(games));
        self.assign(Task::Finds, Urgency::Background, 0, Duration::ZERO, work, &mut response);
        response
    }

    /// Goes to another position of the tree, or changes the tree around the present one.
    fn walk(&mut self, request: Request, response: &mut Response) -> Result<(), String> {
        match request {
            Request::Variation { moves } => {
                // All of them can be played, or none is.
                let mut tried = self.session.clone();
                moves.into_iter().try_for_each(|mv| tried.play(mv).map(|_| ())).map_err(text)?;
                self.session = tried;
                self.leave_exercise(response);
                self.looked_at = Some(self.session.here());
            }
            Request::TakeBack => {
                self.session.take_back().map_err(text)?;
                self.leave_exercise(response);
            }
            Request::Back => self.session.undo().map_err(text)?,
            Request::Forward => self.session.redo().map_err(text)?,
            Request::GoTo { node } => self.session.go_to(node).map_err(text)?,
            Request::Remove { node } => self.session.remove(node).map_err(text)?,
            Request::Promote { node } => self.session.promote(node).map_err(text)?,
            _ => unreachable!("only requests that walk come here"),
        }
        self.changed(response);
        Ok(())
    }

    fn play(&mut self, mv: &str, response: &mut Response) -> Result<(), String> {
        let mv = self.read(mv)?;
        if self.is_reply_due() {
            return Err("it is the computer's turn".to_owned());
        }
        self.session.play(mv).map_err(text)?;
        self.leave_exercise(response);
        self.changed(response);
        Ok(())
    }

    fn read(&self, mv: &str) -> Result<Move, String> {
        if let Some(ending) = self.session.ending() {
            return Err(format!("the game is over: {}", crate::words::ending(ending)));
        }
        self.session.rules().read_move(self.session.game().position(), mv.trim()).map_err(|error| error.to_string())
    }

    /// The side asked for gives up; without one the side of the only person, else the side to move.
    fn resign(&mut self, side: Option<Side>, response: &mut Response) -> Result<(), String> {
        let seats = self.session.seats();
        let to_move = self.session.game().position().side_to_move();
        let only_person = match (seats.attackers.is_person(), seats.defenders.is_person()) {
            (true, false) => Side::Attackers,
            (false, true) => Side::Defenders,
            _ => to_move,
        };
        self.session.resign(side.unwrap_or(only_person)).map_err(text)?;
        self.changed(response);
        Ok(())
    }

    /// Starts to show one level of a result's proof, after `moves`.
    fn refute(&mut self, moves: Vec<Move>, response: &mut Response) -> Result<(), String> {
        let seed = self.next_seed();
        let work = Refutation::new(self.session.here(), self.session.game(), moves, seed)?;
        self.assign(Task::Refutation, Urgency::Soon, 0, Duration::ZERO, Box::new(work), response);
        Ok(())
    }

    /// Starts to show the present position as each checkpoint of the run sees it.
    fn glances(&mut self, response: &mut Response) -> Result<(), String> {
        if self.lobby.checkpoints.is_empty() {
            return Err("the program was given no run; start it with --checkpoints FOLDER".to_owned());
        }
        if self.session.ending().is_some() {
            return Err("the game is over here".to_owned());
        }
        self.glance(0, response);
        Ok(())
    }

    /// Starts games of the net with itself under the form's rules.
    fn experiment(&mut self, set: &Value, games: u32, response: &mut Response) -> Result<(), String> {
        let rules = Rules::new(RuleCheck::read(set)?).map_err(|error| error.to_string())?;
        let seed = self.next_seed();
        let work = Box::new(Experiment::new(Arc::new(rules), games, seed));
        self.assign(Task::Experiment, Urgency::Background, 0, Duration::ZERO, work, response);
        Ok(())
    }

    /// Starts a search that the request asks for.
    fn think(&mut self, request: &Request, response: &mut Response) -> Result<(), String> {
        let (now, soon, seed) = (Urgency::Now, Urgency::Soon, self.next_seed());
        if let (Some(ending), false) = (self.session.ending(), matches!(request, Request::Review | Request::Lens)) {
            return Err(format!("the game is over: {}", crate::words::ending(ending)));
        }
        let (here, game) = (self.session.here(), self.session.game());
        match request {
            Request::Review => {
                if self.session.tree().is_empty() {
                    return Err("nothing has been played yet".to_owned());
                }
                let work = Box::new(Review::new(&self.session, seed));
                self.assign(Task::Review, soon, 0, Duration::ZERO, work, response);
            }
            Request::Lens => {
                let work = Box::new(Lens::new(game, seed));
                self.assign(Task::Lens, soon, 0, Duration::ZERO, work, response);
            }
            Request::Threat => {
                let work = ThreatWork::new(here, game, seed).ok_or("the opponent could not move here")?;
                self.assign(Task::Threat, now, 0, Duration::ZERO, Box::new(work), response);
            }
            Request::Hint => {
                let level = Level::named(ADVISER).expect("the adviser is a level");
                let work = Box::new(Reply::advice(game, level, seed));
                self.assign(Task::Hint, now, 0, Duration::ZERO, work, response);
            }
            _ => {
                let player = self.session.turn().and_then(|seat| self.lobby.reply(seat, game, seed));
                let (net, work) = player.unwrap_or_else(|| {
                    let level = Level::named(ADVISER).expect("the adviser is a level");
                    (0, Box::new(Reply::new(game, level, seed)))
                });
                self.assign(Task::Reply, now, net, Duration::ZERO, work, response);
                response.all.push(Event::Thinking { on: true });
            }
        }
        Ok(())
    }

    fn begin_exercise(&mut self, index: usize, response: &mut Response) -> Result<(), String> {
        let found = self.exercises.len();
        let exercise =
            self.exercises.get(index).ok_or(format!("exercise {index}, expected one below {found}"))?.clone();
        self.session.go_to(exercise.node).map_err(text)?;
        let task = exercise.task();
        // What an analysis says would spoil it.
        self.analysing = false;
        self.exercise = Some((Some(index), exercise));
        self.changed(response);
        response.all.push(Event::Exercise { index: Some(index), task });
        Ok(())
    }

    fn judge(&mut self, mv: &str, response: &mut Response) -> Result<(), String> {
        let (_, exercise) = self.exercise.as_ref().ok_or("there is no exercise to answer")?;
        if self.session.here() != exercise.node {
            return Err("the exercise is about another position".to_owned());
        }
        let mv = self.read(mv)?;
        let work = exercise.judge(mv, self.seed);
        self.assign(Task::Judgement, Urgency::Now, 0, Duration::ZERO, Box::new(work), response);
        Ok(())
    }

    fn leave_exercise(&mut self, response: &mut Response) {
        if self.exercise.take().is_some() {
            response.all.push(Event::ExerciseLeft);
        }
    }

    /// A name for the game as a file.
    fn file_name(&self, format: Format) -> String {
        let is_plain = |c: &char| c.is_ascii_alphanumeric() || *c == '-';
        let rules: String = self.session.rules().name().chars().filter(is_plain).take(40).collect();
        let ending = match format {
            Format::Text => "txt",
            Format::Otg => "otg",
            Format::Json => "json",
            Format::Svg => "svg",
            Format::Toml => return format!("{rules}.toml"),
        };
        format!("tablut-{rules}-{}.{ending}", self.session.game().ply())
    }

    /// The players of a game that goes on from the present position.
    pub(super) fn checked_seats(&self, seats: &Seats) -> Result<Seats, String> {
        self.lobby.check_seats(seats).map(|()| seats.clone())
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it stands where errors are mapped")]
fn text(error: crate::session::SessionError) -> String {
    error.to_string()
}
