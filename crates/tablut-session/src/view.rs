//! Everything that an interface shows of a game. Interfaces need no code for rules.

use crate::clock::ClockView;
use crate::grade::Grade;
use crate::lesson;
use crate::level::LEVELS;
use crate::player::{Controller, OfferView, Players};
use crate::purpose::{advice, threatened};
use crate::report::{Alarm, GameEnding, MoveReport};
use crate::session::Session;
use crate::tree::{NodeId, NodeValue, Tree};
use crate::words;
use serde::Serialize;
use std::collections::BTreeMap;
use tablut_rules::{
    Bitboard, BoardSize, CampEntry, Escape, HostileCamps, Landing, Move, Piece, Position, RuleSet, Rules, Side, Square,
    Topic,
};

#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// The middle square, if it is special or the king starts on it.
    Throne,
    Corner,
    Camp,
    Escape,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RulesView {
    pub name: String,
    pub title: String,
    /// Squares along one side of the board.
    pub size: usize,
    pub built_in: bool,
    pub source: String,
    pub aims: Aims,
    pub lesson: Vec<String>,
    pub topics: Vec<Topic>,
    pub marks: BTreeMap<Square, Vec<Mark>>,
    pub toml: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Aims {
    pub attackers: String,
    pub defenders: String,
}

impl Aims {
    pub fn new(set: &RuleSet) -> Self {
        let place = match set.escape {
            Escape::Corners => "a corner of the board",
            Escape::EdgeOutsideCamps => "the edge of the board outside the camps",
            _ => "the edge of the board",
        };
        Self {
            attackers: format!("Stop the king from reaching {place}, and capture him."),
            defenders: format!("Bring the king to {place} before he is captured."),
        }
    }
}

impl RulesView {
    pub fn new(rules: &Rules) -> Self {
        let set = rules.set();
        Self {
            name: set.name.clone(),
            title: words::title(&set.name),
            size: rules.size().width(),
            built_in: RuleSet::named(&set.name).is_ok_and(|known| known == *set),
            source: set.source.clone(),
            aims: Aims::new(set),
            lesson: lesson::titles(rules),
            topics: set.explain(),
            marks: marks(rules),
            toml: set.to_toml(),
        }
    }
}

pub fn marks(rules: &Rules) -> BTreeMap<Square, Vec<Mark>> {
    let (corners, camps) = (&rules.set().corners, &rules.set().camps);
    let corners_matter = corners.landing != Landing::Anyone || corners.hostile_to_soldiers || corners.hostile_to_king;
    let hostile = [camps.hostile_to_attackers, camps.hostile_to_defenders, camps.hostile_to_king];
    let camps_matter = camps.entry != CampEntry::Anyone || hostile.iter().any(|&h| h != HostileCamps::None);
    let if_they = |matter: bool, squares| if matter { squares } else { Bitboard::EMPTY };
    let kinds = [
        (Mark::Throne, rules.throne()),
        (Mark::Corner, if_they(corners_matter, rules.corners())),
        (Mark::Camp, if_they(camps_matter, rules.camps())),
        (Mark::Escape, rules.escapes()),
    ];
    let mut marks: BTreeMap<Square, Vec<Mark>> = BTreeMap::new();
    for (mark, squares) in kinds {
        for square in squares {
            marks.entry(square).or_default().push(mark);
        }
    }
    marks
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MoveView {
    pub text: Move,
    pub from: Square,
    pub to: Square,
    /// The captured squares. If several moves differ only in these, the player chooses one.
    pub captures: Vec<Square>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LastMove {
    pub from: Square,
    pub to: Square,
    pub captured: Vec<Square>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeView {
    pub id: NodeId,
    pub parent: Option<NodeId>,
    /// The positions after it, the main line first.
    pub children: Vec<NodeId>,
    pub ply: u32,
    #[serde(rename = "move")]
    pub mv: Option<Move>,
    pub side: Option<Side>,
    pub captured: usize,
    pub alarm: Option<Alarm>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub comment: String,
    pub value: Option<NodeValue>,
    /// The move's grade, if a review has searched the positions before and after it.
    pub grade: Option<Grade>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "interfaces use each of them separately")]
pub struct State {
    pub node: NodeId,
    pub ply: u32,
    pub position: Position,
    /// The pieces by square: `attacker`, `defender` or `king`.
    pub pieces: BTreeMap<Square, Piece>,
    pub side: Side,
    pub players: Players,
    /// Whether each side has a seat, so that an interface can only play with the secret of a seat.
    pub has_seats: bool,
    pub is_study: bool,
    /// What one side of a game with seats offers the other.
    pub offer: Option<OfferView>,
    pub computer_to_move: bool,
    pub pauses_on_blunders: bool,
    /// What the last move did, in words, if it is a blunder and the game pauses.
    pub pause: Option<String>,
    pub clock: Option<ClockView>,
    /// All legal moves. Empty if the game is over.
    pub moves: Vec<MoveView>,
    pub last: Option<LastMove>,
    pub alarm: Option<Alarm>,
    pub routes: Vec<Square>,
    /// Pieces of the side to move that the opponent could capture if it were its turn.
    pub threatened: Vec<Square>,
    pub ending: Option<GameEnding>,
    /// The last move and its effects in sentences that can be read aloud.
    pub said: String,
    /// Counters and warnings in words: repetition, moves without a capture, length.
    pub notes: Vec<String>,
    pub tree: Vec<NodeView>,
    pub line: Vec<NodeId>,
    pub can_undo: bool,
    pub can_redo: bool,
    /// The part of a link after `#` that carries rules, start and moves.
    pub link: String,
}

impl State {
    pub fn new(session: &Session) -> Self {
        let (game, ending) = (session.game(), session.ending());
        let position = game.position();
        let report = session.node().report.as_ref();
        let open = ending.is_none();
        let here = session.current();
        Self {
            node: here,
            ply: game.ply(),
            position: *position,
            pieces: position.size().squares().filter_map(|square| Some((square, position.piece_at(square)?))).collect(),
            side: position.side_to_move(),
            players: session.players().clone(),
            has_seats: session.seats().is_some(),
            is_study: session.is_study,
            offer: None,
            computer_to_move: session.is_computers_turn(),
            pauses_on_blunders: session.pauses_on_blunders,
            pause: None,
            clock: session.clock.as_ref().map(|clock| clock.view(open.then(|| position.side_to_move()))),
            moves: if open { moves(session) } else { Vec::new() },
            last: report.map(last_move),
            alarm: Alarm::of_routes(if open { game.routes() } else { 0 }),
            routes: if open { game.rules().route_squares(position).iter().collect() } else { Vec::new() },
            threatened: if open { threatened(game.rules(), position).iter().collect() } else { Vec::new() },
            ending,
            said: announcement(report, ending, position.side_to_move()),
            notes: notes(session),
            tree: session.tree().iter().map(|(id, node)| node_view(session, id, node)).collect(),
            line: session.tree().line(here),
            can_undo: here != Tree::ROOT || session.node().was_ended(),
            can_redo: session.tree().next(here).is_some(),
            link: session.to_link(),
        }
    }
}

fn node_view(session: &Session, id: NodeId, node: &crate::tree::Node) -> NodeView {
    let report = node.report.as_ref();
    NodeView {
        id,
        parent: node.parent,
        children: node.children.clone(),
        ply: node.ply,
        mv: report.map(|report| report.mv),
        side: report.map(|report| report.side),
        captured: report.map_or(0, |report| report.captured.len()),
        alarm: report.and_then(|report| report.alarm),
        comment: node.comment.clone(),
        value: node.value,
        grade: Grade::of_node(session, id),
    }
}

fn last_move(report: &MoveReport) -> LastMove {
    let captured = report.captured.iter().map(|(square, _)| *square).collect();
    LastMove { from: report.mv.from, to: report.mv.to, captured }
}

fn moves(session: &Session) -> Vec<MoveView> {
    let (rules, position) = (session.rules(), session.game().position());
    let view = |mv: Move| {
        let captures = rules.apply(position, mv).captured.iter().collect();
        MoveView { text: mv, from: mv.from, to: mv.to, captures }
    };
    session.moves().map(|moves| moves.into_iter().map(view).collect()).unwrap_or_default()
}

fn announcement(report: Option<&MoveReport>, ending: Option<GameEnding>, to_move: Side) -> String {
    let mut said = report.map_or(String::new(), |report| words::describe_move(report) + " ");
    match ending {
        Some(ending) => said += &(words::capitalize(&words::ending(ending)) + "."),
        None => said += &(words::capitalize(&to_move.to_string()) + " to move."),
    }
    said
}

fn notes(session: &Session) -> Vec<String> {
    let game = session.game();
    let mut notes = Vec::new();
    if session.ending().is_some() {
        return notes;
    }
    notes.extend(words::occurrences(game.occurrences()));
    let side = game.position().side_to_move();
    if game.rules().wins_at_once(game.position(), side.opponent()) {
        notes.push(match side {
            Side::Defenders => "The attackers threaten to capture the king.".to_owned(),
            Side::Attackers => "The king threatens to escape.".to_owned(),
        });
    }
    // A person who plays against the weakest level is told what there is to see.
    if session.players().of(side).is_person() && is_newcomer(session.players().of(side.opponent())) {
        notes.extend(advice(game.rules(), game.position()));
    }
    if let Some(limit) = game.rules().set().no_capture_plies {
        notes.push(format!("{} of {limit} plies without a capture.", game.plies_since_capture()));
    }
    if let Some(limit) = game.max_plies() {
        notes.push(format!("{} of {limit} plies.", game.ply()));
    }
    notes
}

fn is_newcomer(player: &Controller) -> bool {
    player.level().is_some_and(|level| level.name == LEVELS[0].name)
}

/// The position with these pieces, which are named as in [`State::pieces`].
pub fn position_of(size: BoardSize, pieces: &BTreeMap<Square, String>, side: Side) -> Result<Position, String> {
    let names = Piece::ALL.map(|piece| piece.to_string());
    if let Some((square, other)) = pieces.iter().find(|(_, name)| !names.contains(name)) {
        let other = words::shorten(other);
        return Err(format!("{other:?} on {square}, expected attacker, defender or king"));
    }
    let squares_of = |piece: Piece| {
        let kind = pieces.iter().filter(move |(_, name)| **name == piece.to_string());
        kind.map(|(square, _)| *square).collect::<Bitboard>()
    };
    let kings = squares_of(Piece::King);
    if kings.len() > 1 {
        return Err(format!("{} kings, expected one", kings.len()));
    }
    Position::from_parts(size, squares_of(Piece::Attacker), squares_of(Piece::Defender), kings.first(), side)
        .map_err(|error| error.to_string())
}
