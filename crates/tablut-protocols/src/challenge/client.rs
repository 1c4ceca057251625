//! A player in someone else's Challenge game.

use super::frame::{read_frame, write_frame};
use super::message::{Action, State, unreadable};
use super::{ChallengeError, port};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;
use tablut_rules::{Game, Move, MoveList, Position, Rules, Side};

const PEER: &str = "referee";
/// How often the clock is looked at while nothing comes.
const POLL: Duration = Duration::from_millis(200);

/// Who plays, and how patient it is.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// The side played.
    pub side: Side,
    /// The name told to the referee.
    pub name: String,
    /// The rules that the referee plays by.
    pub rules: Arc<Rules>,
    /// The longest wait for the referee's next word.
    pub wait: Duration,
}

/// How a game ended, as the referee said.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientReport {
    /// The winner; none for a draw.
    pub winner: Option<Side>,
    /// The moves of both sides.
    pub moves: Vec<Move>,
}

/// Connects to the referee on `host`, at the port of `side` unless another is given.
pub fn connect(host: &str, side: Side, other_port: Option<u16>) -> Result<TcpStream, ChallengeError> {
    TcpStream::connect((host, other_port.unwrap_or(port(side))))
        .map_err(|reason| ChallengeError::Connection { peer: PEER, reason })
}

/// Plays one game on a connection. `choose` is asked for a move on every turn of ours.
pub fn play(
    stream: &TcpStream,
    options: &ClientOptions,
    choose: &mut dyn FnMut(&Game) -> Result<Move, String>,
) -> Result<ClientReport, ChallengeError> {
    let connection = |reason| ChallengeError::Connection { peer: PEER, reason };
    stream.set_read_timeout(Some(POLL)).map_err(connection)?;
    stream.set_nodelay(true).map_err(connection)?;
    let (mut reader, mut writer) = (stream, stream);
    write_frame(&mut writer, PEER, &serde_json::Value::from(options.name.as_str()).to_string())?;
    let mut follower = Follower { rules: &options.rules, game: None, moves: Vec::new() };
    let mut sent: Option<Move> = None;
    loop {
        let text = read_frame(&mut reader, PEER, options.wait)?;
        let step = follower.take(&State::read(&text, PEER)?, &text)?;
        match step {
            Step::Over(winner) => return Ok(ClientReport { winner, moves: follower.moves }),
            // The same state again, after a move of ours: it was not taken. Sending it anew would not help.
            Step::Same if sent.is_some() => {
                let mv = sent.map(|mv| mv.to_string()).unwrap_or_default();
                return Err(ChallengeError::Refused { mv });
            }
            Step::Same | Step::Moved => {}
        }
        sent = None;
        let Some(game) = &follower.game else { continue };
        if game.position().side_to_move() == options.side {
            let mv = choose(game).map_err(ChallengeError::Player)?;
            game.rules().check_legal(game.position(), mv).map_err(ChallengeError::Illegal)?;
            let action = Action::of(mv, options.side);
            let text = serde_json::to_string(&action).map_err(|error| unreadable(PEER, &error.to_string(), ""))?;
            write_frame(&mut writer, PEER, &text)?;
            sent = Some(mv);
        }
    }
}

/// What a state says after the one before.
#[derive(Debug, PartialEq)]
enum Step {
    Moved,
    Same,
    Over(Option<Side>),
}

/// Keeps a game of our own in step with the referee's states, so that the player knows the history.
struct Follower<'a> {
    rules: &'a Arc<Rules>,
    game: Option<Game>,
    moves: Vec<Move>,
}

impl Follower<'_> {
    fn take(&mut self, state: &State, text: &str) -> Result<Step, ChallengeError> {
        let turn = state.turn.read();
        let side = match (turn, &self.game) {
            (Ok(side), _) => side,
            (Err(_), Some(game)) => game.position().side_to_move().opponent(),
            (Err(winner), None) => return Ok(Step::Over(winner)),
        };
        let found = state.position(side).map_err(|reason| unreadable(PEER, &reason, text))?;
        let step = self.follow(found)?;
        Ok(turn.map_or_else(Step::Over, |_| step))
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
            return Err(ChallengeError::Jump { before: before.to_string(), found: found.to_string() });
        };
        self.moves.push(mv);
        // Where our rules end the game and the referee goes on, it goes on from this position.
        if game.play(mv).is_err() {
            *game = begin(self.rules, found)?;
        }
        Ok(Step::Moved)
    }
}

fn begin(rules: &Arc<Rules>, position: Position) -> Result<Game, ChallengeError> {
    if position == Position::start(position.side_to_move()) {
        return Ok(Game::new(rules.clone(), position.side_to_move()));
    }
    Game::from_position(rules.clone(), position).map_err(ChallengeError::Position)
}
