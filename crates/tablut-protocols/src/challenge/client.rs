//! A player in a Challenge game with another referee.

use super::frame::{read_frame, write_json};
use super::message::{Action, ChallengeState, unreadable};
use super::{ChallengeError, port};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;
use tablut_rules::{Game, Move, MoveList, Outcome, Position, Rules, Side};

const PEER: &str = "referee";
const POLL: Duration = Duration::from_millis(200);
/// How long the first state may take at least. The contest's referee sends it when both players have joined, and waits
/// 300 s for the second one.
const JOIN_TIME: Duration = Duration::from_secs(330);

#[derive(Clone, Debug)]
pub struct ClientOptions {
    pub side: Side,
    pub name: String,
    pub rules: Arc<Rules>,
    /// The longest wait for the referee's next message. The first state may take 330 s in any case.
    pub wait: Duration,
}

#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum ClientEnd {
    /// The referee's result: the winner, or `None` for a draw.
    Result(Option<Side>),
    /// The referee closed the connection on the opponent's turn. It does this when a player's time is over, so this is
    /// probably a win.
    OpponentOutOfTime,
    /// By our rules the game is over, for example because a side has no legal move and so has lost. The contest's
    /// referee does not look for that: it waited for a move, and then it ended without a result.
    Unended(Outcome),
}

#[derive(Clone, Debug, PartialEq)]
pub struct ClientReport {
    pub end: ClientEnd,
    /// The moves of both sides, as far as they are known.
    pub moves: Vec<Move>,
}

/// Connects to the referee on `host`, at the usual port of `side` unless another one is given.
pub fn connect(host: &str, side: Side, other_port: Option<u16>) -> Result<TcpStream, ChallengeError> {
    TcpStream::connect((host, other_port.unwrap_or(port(side))))
        .map_err(|reason| ChallengeError::Connection { peer: PEER, reason })
}

/// Plays one game on a connection. `choose` is called for each of our moves, and only if there is a legal one.
pub fn play(
    stream: &TcpStream,
    options: &ClientOptions,
    choose: &mut dyn FnMut(&Game) -> Result<Move, String>,
) -> Result<ClientReport, ChallengeError> {
    let connection = |reason| ChallengeError::Connection { peer: PEER, reason };
    stream.set_read_timeout(Some(POLL)).map_err(connection)?;
    stream.set_nodelay(true).map_err(connection)?;
    let (mut reader, mut writer) = (stream, stream);
    write_json(&mut writer, PEER, &options.name)?;
    let mut follower = Follower { rules: &options.rules, game: None, moves: Vec::new() };
    let mut sent: Option<Move> = None;
    loop {
        let wait = if follower.game.is_some() { options.wait } else { options.wait.max(JOIN_TIME) };
        let text = match read_frame(&mut reader, PEER, wait) {
            Ok(text) => text,
            Err(error) => {
                let end = match (&error, follower.game.as_ref().and_then(Game::outcome)) {
                    (ChallengeError::Closed { .. } | ChallengeError::Silent { .. }, Some(outcome)) => {
                        ClientEnd::Unended(outcome)
                    }
                    (ChallengeError::Closed { .. }, None) if follower.awaits(options.side.opponent()) => {
                        ClientEnd::OpponentOutOfTime
                    }
                    _ => return Err(error),
                };
                return Ok(ClientReport { end, moves: follower.moves });
            }
        };
        let step = follower.take(&ChallengeState::read(&text, PEER)?, &text)?;
        match step {
            Step::Over(winner) => return Ok(ClientReport { end: ClientEnd::Result(winner), moves: follower.moves }),
            // The same state again after our move: it was not accepted. Sending it again would not help.
            Step::Same if sent.is_some() => {
                let mv = sent.map(|mv| mv.to_string()).unwrap_or_default();
                return Err(ChallengeError::Refused { mv });
            }
            Step::Same | Step::Moved => {}
        }
        sent = None;
        // Without a legal move there is nothing to send: the referee has to end the game.
        let Some(game) = follower.game.as_ref().filter(|game| game.outcome().is_none()) else { continue };
        if game.position().side_to_move() == options.side {
            let no_move = |error| ChallengeError::Game(format!("cannot choose a move: {error}"));
            let mv = choose(game).map_err(no_move)?;
            game.rules().check_legal(game.position(), mv).map_err(|error| ChallengeError::Game(error.to_string()))?;
            write_json(&mut writer, PEER, &Action::of(mv, options.side))?;
            sent = Some(mv);
        }
    }
}

#[derive(Debug, PartialEq)]
enum Step {
    Moved,
    Same,
    Over(Option<Side>),
}

/// Keeps our own game in step with the referee's states, so that the player knows the history.
struct Follower<'a> {
    rules: &'a Arc<Rules>,
    game: Option<Game>,
    moves: Vec<Move>,
}

impl Follower<'_> {
    fn take(&mut self, state: &ChallengeState, text: &str) -> Result<Step, ChallengeError> {
        match state.turn.read() {
            Ok(side) => self.follow(state.position(side).map_err(|reason| unreadable(PEER, &reason, text))?),
            Err(winner) => {
                self.last_move(state);
                Ok(Step::Over(winner))
            }
        }
    }

    /// Whether `side` is to move, according to the referee.
    fn awaits(&self, side: Side) -> bool {
        self.game.as_ref().is_some_and(|game| game.position().side_to_move() == side)
    }

    /// Records the move that led to the last state, if there was one. The result counts whatever the board shows: the
    /// contest's referee leaves a captured king on his square.
    fn last_move(&mut self, state: &ChallengeState) {
        let Some(game) = &self.game else { return };
        let before = game.position();
        let Ok(found) = state.position(before.side_to_move().opponent()) else { return };
        let mut moves = MoveList::new();
        self.rules.legal_moves(before, &mut moves);
        let leads_there = |mv: &&Move| {
            let after = self.rules.apply(before, **mv).position;
            let soldiers = (after.attackers(), after.defenders()) == (found.attackers(), found.defenders());
            soldiers && (after.king().is_none() || after.king() == found.king())
        };
        self.moves.extend(moves.iter().find(leads_there));
    }

    fn follow(&mut self, found: Position) -> Result<Step, ChallengeError> {
        let Some(game) = &mut self.game else {
            self.game = Some(begin(self.rules, found)?);
            return Ok(Step::Moved);
        };
        let before = *game.position();
        if found == before || found.with_side_to_move(before.side_to_move()) == before {
            return Ok(Step::Same);
        }
        let mut moves = MoveList::new();
        self.rules.legal_moves(&before, &mut moves);
        let Some(&mv) = moves.iter().find(|&&mv| self.rules.apply(&before, mv).position == found) else {
            let reason = format!("no legal move leads from {before} to the referee's position {found}");
            return Err(ChallengeError::Game(reason));
        };
        self.moves.push(mv);
        // Our rules end the game, but the referee continues. So continue from this position.
        if game.play(mv).is_err() || game.outcome().is_some() {
            *game = begin(self.rules, found)?;
        }
        Ok(Step::Moved)
    }
}

fn begin(rules: &Arc<Rules>, position: Position) -> Result<Game, ChallengeError> {
    if position == rules.start(position.side_to_move()) {
        return Ok(Game::new(rules.clone(), position.side_to_move()));
    }
    Game::from_position(rules.clone(), position).map_err(|error| ChallengeError::Game(error.to_string()))
}
