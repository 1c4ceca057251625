//! One game between two players, as a task for the executor. The leaves of nets are evaluated in batches with those of
//! other games.

use crate::openings::Opening;
use std::sync::Arc;
use tablut_games::{LeafRequest, Task};
use tablut_players::{Contestant, Ending, Fault, Player, PlayerError};
use tablut_ratings::HalfPoints;
use tablut_rules::{Game, Move, Results, Rules, Side};
use tablut_search::{Evaluation, Query};

/// The player on one side of the board.
struct MatchSeat {
    player: Box<dyn Player>,
    /// The index of its evaluator in the executor.
    evaluator: Option<usize>,
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
    /// The game's result under its `rules`.
    pub fn results(&self, rules: &Rules) -> Results {
        match self.ending {
            Ending::Rules(outcome) => Results::of_game(rules, outcome, self.moves.len()),
            Ending::Forfeit { loser, .. } => Results::won_by(loser.opponent()),
        }
    }

    /// The half points of the player on `side`.
    pub fn half_points(&self, side: Side) -> HalfPoints {
        match self.ending.winner() {
            None => HalfPoints::Draw,
            Some(winner) if winner == side => HalfPoints::Win,
            Some(_) => HalfPoints::Loss,
        }
    }
}

/// The rules, players, seed and limit of a match. They determine each game together with its number and its opening.
#[derive(Clone, Debug)]
pub struct MatchPlan {
    /// The rules.
    pub rules: Arc<Rules>,
    /// The two players.
    pub contestants: [Contestant; 2],
    /// A game stops unfinished after this many plies, in addition to the rules' limits. Each player scores half a point.
    pub max_plies: Option<u32>,
    /// The seed of all randomness.
    pub seed: u64,
}

impl MatchPlan {
    /// Game `game_idx`. The first contestant plays the attackers in even games and the defenders in odd ones.
    pub fn game(&self, opening: &Opening, game_idx: usize) -> MatchGame {
        let mut game = Game::new(self.rules.clone(), opening.first);
        if let Some(max_plies) = self.max_plies {
            game = game.with_max_plies(max_plies);
        }
        for &mv in &opening.moves {
            // A limit shorter than the opening leaves a game that is already over.
            if game.play(mv).is_err() {
                break;
            }
        }
        let seat = |side: Side| {
            let contestant = &self.contestants[(game_idx + side.index()) % 2];
            let seed = mix(mix(self.seed, game_idx as u64), side.index() as u64);
            MatchSeat { player: contestant.sit(&self.rules, side, seed), evaluator: contestant.evaluator }
        };
        let seats = [seat(Side::Attackers), seat(Side::Defenders)];
        MatchGame { game, first: opening.first, seats, has_begun: false, queries: Vec::new() }
    }
}

/// A seed made of two numbers: one round of `SplitMix64`.
fn mix(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
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
