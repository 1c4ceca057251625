//! Our own referee, so that other Challenge programs can play against our players.
//!
//! It uses the rule set `ashton`. Unlike the contest's referee, it ends a game if the side to move has no legal move,
//! always checks the clock instead of once a second, and always sends a final state.

use super::ChallengeError;
use super::frame::{read_frame, write_json};
use super::message::{Action, ChallengeState, Turn, read_name};
use std::io::ErrorKind;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};
use tablut_rules::{Game, Move, Outcome, Rules, Side};

const POLL: Duration = Duration::from_millis(20);
const NAME_TIME: Duration = Duration::from_secs(10);

#[derive(Clone, Debug)]
pub struct RefereeOptions {
    /// The rules; the contest's are `ashton`.
    pub rules: Arc<Rules>,
    pub move_time: Duration,
    pub join_time: Duration,
}

#[derive(Debug)]
pub struct RefereeReport {
    /// The players' names, attackers first.
    pub names: [String; 2],
    pub moves: Vec<Move>,
    pub outcome: Outcome,
    pub forfeit: Option<String>,
}

/// Referees one game. The first player that connects to `white` plays the defenders, the first to `black` the
/// attackers. `on_move` receives every move with the game after it.
pub fn serve(
    white: &TcpListener,
    black: &TcpListener,
    options: &RefereeOptions,
    on_move: &mut dyn FnMut(Move, &Game),
) -> Result<RefereeReport, ChallengeError> {
    let deadline = Instant::now() + options.join_time;
    let (defenders, defenders_name) = join(white, Side::Defenders, deadline, options)?;
    let (attackers, attackers_name) = join(black, Side::Attackers, deadline, options)?;
    let mut game = Game::new(options.rules.clone(), Side::Defenders);
    let players = [attackers, defenders];
    let (outcome, forfeit) = referee(&players, &mut game, options, on_move);
    let turn = Turn::ended(outcome.winner);
    let last = ChallengeState { turn, ..ChallengeState::of(game.position()) };
    for (player, side) in players.iter().zip(Side::ALL) {
        // A player that has left does not receive the result.
        let _ = send(player, side, &last);
    }
    Ok(RefereeReport { names: [attackers_name, defenders_name], moves: game.moves().collect(), outcome, forfeit })
}

fn referee(
    players: &[TcpStream; 2],
    game: &mut Game,
    options: &RefereeOptions,
    on_move: &mut dyn FnMut(Move, &Game),
) -> (Outcome, Option<String>) {
    loop {
        if let Some(outcome) = game.outcome() {
            return (outcome, None);
        }
        let state = ChallengeState::of(game.position());
        for (player, side) in players.iter().zip(Side::ALL) {
            if let Err(error) = send(player, side, &state) {
                return (Outcome::forfeit(side), Some(error.to_string()));
            }
        }
        let side = game.position().side_to_move();
        let taken = ask(&players[side.index()], side, options)
            .map_err(|error| error.to_string())
            .and_then(|mv| game.play(mv).map(|_| mv).map_err(|error| error.to_string()));
        match taken {
            Ok(mv) => on_move(mv, game),
            Err(reason) => return (Outcome::forfeit(side), Some(reason)),
        }
    }
}

const fn peer(side: Side) -> &'static str {
    match side {
        Side::Attackers => "attackers' player",
        Side::Defenders => "defenders' player",
    }
}

fn ask(mut player: &TcpStream, side: Side, options: &RefereeOptions) -> Result<Move, ChallengeError> {
    let text = read_frame(&mut player, peer(side), options.move_time)?;
    Action::read(&text, peer(side))
}

fn send(mut player: &TcpStream, side: Side, state: &ChallengeState) -> Result<(), ChallengeError> {
    write_json(&mut player, peer(side), state)
}

/// Waits for a player to connect and to send its name. A connection without a name is dropped, and the wait continues
/// for another.
fn join(
    listener: &TcpListener,
    side: Side,
    deadline: Instant,
    options: &RefereeOptions,
) -> Result<(TcpStream, String), ChallengeError> {
    let connection = |reason| ChallengeError::Connection { peer: peer(side), reason };
    listener.set_nonblocking(true).map_err(connection)?;
    let (sender, named) = channel();
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                let (sender, wait) = (sender.clone(), NAME_TIME.min(options.join_time));
                // Connections are read in parallel, so that a silent one does not delay the others.
                thread::spawn(move || {
                    if let Ok(name) = name_of(&stream, side, wait) {
                        let _ = sender.send((stream, name));
                    }
                });
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                if let Ok(player) = named.recv_timeout(POLL) {
                    return Ok(player);
                }
                if Instant::now() >= deadline {
                    return Err(ChallengeError::Silent { peer: peer(side), seconds: options.join_time.as_secs() });
                }
            }
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::ConnectionAborted) => {}
            Err(reason) => return Err(connection(reason)),
        }
    }
}

/// The name that arrives first on a connection.
fn name_of(mut stream: &TcpStream, side: Side, wait: Duration) -> Result<String, ChallengeError> {
    let connection = |reason| ChallengeError::Connection { peer: peer(side), reason };
    stream.set_nonblocking(false).map_err(connection)?;
    stream.set_read_timeout(Some(POLL)).map_err(connection)?;
    stream.set_write_timeout(Some(NAME_TIME)).map_err(connection)?;
    stream.set_nodelay(true).map_err(connection)?;
    Ok(read_name(&read_frame(&mut stream, peer(side), wait)?))
}
