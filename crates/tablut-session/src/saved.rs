//! Saved games: one JSON file with the rules in full, the main line, and all variations.

use crate::clock::Clock;
use crate::player::{Players, Seats};
use crate::session::{MAX_NODES, Session};
use crate::tree::{NodeValue, Reviewed, Tree, lines_first};
use crate::words::shorten;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use tablut_rules::{Game, Move, MoveList, Position, RuleSet, Rules, Side, json_fault};
use tablut_search::{Chances, Proof};

pub const FORMAT: &str = "tablut game";
pub const VERSION: u32 = 1;

/// A saved game.
///
/// `moves` is the main line, which other tools can replay. `positions` is empty if the game has only a main line
/// without comments and resignations. A position's index is 0 for the start, 1 for the first of `positions`, and so on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedGame {
    pub format: String,
    pub version: u32,
    pub rules: RuleSet,
    pub start: Position,
    pub first: Side,
    pub moves: Vec<Move>,
    /// The winner of the main line. `None` for a draw and an unfinished game.
    pub winner: Option<Side>,
    /// Why the game ended. `None` for an unfinished game.
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub players: Option<Players>,
    /// The secrets of the seats, which no export contains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seats: Option<Seats>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pauses_on_blunders: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_study: bool,
    /// All positions after the start, each after its parent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub positions: Vec<SavedPosition>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<SavedReview>,
    /// The index of the current position. `None` for the end of the main line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedPosition {
    pub parent: usize,
    #[serde(rename = "move")]
    pub mv: Move,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resigned: Option<Side>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub agreed_draw: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<SavedReview>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedReview {
    /// The chances of the attackers, of a draw and of the defenders.
    pub chances: [f32; 3],
    pub simulations: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proven: Option<String>,
    /// Plies within which the proven result can be forced.
    #[serde(default)]
    pub plies: u16,
    pub best: Vec<Move>,
    /// All first moves that keep the proven result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub solutions: Vec<Move>,
}

impl SavedReview {
    fn new(reviewed: &Reviewed) -> Self {
        let Reviewed { value, best, solutions } = reviewed;
        let winner = |proven: Proof| proven.winner.map_or("draw".to_owned(), |side| side.to_string());
        Self {
            chances: [value.chances.attackers, value.chances.draw, value.chances.defenders],
            simulations: value.simulations,
            proven: value.proven.map(winner),
            plies: value.proven.map_or(0, |proven| proven.plies),
            best: best.clone(),
            solutions: solutions.clone(),
        }
    }

