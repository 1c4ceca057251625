//! OpenTafl's engine protocol, spoken as one of its engines: for a player, and for analyses.
//!
//! | from OpenTafl | what happens |
//! |---|---|
//! | `rules LINE` | a game by these rules begins; `error -1 …` where they are not played here, `status …` for what differs at the game's end |
//! | `clock …` | how long the next moves may take |
//! | `play SIDE` | `status …` with what was found, then `move M` |
//! | `move BOARD` | the move was made |
//! | `error CODE` | it was not: the next `play` is answered with another |
//! | `opponent-move M\|… BOARD` | the game follows |
//! | `position BOARD`, `side SIDE` | the position to be analysed |
//! | `analyze N SECONDS` | `analysis N LINE VALUE …`: lines of play `M\|M\|…`, and values in [−1, 1] with +1 for a win of the attackers |
//! | `finish CODE` | the game is over |
//! | `goodbye` | the engine ends, as at the end of its input |
//!
//! What cannot be obeyed is answered with `error 0 …`, or with `error -1 …`, which ends the game, where no move can follow.
//! OpenTafl's board is the truth: where a board does not follow from the moves by the rules that are known here, the game goes on from
//! that board, and repetitions are counted anew.

mod clock;
mod command;

use crate::mind::Mind;
use crate::net_player::{NetPlayer, Watch};
use crate::nets::match_search;
use crate::wire::{Failure, Wire, refused};
use clock::Clock;
use command::Command;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};
use tablut_rules::{Bitboard, Game, Move, MoveText, Piece, Position, Rules, RulesLine, Side};
use tablut_search::{Limit, Search};

/// What an analysis leaves of its time for the line and for a machine that is busy.
const ANALYSIS_MARGIN: Duration = Duration::from_millis(100);

/// How long the engine thinks about a move.
#[derive(Copy, Clone, Debug)]
pub struct Pace {
    /// At most so long in any case.
    pub most: Option<Limit>,
    /// Simulations where `most` and OpenTafl's clock say nothing.
    pub simulations: u32,
}

impl Pace {
    fn limit(&self, clock: Option<Duration>) -> Limit {
        let simulations = self.most.and_then(|most| most.simulations());
        let time = self.most.and_then(|most| most.time());
        let time = match (time, clock) {
            (Some(time), Some(clock)) => Some(time.min(clock)),
            (time, clock) => time.or(clock),
        };
        Limit::new(simulations, time).unwrap_or(Limit::of_simulations(self.simulations))
    }
}

/// An engine's state between two lines.
pub struct OpenTaflEngine {
    mind: Mind,
    pace: Pace,
    clock: Option<Clock>,
    /// What the rules and the start are, once they are known.
    start: Option<(Arc<Rules>, Position)>,
    /// The game as far as OpenTafl has told of it.
    game: Option<Game>,
    /// The move that was sent and that nothing was heard of yet.
    sent: Option<Move>,
    /// Moves in this position that were not made.
    refused: Vec<Move>,
    quits: bool,
}

impl OpenTaflEngine {
    /// An engine that waits for its rules.
    pub fn new(mind: Mind, pace: Pace) -> Self {
        Self { mind, pace, clock: None, start: None, game: None, sent: None, refused: Vec::new(), quits: false }
    }
}

/// Says hello and obeys `lines` until `goodbye` or their end. Lines come through a channel, so that the clock and the game's end are heard
/// while the engine thinks.
pub fn run_opentafl(engine: &mut OpenTaflEngine, lines: &Receiver<String>, output: &mut dyn Write) -> io::Result<()> {
    let mut wire = Wire::new(lines, output);
    wire.say("hello")?;
    wire.say("simple-moves on")?;
    while !engine.quits {
        let Some(line) = wire.next_line() else { return Ok(()) };
        let done = match Command::read(&line) {
            Ok(command) => engine.obey(command, &mut wire),
            Err(reason) => Err(Failure::Refused(reason)),
        };
        match done {
            Ok(()) => {}
            Err(Failure::Refused(reason)) => {
                let code = if is_fatal(&line) { -1 } else { 0 };
                wire.say(&format!("error {code} {reason}"))?;
            }
            Err(Failure::Output(error)) => return Err(error),
        }
    }
    Ok(())
}

