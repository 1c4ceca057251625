//! OpenTafl's engine protocol with our program as the engine: it plays, and it analyses.
//!
//! | from OpenTafl | what happens |
//! |---|---|
//! | `rules LINE` | a game under these rules starts; `error 0 …` if they are not supported, `status …` for differences in how games end |
//! | `clock …` | sets the time for the next moves |
//! | `play SIDE` | `status …` with the search's result, then `move M` |
//! | `move BOARD` | the move was made |
//! | `error CODE` | the move was not made: the answer to the next `play` is a different move |
//! | `opponent-move M\|… BOARD` | the game is updated |
//! | `position BOARD`, `side SIDE` | sets the position to analyse |
//! | `analyze N SECONDS` | `analysis N LINE VALUE …`: lines of play `M\|M\|…`, and values in [−1, 1] with +1 for a win of the attackers |
//! | `finish CODE` | the game is over |
//! | `goodbye` | the engine ends; it also ends at the end of its input, which stops a search that only a time limits |
//!
//! An invalid command is answered with `error 0 …`. If no move can follow, it is answered with `error -1 …`, which ends
//! the game. OpenTafl's board always counts: if no legal moves under the known rules lead to it, the game continues
//! from that board, and repetitions are counted from there.

mod clock;
mod command;
mod followed_game;
pub(crate) mod host;

use crate::wire::{BridgePlayer, Failure, Lines, Wire, refusal};
use clock::Clock;
use command::Command;
use followed_game::{Followed, FollowedGame};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tablut_players::Searcher;
use tablut_rules::{Bitboard, Game, Move, MoveList, MoveText, Position, Rules, RulesLine, Side};
use tablut_search::{Limit, Search, SearchConfig};

/// Part of an analysis's time that is kept for the answer and for a busy machine.
const ANALYSIS_MARGIN: Duration = Duration::from_millis(100);

#[derive(Copy, Clone, Debug)]
pub struct Pace {
    pub most: Option<Limit>,
    /// Simulations if neither `most` nor OpenTafl's clock limits the move.
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

pub struct OpenTaflEngine {
    player: BridgePlayer,
    pace: Pace,
    clock: Option<Clock>,
    game: Option<FollowedGame>,
    /// The move that was sent and not confirmed yet.
    sent: Option<Move>,
    /// Moves in this position that OpenTafl did not make.
    refused: Vec<Move>,
    quits: bool,
}

impl OpenTaflEngine {
    pub fn new(player: BridgePlayer, pace: Pace) -> Self {
        Self { player, pace, clock: None, game: None, sent: None, refused: Vec::new(), quits: false }
    }
}

/// Sends `hello` and executes `lines` until `goodbye` or their end. Lines arrive through a channel, so that the clock
/// and the end of the game are noticed while the engine thinks.
pub fn run_opentafl(engine: &mut OpenTaflEngine, lines: &Lines, output: &mut dyn Write) -> io::Result<()> {
    let mut wire = Wire::new(lines, output);
    wire.say("hello")?;
    wire.say("simple-moves on")?;
    let execute = |line: &str, wire: &mut Wire<'_>| {
        engine.execute(Command::read(line).map_err(Failure::Refused)?, wire)?;
        Ok(!engine.quits)
    };
    wire.run(execute, |line, reason| format!("error {} {}", if is_fatal(line) { -1 } else { 0 }, in_ascii(reason)))
}

/// Whether no move can follow if this line fails. Unsupported rules do not end a game before a move is requested:
/// an engine for analysis receives the rules of every game.
fn is_fatal(line: &str) -> bool {
    matches!(line.split_whitespace().next(), Some("play" | "opponent-move"))
}

/// The protocol allows only ASCII.
fn in_ascii(text: &str) -> String {
    text.replace('…', "...").replace(|c: char| !c.is_ascii(), "?")
}

