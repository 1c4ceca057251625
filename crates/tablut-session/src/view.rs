//! Everything that an interface shows of a game, computed here so that no interface knows a rule.

use crate::player::Players;
use crate::report::{Alarm, GameEnding, MoveReport};
use crate::session::Session;
use crate::tree::{NodeId, Tree};
use crate::value::NodeValue;
use crate::words;
use serde::Serialize;
use std::collections::BTreeMap;
use tablut_rules::{Bitboard, CampEntry, HostileCamps, Landing, Move, MoveList, Piece, Position, Rules, Side, Square};

/// What a square is, beside what stands on it.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// The middle square, where it differs from the others or the king starts on it.
    Throne,
    /// A corner with rules of its own.
    Corner,
    /// A camp with rules of its own.
    Camp,
    /// A square on which the king escapes.
    Escape,
}

/// The rules of a game, in words and as marks on the board.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RulesView {
    /// The rule set's name.
    pub name: String,
    /// Where it comes from.
    pub source: String,
    /// The rules in words, by topic.
    pub topics: Vec<TopicView>,
    /// The special squares and all that each is.
    pub marks: BTreeMap<Square, Vec<Mark>>,
    /// The rule file.
    pub toml: String,
}

/// One topic of the rules in words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TopicView {
    /// Its title.
    pub title: String,
    /// What there is to know.
    pub sentences: Vec<String>,
}

impl RulesView {
    /// The rules of a compiled set.
    pub fn new(rules: &Rules) -> Self {
        let set = rules.set();
        let topics = set.explain().into_iter();
        let topics = topics.map(|topic| TopicView { title: topic.title.to_owned(), sentences: topic.sentences });
        Self {
            name: set.name.clone(),
            source: set.source.clone(),
            topics: topics.collect(),
            marks: marks(rules),
            toml: set.to_toml(),
        }
    }
}

/// The special squares of a rule set that differ from ordinary ones in its play.
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

/// A legal move and what it captures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MoveView {
    /// The move as it is typed and sent back.
    pub text: Move,
    /// Where the piece stands.
    pub from: Square,
    /// Where it lands.
    pub to: Square,
    /// What it captures; moves that differ in this alone are the mover's choice.
    pub captures: Vec<Square>,
}

/// The last move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LastMove {
    /// Where the piece came from.
    pub from: Square,
    /// Where it went.
    pub to: Square,
    /// The squares on which it captured.
    pub captured: Vec<Square>,
}

/// A position of the tree, for the list of moves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeView {
    /// Its name.
    pub id: NodeId,
    /// The position before.
    pub parent: Option<NodeId>,
    /// The moves tried from here, the main line first.
    pub children: Vec<NodeId>,
    /// Plies from the start.
    pub ply: u32,
    /// The move that led here.
    #[serde(rename = "move")]
    pub mv: Option<Move>,
    /// Who played it.
    pub side: Option<Side>,
    /// How many pieces it captured.
    pub captured: usize,
    /// The king's ways out after it.
    pub alarm: Option<Alarm>,
    /// What a person wrote.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub comment: String,
    /// What a search found here.
    pub value: Option<NodeValue>,
}

/// The game as it stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct State {
    /// The present position's node.
    pub node: NodeId,
    /// Plies played.
    pub ply: u32,
    /// The position as text.
    pub position: Position,
    /// What stands where.
    pub pieces: BTreeMap<Square, &'static str>,
    /// Who is to move.
    pub side: Side,
    /// Who plays.
    pub players: Players,
    /// Whether the computer is to move.
    pub computer_to_move: bool,
    /// All legal moves; none when the game is over.
    pub moves: Vec<MoveView>,
    /// The last move.
    pub last: Option<LastMove>,
    /// The king's ways out.
    pub alarm: Option<Alarm>,
    /// The squares of those ways.
    pub routes: Vec<Square>,
    /// Pieces of the side to move that the opponent could capture if it were its turn.
    pub threatened: Vec<Square>,
    /// How the game has ended.
    pub ending: Option<GameEnding>,
    /// What is to be said of the present position: the last move and what came of it.
    pub said: String,
    /// Counters and warnings in words: repetition, moves without a capture, length.
    pub notes: Vec<String>,
    /// All positions.
    pub tree: Vec<NodeView>,
    /// The line that the present position is on, to its end.
    pub line: Vec<NodeId>,
    /// Whether a move can be taken back.
    pub can_undo: bool,
    /// Whether a move can be played again.
    pub can_redo: bool,
}