/// Whether no move can follow where this line is not obeyed.
fn is_fatal(line: &str) -> bool {
    matches!(line.split_whitespace().next(), Some("rules" | "play" | "opponent-move"))
}

impl OpenTaflEngine {
    fn obey(&mut self, command: Command, wire: &mut Wire<'_>) -> Result<(), Failure> {
        match command {
            Command::Nothing => Ok(()),
            Command::Rules(line) => self.begin(&line, wire),
            Command::Position(board) => self.set_up(board),
            Command::Side(side) => self.give_the_move_to(side),
            Command::Clock(clock) => {
                self.clock = Some(clock);
                Ok(())
            }
            Command::Analyze { n_moves, seconds } => self.analyze(n_moves, seconds, wire),
            Command::Play(side) => self.play(side, wire),
            Command::Moved(board) => {
                let sent: Vec<MoveText> = self.sent.take().map(text_of).into_iter().collect();
                self.follow(&sent, board, wire)
            }
            Command::Error(code) => self.take_back(code, wire),
            Command::OpponentMove { moves, position } => self.follow_opponent(moves, position, wire),
            Command::Finish => {
                (self.clock, self.sent) = (None, None);
                Ok(())
            }
            Command::Goodbye => {
                self.quits = true;
                Ok(())
            }
        }
    }

    fn begin(&mut self, line: &str, wire: &mut Wire<'_>) -> Result<(), Failure> {
        let RulesLine { set, start, other_endings } = line.parse().map_err(refused)?;
        let rules = Arc::new(Rules::new(set).map_err(refused)?);
        let game = Game::from_position(rules.clone(), start).map_err(refused)?;
        self.mind.play_by(&rules);
        (self.start, self.game, self.clock, self.sent) = (Some((rules, start)), Some(game), None, None);
        self.refused.clear();
        for ending in other_endings {
            wire.say(&format!("status not known to this engine: {ending}"))?;
        }
        Ok(())
    }

    fn rules(&self) -> Result<&Arc<Rules>, Failure> {
        self.start.as_ref().map(|(rules, _)| rules).ok_or_else(no_rules)
    }

    /// The game from a board on, or the game as it is if that is its board.
    fn set_up(&mut self, board: Position) -> Result<(), Failure> {
        let rules = self.rules()?.clone();
        let game = self.game.as_ref().ok_or_else(no_rules)?;
        let to_move = game.position().side_to_move();
        if !same_board(game.position(), &board) {
            self.game = Some(Game::from_position(rules, board.with_side_to_move(to_move)).map_err(refused)?);
        }
        self.sent = None;
        self.refused.clear();
        Ok(())
    }

    fn give_the_move_to(&mut self, side: Side) -> Result<(), Failure> {
        let game = self.game.as_ref().ok_or_else(no_rules)?;
        if game.position().side_to_move() != side {
            let position = game.position().with_side_to_move(side);
            self.game = Some(Game::from_position(game.rules().clone(), position).map_err(refused)?);
        }
        Ok(())
    }

    /// Hears of moves since the engine's last one, which may not have been confirmed.
    fn follow_opponent(
        &mut self,
        mut moves: Vec<MoveText>,
        board: Position,
        wire: &mut Wire<'_>,
    ) -> Result<(), Failure> {
        if let Some(sent) = self.sent.take() {
            moves.insert(0, text_of(sent));
        }
        let repeated = self.game.as_ref().is_some_and(|game| same_board(game.position(), &board));
        // After a move that was not made, the opponent's last is told once more.
        if repeated { Ok(()) } else { self.follow(&moves, board, wire) }
    }

