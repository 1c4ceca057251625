//! One game between two players, as a task for the executor: nets' leaves go out in batches with other games'.

use crate::openings::Opening;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use std::time::Instant;
use tablut_games::{Request, Task};
use tablut_players::{Baseline, Ending};
use tablut_protocols::{Fault, ProgramError, ProgramSeat};
use tablut_ratings::HalfPoints;
use tablut_rules::{Game, Move, Side};
use tablut_search::{Anytime, Evaluation, Limit, Query, Search, SearchConfig};

/// Who sits on one side of the board.
pub enum Seat {
    /// A player that chooses at once.
    Baseline(Box<dyn Baseline>),
    /// A net with search; it keeps its tree from move to move.
    Net(Box<NetSeat>),
    /// Another program.
    Program(Box<dyn ProgramSeat>),
}

impl Seat {
    /// A seat for a search under `limit` that asks the executor's evaluator number `evaluator`.
    pub fn net(evaluator: usize, limit: Limit, config: SearchConfig, seed: u64) -> Self {
        let seat = NetSeat { evaluator, limit, config, seed, search: None, thought: None, queries: Vec::new() };
        Self::Net(Box::new(seat))
    }
}

/// A net's side of one game.
pub struct NetSeat {
    evaluator: usize,
    limit: Limit,
    config: SearchConfig,
    seed: u64,
    /// Begun on the net's first move.
    search: Option<Search>,
    /// The move under way, and since when.
    thought: Option<(Anytime, Instant)>,
    queries: Vec<Query>,
}

impl NetSeat {
    /// The move, once the search is done; until then its next leaves go to `requests`.
    fn think(&mut self, game: &Game, requests: &mut Vec<Request>) -> Option<Move> {
        let limit = self.limit;
        let new = || (Anytime::new(limit, &self.config), Instant::now());
        let is_new = self.thought.is_none();
        let (anytime, since) = self.thought.get_or_insert_with(new);
        let fresh = || Search::new(game.clone(), anytime.config(), ChaCha8Rng::seed_from_u64(self.seed));
        let search = match &mut self.search {
            Some(search) => {
                // Its last move's last round was longer than the first of this one.
                if is_new && limit.time().is_some() {
                    search.configure(anytime.config());
                }
                search
            }
            none => none.insert(fresh()),
        };
        while anytime.goes_on(search, since.elapsed()) {
            self.queries.clear();
            if search.gather(&mut self.queries) > 0 {
                requests.extend(self.queries.drain(..).map(|query| (self.evaluator, query)));
                return None;
            }
        }
        self.thought = None;
        Some(search.result().chosen)
    }

    /// Keeps up with the game.
    fn follow(&mut self, mv: Move) {
        if let Some(search) = &mut self.search {
            search.advance(mv);
        }
    }
}

/// A finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameResult {
    /// The side that moved first.
    pub first: Side,
    /// All moves, the opening's included.
    pub moves: Vec<Move>,
    /// How it ended.
    pub ending: Ending,
}

impl GameResult {
    /// What the game was worth to the player on `side`.
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
    seats: [Seat; 2],
    /// Whether all players are ready.
    has_begun: bool,
}

/// How far a game is after a step.
enum Step {
    /// The next step can follow at once.
    GoOn,
    /// The executor must come back, with evaluations if any were asked for.
    Wait,
    /// The game is over.
    Over(Ending),
}

impl MatchGame {
    /// A game that goes on from `opening`. `seats` are the attackers' and the defenders' player.
    pub fn new(game: Game, opening: &Opening, seats: [Seat; 2]) -> Self {
        Self { game, first: opening.first, seats, has_begun: false }
    }

    fn step(&mut self, requests: &mut Vec<Request>) -> Result<Step, ProgramError> {
        if let Some(outcome) = self.game.outcome() {
            return Ok(Step::Over(Ending::Rules(outcome)));
        }
        if !self.has_begun {
            return self.begin();
        }
        let side = self.game.position().side_to_move();
        let mv = match &mut self.seats[side.index()] {
            Seat::Baseline(player) => player.choose(&self.game),
            Seat::Net(net) => match net.think(&self.game, requests) {
                Some(mv) => return self.play(mv).map(|step| step.unwrap_or(Step::GoOn)),
                None => return Ok(Step::Wait),
            },
            Seat::Program(program) => match program.poll(&self.game) {
                Ok(Some(mv)) => {
                    if let Err(illegal) = self.game.rules().check_legal(self.game.position(), mv) {
                        return Ok(Step::Over(self.forfeit(side, &format!("sent an illegal move: {illegal}"))));
                    }
                    mv
                }
                Ok(None) => return Ok(Step::Wait),
                Err(fault) => return self.fault(side, fault),
            },
        };
        // Back to the executor after each move, so that a stop is heard soon.
        self.play(mv).map(|step| step.unwrap_or(Step::Wait))
    }

    /// Waits until every program is ready: the defenders' first, as the Challenge's referee does.
    fn begin(&mut self) -> Result<Step, ProgramError> {
        for side in [Side::Defenders, Side::Attackers] {
            if let Seat::Program(program) = &mut self.seats[side.index()] {
                match program.begin(&self.game) {
                    Ok(true) => {}
                    Ok(false) => return Ok(Step::Wait),
                    Err(fault) => return self.fault(side, fault),
                }
            }
        }
        self.has_begun = true;
        Ok(Step::GoOn)
    }

    /// Plays a move and tells the players; gives a step when one of them is found gone.
    fn play(&mut self, mv: Move) -> Result<Option<Step>, ProgramError> {
        self.game.play(mv).expect("our own players' moves are legal, and a program's move was checked");
        if self.game.outcome().is_some() {
            return Ok(None);
        }
        for side in Side::ALL {
            match &mut self.seats[side.index()] {
                Seat::Baseline(_) => {}
                Seat::Net(net) => net.follow(mv),
                Seat::Program(program) => {
                    if let Err(fault) = program.follow(&self.game) {
                        return self.fault(side, fault).map(Some);
                    }
                }
            }
        }
        Ok(None)
    }

    fn fault(&self, side: Side, fault: Fault) -> Result<Step, ProgramError> {
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
    type Error = ProgramError;

    fn gather(&mut self, requests: &mut Vec<Request>) -> Result<Option<GameResult>, ProgramError> {
        loop {
            match self.step(requests)? {
                Step::GoOn => {}
                Step::Wait => return Ok(None),
                Step::Over(ending) => {
                    for seat in &mut self.seats {
                        if let Seat::Program(program) = seat
                            && self.has_begun
                        {
                            program.end(&self.game, ending.winner());
                        }
                    }
                    return Ok(Some(GameResult { first: self.first, moves: self.game.moves().collect(), ending }));
                }
            }
        }
    }

    fn apply(&mut self, evaluations: &[Evaluation]) {
        if let Seat::Net(net) = &mut self.seats[self.game.position().side_to_move().index()]
            && let Some(search) = &mut net.search
        {
            search.apply(evaluations);
        }
    }
}
