//! A game that is played or studied: its current position, all its variations, and its players.

use crate::clock::Clock;
use crate::player::{Controller, Players, Seats};
use crate::report::{GameEnding, MoveReport};
use crate::tree::{Node, NodeId, NodeValue, Reviewed, Tree};
use std::sync::Arc;
use tablut_rules::{Game, IllegalMove, Move, MoveList, Piece, Position, PositionError, Rules, Side, Square};

/// The maximum number of positions of a game with all its variations.
pub const MAX_NODES: usize = 2000;
/// The maximum length of a comment, in characters.
pub const MAX_COMMENT: usize = 2000;
/// The maximum number of bytes of all comments of a game together, so that every game can be saved, read and sent.
pub const MAX_COMMENT_BYTES: usize = 256 << 10;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    #[error("{0}")]
    Illegal(IllegalMove),
    #[error("the game is over: {}", crate::words::ending(*.0))]
    Over(GameEnding),
    #[error("there is no move to take back")]
    NothingToUndo,
    #[error("there is no move forward")]
    NothingToRedo,
    #[error("{0}: {1}")]
    NoMoves(Square, &'static str),
    #[error("{0}")]
    Position(PositionError),
    #[error("position {} is not in this game", .0.0)]
    NoSuchNode(NodeId),
    #[error("the game has {MAX_NODES} positions, the maximum")]
    Full,
    #[error("a comment of {0} characters, expected at most {MAX_COMMENT}")]
    LongComment(usize),
    #[error("the game's comments would have {0} bytes, expected at most {MAX_COMMENT_BYTES}")]
    CommentsFull(usize),
}

impl From<SessionError> for String {
    fn from(error: SessionError) -> Self {
        error.to_string()
    }
}

#[derive(Clone, Debug)]
pub struct Session {
    tree: Tree,
    current: NodeId,
    /// The game at the current position.
    game: Game,
    players: Players,
    /// The seats of a game between two people with a seat each.
    pub(crate) seats: Option<Seats>,
    /// Whether the game pauses after a person's blunder, before the computer replies.
    pub(crate) pauses_on_blunders: bool,
    pub(crate) clock: Option<Clock>,
    /// Whether a person studies the game: both sides are the person's own, and arrows stay on the board.
    pub(crate) is_study: bool,
}

impl Session {
    pub fn new(rules: Arc<Rules>, first: Side, players: Players) -> Self {
        Self::of_game(Game::new(rules, first), players)
    }

    pub fn from_position(rules: Arc<Rules>, start: Position, players: Players) -> Result<Self, SessionError> {
        Ok(Self::of_game(Game::from_position(rules, start).map_err(SessionError::Position)?, players))
    }

    fn of_game(game: Game, players: Players) -> Self {
        Self {
            tree: Tree::default(),
            current: Tree::ROOT,
            game,
            players,
            seats: None,
            pauses_on_blunders: false,
            clock: None,
            is_study: false,
        }
    }

    pub fn rules(&self) -> &Arc<Rules> {
        self.game.rules()
    }

    pub fn start(&self) -> &Position {
        self.game.start()
    }

    pub fn game(&self) -> &Game {
        &self.game
    }

    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    pub fn current(&self) -> NodeId {
        self.current
    }

    pub fn node(&self) -> &Node {
        self.tree.node(self.current).expect("the current node is in the tree")
    }

    pub fn clock(&self) -> Option<&Clock> {
        self.clock.as_ref()
    }

    pub fn seats(&self) -> Option<&Seats> {
        self.seats.as_ref()
    }

    pub fn players(&self) -> &Players {
        &self.players
    }

    pub fn set_players(&mut self, players: Players) {
        self.players = players;
    }

    /// How the game has ended at the current position: by the rules, or by a resignation.
    pub fn ending(&self) -> Option<GameEnding> {
        if let Some(side) = self.node().resigned {
            let is_late = self.clock.as_ref().is_some_and(|clock| clock.has_lost(side));
            let reason = if is_late { "out-of-time" } else { "resigned" };
            return Some(GameEnding { winner: Some(side.opponent()), reason });
        }
        if self.node().is_agreed_draw {
            return Some(GameEnding { winner: None, reason: "agreed" });
        }
        self.game.outcome().map(|outcome| GameEnding { winner: outcome.winner, reason: outcome.reason.name() })
    }

    /// The player to move. `None` if the game is over.
    pub fn turn(&self) -> Option<&Controller> {
        match self.ending() {
            Some(_) => None,
            None => Some(self.players.of(self.game.position().side_to_move())),
        }
    }