    /// What the review found. Its moves must be legal in `game`.
    fn reviewed(&self, game: &Game) -> Result<Reviewed, String> {
        let [attackers, draw, defenders] = self.chances;
        if !self.chances.iter().all(|chance| (0.0..=1.0).contains(chance)) {
            return Err(format!("chances {:?}, expected numbers from 0 to 1", self.chances));
        }
        let mut after = game.clone();
        self.best.iter().try_for_each(|mv| after.play(*mv).map(drop)).map_err(|error| format!("review: {error}"))?;
        let mut legal = MoveList::new();
        game.legal_moves(&mut legal);
        if let Some(mv) = self.solutions.iter().find(|mv| !legal.contains(mv)) {
            return Err(format!("review: the solution {mv} is not legal"));
        }
        let winner = match self.proven.as_deref() {
            None => None,
            Some("draw") => Some(None),
            Some(side) => Some(Some(side.parse::<Side>().map_err(|error| error.to_string())?)),
        };
        let proven = winner.map(|winner| Proof { winner, plies: self.plies, from_history: false });
        let chances = Chances { attackers, draw, defenders };
        let value = NodeValue { chances, proven, simulations: self.simulations };
        Ok(Reviewed { value, best: self.best.clone(), solutions: self.solutions.clone() })
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SavedGameError(String);

impl SavedGame {
    /// Reads the text of a file. [`SavedGame::session`] checks its content.
    pub fn from_json(text: &str) -> Result<Self, SavedGameError> {
        serde_json::from_str(text).map_err(|error| SavedGameError(format!("not a saved game: {}", json_fault(&error))))
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data") + "\n"
    }

    pub fn session(&self) -> Result<Session, SavedGameError> {
        if self.format != FORMAT || self.version != VERSION {
            let (found, version) = (shorten(&self.format), self.version);
            return Err(SavedGameError(format!(
                "format {found:?} version {version}, expected {FORMAT:?} version {VERSION}"
            )));
        }
        let found = self.positions.len().max(self.moves.len());
        if found >= MAX_NODES {
            return Err(SavedGameError(format!("{found} positions, expected at most {MAX_NODES}")));
        }
        let rules = Arc::new(Rules::new(self.rules.clone()).map_err(|error| SavedGameError(error.to_string()))?);
        let players = self.players.clone().unwrap_or_else(Players::people);
        let at_place = |place, reason: &dyn std::fmt::Display| SavedGameError(format!("position {place}: {reason}"));
        let mut session = Session::from_position(rules, self.start, players).map_err(|error| at_place(0, &error))?;
        if self.first != self.start.side_to_move() {
            return Err(at_place(0, &format!("first is {}, but the position has the other side to move", self.first)));
        }
        let bare = |(parent, &mv): (usize, &Move)| SavedPosition {
            parent,
            mv,
            comment: String::new(),
            resigned: None,
            agreed_draw: false,
            review: None,
        };
        let from_moves = || self.moves.iter().enumerate().map(bare).collect();
        let positions = if self.positions.is_empty() { from_moves() } else { self.positions.clone() };
        session.comment(Tree::ROOT, &self.comment).map_err(|error| at_place(0, &error))?;
        let noted = |session: &mut Session, id, review: &Option<SavedReview>| match review {
            Some(review) => review.reviewed(session.game()).map(|reviewed| session.note_review(id, reviewed)),
            None => Ok(()),
        };
        noted(&mut session, Tree::ROOT, &self.review).map_err(|error| at_place(0, &error))?;
        let (mut resignations, mut draws) = (Vec::new(), Vec::new());
        let mut ids = vec![Tree::ROOT; positions.len() + 1];
        if let Some((index, position)) = positions.iter().enumerate().find(|(index, position)| position.parent > *index)
        {
            return Err(at_place(index + 1, &format!("parent {}, expected an earlier position", position.parent)));
        }
        for index in lines_first(positions.iter().map(|position| position.parent.checked_sub(1))) {
            let (place, position) = (index + 1, &positions[index]);
            session.back_to(ids[position.parent]).map_err(|error| at_place(place, &error))?;
            session.play(position.mv).map_err(|error| at_place(place, &error))?;
            let id = session.current();
            ids[place] = id;
            session.comment(id, &position.comment).map_err(|error| at_place(place, &error))?;
            noted(&mut session, id, &position.review).map_err(|error| at_place(place, &error))?;
            resignations.extend(position.resigned.map(|side| (id, side)));
            draws.extend(position.agreed_draw.then_some(id));
        }
        for id in draws {
            session.set_agreed_draw(id);
        }
        for (id, side) in resignations {
            session.set_resigned(id, side);
        }
        let end = *session.tree().main_line().last().expect("a line has its root");
        session.go_to(end).map_err(|error| at_place(0, &error))?;
        if let (Some(winner), Some(ending)) = (self.winner, session.ending())
            && ending.winner != Some(winner)
        {
            return Err(SavedGameError(format!(
                "the winner is {winner}, but after the last move {}",
                crate::words::ending(ending)
            )));
        }
        let at = self.at.unwrap_or(self.moves.len());
        let at = ids.get(at).ok_or_else(|| at_place(at, &"the current position is not in the file"))?;
        session.go_to(*at).map_err(|error| at_place(0, &error))?;
        session.seats.clone_from(&self.seats);
        session.pauses_on_blunders = self.pauses_on_blunders;
        session.clock.clone_from(&self.clock);
        session.is_study = self.is_study;
        Ok(session)
    }
}

impl Session {
    pub fn saved(&self) -> SavedGame {
        let main = self.tree().main_line();
        let mut end = self.clone();
        end.go_to(*main.last().expect("a line has its root")).expect("the tree's own lines are legal");
        let ending = end.ending();
        let mut places = BTreeMap::from([(Tree::ROOT, 0)]);
        let mut positions = Vec::new();
        // The main line comes first, then the rest, each position after its parent.
        let rest = self.tree().iter().map(|(id, _)| id).filter(|id| !main.contains(id));
        for id in main.iter().copied().chain(rest) {
            let node = self.tree().node(id).expect("the lines are of this tree");
            // The start has no parent and no move.
            let (Some(parent), Some(mv)) = (node.parent, self.tree().mv(id)) else { continue };
            let comment = node.comment.clone();
            let review = node.review.as_ref().map(SavedReview::new);
            positions.push(SavedPosition {
                parent: places[&parent],
                mv,
                comment,
                resigned: node.resigned,
                agreed_draw: node.is_agreed_draw,
                review,
            });
            places.insert(id, positions.len());
        }
        let plain = |position: &SavedPosition| {
            position.comment.is_empty()
                && position.resigned.is_none()
                && !position.agreed_draw
                && position.review.is_none()
        };
        let is_bare = positions.len() + 1 == main.len() && positions.iter().all(plain);
        let at = places.get(&self.current()).copied().filter(|at| *at + 1 != main.len());
        SavedGame {
            format: FORMAT.to_owned(),
            version: VERSION,
            rules: self.rules().set().clone(),
            start: *self.start(),
            first: self.start().side_to_move(),
            moves: end.history(),
            winner: ending.and_then(|ending| ending.winner),
            reason: ending.map(|ending| ending.reason.to_owned()),
            players: Some(self.players().clone()),
            seats: self.seats().cloned(),
            pauses_on_blunders: self.pauses_on_blunders,
            clock: self.clock.clone(),
            is_study: self.is_study,
            positions: if is_bare { Vec::new() } else { positions },
            comment: self.tree().node(Tree::ROOT).map_or(String::new(), |root| root.comment.clone()),
            review: self.tree().node(Tree::ROOT).and_then(|root| root.review.as_ref()).map(SavedReview::new),
            at,
        }
    }
}
