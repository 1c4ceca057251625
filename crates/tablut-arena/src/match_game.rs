//! One game between two players, as a task for the executor. The leaves of nets are evaluated in batches with those of
//! other games.

use crate::openings::Opening;
use tablut_games::{LeafRequest, Task};
use tablut_players::{Ending, Fault, Player, PlayerError};
use tablut_ratings::HalfPoints;
use tablut_rules::{Game, Move, Side};
use tablut_search::{Evaluation, Query};

/// The player on one side of the board.
pub struct MatchSeat {
    /// The player.
    pub player: Box<dyn Player>,
    /// The index of its evaluator in the executor.
    pub evaluator: Option<usize>,
}

/// A finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameResult {
    /// The side that moved first.
    pub first: Side,
    /// All moves, including the opening's.
    pub moves: Vec<Move>,
    /// How it ended.
    pub ending: Ending,
}

impl GameResult {
    /// The half points of the player on `side`.
    pub fn half_points(&self, side: Side) -> HalfPoints {
        match self.ending.winner() {
            None => HalfPoints::Draw,
            Some(winner) if winner == side => HalfPoints::Win,
            Some(_) => HalfPoints::Loss,
        }
    }
}

/// The state of a game that is being played.
pub struct MatchGame {
    game: Game,
    first: Side,
    /// By the side's index.
    seats: [MatchSeat; 2],
    /// Whether all players are ready.
    has_begun: bool,
    /// Positions that the player to move needs evaluated.
    queries: Vec<Query>,
}

/// The state of a game after a step.
enum Step {
    /// The next step can follow at once.
    GoOn,
    /// The executor must continue later, with evaluations if any were requested.
    Wait,
    /// The game is over.
    Over(Ending),
}

impl MatchGame {
    /// A game that continues from `opening`. `seats` are the attackers' and the defenders' player.
    pub fn new(game: Game, opening: &Opening, seats: [MatchSeat; 2]) -> Self {
        Self { game, first: opening.first, seats, has_begun: false, queries: Vec::new() }
    }

    fn step(&mut self, requests: &mut Vec<LeafRequest>) -> Result<Step, PlayerError> {
        if let Some(outcome) = self.game.outcome() {
            return Ok(Step::Over(Ending::Rules(outcome)));
        }
        if !self.has_begun {
            return self.begin();
        }
        let side = self.game.position().side_to_move();
        let MatchSeat { player, evaluator } = &mut self.seats[side.index()];
        let evaluator = *evaluator;
        let mv = match player.poll(&self.game, &mut self.queries) {
            Ok(Some(mv)) => mv,
            Ok(None) => {
                let place = evaluator.unwrap_or_default();
                requests.extend(self.queries.drain(..).map(|query| (place, query)));
                return Ok(Step::Wait);
            }
            Err(fault) => return self.fault(side, fault),
        };
        if let Err(illegal) = self.game.rules().check_legal(self.game.position(), mv) {
            return Ok(Step::Over(self.forfeit(side, &format!("sent an illegal move: {illegal}"))));
        }
        // Return to the executor after each slow move, so that a stop is noticed soon.
        let next = if evaluator.is_some() { Step::GoOn } else { Step::Wait };
        self.play(mv).map(|step| step.unwrap_or(next))
    }

    /// Waits until every player is ready, the defenders first, like the Challenge's referee.
    fn begin(&mut self) -> Result<Step, PlayerError> {
        for side in [Side::Defenders, Side::Attackers] {
            match self.seats[side.index()].player.begin(&self.game) {
                Ok(true) => {}
                Ok(false) => return Ok(Step::Wait),
                Err(fault) => return self.fault(side, fault),
            }
        }
        self.has_begun = true;
        Ok(Step::GoOn)
    }

    /// Plays a move and reports it to the players. Returns a step if one of them has left.
    fn play(&mut self, mv: Move) -> Result<Option<Step>, PlayerError> {
        self.game.play_trusted(mv);
        if self.game.outcome().is_some() {
            return Ok(None);
        }
        for side in Side::ALL {
            if let Err(fault) = self.seats[side.index()].player.follow(&self.game, mv) {
                return self.fault(side, fault).map(Some);
            }
        }
        Ok(None)
    }

    fn fault(&self, side: Side, fault: Fault) -> Result<Step, PlayerError> {
        match fault {
            Fault::Forfeit(what) => Ok(Step::Over(self.forfeit(side, &what))),
            Fault::Fatal(error) => Err(error),
        }
    }

    fn forfeit(&self, loser: Side, what: &str) -> Ending {
        Ending::Forfeit { loser, reason: format!("at ply {} the {loser}' player {what}", self.game.ply() + 1) }
    }
}

impl Task for MatchGame {
    type Output = GameResult;
    type Error = PlayerError;

    fn gather(&mut self, requests: &mut Vec<LeafRequest>) -> Result<Option<GameResult>, PlayerError> {
        loop {
            match self.step(requests)? {
                Step::GoOn => {}
                Step::Wait => return Ok(None),
                Step::Over(ending) => {
                    for seat in self.seats.iter_mut().filter(|_| self.has_begun) {
                        seat.player.end(&self.game, ending.winner());
                    }
                    return Ok(Some(GameResult { first: self.first, moves: self.game.moves().collect(), ending }));
                }
            }
        }
    }

    fn apply(&mut self, evaluations: &[Evaluation]) {
        self.seats[self.game.position().side_to_move().index()].player.apply(evaluations);
    }
}