    /// Plays moves that lead to `board`: from where the game stands, or from its start; or else goes on from the board.
    fn follow(&mut self, moves: &[MoveText], board: Position, wire: &mut Wire<'_>) -> Result<(), Failure> {
        let (rules, start) = self.start.as_ref().ok_or_else(no_rules)?;
        let from_start = || Game::from_position(rules.clone(), *start).ok();
        let leads_there = |game: &Game| same_board(game.position(), &board);
        let followed = self.game.clone().and_then(|game| play_all(game, moves)).filter(leads_there);
        let followed = followed.or_else(|| from_start().and_then(|game| play_all(game, moves)).filter(leads_there));
        let game = match followed {
            Some(game) => game,
            None => self.taken_over(moves, board, wire)?,
        };
        self.game = Some(game);
        self.refused.clear();
        Ok(())
    }

    /// A new game from a board that the moves known here do not lead to.
    fn taken_over(&self, moves: &[MoveText], board: Position, wire: &mut Wire<'_>) -> Result<Game, Failure> {
        wire.say("status this board does not follow by the rules that this engine knows; it goes on from here")?;
        let mover = moves.last().and_then(|mv| board.piece_at(mv.to)).map(Piece::side);
        let to_move = match (mover, &self.game) {
            (Some(mover), _) => mover.opponent(),
            (None, Some(game)) => game.position().side_to_move(),
            (None, None) => Side::Attackers,
        };
        Game::from_position(self.rules()?.clone(), board.with_side_to_move(to_move)).map_err(refused)
    }

    fn take_back(&mut self, code: i32, wire: &mut Wire<'_>) -> Result<(), Failure> {
        let reason = match code {
            1 => "it is not this side's turn",
            2 => "blocked or off the board",
            3 | 4 => "berserk moves",
            _ => "no known reason",
        };
        if let Some(mv) = self.sent.take() {
            wire.say(&format!("status {mv} was not made ({reason}): another move follows"))?;
            self.refused.push(mv);
        }
        Ok(())
    }

    /// The game to think about: one that is not over. One that is over by the rules known here may go on by others.
    fn open_game(&self) -> Result<Game, Failure> {
        let game = self.game.as_ref().ok_or_else(no_rules)?;
        if game.outcome().is_none() {
            return Ok(game.clone());
        }
        let anew = Game::from_position(game.rules().clone(), *game.position()).map_err(refused)?;
        match anew.outcome() {
            None => Ok(anew),
            Some(outcome) => Err(Failure::Refused(format!("there is nothing to play: {outcome}"))),
        }
    }

    fn play(&mut self, side: Side, wire: &mut Wire<'_>) -> Result<(), Failure> {
        self.sent = None;
        self.give_the_move_to(side)?;
        let game = self.open_game()?;
        let refused = std::mem::take(&mut self.refused);
        let chosen = match &mut self.mind {
            Mind::Baseline(player) => Some(player.choose(&game)),
            Mind::Net(net) => {
                let limit = self.pace.limit(self.clock.map(|clock| clock.share(side)));
                let mut hearing = Hearing::new(&mut self.clock, Some(side), wire);
                let search = think(net, &game, limit, &mut hearing)?;
                self.quits |= hearing.quits;
                if hearing.is_over {
                    return Ok(());
                }
                let result = search.result();
                wire.say(&format!("status {}", summary(&search)))?;
                // The moves that were not made are left out, the best of the others is next.
                let mut others: Vec<(u32, Move)> = result.moves.iter().map(|root| (root.visits, root.mv)).collect();
                others.retain(|(_, mv)| !refused.contains(mv));
                let next = others.iter().rev().max_by_key(|(visits, _)| *visits).map(|(_, mv)| *mv);
                if refused.contains(&result.chosen) { next } else { Some(result.chosen) }
            }
        };
        let Some(mv) = chosen.filter(|mv| !refused.contains(mv)) else {
            return Err(Failure::Refused("none of the moves that this engine knows is legal there".to_owned()));
        };
        (self.sent, self.refused) = (Some(mv), refused);
        Ok(wire.say(&format!("move {mv}"))?)
    }

