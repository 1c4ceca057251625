//! Requests that begin another game.

use super::Table;
use crate::lobby::{Lobby, new_game, set_up};
use crate::protocol::Request;
use crate::session::Session;
use crate::tree::NodeId;
use crate::work::{Exercise, short_win};
use std::sync::Arc;
use tablut_rules::{RuleSet, Rules, Side};

impl Request {
    /// Whether the request begins another game: [`Table::begin`] makes its table.
    pub fn begins_a_game(&self) -> bool {
        matches!(
            self,
            Self::New { .. }
                | Self::Import { .. }
                | Self::SetUp { .. }
                | Self::PlayOn { .. }
                | Self::Puzzle { .. }
                | Self::OwnPuzzle { .. }
        )
    }
}

impl Table {
    /// The table of the game that a request begins. `present` is the table at which it was made; `seed` is the source of all
    /// chance of the new one. Of a person's own puzzle the present session is the game that it comes from.
    pub fn begin(request: &Request, present: Option<&Session>, lobby: &Arc<Lobby>, seed: u64) -> Result<Self, String> {
        let drawn = if seed.count_ones().is_multiple_of(2) { Side::Attackers } else { Side::Defenders };
        let table = |session| Self::new(session, lobby.clone(), seed);
        match request {
            Request::New { rules, first, seats } => {
                if let Some(seats) = seats {
                    lobby.check_seats(seats)?;
                }
                new_game(rules, *first, seats.clone(), drawn).map(table)
            }
            Request::Import { text, seats } => {
                let usual = || RuleSet::named("kvasir").expect("a built-in rule set");
                let set = present.map_or_else(usual, |session| session.rules().set().clone());
                let mut session = Session::import(text, &set)?;
                if let Some(seats) = seats {
                    lobby.check_seats(seats)?;
                    session.set_seats(seats.clone());
                }
                // A saved game may name players that this host does not have.
                if lobby.check_seats(session.seats()).is_err() {
                    session.set_seats(crate::seat::Seats::people());
                }
                Ok(table(session))
            }
            Request::SetUp { rules, pieces, side } => set_up(rules, pieces, *side).map(table),
            Request::PlayOn { seats } => {
                let present = present.ok_or("there is no position to play on from")?;
                let seats = table(present.clone()).checked_seats(seats)?;
                Session::from_position(present.rules().clone(), *present.game().position(), seats)
                    .map(table)
                    .map_err(|error| error.to_string())
            }
            Request::Puzzle { rules, distance, number } => puzzle(lobby, rules, *distance, *number, seed),
            Request::OwnPuzzle { node, .. } => {
                own_puzzle(present.ok_or("there is no game to take a puzzle from")?, *node, lobby, seed)
            }
            _ => Err("the request begins no game".to_owned()),
        }
    }
}

fn puzzle(lobby: &Arc<Lobby>, rules: &str, distance: Option<u32>, number: usize, seed: u64) -> Result<Table, String> {
    let none = || format!("no such puzzle under {:?}", rules.chars().take(40).collect::<String>());
    let book = lobby.puzzles.iter().find(|book| book.rules == rules).ok_or_else(none)?;
    let puzzle = book.pick(distance, None, number).ok_or_else(none)?;
    let compiled = Arc::new(Rules::named(rules).map_err(|error| error.to_string())?);
    let session = Session::from_position(compiled, puzzle.position, crate::seat::Seats::people())
        .map_err(|error| error.to_string())?;
    let exercise = Exercise::of_puzzle(&session, puzzle.distance, puzzle.solutions.clone());
    let mut table = Table::new(session, lobby.clone(), seed);
    table.exercise = Some((None, exercise));
    Ok(table)
}

/// A position of somebody's game as a puzzle; the solver finds the solutions anew, so that nothing has to be kept.
fn own_puzzle(game: &Session, node: NodeId, lobby: &Arc<Lobby>, seed: u64) -> Result<Table, String> {
    let at = game.game_at(node).map_err(|error| error.to_string())?;
    let people = crate::seat::Seats::people();
    // The moves that led there do not count: the puzzle begins with its position.
    let session =
        Session::from_position(game.rules().clone(), *at.position(), people).map_err(|error| error.to_string())?;
    let (plies, solutions) = short_win(session.game()).ok_or("no short win is proven in that position")?;
    let exercise = Exercise::of_puzzle(&session, plies.div_ceil(2), solutions);
    let mut table = Table::new(session, lobby.clone(), seed);
    table.exercise = Some((None, exercise));
    Ok(table)
}
