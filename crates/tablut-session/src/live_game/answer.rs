//! The answer to each request about a game.

use super::{JobKind, LiveGame, Response, exercise_event};
use crate::form::RuleCheck;
use crate::jobs::Priority;
use crate::level::Level;
use crate::protocol::{Event, Request};
use crate::record::Format;
use crate::saved::SavedGame;
use crate::session::{Session, SessionError};
use crate::work::{Experiment, Lens, PuzzleSearch, Refutation, Review, SearchWork};
use std::time::Duration;
use tablut_rules::{Move, Side, json_fault};

impl LiveGame {
    /// Does what a request asks for. `games` are those of [`Request::games`] that the host has, with their names. The
    /// host itself answers requests that begin another game or train a net.
    pub fn answer(&mut self, request: Request, games: Vec<(String, Session)>) -> Result<Response, String> {
        let mut response = Response::default();
        match request {
            Request::Play { .. } | Request::Flag if self.ends_on_time(&mut response) => {}
            Request::Flag => {}
            Request::Play { mv } => self.play(&mv, &mut response)?,
            Request::Variation { moves } => {
                // All moves are played or, if one is illegal, none.
                let mut tried = self.session.clone();
                moves.into_iter().try_for_each(|mv| tried.play(mv).map(|_| ()))?;
                self.session = tried;
                self.leave_exercise(&mut response);
                self.looked_at = Some(self.session.current());
                self.changed(&mut response);
            }
            Request::TakeBack => {
                self.session.take_back()?;
                self.leave_exercise(&mut response);
                self.changed(&mut response);
            }
            Request::Back => self.go(&mut response, Session::undo)?,
            Request::Forward => self.go(&mut response, Session::redo)?,
            Request::GoTo { node } => self.go(&mut response, |session| session.go_to(node))?,
            Request::Remove { node } => self.go(&mut response, |session| session.remove(node))?,
            Request::Promote { node } => self.go(&mut response, |session| session.promote(node))?,
            Request::Comment { node, text } => {
                self.session.comment(node, &text)?;
                response.changed = true;
                response.all.push(self.state());
            }
            Request::Offer { side, what } => self.offer(side, what, &mut response)?,
            Request::Decline { .. } => self.decline(&mut response)?,
            Request::Resign { side } => self.resign(side, &mut response)?,
            Request::Players { players } => {
                self.config.check_players(&players)?;
                self.leave_exercise(&mut response);
                self.session.set_players(players);
                self.changed(&mut response);
            }
            Request::Analyse { on, net } => {
                if on && net >= self.config.nets.len().max(1) {
                    return Err(format!("net {net}, expected a number below {}", self.config.nets.len()));
                }
                self.analysing = on;
                // Another net knows nothing of the tree.
                if std::mem::replace(&mut self.analysis_net, net) != net {
                    self.analysis = None;
                }
                self.cancel(JobKind::Analysis, &mut response);
                self.analyse_if_on(&mut response);
            }
            Request::CheckRules { set } => response.one.push(Event::RuleCheck(Box::new(RuleCheck::new(&set)))),
            Request::Export { format } => {
                let text = self.session.export(format)?;
                response.one.push(Event::Export { format, name: self.file_name(format), text });
            }
            Request::ExportGames { .. } => response.one.push(export_games(&games)?),
            Request::FindPuzzles { .. } => {
                self.start(JobKind::PuzzleSearch, Priority::Background, PuzzleSearch::new(games), &mut response);
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
                self.looked_at = Some(self.session.current());
                self.changed(&mut response);
            }
            Request::Stop => {
                for kind in
                    [JobKind::Review, JobKind::Lens, JobKind::Experiment, JobKind::Checkpoints, JobKind::PuzzleSearch]
                {
                    self.cancel(kind, &mut response);
                }
            }
            Request::MoveNow => self.move_now(&mut response)?,
            request => self.start_work(request, &mut response)?,
        }
        response.changed &= !self.is_untouched();
        Ok(response)
    }

    fn start_work(&mut self, request: Request, response: &mut Response) -> Result<(), String> {
        let seed = self.next_seed();
        let node = self.session.current();
        match request {
            Request::Hint => {
                self.session.check_open()?;
                let work = SearchWork::advice(self.session.game(), adviser(), seed);
                self.start(JobKind::Hint, Priority::Now, work, response);
            }
            Request::Threat => {
                self.session.check_open()?;
                let work = SearchWork::threat(node, self.session.game(), seed);
                let work = work.ok_or("the opponent would have no legal move in this position")?;
                self.start(JobKind::Threat, Priority::Now, work, response);
            }
            Request::Review => {
                if self.session.tree().is_empty() {
                    return Err("no move has been played yet".to_owned());
                }
                self.start(JobKind::Review, Priority::Soon, Review::new(&self.session, seed), response);
            }
            Request::Lens => {
                self.start(JobKind::Lens, Priority::Soon, Lens::new(self.session.game(), seed), response);
            }
            Request::Refute { moves } => {
                let work = Refutation::new(node, self.session.game(), moves, seed)?;
                self.start(JobKind::Refutation, Priority::Soon, work, response);
            }
            Request::Checkpoints => {
                if self.config.checkpoints.is_empty() {
                    return Err("there are no checkpoints; start the program with --checkpoints FOLDER".to_owned());
                }
                self.session.check_open()?;
                self.ask_checkpoint(0, response);
            }
            Request::Experiment { set, games } => {
                let work = Experiment::new(RuleCheck::compiled(&set)?.into(), games, seed);
                self.start(JobKind::Experiment, Priority::Background, work, response);
            }
            request if request.begins_a_game() || matches!(request, Request::Open { .. }) => {
                return Err("this request opens another game, which only the host can do".to_owned());
            }
            _ => return Err("only the host can do this".to_owned()),
        }
        Ok(())
    }