    pub fn is_computers_turn(&self) -> bool {
        self.turn().is_some_and(|player| !player.is_person())
    }

    pub(crate) fn check_open(&self) -> Result<(), SessionError> {
        self.ending().map_or(Ok(()), |ending| Err(SessionError::Over(ending)))
    }

    /// A copy of the game to study it, with all variations and comments. Both sides are a person's, and no resignation or
    /// agreement ends a line.
    pub fn to_study(&self) -> Self {
        let mut study = self.clone();
        (study.players, study.seats, study.clock) = (Players::people(), None, None);
        (study.pauses_on_blunders, study.is_study) = (false, true);
        study.tree.reopen();
        study
    }

    /// Makes a move for the side to move. A new move adds a variation.
    pub fn play(&mut self, mv: Move) -> Result<&MoveReport, SessionError> {
        self.check_open()?;
        if self.tree.len() >= MAX_NODES && self.tree.child(self.current, mv).is_none() {
            return Err(SessionError::Full);
        }
        let before = *self.game.position();
        let applied = self.game.play(mv).map_err(SessionError::Illegal)?;
        let report = MoveReport::new(&before, mv, &applied, &self.game);
        let child = match self.tree.child(self.current, mv) {
            Some(known) => known,
            None => self.tree.add(self.current, report),
        };
        // All nodes above the current one lead to it already.
        self.tree.step(self.current, child);
        self.current = child;
        Ok(self.node().report.as_ref().expect("a move led here"))
    }

    pub fn undo(&mut self) -> Result<(), SessionError> {
        let current = self.current;
        if self.node().was_ended() {
            let node = self.node_mut(current);
            (node.resigned, node.is_agreed_draw) = (None, false);
            self.clock = None;
            return Ok(());
        }
        let parent = self.node().parent.ok_or(SessionError::NothingToUndo)?;
        self.game.undo();
        self.current = parent;
        Ok(())
    }

    /// Takes moves back until `id` is the current position.
    pub(crate) fn back_to(&mut self, id: NodeId) -> Result<(), SessionError> {
        while self.current != id {
            self.undo()?;
        }
        Ok(())
    }

    /// Goes one move forward along the line that was visited last.
    pub fn redo(&mut self) -> Result<(), SessionError> {
        let next = self.tree.next(self.current).ok_or(SessionError::NothingToRedo)?;
        self.go_to(next)
    }

    /// Goes back to a person's turn: two plies if the computer has answered, or one if two people play. Returns the
    /// number of plies. If the current position is the last one of its line, the moves leave the tree. Otherwise a person
    /// only looks back.
    pub fn take_back(&mut self) -> Result<u32, SessionError> {
        if self.node().was_ended() {
            return self.undo().map(|()| 0);
        }
        let (path, before) = (self.tree.path(self.current), self.turn_before().ok_or(SessionError::NothingToUndo)?);
        let after = path.iter().position(|id| *id == before).map_or(0, |at| at + 1);
        let is_last = self.node().children.is_empty();
        if is_last {
            self.remove(path[after])?;
        } else {
            self.go_to(before)?;
        }
        Ok((path.len() - after) as u32)
    }

    /// The last position before the current one in which a person was to move, or any if the computer plays both sides.
    pub fn turn_before(&self) -> Option<NodeId> {
        let mut side = self.game.position().side_to_move();
        self.tree.path(self.current).into_iter().rev().skip(1).find(|_| {
            side = side.opponent();
            self.players.are_computers() || self.players.of(side).is_person()
        })
    }

    pub fn go_to(&mut self, id: NodeId) -> Result<(), SessionError> {
        self.tree.node(id).ok_or(SessionError::NoSuchNode(id))?;
        let (from, to) = (self.tree.path(self.current), self.tree.path(id));
        let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        for _ in shared..from.len() {
            self.game.undo();
        }
        for mv in to[shared..].iter().filter_map(|id| self.tree.mv(*id)) {
            self.game.play(mv).map_err(SessionError::Illegal)?;
        }
        self.current = id;
        self.tree.walk(id);
        Ok(())
    }

    pub fn game_at(&self, id: NodeId) -> Result<Game, SessionError> {
        self.tree.node(id).ok_or(SessionError::NoSuchNode(id))?;
        let mut game = Game::from_position(self.rules().clone(), *self.start()).map_err(SessionError::Position)?;
        for mv in self.tree.path(id).into_iter().filter_map(|id| self.tree.mv(id)) {
            game.play(mv).map_err(SessionError::Illegal)?;
        }
        Ok(game)
    }