    fn analyze(&mut self, n_moves: usize, seconds: u32, wire: &mut Wire<'_>) -> Result<(), Failure> {
        let game = self.open_game()?;
        let found = match &mut self.mind {
            Mind::Baseline(player) => vec![format!("{} 0", player.choose(&game))],
            Mind::Net(net) => {
                let time = Duration::from_secs(seconds.into()).saturating_sub(ANALYSIS_MARGIN);
                let limit = Limit::of_time(time).map_err(refused)?;
                let mut hearing = Hearing::new(&mut self.clock, None, wire);
                let search = think(net, &game, limit, &mut hearing)?;
                self.quits |= hearing.quits;
                if hearing.is_over {
                    return Ok(());
                }
                wire.say(&format!("status {}", summary(&search)))?;
                let text = |moves: &[Move]| moves.iter().map(ToString::to_string).collect::<Vec<_>>().join("|");
                let lines = search.lines(n_moves.max(1));
                lines.iter().map(|line| format!("{} {:.3}", text(&line.moves), line.q)).collect()
            }
        };
        Ok(wire.say(&format!("analysis {} {}", found.len(), found.join(" ")))?)
    }
}

/// What is heard while the engine thinks.
struct Hearing<'a, 'w> {
    clock: &'a mut Option<Clock>,
    /// The side whose move is thought about; none in an analysis.
    side: Option<Side>,
    wire: &'a mut Wire<'w>,
    /// When a clock heard since asks for the move.
    deadline: Option<Instant>,
    is_over: bool,
    quits: bool,
}

impl<'a, 'w> Hearing<'a, 'w> {
    fn new(clock: &'a mut Option<Clock>, side: Option<Side>, wire: &'a mut Wire<'w>) -> Self {
        Self { clock, side, wire, deadline: None, is_over: false, quits: false }
    }

    fn listen(&mut self) -> Watch {
        while let Some(line) = self.wire.arrived() {
            match Command::read(&line) {
                Ok(Command::Finish) => (self.is_over, *self.clock) = (true, None),
                Ok(Command::Goodbye) => (self.is_over, self.quits) = (true, true),
                Ok(Command::Clock(clock)) => {
                    *self.clock = Some(clock);
                    self.deadline = self.side.map(|side| Instant::now() + clock.share(side));
                }
                // Whoever goes on to another position does not wait for all of this one's analysis.
                Ok(Command::Position(_) | Command::Rules(_) | Command::Analyze { .. }) if self.side.is_none() => {
                    self.wire.keep(line);
                    return Watch::Stop;
                }
                _ => self.wire.keep(line),
            }
            if self.is_over {
                return Watch::Stop;
            }
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) { Watch::Stop } else { Watch::GoOn }
    }
}

fn think(net: &mut NetPlayer, game: &Game, limit: Limit, hearing: &mut Hearing<'_, '_>) -> Result<Search, Failure> {
    net.search(game, &match_search(0), limit, &mut |_| hearing.listen()).map_err(refused)
}

/// What a search has found, for people.
fn summary(search: &Search) -> String {
    let best = search.lines(1).into_iter().next();
    let (line, value) = best.map_or((Vec::new(), 0.0), |line| (line.moves, line.q));
    let moves: Vec<String> = line.iter().map(ToString::to_string).collect();
    let result = search.result();
    let verdict = match result.proven.map(|proof| (proof.winner, proof.plies)) {
        Some((Some(side), plies)) => format!("{side} win in {plies}"),
        Some((None, _)) => "a draw".to_owned(),
        None => format!("value {value:+.2}"),
    };
    let visits: u32 = result.moves.iter().map(|root| root.visits).sum();
    format!("{visits} simulations, {verdict}: {}", moves.join(" "))
}

/// The game after all of `moves`, if they are legal in it.
fn play_all(mut game: Game, moves: &[MoveText]) -> Option<Game> {
    for text in moves {
        let mv = game.rules().match_move(game.position(), text).ok()?;
        game.play(mv).ok()?;
    }
    Some(game)
}

fn text_of(mv: Move) -> MoveText {
    MoveText { piece: None, from: mv.from, to: mv.to, captured: Bitboard::EMPTY }
}

fn same_board(a: &Position, b: &Position) -> bool {
    *a == b.with_side_to_move(a.side_to_move())
}

fn no_rules() -> Failure {
    Failure::Refused("no game has begun: expected `rules` first".to_owned())
}

#[cfg(test)]
mod tests;