    /// Goes to another position of the tree, or changes the tree around the current one.
    fn go(
        &mut self,
        response: &mut Response,
        step: impl FnOnce(&mut Session) -> Result<(), SessionError>,
    ) -> Result<(), String> {
        step(&mut self.session)?;
        self.changed(response);
        Ok(())
    }

    fn play(&mut self, mv: &str, response: &mut Response) -> Result<(), String> {
        let mv = self.read(mv)?;
        if self.is_reply_due() {
            return Err("it is the computer's turn".to_owned());
        }
        self.session.play(mv)?;
        self.press_clock();
        self.leave_exercise(response);
        self.changed(response);
        Ok(())
    }

    fn read(&self, mv: &str) -> Result<Move, String> {
        self.session.check_open()?;
        self.session.rules().read_move(self.session.game().position(), mv.trim()).map_err(|error| error.to_string())
    }

    /// A side resigns: `side`, or the side of the only person, or the side to move.
    fn resign(&mut self, side: Option<Side>, response: &mut Response) -> Result<(), String> {
        let players = self.session.players();
        let only_person = match (players.attackers.is_person(), players.defenders.is_person()) {
            (true, false) => Side::Attackers,
            (false, true) => Side::Defenders,
            (false, false) => return Err("the computer plays both sides, and it does not resign".to_owned()),
            (true, true) => self.session.game().position().side_to_move(),
        };
        self.session.resign(side.unwrap_or(only_person))?;
        self.changed(response);
        Ok(())
    }

    /// The computer moves for the side to move. For a person's side the level of [`adviser`] moves.
    fn move_now(&mut self, response: &mut Response) -> Result<(), String> {
        self.session.check_open()?;
        self.go_on();
        let seed = self.next_seed();
        let game = self.session.game();
        let own = self.session.turn().and_then(|player| self.config.reply(player, game, seed));
        let (net, work) = own.unwrap_or_else(|| (0, Box::new(SearchWork::of_level(game, adviser(), 0, seed))));
        self.start_with_net(JobKind::Reply, Priority::Now, net, Duration::ZERO, work, response);
        response.all.push(Event::Thinking { on: true });
        Ok(())
    }

    fn begin_exercise(&mut self, index: usize, response: &mut Response) -> Result<(), String> {
        let found = self.exercises.len();
        let exercise =
            self.exercises.get(index).ok_or(format!("exercise {index}, expected a number below {found}"))?.clone();
        self.session.go_to(exercise.node)?;
        let event = exercise_event(Some(index), &exercise);
        // An analysis would show the solution.
        self.analysing = false;
        self.exercise = Some((Some(index), exercise));
        self.changed(response);
        response.all.push(event);
        Ok(())
    }

    fn judge(&mut self, mv: &str, response: &mut Response) -> Result<(), String> {
        let (_, exercise) = self.exercise.as_ref().ok_or("there is no exercise to answer")?;
        if self.session.current() != exercise.node {
            return Err("the exercise is about another position".to_owned());
        }
        let work = exercise.judge(self.read(mv)?, self.seed);
        self.start(JobKind::Judgement, Priority::Now, work, response);
        Ok(())
    }

    fn leave_exercise(&mut self, response: &mut Response) {
        if self.exercise.take().is_some() {
            response.all.push(Event::ExerciseLeft);
        }
    }

    fn file_name(&self, format: Format) -> String {
        let is_plain = |c: &char| c.is_ascii_alphanumeric() || *c == '-';
        let rules: String = self.session.rules().name().chars().filter(is_plain).take(40).collect();
        let extension = match format {
            Format::Text => "txt",
            Format::Otg => "otg",
            Format::Json => "json",
            Format::Svg => "svg",
            Format::Toml => return format!("{rules}.toml"),
        };
        format!("tablut-{rules}-{}.{extension}", self.session.game().ply())
    }
}

/// The event with saved games as one file, a list in JSON.
pub fn export_games(games: &[(String, Session)]) -> Result<Event, String> {
    if games.is_empty() {
        return Err("the host has none of these games".to_owned());
    }
    let texts = games.iter().map(|(_, session)| session.export(Format::Json)).collect::<Result<Vec<_>, _>>()?;
    let text = format!("[\n{}]\n", texts.join(",\n"));
    Ok(Event::Export { format: Format::Json, name: "tablut-games.json".to_owned(), text })
}

/// The games of a list in JSON, as [`export_games`] writes it.
pub fn read_games(text: &str) -> Result<Vec<Session>, String> {
    let saved: Vec<SavedGame> =
        serde_json::from_str(text).map_err(|error| format!("not a list of saved games: {}", json_fault(&error)))?;
    let read = |(index, saved): (usize, &SavedGame)| {
        saved.session().map_err(|error| format!("game {} of the list: {error}", index + 1))
    };
    saved.iter().enumerate().map(read).collect()
}

fn adviser() -> &'static Level {
    Level::named("expert").expect("it is one of the levels")
}