impl State {
    /// The state of a session.
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
            pieces: Square::all()
                .filter_map(|square| position.piece_at(square).map(|piece| (square, words::piece(piece))))
                .collect(),
            side: position.side_to_move(),
            players: session.players().clone(),
            computer_to_move: session.is_computers_turn(),
            moves: if open { moves(session) } else { Vec::new() },
            last: report.map(last_move),
            alarm: Alarm::of_routes(if open { game.routes() } else { 0 }),
            routes: if open { game.rules().route_squares(position).iter().collect() } else { Vec::new() },
            threatened: if open { threatened(game.rules(), position) } else { Vec::new() },
            ending,
            said: said(report, ending, position.side_to_move()),
            notes: notes(session),
            tree: session.tree().iter().map(|(id, node)| node_view(id, node)).collect(),
            line: session.tree().line(here),
            can_undo: here != Tree::ROOT || session.node().resigned.is_some(),
            can_redo: session.tree().next(here).is_some(),
        }
    }
}

fn node_view(id: NodeId, node: &crate::tree::Node) -> NodeView {
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

/// Pieces that the side to move could lose to the opponent's next move.
fn threatened(rules: &Rules, position: &Position) -> Vec<Square> {
    let turned = position.with_side_to_move(position.side_to_move().opponent());
    let mut moves = MoveList::new();
    rules.legal_moves(&turned, &mut moves);
    let captured = moves.iter().map(|mv| rules.apply(&turned, *mv).captured);
    captured.fold(Bitboard::EMPTY, |all, captured| all | captured).iter().collect()
}

fn said(report: Option<&MoveReport>, ending: Option<GameEnding>, to_move: Side) -> String {
    let mut said = report.map_or(String::new(), |report| words::said(report) + " ");
    match ending {
        Some(ending) => said += &(words::capitalized(&words::ending(ending)) + "."),
        None => said += &(words::capitalized(words::side(to_move)) + " to move."),
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
    if let Some(limit) = game.rules().set().no_capture_plies {
        notes.push(format!("{} of {limit} plies without a capture.", game.plies_since_capture()));
    }
    if let Some(limit) = game.max_plies() {
        notes.push(format!("{} of {limit} plies.", game.ply()));
    }
    notes
}

/// A position from what stands where, as an editor gives it.
pub fn position_of(pieces: &BTreeMap<Square, PieceName>, side: Side) -> Result<Position, String> {
    let of = |wanted: PieceName| {
        pieces.iter().filter(move |(_, piece)| **piece == wanted).map(|(square, _)| *square).collect::<Bitboard>()
    };
    let kings = of(PieceName::King);
    if kings.len() > 1 {
        return Err(format!("{} kings, expected one", kings.len()));
    }
    Position::from_parts(of(PieceName::Attacker), of(PieceName::Defender), kings.first(), side)
        .map_err(|error| error.to_string())
}

/// A piece as interfaces name it.
#[derive(Clone, Copy, Debug, Eq, PartialEq, serde::Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PieceName {
    /// An attacker.
    Attacker,
    /// A defender.
    Defender,
    /// The king.
    King,
}

impl From<Piece> for PieceName {
    fn from(piece: Piece) -> Self {
        match piece {
            Piece::Attacker => Self::Attacker,
            Piece::Defender => Self::Defender,
            Piece::King => Self::King,
        }
    }
}
