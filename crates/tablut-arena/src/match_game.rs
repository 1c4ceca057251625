//! One game between two players, as a task for the executor. The leaves of nets are evaluated in batches with those of
//! other games.

use crate::openings::Opening;
use std::sync::Arc;
use tablut_games::{GameRecord, LeafRequest, Task};
use tablut_players::{Contestant, Fault, Player, PlayerError};
use tablut_ratings::HalfPoints;
use tablut_rules::{Game, Move, Outcome, Rules, Side};
use tablut_search::{Evaluation, Situation};

/// The player on one side of the board.
struct MatchSeat {
    player: Box<dyn Player>,
    /// The index of its evaluator in the executor.
    evaluator: Option<usize>,
}

/// The half points of the player on `side`.
pub(crate) fn half_points(game: &GameRecord, side: Side) -> HalfPoints {
    match game.outcome.winner {
        None => HalfPoints::Draw,
        Some(winner) if winner == side => HalfPoints::Win,
        Some(_) => HalfPoints::Loss,
    }
}

/// The rules, players, seed and limit of a match. They determine each game together with its number and its opening.
#[derive(Clone, Debug)]
pub struct MatchPlan {
    pub rules: Arc<Rules>,
    pub contestants: [Contestant; 2],
    /// A game stops unfinished after this many plies, in addition to the rules' limits. Each player scores half a point.
    pub max_plies: u32,
    pub seed: u64,
}

impl MatchPlan {
    /// Game `game_idx`. The first contestant plays the attackers in even games and the defenders in odd ones.
    pub fn game(&self, opening: &Opening, game_idx: usize) -> MatchGame {
        let mut game = Game::new(self.rules.clone(), opening.first).with_max_plies(self.max_plies);
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
        MatchGame { game_idx, game, max_plies: self.max_plies, seats, has_begun: false, queries: Vec::new() }
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
    game_idx: usize,
    game: Game,
    max_plies: u32,
    seats: [MatchSeat; 2],
    /// Whether all players are ready.
    has_begun: bool,
    /// Positions that the player to move needs evaluated.
    queries: Vec<Situation>,
}

/// The state of a game after a step.
enum Step {
    /// The next step can follow at once.
    GoOn,
    /// The executor must continue later, with evaluations if any were requested.
    Wait,
    /// The game is over. If a player forfeits it, the text says what the player did.
    Over(Outcome, Option<String>),
}

impl MatchGame {
    fn step(&mut self, requests: &mut Vec<LeafRequest>) -> Result<Step, PlayerError> {
        if let Some(outcome) = self.game.outcome() {
            return Ok(Step::Over(outcome, None));
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
            return Ok(self.forfeit(side, &format!("sent an illegal move: {illegal}")));
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
            Fault::Forfeit(what) => Ok(self.forfeit(side, &what)),
            Fault::Fatal(error) => Err(error),
        }
    }

    fn forfeit(&self, loser: Side, what: &str) -> Step {
        let text = format!("at ply {} the {loser}' player {what}", self.game.ply() + 1);
        Step::Over(Outcome::forfeit(loser), Some(text))
    }
}

impl Task for MatchGame {
    type Output = GameRecord;
    type Error = PlayerError;

    fn gather(&mut self, requests: &mut Vec<LeafRequest>) -> Result<Option<GameRecord>, PlayerError> {
        loop {
            match self.step(requests)? {
                Step::GoOn => {}
                Step::Wait => return Ok(None),
                Step::Over(outcome, forfeit) => {
                    for seat in self.seats.iter_mut().filter(|_| self.has_begun) {
                        seat.player.end(&self.game, outcome.winner);
                    }
                    let record = GameRecord::new(self.game_idx as u64, &self.game, self.max_plies, outcome);
                    return Ok(Some(GameRecord { forfeit, ..record }));
                }
            }
        }
    }

    fn apply(&mut self, evaluations: &[Evaluation]) {
        self.seats[self.game.position().side_to_move().index()].player.apply(evaluations);
    }
}