impl OpenTaflEngine {
    fn execute(&mut self, command: Command, wire: &mut Wire<'_>) -> Result<(), Failure> {
        match command {
            Command::Nothing => {}
            Command::Rules(line) => self.begin(&line, wire)?,
            Command::Position(board) => {
                self.sent = None;
                self.refused.clear();
                self.game()?.set_up(board);
            }
            Command::Side(side) => self.game()?.give_the_move_to(side),
            Command::Clock(clock) => self.clock = Some(clock),
            Command::Analyze { n_moves, seconds } => self.analyze(n_moves, seconds, wire)?,
            Command::Play(side) => self.play(side, wire)?,
            Command::Moved(board) => self.follow(Vec::new(), &board, wire)?,
            Command::Error(code) => self.take_back(code, wire)?,
            Command::OpponentMove { moves, position } => self.follow(moves, &position, wire)?,
            Command::Finish => (self.clock, self.sent) = (None, None),
            Command::Goodbye => self.quits = true,
        }
        Ok(())
    }

    fn begin(&mut self, line: &str, wire: &mut Wire<'_>) -> Result<(), Failure> {
        // The previous game is over, whatever these rules are.
        (self.game, self.clock, self.sent) = (None, None, None);
        self.refused.clear();
        let RulesLine { set, start, other_endings } = line.parse().map_err(refusal)?;
        let rules = Arc::new(Rules::new(set).map_err(refusal)?);
        self.player.set_rules(&rules);
        self.game = Some(FollowedGame::new(rules, start).map_err(refusal)?);
        for ending in other_endings {
            wire.say(&format!("status not known to this engine: {ending}"))?;
        }
        Ok(())
    }

    fn game(&mut self) -> Result<&mut FollowedGame, Failure> {
        self.game.as_mut().ok_or_else(|| {
            Failure::Refused("no game has begun: expected `rules` with supported rules first".to_owned())
        })
    }

    /// Follows the move that was sent, unless it is already confirmed, and `moves`.
    fn follow(&mut self, moves: Vec<MoveText>, board: &Position, wire: &mut Wire<'_>) -> Result<(), Failure> {
        let sent = self.sent.take().map(text_of);
        let moves: Vec<MoveText> = sent.into_iter().chain(moves).collect();
        let followed = self.game()?.follow(&moves, board);
        if followed != Followed::AlreadyThere {
            self.refused.clear();
        }
        if followed == Followed::ByBoard {
            wire.say(
                "status this board does not follow by legal moves under the known rules; the game continues from it",
            )?;
        }
        Ok(())
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

    fn play(&mut self, side: Side, wire: &mut Wire<'_>) -> Result<(), Failure> {
        self.sent = None;
        let followed = self.game()?;
        followed.give_the_move_to(side);
        let game = followed.open_game().map_err(Failure::Refused)?;
        // The best move is first. A move that was not made is not sent again.
        let moves = match &mut self.player {
            BridgePlayer::Baseline(player) => {
                let mut others = MoveList::new();
                game.legal_moves(&mut others);
                [&[player.choose(&game)], &others[..]].concat()
            }
            BridgePlayer::Net(net) => {
                let limit = self.pace.limit(self.clock.map(|clock| clock.share(side)));
                let listener = Listener::new(&mut self.clock, &mut self.quits, Some(side), wire);
                let Some(search) = think(net, &game, &SearchConfig::for_play(), limit, listener)? else {
                    return Ok(());
                };
                let result = search.result();
                let mut others: Vec<(u32, Move)> = result.moves.iter().map(|root| (root.visits, root.mv)).collect();
                others.sort_by_key(|(visits, _)| std::cmp::Reverse(*visits));
                std::iter::once(result.chosen).chain(others.into_iter().map(|(_, mv)| mv)).collect()
            }
        };
        let Some(mv) = moves.into_iter().find(|mv| !self.refused.contains(mv)) else {
            return Err(Failure::Refused("every legal move that this engine knows was rejected".to_owned()));
        };
        self.sent = Some(mv);
        Ok(wire.say(&format!("move {mv}"))?)
    }

    fn analyze(&mut self, n_moves: usize, seconds: u32, wire: &mut Wire<'_>) -> Result<(), Failure> {
        let game = self.game()?.open_game().map_err(Failure::Refused)?;
        let found = match &mut self.player {
            BridgePlayer::Baseline(player) => vec![format!("{} 0", player.choose(&game))],
            BridgePlayer::Net(net) => {
                let time = Duration::from_secs(seconds.into()).saturating_sub(ANALYSIS_MARGIN);
                let limit = Limit::of_time(time).map_err(refusal)?;
                let listener = Listener::new(&mut self.clock, &mut self.quits, None, wire);
                let Some(search) = think(net, &game, &SearchConfig::for_analysis(), limit, listener)? else {
                    return Ok(());
                };
                let text = |moves: &[Move]| moves.iter().map(ToString::to_string).collect::<Vec<_>>().join("|");
                let lines = search.lines(n_moves.max(1));
                lines.iter().map(|line| format!("{} {:.3}", text(&line.moves), line.root.q)).collect()
            }
        };
        Ok(wire.say(&format!("analysis {} {}", found.len(), found.join(" ")))?)
    }
}

struct Listener<'a, 'w> {
    clock: &'a mut Option<Clock>,
    quits: &'a mut bool,
    /// The side that the engine thinks for, or `None` in an analysis.
    side: Option<Side>,
    wire: &'a mut Wire<'w>,
    /// Whether only a time limits the search.
    is_timed: bool,
    /// When the move is due according to a clock that has arrived since.
    deadline: Option<Instant>,
    is_over: bool,
}

impl<'a, 'w> Listener<'a, 'w> {
    fn new(clock: &'a mut Option<Clock>, quits: &'a mut bool, side: Option<Side>, wire: &'a mut Wire<'w>) -> Self {
        Self { clock, quits, side, wire, is_timed: false, deadline: None, is_over: false }
    }

