//! The game as OpenTafl reports it. Its boards always count.

use std::sync::Arc;
use tablut_rules::{Game, MoveText, Piece, Position, PositionError, Rules, Side};

#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub(super) enum Followed {
    /// By the moves that came with it.
    ByMoves,
    /// It was already the current board.
    AlreadyThere,
    /// By no legal moves under the known rules.
    ByBoard,
}

pub(super) struct FollowedGame {
    rules: Arc<Rules>,
    start: Position,
    /// `None` while the board has no king.
    game: Option<Game>,
}

impl FollowedGame {
    pub(super) fn new(rules: Arc<Rules>, start: Position) -> Result<Self, PositionError> {
        let game = Game::from_position(rules.clone(), start)?;
        Ok(Self { rules, start, game: Some(game) })
    }

    /// The game to think about, or why there is none. A game that is over under our rules may continue under others.
    pub(super) fn open_game(&self) -> Result<Game, String> {
        let nothing = |why: &dyn std::fmt::Display| format!("no move is possible: {why}");
        let game = self.game.as_ref().ok_or_else(|| nothing(&"there is no king on the board"))?;
        if game.outcome().is_none() {
            return Ok(game.clone());
        }
        let anew = self.game_from(*game.position()).ok_or_else(|| nothing(&"there is no king on the board"))?;
        match anew.outcome() {
            None => Ok(anew),
            Some(outcome) => Err(nothing(&outcome)),
        }
    }

    /// Starts the game from `board`, unless that is already its board.
    pub(super) fn set_up(&mut self, board: Position) {
        let to_move = self.game.as_ref().map_or(board, |game| *game.position()).side_to_move();
        if !self.stands_at(&board) {
            self.game = self.game_from(board.with_side_to_move(to_move));
        }
    }

    /// Makes `side` the side to move. If it is already, nothing changes.
    pub(super) fn give_the_move_to(&mut self, side: Side) {
        if let Some(game) = &self.game
            && game.position().side_to_move() != side
        {
            self.game = self.game_from(game.position().with_side_to_move(side));
        }
    }

    /// Plays moves that lead to `board`, from the current position, or from the start if the game is resumed. Repeated
    /// moves change nothing. If no legal moves lead to the board, the game continues from it.
    pub(super) fn follow(&mut self, moves: &[MoveText], board: &Position) -> Followed {
        let leads_there = |game: &Game| same_board(game.position(), board);
        let played = |game: Option<Game>| game.and_then(|game| play_all(game, moves)).filter(leads_there);
        let followed = match played(self.game.clone()) {
            None if self.stands_at(board) => return Followed::AlreadyThere,
            None => played(self.game_from(self.start)),
            followed => followed,
        };
        if followed.is_some() {
            self.game = followed;
            return Followed::ByMoves;
        }
        let mover = moves.last().and_then(|mv| board.piece_at(mv.to)).map(Piece::side);
        let stood = self.game.as_ref().map_or(board, |game| game.position());
        let to_move = mover.map_or(stood.side_to_move(), Side::opponent);
        self.game = self.game_from(board.with_side_to_move(to_move));
        Followed::ByBoard
    }

    fn game_from(&self, position: Position) -> Option<Game> {
        Game::from_position(self.rules.clone(), position).ok()
    }

    fn stands_at(&self, board: &Position) -> bool {
        self.game.as_ref().is_some_and(|game| same_board(game.position(), board))
    }
}

/// The game after all of `moves`, if they are legal in it.
fn play_all(mut game: Game, moves: &[MoveText]) -> Option<Game> {
    for text in moves {
        let mv = game.rules().match_move(game.position(), text).ok()?;
        game.play(mv).ok()?;
    }
    Some(game)
}

fn same_board(a: &Position, b: &Position) -> bool {
    *a == b.with_side_to_move(a.side_to_move())
}