    pub fn resign(&mut self, side: Side) -> Result<(), SessionError> {
        self.check_open()?;
        self.set_resigned(self.current, side);
        Ok(())
    }

    /// The position after the last move of `side`, which is the last move or the one before it.
    pub(crate) fn last_move_of(&self, side: Side) -> Result<NodeId, SessionError> {
        let path = self.tree.path(self.current);
        let plies = if self.game.position().side_to_move() == side { 2 } else { 1 };
        let at = path.len().checked_sub(plies).filter(|at| *at > 0).ok_or(SessionError::NothingToUndo)?;
        Ok(path[at])
    }

    pub(crate) fn agree_draw(&mut self) -> Result<(), SessionError> {
        self.check_open()?;
        self.set_agreed_draw(self.current);
        Ok(())
    }

    /// Removes a position and everything after it. The root stays. If the current position is removed, the parent
    /// becomes the current position.
    pub fn remove(&mut self, id: NodeId) -> Result<(), SessionError> {
        let node = self.tree.node(id).ok_or(SessionError::NoSuchNode(id))?;
        if let Some(parent) = node.parent {
            if self.tree.path(self.current).contains(&id) {
                self.go_to(parent)?;
            }
            self.tree.remove(id);
        }
        Ok(())
    }

    pub fn promote(&mut self, id: NodeId) -> Result<(), SessionError> {
        self.tree.node(id).ok_or(SessionError::NoSuchNode(id))?;
        self.tree.promote(id);
        Ok(())
    }

    /// Writes a comment on a position. An empty text removes it.
    pub fn comment(&mut self, id: NodeId, text: &str) -> Result<(), SessionError> {
        let text = text.trim();
        let found = text.chars().count();
        if found > MAX_COMMENT {
            return Err(SessionError::LongComment(found));
        }
        if !text.is_empty() {
            let others = self.tree.iter().filter(|(other, _)| *other != id).map(|(_, node)| node.comment.len());
            let bytes = others.sum::<usize>() + text.len();
            if bytes > MAX_COMMENT_BYTES {
                return Err(SessionError::CommentsFull(bytes));
            }
        }
        let node = self.tree.node_mut(id).ok_or(SessionError::NoSuchNode(id))?;
        text.clone_into(&mut node.comment);
        Ok(())
    }

    /// Stores a position's value, unless the stored value is proven or has more simulations.
    pub fn note_value(&mut self, id: NodeId, value: NodeValue) {
        if let Some(node) = self.tree.node_mut(id) {
            let worth = |value: &NodeValue| (value.proven.is_some(), value.simulations);
            if node.value.is_none_or(|known| worth(&known) <= worth(&value)) {
                node.value = Some(value);
            }
        }
    }

    pub fn note_review(&mut self, id: NodeId, reviewed: Reviewed) {
        self.note_value(id, reviewed.value);
        if let Some(node) = self.tree.node_mut(id) {
            node.review = Some(reviewed);
        }
    }

    pub(crate) fn set_agreed_draw(&mut self, id: NodeId) {
        self.node_mut(id).is_agreed_draw = true;
    }

    pub(crate) fn set_resigned(&mut self, id: NodeId, side: Side) {
        self.node_mut(id).resigned = Some(side);
    }

    pub fn moves(&self) -> Result<Vec<Move>, SessionError> {
        self.check_open()?;
        let mut moves = MoveList::new();
        self.game.legal_moves(&mut moves);
        Ok(moves.into_vec())
    }

    pub fn moves_from(&self, square: Square) -> Result<Vec<Move>, SessionError> {
        let position = self.game.position();
        let moves: Vec<Move> = self.moves()?.into_iter().filter(|mv| mv.from == square).collect();
        let reason = match position.piece_at(square).map(Piece::side) {
            _ if !moves.is_empty() => return Ok(moves),
            None => "there is no piece on this square",
            Some(side) if side != position.side_to_move() => "this piece does not belong to the side to move",
            Some(_) => "this piece cannot move",
        };
        Err(SessionError::NoMoves(square, reason))
    }

    pub fn history(&self) -> Vec<Move> {
        self.game.moves().collect()
    }

    fn node_mut(&mut self, id: NodeId) -> &mut Node {
        self.tree.node_mut(id).expect("the node was found in the tree")
    }
}