    fn listen(&mut self) -> ControlFlow<()> {
        while let Some(line) = self.wire.arrived() {
            match Command::read(&line) {
                Ok(Command::Finish) => (self.is_over, *self.clock) = (true, None),
                Ok(Command::Goodbye) => (self.is_over, *self.quits) = (true, true),
                Ok(Command::Clock(clock)) => {
                    *self.clock = Some(clock);
                    self.deadline = self.side.map(|side| Instant::now() + clock.share(side));
                }
                // A user who goes to another position does not wait for the rest of this analysis.
                Ok(Command::Position(_) | Command::Rules(_) | Command::Analyze { .. }) if self.side.is_none() => {
                    self.wire.keep(line);
                    return ControlFlow::Break(());
                }
                _ => self.wire.keep(line),
            }
            if self.is_over {
                return ControlFlow::Break(());
            }
        }
        let is_alone = self.wire.has_ended && self.is_timed;
        if is_alone || self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Searches and reports the result. `None` if the game is over or the engine ends.
fn think(
    net: &mut Searcher,
    game: &Game,
    config: &SearchConfig,
    limit: Limit,
    mut listener: Listener<'_, '_>,
) -> Result<Option<Search>, Failure> {
    listener.is_timed = limit.simulations().is_none();
    let search = net.search(game, config, limit, &mut |_| listener.listen()).map_err(refusal)?;
    if listener.is_over {
        return Ok(None);
    }
    listener.wire.say(&format!("status {}", summary(&search)))?;
    Ok(Some(search))
}

fn summary(search: &Search) -> String {
    let best = search.lines(1).into_iter().next();
    let (line, value) = best.map_or((Vec::new(), 0.0), |line| (line.moves, line.root.q));
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

fn text_of(mv: Move) -> MoveText {
    MoveText { piece: None, from: mv.from, to: mv.to, captured: Bitboard::EMPTY }
}

#[cfg(test)]
mod tests;
