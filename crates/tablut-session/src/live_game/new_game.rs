//! Requests that begin another game.

use super::LiveGame;
use crate::clock::Clock;
use crate::exercise::Exercise;
use crate::host_config::HostConfig;
use crate::lesson;
use crate::player::{Players, Seats};
use crate::protocol::Request;
use crate::session::Session;
use crate::view::position_of;
use crate::words::shorten;
use crate::work::short_win;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::sync::Arc;
use tablut_rules::{RuleSet, Rules, Side};

impl Request {
    pub fn games(&self) -> &[String] {
        match self {
            Self::FindPuzzles { games } | Self::ExportGames { games } | Self::ImportGames { games, .. } => games,
            Self::OwnPuzzle { game, .. } => std::slice::from_ref(game),
            _ => &[],
        }
    }

    /// Whether the request begins another game, which [`LiveGame::begin`] makes.
    pub fn begins_a_game(&self) -> bool {
        matches!(
            self,
            Self::New { .. }
                | Self::Import { .. }
                | Self::SetUp { .. }
                | Self::PlayOn { .. }
                | Self::Study
                | Self::Puzzle { .. }
                | Self::OwnPuzzle { .. }
                | Self::Lesson { .. }
        )
    }
}

impl LiveGame {
    /// The game that a request begins. `present` is the game from which the request was sent; for
    /// [`Request::OwnPuzzle`] it is the saved game that contains the puzzle.
    pub fn begin(
        name: impl Into<Arc<str>>,
        request: &Request,
        present: Option<&Session>,
        config: &Arc<HostConfig>,
        seed: u64,
    ) -> Result<Self, String> {
        let live = |session| {
            let mut live = Self::new(name, session, config.clone(), seed);
            live.is_new = true;
            live
        };
        match request {
            Request::New { rules, first, players, seats, pauses_on_blunders, clock } => {
                let players = players.clone().unwrap_or_else(Players::people);
                config.check_players(&players)?;
                let rules = rules.compiled()?;
                let mut session = Session::new(rules.clone(), first_side(&rules, *first, seed)?, players);
                session.pauses_on_blunders = *pauses_on_blunders == Some(true);
                session.clock = clock.map(Clock::new).transpose()?;
                match (*seats == Some(true), clock) {
                    (true, _) => Ok(live(with_seats(session, seed)?)),
                    (false, Some(_)) => Err("only a game with seats has a clock".to_owned()),
                    (false, None) => Ok(live(session)),
                }
            }
            Request::Import { text, players } => {
                let default = || RuleSet::named("kvasir").expect("a built-in rule set");
                let set = present.map_or_else(default, |session| session.rules().set().clone());
                let mut session = Session::import(text, &set)?;
                if let Some(players) = players {
                    config.check_players(players)?;
                    session.set_players(players.clone());
                }
                // A saved game may name players that this host does not have.
                if config.check_players(session.players()).is_err() {
                    session.set_players(Players::people());
                }
                Ok(live(session))
            }
            Request::SetUp { rules, pieces, side } => {
                let rules = rules.compiled()?;
                let position = position_of(rules.size(), pieces, *side)?;
                Ok(live(Session::from_position(rules, position, Players::people())?))
            }
            Request::PlayOn { players } => {
                let present = present.ok_or("there is no position to continue from")?;
                config.check_players(players)?;
                let position = *present.game().position();
                Ok(live(Session::from_position(present.rules().clone(), position, players.clone())?))
            }
            Request::Study => Ok(live(present.ok_or("there is no game to study")?.to_study())),
            Request::Puzzle { rules, distance, number } => {
                let none = || format!("no such puzzle under {:?}", shorten(rules));
                let book = config.puzzles.iter().find(|book| book.rules == *rules).ok_or_else(none)?;
                let puzzle = book.pick(*distance, *number).ok_or_else(none)?;
                let rules = Arc::new(Rules::named(rules).map_err(|error| error.to_string())?);
                let session = Session::from_position(rules, puzzle.position, Players::people())?;
                let exercise = Exercise::of_puzzle(&session, puzzle.distance, puzzle.solutions.clone());
                Ok(live(session).with_puzzle(exercise))
            }
            Request::OwnPuzzle { node, .. } => {
                let saved = present.ok_or("there is no game to take a puzzle from")?;
                let at = saved.game_at(*node)?;
                // The moves before the position do not count: the puzzle begins with its position.
                let session = Session::from_position(saved.rules().clone(), *at.position(), Players::people())?;
                let (plies, solutions) = short_win(session.game()).ok_or("no short win is proven in that position")?;
                let exercise = Exercise::of_puzzle(&session, plies.div_ceil(2), solutions);
                Ok(live(session).with_puzzle(exercise))
            }
            Request::Lesson { step } => {
                let usual = || Rules::named("kvasir").map(Arc::new).expect("a built-in rule set");
                let rules = present.map_or_else(usual, |session| session.rules().clone());
                let none = || format!("step {step}, expected a number below {}", lesson::titles(&rules).len());
                let (session, exercise) = lesson::step(&rules, *step)?.ok_or_else(none)?;
                Ok(live(session).with_puzzle(exercise))
            }
            _ => Err("the request begins no game".to_owned()),
        }
    }

    fn with_puzzle(mut self, exercise: Exercise) -> Self {
        self.exercise = Some((None, exercise));
        self.is_new = false;
        self
    }
}

/// A game of two people with a seat each. The seats' secrets have 64 bits of a cryptographic generator, so that one secret
/// does not reveal the other.
pub(super) fn with_seats(mut session: Session, seed: u64) -> Result<Session, String> {
    if *session.players() != Players::people() {
        return Err("a game with seats has no computer player: both players must be people".to_owned());
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let [attackers, defenders] = [(); 2].map(|()| format!("{:016x}", rng.random::<u64>()));
    session.seats = Some(Seats::new(attackers, defenders));
    Ok(session)
}

/// The side that moves first. If neither the rules nor the request determine it, `seed` decides.
pub fn first_side(rules: &Rules, asked: Option<Side>, seed: u64) -> Result<Side, String> {
    let drawn = if seed.count_ones().is_multiple_of(2) { Side::Attackers } else { Side::Defenders };
    match (rules.set().first.side(), asked) {
        (Some(first), Some(asked)) if first != asked => {
            Err(format!("{asked} first: under {} rules the {first} move first", rules.name()))
        }
        (Some(first), _) => Ok(first),
        (None, asked) => Ok(asked.unwrap_or(drawn)),
    }
}
